/*
 * agg_impl.h - the tables behind agg.h: agg.c (rows, changes), aggread.c
 * (the kernel's maps) and aggsort.c (order, printing).
 *
 * A struct aggset owns its tables, a table its rows.
 */
#ifndef TRACE_AGG_IMPL_H
#define TRACE_AGG_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/aggrow.h"

struct msg;

struct aggtab {
	const struct aggdesc *agg;
	struct aggrow **row;		/* in no order */
	size_t nrow, cap;
	uint32_t *slot;			/* open hash: row index + 1, 0: free */
	size_t nslot;			/* a power of two, or 0 */
	bool printed;			/* by printa(): END leaves it out */
};

struct aggset {
	struct aggtab *tab;		/* one per prog.agg, in that order */
	size_t ntab;
};

/* Its rows; the set's. */
struct aggtab *aggset_tab(struct aggset *, const struct aggdesc *);
/* The row of a key, made where there is none; NULL: no memory. */
struct aggrow *aggset_row(struct aggtab *, const uint8_t *key);
/* Takes the keys of rows that are `gone` out of the kernel's map, so that what
 * is added later begins at zero. */
int	aggset_forget(struct trace *, const struct aggdesc *, struct msg *);

/* Sort order as the aggsort* options have it. Rows of several aggregations
 * are ordered by aggregation first. */
struct aggorder {
	const struct trace *t;
	bool key, rev;
	unsigned keypos, pos;
};
/* The order that the options ask for; rows put in it. */
void	aggorder_get(const struct trace *, struct aggorder *);
void	aggorder_sort(const struct aggorder *, struct aggrow **, size_t n);

#endif
