/*
 * layout_map.c - the maps of associative arrays and aggregations.
 *
 * A BPF program may use 64 maps. Aggregations without keys are elements of a
 * map for each size; where a program has many arrays and aggregations with
 * keys, those of one shape share a map, and the number of each begins the key.
 */
#include "trace/lower.h"
#include "trace/lower_impl.h"

enum { MIN_ELEM = 64, MAX_ELEM = 1 << 18, ELEM_COST = 64, NO_PREALLOC = 1,
       MANY = 32 };

uint32_t
layout_elements(const struct lower *l, enum opt o, uint64_t each)
{
	uint64_t n = (uint64_t)opt_num(&l->t->opt, o) / (each + ELEM_COST);

	if (n < MIN_ELEM)
		n = MIN_ELEM;
	return n > MAX_ELEM ? MAX_ELEM : (uint32_t)n;
}

void
layout_sharing(struct lower *l)
{
	const struct ident *id;
	size_t n = 0;

	for (id = l->u->ident; id != NULL; id = id->next)
		n += id->kind == ID_ASSOC || (id->kind == ID_AGG &&
		    id->nkey > 0);
	l->sharemaps = n > MANY;
}

/* A map, or more elements for one that others of that shape are in. */
static int
place(struct lower *l, const char *name, uint32_t type, uint32_t keysize,
    uint32_t valsize, uint32_t maxent, uint32_t flags, bool share)
{
	struct mapdesc *md;
	size_t k;

	for (k = MAP_NFIXED; share && k < l->p->nmap; k++) {
		md = &l->p->map[k];
		if (!md->shared || md->type != type ||
		    md->keysize != keysize || md->valsize != valsize)
			continue;
		md->maxent += maxent;
		return (int)k;
	}
	k = (size_t)map_add(l, name, type, keysize, valsize, maxent, flags);
	l->p->map[k].shared = share;
	return (int)k;
}

/* Sizes and offsets. A key begins with the array's number when others are in
 * the map, then the thread's id when it is a self-> array. */
static void
key_end(struct lower *l, const struct ident *id, struct keyshape *ks)
{
	uint32_t off = ks->tag != 0 ? 8 : 0;
	const struct dtype *t;
	struct datum *c;
	size_t i;

	ks->self = id->kind == ID_ASSOC && id->scope == SC_SELF;
	off += ks->self ? 8 : 0;
	for (i = 0; i < ks->n; i++) {
		c = &ks->comp[i];
		t = type_base(c->type);
		c->off = off;
		if (ks->strid[i]) {
			c->size = 4;
			c->what = ACT_STRID;
		} else if (type_is_string(t)) {
			c->size = id->keylen != NULL && id->keylen[i] > 0 ?
			    id->keylen[i] : l->strsize;
			if (c->size > l->strsize)
				c->size = l->strsize;
			c->size = up8(c->size);
			c->what = ACT_TRACE;
		} else if (t->kind != DK_DYN) {
			c->size = t->kind == DK_PTR ? 8 : (uint32_t)t->size;
			c->what = ACT_TRACE;
		}
		off += up8(c->size);
	}
	ks->size = off;
}

void
layout_assoc(struct lower *l, const struct ident *id, struct var *v)
{
	const struct dtype *t = type_base(id->type);
	uint32_t flags = 0;

	v->key.tag = l->sharemaps ? id->slot + 1 : 0;
	key_end(l, id, &v->key);
	v->size = type_is_string(t) ? l->strsize : t->kind == DK_PTR ? 8 :
	    up8((uint32_t)t->size);
	if (kernel_has(l->t, KF_ALLOC))
		flags = NO_PREALLOC;
	v->map = place(l, v->key.tag != 0 ? "arrays" :
	    arena_printf(l->ar, "v_%.11s", id->name), BPF_MAP_TYPE_HASH,
	    v->key.size ? v->key.size : 8, v->size,
	    layout_elements(l, O_DYNVARSIZE, v->key.size + v->size), flags,
	    v->key.tag != 0);
}

int
layout_agg(struct lower *l, struct ident *id, struct var *v)
{
	struct aggdesc *a = arena_alloc(l->ar, sizeof(*a));
	uint32_t flags = 0;

	if (a == NULL) {
		low_nomem(l);
		return -1;
	}
	a->id = (uint32_t)l->p->nagg + 1;
	if (l->sharemaps && v->key.n > 0)
		v->key.tag = a->tag = a->id;
	key_end(l, id, &v->key);
	v->agg = a;
	a->name = id->name;
	a->line = id->line;
	a->key = v->key.comp;
	a->nkey = v->key.n;
	a->keysize = v->key.size;
	if (agg_shape(l, id, a) < 0)
		return -1;
	if (kernel_has(l->t, KF_ALLOC))
		flags = NO_PREALLOC;
	if (a->nkey == 0) {
		a->map = place(l, "aggs", BPF_MAP_TYPE_PERCPU_ARRAY, 4,
		    8 * a->nval, 1, 0, true);
		a->slot = l->p->map[a->map].maxent - 1;
	} else {
		a->map = place(l, "agg", BPF_MAP_TYPE_PERCPU_HASH,
		    a->keysize, 8 * a->nval, layout_elements(l, O_AGGSIZE,
		    a->keysize + 8 * a->nval), flags, a->tag != 0);
	}
	v->map = a->map;
	l->p->agg[l->p->nagg++] = a;
	return 0;
}
