/*
 * fmt.h - printf formats of D: parsed once, checked at compile time, printed
 * by the consumer (print_fmt.h).  A struct fmt lives in the caller's arena and
 * points into the text it was parsed from, which must live as long.
 */
#ifndef TRACE_FMT_H
#define TRACE_FMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/type.h"

struct diag;
struct arena;

/* How a conversion takes and prints its argument (fmtconv.def). */
enum fmtclass {
	FC_LITERAL,		/* no conversion: text only */
	FC_INT,			/* signed or unsigned as the argument is */
	FC_UINT,		/* always unsigned */
	FC_CHAR, FC_WCHAR, FC_ECHAR, FC_FLOAT, FC_PTR, FC_KADDR, FC_UADDR,
	FC_STACK, FC_STR, FC_ESTR, FC_WSTR, FC_TIME, FC_TIME822,
};

enum {			/* fmtconv.flags: printf's */
	FMT_LEFT = 1, FMT_PLUS = 2, FMT_SPACE = 4, FMT_ZERO = 8, FMT_ALT = 16,
	FMT_GROUP = 32,
};

struct fmtconv {
	const char *lit;		/* literal text before it */
	size_t litlen;
	char conv[4];			/* "d", "lld", "Y", … ; "" only literal */
	enum fmtclass cls;
	char libc;			/* the letter printf(3) knows */
	unsigned flags;
	int width, prec;		/* -1: none */
	bool dynwidth, dynprec;		/* from arguments */
	bool agg;			/* %@d: the aggregation's value */
	bool ptrwidth;			/* %?x */
};

struct fmt {
	const char *text;
	struct fmtconv *conv;
	size_t nconv;
	size_t narg;			/* arguments (printa: keys) it takes */
	size_t nagg;			/* %@ conversions */
};

/* Parses a format. NULL: an error is in the diag (D_PRINTF_… tags); func is
 * the action's name, for messages. */
const struct fmt *fmt_parse(struct arena *, const char *text, int line,
	    const char *func, struct diag *);
/*
 * Checks the types of the arguments (in order, width and precision arguments
 * included) of a printf-like action. For printa() the arguments are the key's
 * components, of which a format need not use all, and printa is true.
 * Source: the format chapter of the DTrace guide.
 */
int	fmt_check(const struct fmt *, const char *func, int line,
	    const struct dtype *const *arg, size_t narg, bool printa,
	    struct diag *);

#endif
