/*
 * Sections of what has a name and a duration, or a size: io, allocations, gc,
 * spans. Each is a struct ops_section; report_ops.c makes tables of them.
 *
 * Ownership: a struct ops is ops_report()'s; cells and texts are the
 * report's.
 */
#ifndef LIBDT_REPORT_OPS_H
#define LIBDT_REPORT_OPS_H

#include "libdt/names.h"
#include "libdt/report_model.h"

#define REPORT_N(a)	(sizeof(a) / sizeof((a)[0]))

/* What is counted of one name; times in ns. */
struct op {
	struct durations dur;
	uint64_t count, samples, errors, cancels, bytes;
	uint64_t from, to;
};

struct ops {
	struct names names;
	struct op *v;
	size_t cap;
	uint64_t ns, bytes, started, ended;
	struct names open;	/* spans: id to name, "ID" */
	uint32_t *open_name;
	size_t open_cap;
};

/* What a section is made of, whatever the family. */
struct ops_section {
	enum schema_family family;
	const char *title, *table_id, *table_title;
	const struct report_col *col;	/* the last is the lower bound */
	size_t ncol, sort;
	int (*add)(void *ops, const struct record *rec);
	void (*row)(struct report *r, const struct ops *o, struct cell *c,
	    const char *name, struct op *v);
	void (*facts)(struct report *r, struct report_section *s,
	    const struct ops *o);
};

/* The entry of a name, made at its first use; NULL: no memory. */
struct op *ops_add(struct ops *o, const char *s, size_t n, uint64_t from,
    uint64_t to);
/* "A\tB" into two cells: A (a may be NULL), and B where there is one. */
void ops_pair(struct report *r, struct cell *a, struct cell *b,
    const char *s);
/* Makes the section; 0, also where the bundle has no such file; -1 with m. */
int ops_report(struct report *r, const struct bundle *b,
    const struct ops_section *def, struct msg *m);

#endif
