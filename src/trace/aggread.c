/*
 * aggread.c - reading aggregations from the kernel's per-CPU maps, and taking
 * keys out of them.
 *
 * The kernel keeps addresses; a key that is a symbol or a module stands for
 * all addresses of it, so several elements of a map may make one row.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "libdt/msg.h"
#include "trace/agg.h"
#include "trace/agg_impl.h"
#include "trace/prog.h"
#include "trace/sym.h"
#include "trace/symtext.h"
#include "trace/trace.h"

enum { BATCH = 256 };

/* Buffers of one read of a map. */
struct mapread {
	struct trace *t;
	struct aggtab *tab;
	const struct mapdesc *md;
	uint8_t *key;			/* BATCH of them */
	uint64_t *val;			/* BATCH of them, each of all CPUs */
	uint8_t *canon;			/* one key */
	size_t valsize;			/* of all CPUs, bytes */
	struct msg *m;
};

static int
failed(const struct mapread *mr, const char *what)
{
	return msg_set_errno(mr->m, "bpf", NULL, "%s aggregation @%s", what,
	    mr->tab->agg->name);
}

static bool
is_array(const struct mapdesc *md)
{
	return md->type == BPF_MAP_TYPE_PERCPU_ARRAY;
}

/* Does an element of a map that others share belong to this one? */
static bool
is_ours(const struct mapread *mr, const uint8_t *key)
{
	const struct aggdesc *ad = mr->tab->agg;
	uint64_t tag;

	if (ad->tag == 0)
		return true;
	memcpy(&tag, key, sizeof(tag));
	return tag == ad->tag;
}

/* Two keys of the map may be one of ours. */
static bool
has_symbols(const struct aggdesc *ad)
{
	size_t i;

	for (i = 0; i < ad->nkey; i++)
		if (symtext_is_name(&ad->key[i]))
			return true;
	return false;
}

/* The key that stands for all that mean the same. */
static const uint8_t *
canonical(struct mapread *mr, const uint8_t *key)
{
	const struct aggdesc *ad = mr->tab->agg;
	size_t i;

	if (!has_symbols(ad))
		return key;
	memcpy(mr->canon, key, ad->keysize);
	for (i = 0; i < ad->nkey; i++)
		if (symtext_is_name(&ad->key[i]))
			symtext_canonical(mr->t, &ad->key[i], mr->canon);
	return mr->canon;
}

/* One element of the map: a key with the values of all CPUs. */
static int
element(struct mapread *mr, const uint8_t *key, const uint64_t *val)
{
	uint32_t nval = mr->tab->agg->nval;
	struct aggrow *r = NULL;
	int cpu;

	if (!is_ours(mr, key))
		return 0;
	for (cpu = 0; cpu < mr->t->kern.ncpu; cpu++, val += nval) {
		if (val[0] == 0)
			continue;
		if (r == NULL && (r = aggset_row(mr->tab,
		    canonical(mr, key))) == NULL)
			return msg_set_nomem(mr->m);
		aggrow_merge(mr->tab->agg, r->val, val);
	}
	return 0;
}

static int
read_array(struct mapread *mr)
{
	uint32_t i = mr->tab->agg->slot;

	if (bpf_map_lookup_elem(mr->md->fd, &i, mr->val) != 0)
		return failed(mr, "reading");
	return element(mr, mr->key, mr->val);
}

/* 1: the kernel cannot read this kind of map in batches. */
static int
read_batches(struct mapread *mr)
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
			    failed(mr, "reading");
		for (i = 0; i < n; i++)
			if (element(mr, mr->key + i * mr->md->keysize,
			    mr->val + i * mr->valsize / 8) == -1)
				return -1;
		in = out;
		first = false;
	} while (r == 0);
	return 0;
}

