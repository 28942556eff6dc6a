/*
 * aggbucket.c - the buckets of quantize(), lquantize() and llquantize().
 *
 * Source: the aggregation chapter of the DTrace guide and the reference
 * vectors agg_quant*, agg_lquant*, agg_llquant*.
 */
#include <string.h>

#include "trace/aggbucket.h"

static uint64_t
magnitude(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

uint32_t
quant_index(int64_t v)
{
	int n;

	if (v == 0)
		return QUANT_ZERO;
	n = 63 - __builtin_clzll(magnitude(v));
	if (v > 0)
		return (uint32_t)(QUANT_ZERO + 1 + n);
	return n >= QUANT_ZERO ? 0 : (uint32_t)(QUANT_ZERO - 1 - n);
}

int64_t
quant_label(uint32_t i)
{
	if (i > QUANT_ZERO)
		return INT64_C(1) << (i - QUANT_ZERO - 1);
	if (i < QUANT_ZERO)
		return -(INT64_C(1) << (QUANT_ZERO - 1 - i));
	return 0;
}

static uint32_t
lquant_levels(const int64_t *arg)
{
	return (uint32_t)((arg[1] - arg[0]) / arg[2]);
}

uint32_t
lquant_nbucket(const int64_t *arg)
{
	return lquant_levels(arg) + 2;
}

uint32_t
lquant_index(const int64_t *arg, int64_t v)
{
	uint32_t levels = lquant_levels(arg);

	if (v < arg[0])
		return 0;
	if (v >= arg[0] + (int64_t)levels * arg[2])
		return levels + 1;
	return 1 + (uint32_t)((v - arg[0]) / arg[2]);
}

int
llq_init(struct llq *q, const int64_t *arg)
{
	uint64_t factor = (uint64_t)arg[0], steps = (uint64_t)arg[3], lo = 1;
	struct llqmag *m;
	int64_t i;

	memset(q, 0, sizeof(*q));
	if (arg[0] < 2 || arg[3] < 1 || arg[1] < 0 || arg[2] < arg[1] ||
	    arg[2] >= LLQ_MAXMAG)
		return -1;
	q->beyond = 1;
	for (i = 0; i <= arg[2]; i++, lo *= factor) {
		if (lo > (uint64_t)INT64_MAX / factor)
			return -1;
		if (i < arg[1])
			continue;
		m = &q->mag[q->nmag++];
		m->lo = lo;
		m->hi = lo * factor;
		m->width = m->hi / steps != 0 ? m->hi / steps : 1;
		m->skip = (uint32_t)(lo / m->width);
		m->first = q->beyond;
		m->n = (uint32_t)((m->hi - 1) / m->width) - m->skip + 1;
		q->beyond += m->n;
	}
	return 0;
}

uint32_t
llq_index(const struct llq *q, int64_t v)
{
	uint64_t a = magnitude(v);
	uint32_t k = q->beyond;
	unsigned i;

	for (i = 0; i < q->nmag; i++)
		if (a < q->mag[i].hi)
			break;
	if (a < q->mag[0].lo)
		k = 0;
	else if (i < q->nmag)
		k = q->mag[i].first +
		    (uint32_t)(a / q->mag[i].width) - q->mag[i].skip;
	return v < 0 ? q->beyond - k : q->beyond + k;
}

int64_t
llq_label(const struct llq *q, uint32_t i, int *beyond)
{
	uint32_t k = i < q->beyond ? q->beyond - i : i - q->beyond;
	const struct llqmag *m;
	uint64_t a = 0;

	*beyond = k == q->beyond;
	if (*beyond)
		a = q->mag[q->nmag - 1].hi;
	else if (k != 0) {
		m = q->mag;
		while (k >= m->first + m->n)
			m++;
		a = k == m->first ? m->lo : (k - m->first + m->skip) * m->width;
	}
	return i < q->beyond ? -(int64_t)a : (int64_t)a;
}
