/*
 * aggrow.h - one key of an aggregation with its value merged over CPUs.
 *
 * A struct aggrow belongs to its aggregation's table (agg.c), key and values
 * included.
 */
#ifndef TRACE_AGGROW_H
#define TRACE_AGGROW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct aggdesc;
struct trace;

struct aggrow {
	const struct aggdesc *agg;
	const struct aggdesc *keyof;	/* whose layout the key has */
	uint8_t *key;			/* keyof->keysize bytes */
	uint64_t *val;			/* agg->nval, as prog.h lays them out */
	uint64_t normal;		/* normalize()'s divisor, else 1 */
	uint64_t hash;
	bool gone;			/* to be taken out of the map */
};

/* Adds one CPU's values to dst, of nval u64s; both may be empty ([0] == 0). */
void	aggrow_merge(const struct aggdesc *, uint64_t *dst,
	    const uint64_t *src);
/* The value as one number, normalized: signed division for %@d, unsigned for
 * the default print and %@u. stddev and avg are rounded towards 0. */
int64_t	aggrow_signed(const struct aggrow *);
uint64_t aggrow_unsigned(const struct aggrow *);
/* <0, 0, >0 by value: numbers as numbers, distributions by weighted sum. */
int	aggrow_cmpval(const struct aggrow *, const struct aggrow *);
/* By key components, each compared unsigned, from component `pos` round. */
int	aggrow_cmpkey(const struct trace *, const struct aggrow *,
	    const struct aggrow *, unsigned pos);

/* What the bars of one drawing share. */
struct aggbar {
	long double total;		/* of absolute counts; zoom: the most */
	bool pos, neg;
};
/* Takes a count into account; zoom: bars are relative to the largest. */
void	aggbar_count(struct aggbar *, int64_t v, bool zoom);
/* The bar, the count divided by normal, a newline. */
void	aggbar_print(FILE *, const struct aggbar *, int64_t v,
	    uint64_t normal);

/* quantize() and its kind: the drawing, from its newline to its last row. */
bool	aggrow_drawn(const struct aggrow *);
int	aggrow_draw(const struct trace *, FILE *, const struct aggrow *);
/* The value in the default print: a column of 16, or the drawing. */
int	aggrow_print(const struct trace *, FILE *, const struct aggrow *);

#endif
