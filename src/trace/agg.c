/*
 * agg.c - aggregations in the consumer: reading the kernel's maps, clear,
 * trunc, normalize.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <xxhash.h>

#include "agg.h"
#include "aggset.h"
#include "libdt/msg.h"
#include "prog.h"
#include "trace.h"

enum { BATCH = 256 };

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
	size_t cap = tab->cap != 0 ? tab->cap * 2 : 16;
	struct aggrow **row = realloc(tab->row, cap * sizeof(*row));

	if (row == NULL)
		return -1;
	tab->row = row;
	tab->cap = cap;
	return tab_rehash(tab, cap * 2);
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

static struct aggrow *
tab_row(struct aggtab *tab, const uint8_t *key)
{
	uint64_t hash = tab->agg->keysize == 0 ? 0 :
	    XXH3_64bits(key, tab->agg->keysize);
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
	if ((r = tab_row(tab, key)) == NULL)
		return msg_set_nomem(m);
	aggrow_merge(ad, r->val, val);
	return 0;
}

/* One element of the map: a key with the values of all CPUs, which take the
 * place of what was known of it. */
static int
element(struct trace *t, struct aggtab *tab, const uint8_t *key,
    const uint64_t *val, struct msg *m)
{
	uint32_t nval = tab->agg->nval;
	struct aggrow *r = NULL;
	int cpu;

	for (cpu = 0; cpu < t->kern.ncpu; cpu++, val += nval) {
		if (val[0] == 0)
			continue;
		if (r == NULL) {
			if ((r = tab_row(tab, key)) == NULL)
				return msg_set_nomem(m);
			memset(r->val, 0, nval * sizeof(*r->val));
		}
		aggrow_merge(tab->agg, r->val, val);
	}
	return 0;
}

/* Buffers of one read of a map. */
struct mapread {
	const struct mapdesc *md;
	uint8_t *key;
	uint64_t *val;
	size_t valsize;			/* of all CPUs, bytes */
};

static int
read_array(struct trace *t, struct aggtab *tab, struct mapread *mr,
    struct msg *m)
{
	uint32_t i = 0;

	if (bpf_map_lookup_elem(mr->md->fd, &i, mr->val) != 0)
		return msg_set_errno(m, "bpf", NULL,
		    "reading aggregation @%s", tab->agg->name);
	return element(t, tab, mr->key, mr->val, m);
}

/* 1: the kernel cannot read this kind of map in batches. */
static int
read_batches(struct trace *t, struct aggtab *tab, struct mapread *mr,
    struct msg *m)
{
	uint32_t in = 0, out = 0, n, i;
	bool first = true;
	int r;

	do {
		n = BATCH;
		r = bpf_map_lookup_batch(mr->md->fd, first ? NULL : &in, &out,
		    mr->key, mr->val, &n, NULL);
		if (r != 0 && errno != ENOENT)
			return first && (errno == EINVAL || errno == ENOSPC ||
			    errno == ENOTSUP || errno == EOPNOTSUPP) ? 1 :
			    msg_set_errno(m, "bpf", NULL,
			    "reading aggregation @%s", tab->agg->name);
		for (i = 0; i < n; i++)
			if (element(t, tab, mr->key + i * mr->md->keysize,
			    mr->val + i * mr->valsize / 8, m) == -1)
				return -1;
		in = out;
		first = false;
	} while (r == 0);
	return 0;
}

static int
read_keys(struct trace *t, struct aggtab *tab, struct mapread *mr,
    struct msg *m)
{
	uint8_t *next = mr->key + mr->md->keysize;
	bool first = true;

	while (bpf_map_get_next_key(mr->md->fd, first ? NULL : mr->key,
	    next) == 0) {
		memcpy(mr->key, next, mr->md->keysize);
		first = false;
		if (bpf_map_lookup_elem(mr->md->fd, mr->key, mr->val) != 0) {
			if (errno == ENOENT)
				continue;
			return msg_set_errno(m, "bpf", NULL,
			    "reading aggregation @%s", tab->agg->name);
		}
		if (element(t, tab, mr->key, mr->val, m) == -1)
			return -1;
	}
	return 0;
}

