/*
 * xlate.h - translators: structs that DTrace defines, made of others.
 *
 * The built-in ones are a const table (xlate.def); those a program declares
 * belong to its unit.
 */
#ifndef TRACE_XLATE_H
#define TRACE_XLATE_H

#include "trace/ast.h"

/* One member's definition: a text (built in) or an expression. */
struct xmember {
	struct xmember *next;
	const char *name;
	const char *text;
	struct node *expr;
};

struct xlator {
	struct xlator *next;
	const char *tag;		/* built in: struct tag, else NULL */
	const struct dtype *out;	/* the struct made; built in: NULL */
	const char *intext;		/* built in: the input's type */
	const struct dtype *in;
	const char *param;		/* what expressions call the input */
	struct xmember *mem;		/* a program's own */
};

/* The struct or typedef of a built-in translator by that name ("psinfo_t",
 * "struct psinfo"), registered in the set; NULL: it is none of them. */
const struct dtype *xlate_type(struct typeset *, const char *name);

/*
 * The translator from in (NULL: the first) to the struct out; *x is filled
 * for a built-in one. false: there is none.
 */
bool	xlate_find(const struct unit *, const struct dtype *out,
	    const struct dtype *in, struct xlator *x);
/* The i-th definition of a member, NULL: no more; *m is filled. */
bool	xlate_member(const struct xlator *, const char *name, unsigned i,
	    struct xmember *m);

#endif
