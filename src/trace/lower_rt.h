/*
 * lower_rt.h - loops over strings in the scratch (lower_rt.c).
 *
 * The callbacks are functions of the program under construction, which owns
 * them; a struct cb is of the one that is being made.
 */
#ifndef TRACE_LOWER_RT_H
#define TRACE_LOWER_RT_H

#include "trace/lower_impl.h"

enum {
	RT_PARAM = 24,		/* scratch: five words from there */
	RT_DIGITS = 72,
	RT_PATHMAX = 4096, RT_NAMEMAX = 255, RT_PATHDEPTH = 256,
};

enum rtfn { RT_SAME, RT_SEARCH, RT_RSEARCH, RT_CHR, RT_RCHR, RT_SET, RT_SPAN,
	    RT_CASE, RT_DIG, RT_PATH, RT_CLEAN, RT_BACK, RT_NUM, RT_STRIP,
	    RT_INET, RT_ZEROES, RT_INET6, RT_LINK, RT_DENTRY,
	    RT_JSON, RT_JSONPATH, RT_N };

/* A callback while it is made. */
struct cb {
	vreg i;			/* of this turn, below the limit */
	vreg s, a, b;		/* the scratch, the two areas */
	label stop, go;		/* ends the loop; goes on */
};
/* Begins and ends a callback; its turns are numbered from 0 up to limit. */
void	rt_begin(struct lower *, struct cb *, const char *name, uint32_t limit);
void	rt_end(struct lower *, struct cb *);
/* The word P0 to P4 through which numbers go in and out, in a callback. */
vreg	rt_param(struct gen *, const struct cb *, int n);
void	rt_setparam(struct gen *, const struct cb *, int n, vreg);
vreg	rt_byte(struct gen *, vreg area, vreg at);	/* one byte there */

/* The callback, made when first asked for. */
int	rt_fn(struct lower *, enum rtfn);
void	rt_text(struct lower *, enum rtfn);	/* lower_rttext.c */
void	rt_net(struct lower *, enum rtfn);	/* lower_rtnet.c */
void	rt_dentry(struct lower *);		/* lower_proc.c */
void	rt_json(struct lower *);		/* lower_jsonrt.c */
void	rt_jsonpath(struct lower *);		/* lower_json.c */
/* Runs it n times at most over the areas a and b (-1: none). */
void	rt_loop(struct lower *, enum rtfn, uint32_t n, vreg a, vreg b);
/* A context on the stack for bpf_loop(), of the scratch and two areas. */
vreg	rt_context(struct lower *, vreg s, vreg a, vreg b);
/* The same words outside of a callback. */
void	rt_set(struct lower *, int n, vreg);
vreg	rt_get(struct lower *, int n);

#endif
