/*
 * aggsort.c - aggregations sorted and printed.
 *
 * Source: the aggregation and option chapters of the DTrace guide and the
 * reference vectors agg_*, opt_aggsort*.
 */
#include <stdlib.h>
#include <string.h>

#include "libdt/msg.h"
#include "trace/agg.h"
#include "trace/agg_impl.h"
#include "trace/aggpack.h"
#include "trace/opt.h"
#include "trace/print_fmt.h"
#include "trace/prog.h"
#include "trace/trace.h"
#include "trace/value.h"

void
aggorder_get(const struct trace *t, struct aggorder *o)
{
	o->t = t;
	o->key = opt_flag(&t->opt, O_AGGSORTKEY);
	o->rev = opt_flag(&t->opt, O_AGGSORTREV);
	o->keypos = (unsigned)opt_num(&t->opt, O_AGGSORTKEYPOS);
	o->pos = (unsigned)opt_num(&t->opt, O_AGGSORTPOS);
}

static int
cmp_rows(const void *va, const void *vb, void *vo)
{
	const struct aggrow *a = *(struct aggrow *const *)va;
	const struct aggrow *b = *(struct aggrow *const *)vb;
	const struct aggorder *o = vo;
	int c;

	if (a->agg->id != b->agg->id)
		c = a->agg->id < b->agg->id ? -1 : 1;
	else if (o->key) {
		if ((c = aggrow_cmpkey(o->t, a, b, o->keypos)) == 0)
			c = aggrow_cmpval(a, b);
	} else if ((c = aggrow_cmpval(a, b)) == 0)
		c = aggrow_cmpkey(o->t, a, b, o->keypos);
	return o->rev ? -c : c;
}

void
aggorder_sort(const struct aggorder *o, struct aggrow **row, size_t n)
{
	struct aggorder copy = *o;

	if (n > 1)
		qsort_r(row, n, sizeof(*row), cmp_rows, &copy);
}

/* Keys that several aggregations share: bundle[i * nagg + j] is the row of
 * the i-th key in the j-th aggregation. */
struct joined {
	struct aggrow **bundle;
	size_t n, nagg;
	struct aggorder order;
	struct aggrow **made;		/* zero rows, ours */
	size_t nmade;
};

static int
cmp_bundles(const void *va, const void *vb, void *vj)
{
	struct aggrow *const *a = va, *const *b = vb;
	const struct joined *j = vj;
	size_t i, pos = j->order.pos < j->nagg ? j->order.pos : 0;
	int ck = aggrow_cmpkey(j->order.t, a[0], b[0], j->order.keypos);
	int c = 0;

	if (j->order.key)
		c = ck;
	if (c == 0)
		c = aggrow_cmpval(a[pos], b[pos]);
	for (i = 0; c == 0 && i < j->nagg; i++)
		c = aggrow_cmpval(a[i], b[i]);
	if (c == 0)
		c = ck;
	return j->order.rev ? -c : c;
}

static int
cmp_by_key(const void *va, const void *vb, void *t)
{
	const struct aggrow *a = *(struct aggrow *const *)va;
	const struct aggrow *b = *(struct aggrow *const *)vb;
	int c = aggrow_cmpkey(t, a, b, 0);

	if (c != 0)
		return c;
	return a->agg->id < b->agg->id ? -1 : a->agg->id > b->agg->id;
}

/* A row of zeroes for a key that an aggregation lacks: the key is lent by
 * another's row, in that one's layout. */
static struct aggrow *
zero_row(struct joined *j, const struct aggdesc *ad, const struct aggrow *like)
{
	struct aggrow *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->val = calloc(ad->nval != 0 ? ad->nval : 1, sizeof(*r->val));
	if (r->val == NULL) {
		free(r);
		return NULL;
	}
	r->agg = ad;
	r->keyof = like->keyof;
	r->key = like->key;
	r->normal = 1;
	j->made[j->nmade++] = r;
	return r;
}

static void
joined_free(struct joined *j)
{
	size_t i;

	for (i = 0; i < j->nmade; i++) {
		free(j->made[i]->val);
		free(j->made[i]);
	}
	free(j->made);
	free(j->bundle);
}

/* Fills one bundle from rows of equal keys; the first one's key stands for
 * all. Where one is missing its place gets zeroes. */
static int
join_key(struct joined *j, const struct action *a, struct aggrow **row,
    size_t n)
{
	struct aggrow **b = &j->bundle[j->n * j->nagg];
	size_t i, k;

	for (i = 0; i < j->nagg; i++) {
		b[i] = NULL;
		for (k = 0; k < n; k++)
			if (row[k]->agg == a->agg[i])
				b[i] = row[k];
		if (b[i] == NULL &&
		    (b[i] = zero_row(j, a->agg[i], row[0])) == NULL)
			return -1;
	}
	j->n++;
	return 0;
}

/* All rows of the action's aggregations in one array, by key. */
static struct aggrow **
gather(struct trace *t, const struct action *a, size_t *n)
{
	struct aggrow **all;
	struct aggtab *tab;
	size_t i, total = 0;

	for (i = 0; i < a->nagg; i++)
		total += aggset_tab(t->agg, a->agg[i])->nrow;
	*n = 0;
	if ((all = calloc(total + 1, sizeof(*all))) == NULL)
		return NULL;
	for (i = 0; i < a->nagg; i++) {
		tab = aggset_tab(t->agg, a->agg[i]);
		if (tab->nrow != 0)
			memcpy(all + *n, tab->row, tab->nrow * sizeof(*all));
		*n += tab->nrow;
	}
	return all;
}

