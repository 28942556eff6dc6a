/*
 * lowrt.h - loops over strings in the scratch (lower_rt.c).
 */
#ifndef TRACE_LOWRT_H
#define TRACE_LOWRT_H

#include "trace/lowint.h"

enum { RT_PARAM = 24, RT_DIGITS = 72 };	/* scratch: five words from there */

enum rtfn { RT_SAME, RT_SEARCH, RT_RSEARCH, RT_CHR, RT_RCHR, RT_SET, RT_SPAN,
	    RT_CASE, RT_DIG, RT_PATH, RT_INET, RT_CLEAN, RT_NUM, RT_INET6,
	    RT_JSON, RT_N };

/* The callback, made when first asked for. */
int	rt_fn(struct lower *, enum rtfn);
void	rt_more(struct lower *, enum rtfn);	/* lower_rtpath.c */
/* Runs it n times at most over the areas a and b (-1: none). */
void	rt_loop(struct lower *, enum rtfn, uint32_t n, vreg a, vreg b);
vreg	rt_context(struct lower *, vreg s, vreg a, vreg b);
/* The words through which numbers go in and out. */
void	rt_set(struct lower *, int n, vreg);
vreg	rt_get(struct lower *, int n);

#endif
