/*
 * aggbucket.h - how quantize(), lquantize() and llquantize() divide numbers
 * into buckets: what the generated code, the merge and the drawing agree on.
 *
 * Buckets are numbered upwards from the smallest values, from 0.
 *
 * quantize: QUANT_NBUCKET buckets; QUANT_ZERO holds 0, QUANT_ZERO + 1 + n holds
 * [2^n, 2^(n+1)), QUANT_ZERO - 1 - n holds (-2^(n+1), -2^n]; the outermost take
 * what lies beyond. lquantize: 0 holds what is below the base, then one a step,
 * the last what is at or above the last whole step. llquantize: see struct llq.
 *
 * Nothing is allocated; a struct llq is its caller's.
 */
#ifndef TRACE_AGGBUCKET_H
#define TRACE_AGGBUCKET_H

#include <stdint.h>

enum { QUANT_NBUCKET = 127, QUANT_ZERO = 63 };

/* quantize(): the bucket of a value. */
uint32_t quant_index(int64_t v);
/* The bucket's value nearest to 0: its label. */
int64_t	quant_label(uint32_t i);

/* arg: base, limit, step. */
uint32_t lquant_nbucket(const int64_t *arg);
uint32_t lquant_index(const int64_t *arg, int64_t v);

/*
 * llquantize(v, factor, low, high, steps): magnitude m from low to high holds
 * [factor^m, factor^(m+1)) in n buckets, each factor^(m+1)/steps wide (at
 * least 1) and ending at a multiple of that. A value's distance k from the
 * middle bucket is 0 for |v| < factor^low; first + |v| / width - skip in its
 * magnitude; beyond + 0 past the last one. Its bucket is beyond + k, or
 * beyond - k for negative v; there are 2 * beyond + 1.
 */
enum { LLQ_MAXMAG = 64 };
struct llq {
	unsigned nmag;
	struct llqmag {
		uint64_t lo, hi, width;
		uint32_t skip;		/* lo / width */
		uint32_t first;		/* k of its first bucket */
		uint32_t n;
	} mag[LLQ_MAXMAG];
	uint32_t beyond;		/* k of what is past the last one */
};
/* arg: factor, low, high, steps. -1: factor^(high + 1) needs over 63 bits, or
 * the arguments make no sense (factor < 2, steps < 1, low > high, …). */
int	llq_init(struct llq *, const int64_t *arg);
uint32_t llq_index(const struct llq *, int64_t v);
/* The bucket's bound nearest to 0, signed as the bucket is; 0 for the middle
 * one; *beyond is set for the outermost two. */
int64_t	llq_label(const struct llq *, uint32_t i, int *beyond);

#endif
