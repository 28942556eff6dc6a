/*
 * fmt.h - printf formats of D: parsed once, checked at compile time, printed
 * by the consumer.  A struct fmt is allocated in the caller's arena.
 */
#ifndef TRACE_FMT_H
#define TRACE_FMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "type.h"

struct diag;
struct arena;
struct datum;
struct aggdesc;

struct fmtconv {
	const char *lit;		/* literal text before it */
	size_t litlen;
	char conv[4];			/* "d", "s", "Y", … ; "" only literal */
	unsigned flags;			/* enum in fmt.c: - + space 0 # ' */
	int width, prec;		/* -1: none */
	bool dynwidth, dynprec;		/* from arguments */
	bool agg;			/* %@d: the aggregation's value */
	bool ptrwidth;			/* %?x */
};

struct fmt {
	const char *text;
	struct fmtconv *conv;
	size_t nconv, narg;		/* arguments it takes */
};

/* Parses a format. NULL: an error is in the diag (D_PRINTF_… tags). */
const struct fmt *fmt_parse(struct arena *, const char *text, int line,
	    const char *func, struct diag *);
/* Checks arguments' types (in order, width and precision arguments included);
 * func is "printf", … for messages. */
int	fmt_check(const struct fmt *, const char *func, int line,
	    const struct dtype *const *arg, size_t narg, struct diag *);

#endif
