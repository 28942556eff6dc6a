/*
 * aggrow.c - one key of an aggregation: merging, comparing, numbers.
 *
 * Source: the aggregation chapter of the DTrace guide and the reference
 * vectors agg_*.
 */
#include <inttypes.h>
#include <string.h>

#include "trace/aggbucket.h"
#include "trace/aggrow.h"
#include "trace/prog.h"
#include "trace/value.h"

typedef unsigned __int128 u128;
typedef __int128 s128;

static void
add128(uint64_t *dst, const uint64_t *src)
{
	u128 a = (u128)dst[1] << 64 | dst[0];

	a += (u128)src[1] << 64 | src[0];
	dst[0] = (uint64_t)a;
	dst[1] = (uint64_t)(a >> 64);
}

/* min() and max() compare signed, whatever their argument's type. */
static void
merge_extreme(const struct aggdesc *ad, uint64_t *dst, const uint64_t *src)
{
	bool lower = (int64_t)src[1] < (int64_t)dst[1];

	if (dst[0] == 0 || (ad->fn == AGG_MIN ? lower : !lower))
		dst[1] = src[1];
	dst[0] += src[0];
}

void
aggrow_merge(const struct aggdesc *ad, uint64_t *dst, const uint64_t *src)
{
	uint32_t i;

	if (src[0] == 0)
		return;
	switch (ad->fn) {
	case AGG_MIN: case AGG_MAX:
		merge_extreme(ad, dst, src);
		return;
	case AGG_STDDEV:
		dst[0] += src[0];
		dst[1] += src[1];
		add128(dst + 2, src + 2);
		return;
	default:
		for (i = 0; i < ad->nval; i++)
			dst[i] += src[i];
	}
}

/* The largest r with r * r <= v. */
static uint64_t
isqrt128(u128 v)
{
	u128 r = 0, bit = (u128)1 << 126;

	while (bit > v)
		bit >>= 2;
	for (; bit != 0; bit >>= 2) {
		if (v >= r + bit) {
			v -= r + bit;
			r = (r >> 1) + bit;
		} else
			r >>= 1;
	}
	return (uint64_t)r;
}

/* Root of (mean of squares - square of the mean), each cut to an integer;
 * normalized, the values and so the squares are smaller. */
static uint64_t
stddev(const uint64_t *val, uint64_t normal)
{
	u128 sq = (u128)val[3] << 64 | val[2];
	s128 avg;

	if (val[0] == 0)
		return 0;
	sq = sq / normal / normal / val[0];
	avg = (s128)((int64_t)val[1] / (int64_t)normal) / (s128)val[0];
	return isqrt128(sq > (u128)(avg * avg) ? sq - (u128)(avg * avg) : 0);
}

/* What is to be divided by the normal, where that is one number. */
static uint64_t
plain(const struct aggrow *r)
{
	return r->agg->fn == AGG_COUNT ? r->val[0] : r->val[1];
}

/* INT64_MIN / -1 has no int64_t. */
static int64_t
sdiv(int64_t a, int64_t b)
{
	return b == 0 ? 0 : b == -1 ? (int64_t)-(uint64_t)a : a / b;
}

int64_t
aggrow_signed(const struct aggrow *r)
{
	int64_t normal = (int64_t)r->normal;

	if (r->agg->fn == AGG_STDDEV)
		return (int64_t)stddev(r->val, r->normal);
	if (r->agg->fn == AGG_AVG)
		return sdiv(sdiv((int64_t)r->val[1], normal),
		    (int64_t)r->val[0]);
	return sdiv((int64_t)plain(r), normal);
}

uint64_t
aggrow_unsigned(const struct aggrow *r)
{
	if (r->agg->fn == AGG_STDDEV || r->agg->fn == AGG_AVG)
		return (uint64_t)aggrow_signed(r);
	return plain(r) / r->normal;
}