static bool
is_array(const struct mapdesc *md)
{
	return md->type == BPF_MAP_TYPE_PERCPU_ARRAY;
}

int
agg_snapshot(struct trace *t, const struct aggdesc *ad, struct msg *m)
{
	const struct mapdesc *md = &t->prog->map[ad->map];
	struct aggtab *tab = aggset_tab(t->agg, ad);
	struct mapread mr = { .md = md };
	int r;

	if (md->fd < 0)
		return 0;
	mr.valsize = (size_t)t->kern.ncpu * ad->nval * 8;
	mr.key = calloc(BATCH, md->keysize != 0 ? md->keysize : 1);
	mr.val = malloc((is_array(md) ? 1 : BATCH) * mr.valsize);
	if (mr.key == NULL || mr.val == NULL)
		r = msg_set_nomem(m);
	else if (is_array(md))
		r = read_array(t, tab, &mr, m);
	else if ((r = read_batches(t, tab, &mr, m)) == 1)
		r = read_keys(t, tab, &mr, m);
	free(mr.key);
	free(mr.val);
	return r;
}

int
agg_snapshot_all(struct trace *t, struct msg *m)
{
	size_t i;

	for (i = 0; i < t->agg->ntab; i++)
		if (agg_snapshot(t, t->agg->tab[i].agg, m) == -1)
			return -1;
	return 0;
}

/* Takes a key out of the kernel's map: what is added later begins at zero. */
static int
map_forget(struct trace *t, struct aggrow *r, struct msg *m)
{
	const struct mapdesc *md = &t->prog->map[r->agg->map];
	uint64_t *zero;
	uint32_t i = 0;
	int rv = 0;

	if (md->fd < 0)
		return 0;
	if (!is_array(md)) {
		if (bpf_map_delete_elem(md->fd, r->key) != 0 &&
		    errno != ENOENT)
			rv = msg_set_errno(m, "bpf", NULL,
			    "clearing aggregation @%s", r->agg->name);
		return rv;
	}
	if ((zero = calloc((size_t)t->kern.ncpu * r->agg->nval, 8)) == NULL)
		return msg_set_nomem(m);
	if (bpf_map_update_elem(md->fd, &i, zero, BPF_ANY) != 0)
		rv = msg_set_errno(m, "bpf", NULL,
		    "clearing aggregation @%s", r->agg->name);
	free(zero);
	return rv;
}

int
agg_clear(struct trace *t, const struct aggdesc *ad, struct msg *m)
{
	struct aggtab *tab = aggset_tab(t->agg, ad);
	size_t i;

	if (agg_snapshot(t, ad, m) == -1)
		return -1;
	for (i = 0; i < tab->nrow; i++) {
		if (map_forget(t, tab->row[i], m) == -1)
			return -1;
		memset(tab->row[i]->val, 0, ad->nval * 8);
	}
	return 0;
}

int
agg_trunc(struct trace *t, const struct aggdesc *ad, int64_t n, struct msg *m)
{
	struct aggtab *tab = aggset_tab(t->agg, ad);
	const struct aggorder by = { .t = t, .rev = n > 0 };
	uint64_t keep = n < 0 ? -(uint64_t)n : (uint64_t)n;
	size_t i;
	int r = 0;

	if (agg_snapshot(t, ad, m) == -1)
		return -1;
	if (keep >= tab->nrow)
		return 0;
	aggorder_sort(&by, tab->row, tab->nrow);
	for (i = keep; i < tab->nrow; i++) {
		if (r == 0)
			r = map_forget(t, tab->row[i], m);
		row_free(tab->row[i]);
	}
	tab->nrow = keep;
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
