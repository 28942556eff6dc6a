/*
 * agg.h - aggregations as the consumer sees them: read from the kernel's
 * per-CPU maps, merged, sorted and printed.
 *
 * A struct aggset owns every row; trace.agg points to it from agg_open to
 * agg_close. The maps are cumulative; what clear() and trunc() took away is
 * deleted from them, and a cleared key stays here with zero values.
 */
#ifndef TRACE_AGG_H
#define TRACE_AGG_H

#include <stdint.h>
#include <stdio.h>

struct action;
struct aggdesc;
struct aggset;
struct msg;
struct trace;

/* To be called once prog.agg is known; needs no maps yet. */
int	agg_open(struct trace *, struct msg *);
void	agg_close(struct trace *);

/* Reads one aggregation's map (all of them: agg_snapshot_all). */
int	agg_snapshot(struct trace *, const struct aggdesc *, struct msg *);
int	agg_snapshot_all(struct trace *, struct msg *);
/* Adds one CPU's value of a key, as a map's element has it: what a snapshot
 * does with each. */
int	agg_add(struct trace *, const struct aggdesc *, const uint8_t *key,
	    const uint64_t *val, struct msg *);

/* printa(): with a format or without, of one aggregation or several; rec is
 * the record, for nothing but offsets of width arguments. Reads the maps. */
int	agg_printa(struct trace *, FILE *, const struct action *,
	    const uint8_t *rec, struct msg *);
/* What END prints: every aggregation that printa() has not printed. */
int	agg_print_rest(struct trace *, FILE *, struct msg *);

/* Keys stay, with zero values. */
int	agg_clear(struct trace *, const struct aggdesc *, struct msg *);
/* Keeps the n keys with the largest values, or the -n with the smallest; 0
 * keeps none. */
int	agg_trunc(struct trace *, const struct aggdesc *, int64_t n,
	    struct msg *);
/* The divisor of the keys there are now; 1: denormalize(). */
int	agg_normalize(struct trace *, const struct aggdesc *, uint64_t normal,
	    struct msg *);

#endif