/* The weighted sum of a distribution, for sorting. */
static long double
weight(const struct aggrow *r)
{
	const int64_t *arg = r->agg->arg;
	long double sum = 0;
	struct llq q;
	uint32_t i, n = r->agg->nval - 1;
	int beyond;

	if (r->agg->fn == AGG_LLQUANTIZE && llq_init(&q, arg) == -1)
		return 0;
	for (i = 0; i < n; i++) {
		int64_t v = (int64_t)r->val[i + 1], at;

		if (r->agg->fn == AGG_QUANTIZE)
			at = quant_label(i);
		else if (r->agg->fn == AGG_LLQUANTIZE)
			at = llq_label(&q, i, &beyond);
		else
			at = i == 0 ? arg[0] - 1 :
			    arg[0] + (int64_t)(i - 1) * arg[2];
		sum += (long double)at * (long double)v;
	}
	return sum;
}

/* The bucket of 0: decides between equal weights. */
static int64_t
zeroes(const struct aggrow *r)
{
	uint32_t i = QUANT_ZERO;

	if (r->agg->fn == AGG_LQUANTIZE)
		i = lquant_index(r->agg->arg, 0);
	else if (r->agg->fn == AGG_LLQUANTIZE)
		i = (r->agg->nval - 1) / 2;
	return (int64_t)r->val[i + 1];
}

static int
cmp_drawn(const struct aggrow *a, const struct aggrow *b)
{
	long double x = weight(a), y = weight(b);
	int64_t i, j;

	if (x != y)
		return x < y ? -1 : 1;
	i = zeroes(a);
	j = zeroes(b);
	return i < j ? -1 : i > j;
}

/* Normals do not count in sorting. */
static int64_t
raw_value(const struct aggrow *r)
{
	struct aggrow raw = *r;

	raw.normal = 1;
	return aggrow_signed(&raw);
}

int
aggrow_cmpval(const struct aggrow *a, const struct aggrow *b)
{
	int64_t x, y;

	if (aggrow_drawn(a) && aggrow_drawn(b))
		return cmp_drawn(a, b);
	x = raw_value(a);
	y = raw_value(b);
	return x < y ? -1 : x > y;
}

static int
cmp_string(const struct trace *t, const struct datum *da, const uint8_t *a,
    const struct datum *db, const uint8_t *b)
{
	size_t na, nb;
	const char *sa = value_str(t, da, a, &na);
	const char *sb = value_str(t, db, b, &nb);
	int c = memcmp(sa, sb, na < nb ? na : nb);

	return c != 0 ? c : na < nb ? -1 : na > nb;
}

/* Words of a stack or symbol, or one integer of size bytes at a time. */
static int
cmp_words(const uint8_t *a, const uint8_t *b, uint32_t n, uint32_t size)
{
	uint64_t x, y;
	uint32_t i;

	for (i = 0; i < n; i += size) {
		x = value_uint(a + i, size);
		y = value_uint(b + i, size);
		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

/* The same component of two keys, which may be of two aggregations whose
 * strings have different bounds. */
static int
cmp_datum(const struct trace *t, const struct datum *da, const uint8_t *a,
    const struct datum *db, const uint8_t *b)
{
	if (value_is_str(da) && value_is_str(db))
		return cmp_string(t, da, a, db, b);
	if (da->size != db->size)
		return da->size < db->size ? -1 : 1;
	a += da->off;
	b += db->off;
	if (value_is_sym(da) && da->size % 8 == 0)
		return cmp_words(a, b, da->size, 8);
	if (da->size == 2 || da->size == 4 || da->size == 8)
		return cmp_words(a, b, da->size, da->size);
	return memcmp(a, b, da->size);
}

int
aggrow_cmpkey(const struct trace *t, const struct aggrow *a,
    const struct aggrow *b, unsigned pos)
{
	size_t n = a->keyof->nkey, i;
	const struct datum *da, *db;
	int c;

	if (b->keyof->nkey < n)
		n = b->keyof->nkey;
	for (i = 0; i < n; i++) {
		da = &a->keyof->key[(i + (pos < n ? pos : 0)) % n];
		db = &b->keyof->key[(i + (pos < n ? pos : 0)) % n];
		if ((c = cmp_datum(t, da, a->key, db, b->key)) != 0)
			return c;
	}
	return 0;
}

bool
aggrow_drawn(const struct aggrow *r)
{
	return r->agg->fn == AGG_QUANTIZE || r->agg->fn == AGG_LQUANTIZE ||
	    r->agg->fn == AGG_LLQUANTIZE;
}
