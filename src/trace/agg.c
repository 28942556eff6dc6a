/*
 * agg.c - aggregations in the consumer: tables of rows, clear, trunc,
 * normalize.
 */
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/hash.h"
#include "libdt/msg.h"
#include "trace/agg.h"
#include "trace/agg_impl.h"
#include "trace/prog.h"
#include "trace/trace.h"

int
agg_open(struct trace *t, struct msg *m)
{
	struct aggset *as;
	size_t i, n = t->prog != NULL ? t->prog->nagg : 0;

	if ((as = calloc(1, sizeof(*as))) == NULL ||
	    (n != 0 && (as->tab = calloc(n, sizeof(*as->tab))) == NULL)) {
		free(as);
		return msg_set_nomem(m);
	}
	as->ntab = n;
	for (i = 0; i < n; i++)
		as->tab[i].agg = t->prog->agg[i];
	t->agg = as;
	return 0;
}

static void
row_free(struct aggrow *r)
{
	free(r->key);
	free(r->val);
	free(r);
}

static void
tab_empty(struct aggtab *tab)
{
	size_t i;

	for (i = 0; i < tab->nrow; i++)
		row_free(tab->row[i]);
	free(tab->row);
	free(tab->slot);
	tab->row = NULL;
	tab->slot = NULL;
	tab->nrow = tab->cap = tab->nslot = 0;
}

void
agg_close(struct trace *t)
{
	size_t i;

	if (t->agg == NULL)
		return;
	for (i = 0; i < t->agg->ntab; i++)
		tab_empty(&t->agg->tab[i]);
	free(t->agg->tab);
	free(t->agg);
	t->agg = NULL;
}

struct aggtab *
aggset_tab(struct aggset *as, const struct aggdesc *ad)
{
	size_t i;

	for (i = 0; i < as->ntab; i++)
		if (as->tab[i].agg == ad)
			return &as->tab[i];
	return NULL;
}

/* The slot of a key, or the free one where it belongs. */
static uint32_t *
slot_find(struct aggtab *tab, const uint8_t *key, uint64_t hash)
{
	size_t i = hash & (tab->nslot - 1);
	struct aggrow *r;

	for (;; i = (i + 1) & (tab->nslot - 1)) {
		if (tab->slot[i] == 0)
			return &tab->slot[i];
		r = tab->row[tab->slot[i] - 1];
		if (r->hash == hash &&
		    memcmp(r->key, key, tab->agg->keysize) == 0)
			return &tab->slot[i];
	}
}

/* Slots for all rows, which need not be distinct from the present ones. */
static int
tab_rehash(struct aggtab *tab, size_t nslot)
{
	uint32_t *slot = calloc(nslot, sizeof(*slot));
	size_t i;

	if (slot == NULL)
		return -1;
	free(tab->slot);
	tab->slot = slot;
	tab->nslot = nslot;
	for (i = 0; i < tab->nrow; i++)
		*slot_find(tab, tab->row[i]->key, tab->row[i]->hash) =
		    (uint32_t)i + 1;
	return 0;
}

static int
tab_grow(struct aggtab *tab)
{
	if (ARRAY_ROOM(tab->row, tab->nrow, tab->cap) == -1)
		return -1;
	return tab_rehash(tab, tab->cap * 2);
}

static struct aggrow *
row_new(const struct aggdesc *ad, const uint8_t *key, uint64_t hash)
{
	struct aggrow *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->key = malloc(ad->keysize + 1);
	r->val = calloc(ad->nval != 0 ? ad->nval : 1, sizeof(*r->val));
	if (r->key == NULL || r->val == NULL) {
		row_free(r);
		return NULL;
	}
	if (ad->keysize != 0)
		memcpy(r->key, key, ad->keysize);
	r->agg = r->keyof = ad;
	r->hash = hash;
	r->normal = 1;
	return r;
}

struct aggrow *
aggset_row(struct aggtab *tab, const uint8_t *key)
{
	uint64_t hash = tab->agg->keysize == 0 ? 0 :
	    hash_bytes(key, tab->agg->keysize);
	struct aggrow *r;
	uint32_t *slot;

	if (tab->nrow == tab->cap && tab_grow(tab) == -1)
		return NULL;
	slot = slot_find(tab, key, hash);
	if (*slot != 0)
		return tab->row[*slot - 1];
	if ((r = row_new(tab->agg, key, hash)) == NULL)
		return NULL;
	tab->row[tab->nrow++] = r;
	*slot = (uint32_t)tab->nrow;
	return r;
}

int
agg_add(struct trace *t, const struct aggdesc *ad, const uint8_t *key,
    const uint64_t *val, struct msg *m)
{
	struct aggtab *tab = aggset_tab(t->agg, ad);
	struct aggrow *r;

	if (val[0] == 0)
		return 0;
	if ((r = aggset_row(tab, key)) == NULL)
		return msg_set_nomem(m);
	aggrow_merge(ad, r->val, val);
	return 0;
}

int
agg_clear(struct trace *t, const struct aggdesc *ad, struct msg *m)
{
	struct aggtab *tab = aggset_tab(t->agg, ad);
	size_t i;
	int r;

	if (agg_snapshot(t, ad, m) == -1)
		return -1;
	for (i = 0; i < tab->nrow; i++)
		tab->row[i]->gone = true;
	r = aggset_forget(t, ad, m);
	for (i = 0; i < tab->nrow; i++) {
		tab->row[i]->gone = false;
		memset(tab->row[i]->val, 0, ad->nval * 8);
	}
	return r;
}

int
agg_trunc(struct trace *t, const struct aggdesc *ad, int64_t n, struct msg *m)
{
	struct aggtab *tab = aggset_tab(t->agg, ad);
	const struct aggorder by = { .t = t, .rev = n > 0 };
	uint64_t keep = n < 0 ? -(uint64_t)n : (uint64_t)n;
	size_t i, nrow;
	int r;

	if (agg_snapshot(t, ad, m) == -1)
		return -1;
	if (keep >= tab->nrow)
		return 0;
	aggorder_sort(&by, tab->row, tab->nrow);
	if (tab_rehash(tab, tab->nslot) == -1)
		return msg_set_nomem(m);
	for (i = keep; i < tab->nrow; i++)
		tab->row[i]->gone = true;
	r = aggset_forget(t, ad, m);
	nrow = tab->nrow;
	tab->nrow = keep;
	for (i = keep; i < nrow; i++)
		row_free(tab->row[i]);
	if (tab_rehash(tab, tab->nslot) == -1)
		return msg_set_nomem(m);
	return r;
}

int
agg_normalize(struct trace *t, const struct aggdesc *ad, uint64_t normal,
    struct msg *m)
{
	struct aggtab *tab = aggset_tab(t->agg, ad);
	size_t i;

	if (agg_snapshot(t, ad, m) == -1)
		return -1;
	for (i = 0; i < tab->nrow; i++)
		tab->row[i]->normal = normal != 0 ? normal : 1;
	return 0;
}
