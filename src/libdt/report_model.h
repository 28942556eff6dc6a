/*
 * What a report is made of, whatever it is printed as: sections of facts and
 * tables. The sections are filled from a bundle by report_run.c,
 * report_cpu.c …; report_json.c, report_md.c … print them.
 *
 * Ownership: a struct report owns all below it until report_free(); columns
 * are constant tables of the program.
 */
#ifndef LIBDT_REPORT_MODEL_H
#define LIBDT_REPORT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdt/bundle.h"
#include "libdt/fold.h"
#include "libdt/msg.h"

enum cell_type {
	CELL_TEXT,		/* canonical escape, UTF-8 */
	CELL_COUNT,
	CELL_INT,		/* signed, and never grouped by thousands */
	CELL_NS,
	CELL_BYTES,
	CELL_SHARE,		/* parts in a million */
	CELL_FLAG,
};

struct report_col {
	const char *id, *label;
	enum cell_type type;
	bool bar;		/* HTML draws it as a bar, too */
};

/* The last columns of a table of durations (duration_cells()). */
#define REPORT_DURATION_COLS \
	{ "total_ns", "Time", CELL_NS, false }, \
	{ "share", "Share", CELL_SHARE, true }, \
	{ "p50_ns", "p50", CELL_NS, false }, \
	{ "p99_ns", "p99", CELL_NS, false }, \
	{ "max_ns", "Max", CELL_NS, false }, \
	{ "lower_bound", "≥", CELL_FLAG, false }

struct cell {
	bool given;
	union { uint64_t u; int64_t i; };
	const char *s;
};

struct report_fact {
	const char *id, *label;
	enum cell_type type;
	struct cell v;
};

struct report_table {
	const char *id, *title;
	const struct report_col *col;
	size_t ncol;
	struct cell *cell;	/* row after row */
	size_t nrow, cap;
	bool csv;		/* the table of its family's CSV file */
	bool lower;		/* its last column says: a lower bound */
	uint64_t hidden;	/* bit j: column j is a flag no row has */
};

struct report_section {
	const char *id, *title;
	struct report_fact *fact;
	size_t nfact;
	struct report_table *table;
	size_t ntable;
	const char *note;	/* a sentence, or NULL */
};

struct report {
	struct report_section *section;
	size_t nsection;
	const char *title;	/* the bundle's name */
	const char *verdict;
	struct fold *cpu;	/* folded samples, NULL: no such family */
	uint64_t malformed;	/* lines of raw/ that are no records */
	struct report_mem *mem;
	bool nomem;		/* sticks: report_build() tells of it */
};

/* Adders; no memory sticks in the report and is told at the end. */
struct report_section *report_section(struct report *r, const char *id,
    const char *title);
void report_fact_text(struct report *r, struct report_section *s,
    const char *id, const char *label, const char *text);
void report_fact_u64(struct report *r, struct report_section *s,
    const char *id, const char *label, enum cell_type type, uint64_t v);
void report_fact_maybe(struct report *r, struct report_section *s,
    const char *id, const char *label, enum cell_type type,
    struct maybe_u64 v);
struct report_table *report_table(struct report *r, struct report_section *s,
    const char *id, const char *title, const struct report_col *col,
    size_t ncol);
/* A new row of unset cells; never NULL (a spare row where memory is out). */
struct cell *report_row(struct report *r, struct report_table *t);
void cell_u64(struct cell *c, uint64_t v);
void cell_i64(struct cell *c, int64_t v);
void cell_maybe(struct cell *c, struct maybe_u64 v);
/* Text is copied. */
void cell_text(struct report *r, struct cell *c, const char *s);
void cell_text_n(struct report *r, struct cell *c, const char *s, size_t n);
const char *report_copy(struct report *r, const char *s, size_t n);
/* Sorts rows: descending by two numbers' columns, then by all the others. */
void report_sort(struct report_table *t, size_t col, size_t col2);
/* Memory that lives with the report; NULL (and nomem) when it is out. */
void *report_alloc(struct report *r, size_t n);

/* A cell as people read it: "1.25 ms", "12,345", "3.1 %", "4.0 MiB". */
size_t cell_show(const struct cell *c, enum cell_type type, char *buf,
    size_t cap);

/* Parts in a million; 0 of 0 is 0. */
uint64_t share(uint64_t part, uint64_t whole);

/* Durations of one name, kept whole so that percentiles are exact. */
struct durations {
	uint64_t *v;
	size_t n, cap;
	uint64_t sum;
	bool sorted;
};
int durations_add(struct durations *d, uint64_t ns);	/* -1: no memory */
/* Nearest rank: the smallest value that permille of 1000 do not exceed. */
uint64_t durations_at(struct durations *d, unsigned permille);
uint64_t durations_max(struct durations *d);
void durations_free(struct durations *d);
/* The cells of REPORT_DURATION_COLS, the last not among them; all: the sum
 * its share is of. */
void duration_cells(struct cell *c, struct durations *d, uint64_t all);

/* Loss intervals of the collectors of a family. */
struct gaps {
	struct gap { uint64_t from, to; } *v;	/* by from; to: the last of
						   all up to this one */
	size_t n;
};
/* 0, to be ended by gaps_free(); -1: no memory. */
int gaps_of(struct gaps *g, const struct bundle *b, enum schema_family f);
/* Some loss lies within these times. */
bool gaps_overlap(const struct gaps *g, uint64_t from, uint64_t to);
void gaps_free(struct gaps *g);

/*
 * Reads a family's records: each good one to fn, which returns -1 when
 * memory is out; the malformed are counted in r->malformed. 1: the bundle
 * has no such file; 0; -1 with m.
 */
int report_read(struct report *r, const struct bundle *b,
    enum schema_family f, int (*fn)(void *arg, const struct record *rec),
    void *arg, struct msg *m);

/* The sections; each 0, or -1 with m. */
int report_run(struct report *r, const struct bundle *b, struct msg *m);
int report_cohort(struct report *r, const struct bundle *b, struct msg *m);
int report_cpu(struct report *r, const struct bundle *b, struct msg *m);
int report_syscalls(struct report *r, const struct bundle *b, struct msg *m);
int report_io(struct report *r, const struct bundle *b, struct msg *m);
int report_allocations(struct report *r, const struct bundle *b,
    struct msg *m);
int report_gc(struct report *r, const struct bundle *b, struct msg *m);
int report_spans(struct report *r, const struct bundle *b, struct msg *m);
int report_losses(struct report *r, const struct bundle *b, struct msg *m);
int report_cost(struct report *r, const struct bundle *b, struct msg *m);

#endif