static int
join(struct trace *t, const struct action *a, struct joined *j)
{
	struct aggrow **all;
	size_t n, i, k;
	int r = 0;

	memset(j, 0, sizeof(*j));
	j->nagg = a->nagg;
	aggorder_get(t, &j->order);
	if ((all = gather(t, a, &n)) == NULL)
		return -1;
	j->bundle = calloc(n * a->nagg + 1, sizeof(*j->bundle));
	j->made = calloc(n * a->nagg + 1, sizeof(*j->made));
	if (j->bundle == NULL || j->made == NULL) {
		free(all);
		joined_free(j);
		return -1;
	}
	qsort_r(all, n, sizeof(*all), cmp_by_key, t);
	for (i = 0; r == 0 && i < n; i = k) {
		for (k = i + 1; k < n; k++)
			if (aggrow_cmpkey(t, all[i], all[k], 0) != 0)
				break;
		r = join_key(j, a, all + i, k - i);
	}
	free(all);
	if (r == -1)
		joined_free(j);
	else
		qsort_r(j->bundle, j->n, a->nagg * sizeof(*j->bundle),
		    cmp_bundles, j);
	return r;
}

static int
print_keys(const struct trace *t, FILE *fp, const struct aggrow *r)
{
	size_t i;

	for (i = 0; i < r->keyof->nkey; i++)
		if (value_key(t, fp, &r->keyof->key[i], r->key) == -1)
			return -1;
	return 0;
}

/* One line, or one drawing, of the default print. */
static int
print_rows(const struct trace *t, FILE *fp, struct aggrow *const *row,
    size_t n)
{
	size_t i;

	if (print_keys(t, fp, row[0]) == -1)
		return -1;
	for (i = 0; i < n; i++)
		if (aggrow_print(t, fp, row[i]) == -1)
			return -1;
	return putc('\n', fp) == EOF ? -1 : 0;
}

/* The default print of rows of one aggregation. */
static int
print_run(const struct trace *t, FILE *fp, struct aggrow *const *row,
    size_t n)
{
	int r = aggpack_print(t, fp, row, n);
	size_t i;

	for (i = 0; r == 0 && i < n; i++)
		r = print_rows(t, fp, &row[i], 1);
	return r == -1 ? -1 : 0;
}

static int
print_bundle(const struct trace *t, FILE *fp, const struct action *a,
    struct aggrow *const *row)
{
	struct fmtin in = { .arg = row[0]->keyof->key,
	    .narg = row[0]->keyof->nkey, .base = row[0]->key, .row = row,
	    .nrow = a->nagg };

	if (a->fmt == NULL)
		return print_rows(t, fp, row, a->nagg);
	return print_fmt(t, fp, a->fmt, &in);
}

static int
print_joined(struct trace *t, FILE *fp, const struct action *a)
{
	struct joined j;
	size_t i;
	int r = 0;

	if (join(t, a, &j) == -1)
		return -1;
	if (a->fmt == NULL && j.nagg == 1)
		r = print_run(t, fp, j.bundle, j.n);
	else for (i = 0; r == 0 && i < j.n; i++)
		r = print_bundle(t, fp, a, &j.bundle[i * j.nagg]);
	joined_free(&j);
	return r;
}

int
agg_printa(struct trace *t, FILE *fp, const struct action *a,
    const uint8_t *rec, struct msg *m)
{
	size_t i;
	int r;

	(void)rec;
	for (i = 0; i < a->nagg; i++) {
		if (agg_snapshot(t, a->agg[i], m) == -1)
			return -1;
		aggset_tab(t->agg, a->agg[i])->printed = true;
	}
	if (a->fmt == NULL)
		putc('\n', fp);
	r = print_joined(t, fp, a);
	return r == 0 ? 0 : msg_set_errno(m, "write", NULL,
	    "printing aggregation @%s", a->agg[0]->name);
}

int
agg_print_rest(struct trace *t, FILE *fp, struct msg *m)
{
	struct aggrow **all;
	struct aggorder o;
	struct aggtab *tab;
	size_t i, k, n = 0;
	int r = 0;

	if (agg_snapshot_all(t, m) == -1)
		return -1;
	for (i = 0; i < t->agg->ntab; i++)
		n += t->agg->tab[i].nrow;
	if ((all = calloc(n + 1, sizeof(*all))) == NULL)
		return msg_set_nomem(m);
	for (i = 0, n = 0; i < t->agg->ntab; i++) {
		tab = &t->agg->tab[i];
		if (tab->printed || tab->nrow == 0)
			continue;
		memcpy(all + n, tab->row, tab->nrow * sizeof(*all));
		n += tab->nrow;
	}
	aggorder_get(t, &o);
	aggorder_sort(&o, all, n);
	for (i = 0; r == 0 && i < n; i = k) {
		for (k = i + 1; k < n && all[k]->agg == all[i]->agg; k++)
			;
		r = print_run(t, fp, &all[i], k - i);
	}
	free(all);
	return r == 0 ? 0 : msg_set_errno(m, "write", NULL,
	    "printing aggregations");
}
