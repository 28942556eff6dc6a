/*
 * aggpack.c - aggregations as tables, one line a key.
 *
 * Source: the options agghist, aggpack and aggzoom of the DTrace guide. Keys
 * stand to the left, all in one column; bars are parts of the sum of all
 * values, with aggzoom of the largest one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/aggbucket.h"
#include "trace/aggpack.h"
#include "trace/aggrow.h"
#include "trace/opt.h"
#include "trace/prog.h"
#include "trace/trace.h"
#include "trace/value.h"

enum { BAR = 40, KEY_MIN = 16 };

/* One key's components with one blank between; to be freed, NULL: no memory. */
static char *
key_text(const struct trace *t, const struct aggrow *r)
{
	char *text = NULL, *in, *out;
	size_t size = 0, i;
	FILE *fp = open_memstream(&text, &size);
	int rv = 0;

	if (fp == NULL)
		return NULL;
	for (i = 0; rv == 0 && i < r->keyof->nkey; i++)
		rv = value_key(t, fp, &r->keyof->key[i], r->key);
	if (fclose(fp) == EOF || rv == -1) {
		free(text);
		return NULL;
	}
	for (in = out = text; *in != '\0'; in++)
		if (*in != ' ' || (in[1] != ' ' && in[1] != '\0' &&
		    out != text))
			*out++ = *in;
	*out = '\0';
	return text;
}

struct table {
	const struct trace *t;
	FILE *fp;
	struct aggrow *const *row;
	char **key;
	size_t n;
	int width;			/* of the key's column */
	uint32_t min, max;		/* buckets shown */
};

static void
table_free(struct table *tb)
{
	size_t i;

	for (i = 0; tb->key != NULL && i < tb->n; i++)
		free(tb->key[i]);
	free(tb->key);
}

static int
table_init(struct table *tb, const struct trace *t, FILE *fp,
    struct aggrow *const *row, size_t n)
{
	size_t i;

	*tb = (struct table){ .t = t, .fp = fp, .row = row, .n = n,
	    .width = KEY_MIN };
	if ((tb->key = calloc(n, sizeof(*tb->key))) == NULL)
		return -1;
	for (i = 0; i < n; i++) {
		if ((tb->key[i] = key_text(t, row[i])) == NULL) {
			table_free(tb);
			return -1;
		}
		if ((int)strlen(tb->key[i]) > tb->width)
			tb->width = (int)strlen(tb->key[i]);
	}
	return 0;
}

static void
print_hist(struct table *tb)
{
	bool zoom = opt_flag(&tb->t->opt, O_AGGZOOM);
	struct aggbar bar = { 0 };
	size_t i;

	for (i = 0; i < tb->n; i++)
		aggbar_count(&bar, aggrow_signed(tb->row[i]), zoom);
	fprintf(tb->fp, "\n%*s %41s %-9s\n", tb->width, "key",
	    "------------- Distribution -------------", "count");
	for (i = 0; i < tb->n; i++) {
		fprintf(tb->fp, "%*s ", tb->width, tb->key[i]);
		aggbar_print(tb->fp, &bar, aggrow_signed(tb->row[i]), 1);
	}
}

/* The buckets that some row needs, and one more at either end. */
static bool
pack_range(struct table *tb)
{
	uint32_t nb = tb->row[0]->agg->nval - 1, b;
	bool any = false;
	size_t i;

	for (i = 0; i < tb->n; i++)
		for (b = 0; b < nb; b++)
			if (tb->row[i]->val[b + 1] != 0) {
				if (!any || b < tb->min)
					tb->min = b;
				if (!any || b > tb->max)
					tb->max = b;
				any = true;
			}
	tb->min -= tb->min > 0;
	tb->max += tb->max + 1 < nb;
	return any;
}

static void
bucket_text(const struct aggdesc *ad, uint32_t i, char *buf, size_t size)
{
	if (ad->fn == AGG_QUANTIZE)
		snprintf(buf, size, "%" PRId64, quant_label(i));
	else if (i == 0)
		snprintf(buf, size, "< %" PRId64, ad->arg[0]);
	else
		snprintf(buf, size, "%s%" PRId64, i == ad->nval - 2 ? ">= " :
		    "", ad->arg[0] + (int64_t)(i - 1) * ad->arg[2]);
}

/* One bucket as one mark. */
static char
mark(int64_t v, long double most)
{
	static const char up[] = " _.:-=+*#", down[] = " vvvvVVVV";
	long double part = v < 0 ? -(long double)v : (long double)v;
	int i = most > 0 ? (int)(part * 8 / most + 0.5L) : 0;

	if (i == 0 && v != 0)
		i = 1;
	return v < 0 ? down[i] : up[i];
}

static void
print_packed(struct table *tb, const struct aggrow *r, const char *key,
    int minw, int maxw)
{
	bool zoom = opt_flag(&tb->t->opt, O_AGGZOOM);
	const int64_t *cnt = (const int64_t *)r->val + 1;
	struct aggbar bar = { 0 };
	char lo[40], hi[40];
	int64_t sum = 0;
	uint32_t b;

	for (b = tb->min; b <= tb->max; b++) {
		aggbar_count(&bar, cnt[b], zoom);
		sum += cnt[b];
	}
	bucket_text(r->agg, tb->min, lo, sizeof(lo));
	bucket_text(r->agg, tb->max, hi, sizeof(hi));
	fprintf(tb->fp, "%*s %*s :", tb->width, key, minw, lo);
	for (b = tb->min; b <= tb->max; b++)
		putc(mark(cnt[b], bar.total), tb->fp);
	fprintf(tb->fp, ": %-*s | %" PRId64 "\n", maxw, hi,
	    (int64_t)((uint64_t)sum / r->normal));
}

static void
print_pack(struct table *tb)
{
	const struct aggdesc *ad = tb->row[0]->agg;
	char lo[40], hi[40];
	int minw, maxw;
	uint32_t b;
	size_t i;

	bucket_text(ad, tb->min, lo, sizeof(lo));
	bucket_text(ad, tb->max, hi, sizeof(hi));
	minw = (int)strlen(lo) > 3 ? (int)strlen(lo) : 3;
	maxw = (int)strlen(hi) > 3 ? (int)strlen(hi) : 3;
	fprintf(tb->fp, "\n%*s %*s .", tb->width, "key", minw, "min");
	for (b = tb->min; b <= tb->max; b++)
		putc('-', tb->fp);
	fprintf(tb->fp, ". %-*s | count\n", maxw, "max");
	for (i = 0; i < tb->n; i++)
		print_packed(tb, tb->row[i], tb->key[i], minw, maxw);
}

/* A key that takes lines of its own does not fit a table. */
static bool
is_tabular(const struct aggdesc *ad)
{
	size_t i;

	for (i = 0; i < ad->nkey; i++)
		if (ad->key[i].what == ACT_STACK ||
		    ad->key[i].what == ACT_USTACK)
			return false;
	return true;
}

int
aggpack_print(const struct trace *t, FILE *fp, struct aggrow *const *row,
    size_t n)
{
	bool drawn = n != 0 && aggrow_drawn(row[0]);
	struct table tb;

	if (n == 0 || !is_tabular(row[0]->agg) ||
	    !opt_flag(&t->opt, drawn ? O_AGGPACK : O_AGGHIST) ||
	    row[0]->agg->fn == AGG_LLQUANTIZE)
		return 0;
	if (table_init(&tb, t, fp, row, n) == -1)
		return -1;
	if (!drawn)
		print_hist(&tb);
	else if (pack_range(&tb))
		print_pack(&tb);
	table_free(&tb);
	return ferror(fp) ? -1 : 1;
}
