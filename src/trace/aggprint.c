/*
 * aggprint.c - one aggregation value as text: numbers and drawings.
 *
 * Source: the aggregation chapter of the DTrace guide and the reference
 * vectors agg_*. A row of a drawing is a label of 16, a bar of 40 marks and
 * the count; with negative counts the bar grows to the left of its line, with
 * both signs each side has 20.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/aggbucket.h"
#include "trace/aggrow.h"
#include "trace/opt.h"
#include "trace/prog.h"
#include "trace/trace.h"

enum { BAR = 40 };

/* What all rows of one drawing share. */
struct drawing {
	FILE *fp;
	const int64_t *cnt;
	uint32_t first, last, n;	/* buckets shown; how many there are */
	struct aggbar bar;
	bool zoom;
	uint64_t normal;
};

static void
fill(FILE *fp, int c, int n)
{
	while (n-- > 0)
		putc(c, fp);
}

static long double
size_of(int64_t v)
{
	return v < 0 ? -(long double)v : (long double)v;
}

void
aggbar_count(struct aggbar *b, int64_t v, bool zoom)
{
	if (!zoom)
		b->total += size_of(v);
	else if (size_of(v) > b->total)
		b->total = size_of(v);
	b->pos |= v > 0;
	b->neg |= v < 0;
}

void
aggbar_print(FILE *fp, const struct aggbar *b, int64_t v, uint64_t normal)
{
	int half = b->pos && b->neg ? BAR / 2 : BAR, n = 0;

	if (b->total > 0)
		n = (int)(size_of(v) * half / b->total + 0.5L);
	if (!b->neg || (b->pos && v > 0)) {
		fill(fp, ' ', BAR - half);
		putc('|', fp);
		fill(fp, '@', n);
		fill(fp, ' ', half - n);
	} else {
		fill(fp, ' ', half - n);
		fill(fp, '@', n);
		putc('|', fp);
		fill(fp, ' ', BAR - half);
	}
	fprintf(fp, " %-9" PRId64 "\n", (int64_t)((uint64_t)v / normal));
}

/* The rows to show: from one below the first count to one past the last. */
static void
measure(struct drawing *d, uint32_t zero)
{
	uint32_t i;
	bool any = false;

	for (i = 0; i < d->n; i++) {
		int64_t v = d->cnt[i];

		if (v == 0)
			continue;
		aggbar_count(&d->bar, v, d->zoom);
		if (!any)
			d->first = i;
		d->last = i;
		any = true;
	}
	if (!any) {
		d->first = zero;
		d->last = zero + 2 < d->n ? zero + 2 : d->n - 1;
		return;
	}
	d->first -= d->first > 0;
	d->last += d->last + 1 < d->n;
}

static void
draw_quantize(struct drawing *d)
{
	uint32_t i;

	measure(d, QUANT_ZERO - 1);
	for (i = d->first; i <= d->last; i++) {
		fprintf(d->fp, "%16" PRId64 " ", quant_label(i));
		aggbar_print(d->fp, &d->bar, d->cnt[i], d->normal);
	}
}

static void
draw_lquantize(struct drawing *d, const int64_t *arg)
{
	char label[32];
	uint32_t i;

	measure(d, 0);
	for (i = d->first; i <= d->last; i++) {
		if (i == 0)
			snprintf(label, sizeof(label), "< %" PRId64, arg[0]);
		else
			snprintf(label, sizeof(label), "%s%" PRId64,
			    i == d->n - 1 ? ">= " : "",
			    arg[0] + (int64_t)(i - 1) * arg[2]);
		fprintf(d->fp, "%16s ", label);
		aggbar_print(d->fp, &d->bar, d->cnt[i], d->normal);
	}
}

/* The middle bucket holds what is nearer to 0 than the lowest magnitude. */
static void
llq_text(const struct llq *q, uint32_t i, bool lowest, char *buf, size_t size)
{
	int beyond;
	int64_t at = llq_label(q, i, &beyond);
	uint64_t low = q->mag[0].lo;

	if (i == q->beyond && low != 1)
		snprintf(buf, size, "%s< %" PRIu64, lowest ? "" : "abs() ",
		    low);
	else
		snprintf(buf, size, "%s%" PRId64,
		    !beyond ? "" : at < 0 ? "<= " : ">= ", at);
}

static void
draw_llquantize(struct drawing *d, const int64_t *arg)
{
	char label[40];
	struct llq q;
	uint32_t i;

	if (llq_init(&q, arg) == -1 || 2 * q.beyond + 1 != d->n)
		return;
	measure(d, q.beyond);
	for (i = d->first; i <= d->last; i++) {
		llq_text(&q, i, i == d->first, label, sizeof(label));
		fprintf(d->fp, "%16s ", label);
		aggbar_print(d->fp, &d->bar, d->cnt[i], d->normal);
	}
}

int
aggrow_draw(const struct trace *t, FILE *fp, const struct aggrow *r)
{
	struct drawing d = { .fp = fp, .normal = r->normal,
	    .cnt = (const int64_t *)r->val + 1, .n = r->agg->nval - 1,
	    .zoom = opt_flag(&t->opt, O_AGGZOOM) };

	fprintf(fp, "\n%16s %41s %-9s\n", "value",
	    "------------- Distribution -------------", "count");
	if (r->agg->fn == AGG_QUANTIZE)
		draw_quantize(&d);
	else if (r->agg->fn == AGG_LQUANTIZE)
		draw_lquantize(&d, r->agg->arg);
	else
		draw_llquantize(&d, r->agg->arg);
	return ferror(fp) ? -1 : 0;
}

int
aggrow_print(const struct trace *t, FILE *fp, const struct aggrow *r)
{
	int64_t v;

	if (aggrow_drawn(r))
		return aggrow_draw(t, fp, r);
	if (r->agg->fn == AGG_AVG || r->agg->fn == AGG_STDDEV)
		v = aggrow_signed(r);
	else
		v = (int64_t)aggrow_unsigned(r);
	fprintf(fp, " %16" PRId64, v);
	return ferror(fp) ? -1 : 0;
}
