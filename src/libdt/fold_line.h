/*
 * The tracers' text, a line at a time: fold_text.c reads, a file for each
 * tracer knows its lines.
 *
 * Ownership: a struct text belongs to fold_text(), which frees its block; the
 * lines are the reader's and may be cut in place.
 */
#ifndef LIBDT_FOLD_LINE_H
#define LIBDT_FOLD_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdt/fold.h"
#include "libdt/fold_block.h"

/* What one line did to the block being read. */
enum took {
	TOOK,			/* it belongs there */
	TOOK_NOT,		/* it belongs to nothing */
	TOOK_FAILED,		/* no memory */
};

struct text {
	struct fold *f;
	struct block block;
	bool open;		/* perf: a sample; bpftrace: within @[ … ] */
	char pending[1024];	/* DTrace: a line that is a count or keys */
	uint64_t pending_line;
	bool histogram;		/* DTrace: until an empty line */
	size_t indent;		/* DTrace: of the frame in the line before */
	uint64_t line;		/* from 1 */
	uint64_t lost;		/* the line whose count was too much, or 0 */
	const char *why;	/* the line belongs to nothing */
};

/* Without the blanks around it; *n is what is left. */
char *text_trim(char *s, size_t *n);
/* A whole decimal number. */
bool text_number(const char *s, size_t n, uint64_t *v);
/* The number that ends a line, and how many bytes stand before it. */
bool text_count(const char *s, size_t n, uint64_t *v, size_t *before);
/* Adds the block, as often as the count in that line says, to the stacks. */
enum took text_close(struct text *t, uint64_t count, uint64_t line);

/* One line of a tracer's; and the end of its text. */
enum took dtrace_line(struct text *t, char *raw, size_t n);
enum took dtrace_end(struct text *t);
enum took perf_line(struct text *t, char *raw, size_t n);
enum took perf_end(struct text *t);
enum took bpftrace_line(struct text *t, char *raw, size_t n);
enum took bpftrace_end(struct text *t);

/* What dtrace prints without -q before the first aggregation. */
bool dtrace_header(const char *s, size_t n);
/*
 * "comm with blanks 12/34 [001] 5.678: ...": the length of comm, and where
 * the numbers begin.
 */
bool perf_header(const char *s, size_t *comm, const char **pid,
    const char **tid);

#endif