/* Calls fn for each key of a hash. */
static int
each_key(struct mapread *mr, int (*fn)(struct mapread *, uint8_t *))
{
	uint8_t *next = mr->key + mr->md->keysize;
	bool more;
	int r = 0;

	more = bpf_map_get_next_key(mr->md->fd, NULL, next) == 0;
	while (r == 0 && more) {
		memcpy(mr->key, next, mr->md->keysize);
		/* before fn, which may delete it */
		more = bpf_map_get_next_key(mr->md->fd, mr->key, next) == 0;
		r = fn(mr, mr->key);
	}
	return r;
}

static int
read_key(struct mapread *mr, uint8_t *key)
{
	if (bpf_map_lookup_elem(mr->md->fd, key, mr->val) != 0)
		return errno == ENOENT ? 0 : failed(mr, "reading");
	return element(mr, key, mr->val);
}

static void
mapread_end(struct mapread *mr)
{
	free(mr->key);
	free(mr->val);
	free(mr->canon);
}

/* 1: there is no map to read. */
static int
mapread_begin(struct mapread *mr, struct trace *t, const struct aggdesc *ad,
    struct msg *m)
{
	size_t n;

	memset(mr, 0, sizeof(*mr));
	mr->t = t;
	mr->m = m;
	mr->tab = aggset_tab(t->agg, ad);
	mr->md = &t->prog->map[ad->map];
	if (mr->md->fd < 0)
		return 1;
	n = is_array(mr->md) ? 1 : BATCH;
	mr->valsize = (size_t)t->kern.ncpu * ad->nval * 8;
	mr->key = calloc(BATCH, mr->md->keysize != 0 ? mr->md->keysize : 1);
	mr->val = calloc(n, mr->valsize);
	mr->canon = malloc(ad->keysize + 1);
	if (mr->key != NULL && mr->val != NULL && mr->canon != NULL)
		return 0;
	mapread_end(mr);
	return msg_set_nomem(m);
}

int
agg_snapshot(struct trace *t, const struct aggdesc *ad, struct msg *m)
{
	struct mapread mr;
	size_t i;
	int r = mapread_begin(&mr, t, ad, m);

	if (r != 0)
		return r == 1 ? 0 : -1;
	for (i = 0; i < mr.tab->nrow; i++)
		memset(mr.tab->row[i]->val, 0, ad->nval * 8);
	if (is_array(mr.md))
		r = read_array(&mr);
	else if ((r = read_batches(&mr)) == 1)
		r = each_key(&mr, read_key);
	mapread_end(&mr);
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

static int
delete_key(struct mapread *mr, const uint8_t *key)
{
	if (bpf_map_delete_elem(mr->md->fd, key) != 0 && errno != ENOENT)
		return failed(mr, "clearing");
	return 0;
}

static int
delete_if_gone(struct mapread *mr, uint8_t *key)
{
	const struct aggrow *r;

	if (!is_ours(mr, key))
		return 0;
	r = aggset_row(mr->tab, canonical(mr, key));
	if (r == NULL)
		return msg_set_nomem(mr->m);
	return r->gone ? delete_key(mr, key) : 0;
}

int
aggset_forget(struct trace *t, const struct aggdesc *ad, struct msg *m)
{
	struct mapread mr;
	uint32_t slot = ad->slot;
	size_t i;
	int r = mapread_begin(&mr, t, ad, m);

	if (r != 0)
		return r == 1 ? 0 : -1;
	if (is_array(mr.md)) {
		if (mr.tab->nrow != 0 && mr.tab->row[0]->gone &&
		    bpf_map_update_elem(mr.md->fd, &slot, mr.val, 0) != 0)
			r = failed(&mr, "clearing");
	} else if (has_symbols(ad))
		r = each_key(&mr, delete_if_gone);
	else
		for (i = 0; r == 0 && i < mr.tab->nrow; i++)
			if (mr.tab->row[i]->gone)
				r = delete_key(&mr, mr.tab->row[i]->key);
	mapread_end(&mr);
	return r;
}
