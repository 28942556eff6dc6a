/*
 * layout.c - where variables, arrays and aggregations are kept: offsets, key
 * shapes and maps.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/lower.h"
#include "trace/lower_impl.h"
#include "trace/provider.h"

enum { MMAPABLE = 1 << 10, NO_PREALLOC = 1, RDONLY_PROG = 1 << 7 };

#define RING_SHARED	(64ULL << 20)	/* bytes */

bool
node_walk(const struct node *n, bool (*fn)(const struct node *, void *),
    void *arg)
{
	const struct node *k;

	if (n == NULL)
		return true;
	if (!fn(n, arg) || !node_walk(n->a, fn, arg) ||
	    !node_walk(n->b, fn, arg) || !node_walk(n->c, fn, arg))
		return false;
	for (k = n->list; k != NULL; k = k->next)
		if (!node_walk(k, fn, arg))
			return false;
	return true;
}

static bool
stmt_walk(const struct stmt *s, bool (*fn)(const struct node *, void *),
    void *arg)
{
	for (; s != NULL; s = s->next)
		if (!node_walk(s->expr, fn, arg) ||
		    !stmt_walk(s->then, fn, arg) ||
		    !stmt_walk(s->other, fn, arg))
			return false;
	return true;
}

bool
clause_walk(const struct clause *cl,
    bool (*fn)(const struct node *, void *), void *arg)
{
	return node_walk(cl->pred, fn, arg) && stmt_walk(cl->body, fn, arg);
}

struct var *
var_of(struct lower *l, const struct ident *id)
{
	return &l->var[id->slot];
}

int
map_add(struct lower *l, const char *name, uint32_t type, uint32_t keysize,
    uint32_t valsize, uint32_t maxent, uint32_t flags)
{
	struct prog *p = l->p;

	if (p->nmap == l->mapalloc) {
		low_nomem(l);
		return 0;
	}
	p->map[p->nmap] = (struct mapdesc){ .name = name, .type = type,
	    .keysize = keysize, .valsize = valsize, .maxent = maxent,
	    .flags = flags, .fd = -1 };
	/* the scratch has an element for each CPU */
	if (maxent == 0)
		p->map[p->nmap].maxent = l->t->kern.ncpu > 0 ?
		    (uint32_t)l->t->kern.ncpu : 1;
	return (int)p->nmap++;
}

uint32_t
gen_rodata(struct gen *g, const void *data, size_t n)
{
	return ro_add(gen_user(g), data, n);
}

int
gen_map(struct gen *g, const char *name, uint32_t type, uint32_t keysize,
    uint32_t valsize, uint32_t maxent)
{
	struct lower *l = gen_user(g);

	for (size_t i = MAP_NFIXED; i < l->p->nmap; i++)
		if (strcmp(l->p->map[i].name, name) == 0)
			return (int)i;
	return map_add(l, name, type, keysize, valsize, maxent, 0);
}

uint32_t
ro_add(struct lower *l, const void *data, size_t n)
{
	size_t at = l->nro, need = (n + 7) & ~(size_t)7, cap;
	char *q;

	if (at + need > l->roalloc) {
		cap = 2 * (at + need);
		q = realloc(l->ro, cap);
		if (q == NULL) {
			low_nomem(l);
			return 0;
		}
		l->ro = q;
		l->roalloc = cap;
	}
	memset(l->ro + at, 0, need);
	memcpy(l->ro + at, data, n);
	l->nro = at + need;
	return (uint32_t)at;
}

uint32_t
ro_zero(struct lower *l, size_t n)
{
	void *z;

	if (n <= l->nzero)
		return l->zerooff;
	z = calloc(1, n);
	if (z == NULL) {
		low_nomem(l);
		return 0;
	}
	l->zerooff = ro_add(l, z, n);
	l->nzero = (uint32_t)n;
	free(z);
	return l->zerooff;
}

/* A literal with its NUL, padded with zeroes to a multiple of 8. */
uint32_t
ro_string(struct lower *l, const char *s, size_t n)
{
	struct roitem *it;
	char *tmp;
	size_t k;

	for (k = 0; k < l->nrostr; k++)
		if (l->rostr[k].len == n &&
		    memcmp(l->ro + l->rostr[k].off, s, n) == 0)
			return l->rostr[k].off;
	it = realloc(l->rostr, (l->nrostr + 1) * sizeof(*it));
	tmp = calloc(1, n + 1);
	if (it != NULL)
		l->rostr = it;
	if (it == NULL || tmp == NULL) {
		free(tmp);
		low_nomem(l);
		return 0;
	}
	memcpy(tmp, s, n);
	it = &l->rostr[l->nrostr++];
	it->len = (uint32_t)n;
	it->off = ro_add(l, tmp, n + 1);
	free(tmp);
	return it->off;
}

static uint64_t
hash(const char *s)
{
	uint64_t h = 14695981039346656037ULL;

	for (; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211ULL;
	return h ^ h >> 29;
}

static int
rehash(struct lower *l)
{
	size_t n = l->nstrhash ? 2 * l->nstrhash : 256, k, at;
	uint32_t *h = calloc(n, sizeof(*h));

	if (h == NULL)
		return -1;
	for (k = 0; k < l->p->nstr; k++) {
		at = hash(l->p->str[k]) & (n - 1);
		while (h[at] != 0)
			at = (at + 1) & (n - 1);
		h[at] = (uint32_t)k + 1;
	}
	free(l->strhash);
	l->strhash = h;
	l->nstrhash = n;
	return 0;
}

uint32_t
str_id(struct lower *l, const char *s)
{
	struct prog *p = l->p;
	const char **q;
	size_t at, n;

	if (2 * (p->nstr + 1) > l->nstrhash && rehash(l) < 0) {
		low_nomem(l);
		return 0;
	}
	for (at = hash(s) & (l->nstrhash - 1); l->strhash[at] != 0;
	    at = (at + 1) & (l->nstrhash - 1))
		if (strcmp(p->str[l->strhash[at] - 1], s) == 0)
			return l->strhash[at] - 1;
	if (p->nstr == l->stralloc) {
		n = l->stralloc ? 2 * l->stralloc : 64;
		q = arena_calloc(l->ar, n, sizeof(*q));
		if (q == NULL) {
			low_nomem(l);
			return 0;
		}
		if (p->nstr > 0)
			memcpy(q, p->str, p->nstr * sizeof(*q));
		p->str = q;
		l->stralloc = n;
	}
	p->str[p->nstr] = arena_str(l->ar, s);
	if (p->str[p->nstr] == NULL) {
		low_nomem(l);
		return 0;
	}
	l->strhash[at] = (uint32_t)++p->nstr;
	return (uint32_t)p->nstr - 1;
}

bool
node_internable(const struct node *n)
{
	if (n->kind == N_STR)
		return n->str != NULL;
	if (n->kind != N_VAR || n->id == NULL || n->id->kind != ID_BUILTIN)
		return false;
	switch (n->id->builtin->id) {
	case B_PROBEPROV:
	case B_PROBEMOD:
	case B_PROBEFUNC:
	case B_PROBENAME:
		return true;
	default:
		return false;
	}
}

/* Elements that fit in a budget of bytes. */
/* What the uses of a key say that the identifier does not. */
static bool
key_use(const struct node *n, void *arg)
{
	struct lower *l = arg;
	const struct node *k;
	struct keyshape *ks;
	struct datum d;
	size_t i;

	if ((n->kind != N_INDEX && n->kind != N_AGG) || n->id == NULL ||
	    (n->id->kind != ID_ASSOC && n->id->kind != ID_AGG))
		return true;
	ks = &var_of(l, n->id)->key;
	for (i = 0, k = n->list; k != NULL && i < ks->n; k = k->next, i++) {
		if (!node_internable(k))
			ks->strid[i] = false;
		if (n->id->key[i]->kind == DK_DYN) {
			memset(&d, 0, sizeof(d));
			dyn_shape(l, k, &d);
			if (d.rawstack)
				(void)low_error(l, D_UNSUP, k->line,
				    "a stack to be unwound by unwind=dwarf "
				    "cannot be a key: print it as a record");
			if (d.size > ks->comp[i].size)
				ks->comp[i] = d;
		}
	}
	return true;
}

static int
key_begin(struct lower *l, const struct ident *id, struct keyshape *ks)
{
	size_t i;

	ks->n = id->nkey;
	ks->comp = arena_calloc(l->ar, ks->n + 1, sizeof(*ks->comp));
	ks->strid = arena_calloc(l->ar, ks->n + 1, sizeof(*ks->strid));
	if (ks->comp == NULL || ks->strid == NULL) {
		low_nomem(l);
		return -1;
	}
	for (i = 0; i < ks->n; i++) {
		ks->comp[i].type = id->key[i];
		ks->strid[i] = type_is_string(type_base(id->key[i]));
	}
	return 0;
}

static void
place_scalar(struct lower *l, const struct ident *id, struct var *v)
{
	const struct dtype *t = type_base(id->type);
	uint32_t *top = id->scope == SC_SELF ? &l->nself : &l->nglobals;
	uint32_t size = (uint32_t)t->size, align = t->align ? t->align : 1;

	if (id->scope == SC_THIS)
		return;
	if (type_is_string(t)) {
		/* a self-> string begins with a word: not 0 when it is set */
		size = l->strsize + (id->scope == SC_SELF ? 8 : 0);
		align = 8;
	} else if (t->kind == DK_PTR) {
		size = align = 8;
	} else if (!type_is_scalar(t)) {
		size = up8(size);
		align = 8;
	}
	*top = (*top + align - 1) & ~(align - 1);
	v->off = *top;
	v->size = size;
	*top += size;
}

struct sharing { struct lower *l; const struct event *ev; };

static bool
note_update(const struct node *n, void *arg)
{
	struct sharing *s = arg;
	struct var *v;

	if (n->kind != N_AGGASSIGN || n->a->id == NULL)
		return true;
	v = var_of(s->l, n->a->id);
	if (v->agg == NULL)
		return true;
	/* a task may be preempted inside a uprobe */
	if ((v->ev != NULL && v->ev != s->ev) || s->ev->type == EV_UPROBE ||
	    s->ev->type == EV_URETPROBE)
		v->agg->shared = true;
	v->ev = s->ev;
	return true;
}

static void
find_shared(struct lower *l)
{
	struct sharing s = { .l = l };
	size_t k;

	for (s.ev = provider_events(l->t); s.ev != NULL; s.ev = s.ev->next)
		for (k = 0; k < s.ev->nec; k++)
			(void)clause_walk(s.ev->ec[k].cl, note_update, &s);
}

static int
variables(struct lower *l)
{
	struct ident *id;
	struct clause *cl;
	size_t i;

	for (i = 0, id = l->u->ident; id != NULL; id = id->next, i++) {
		id->slot = (uint32_t)i;
		l->ident[i] = id;
		l->var[i].map = -1;
		if (id->kind == ID_SCALAR && id->scope == SC_THIS &&
		    id->seq >= l->nthis)
			l->nthis = id->seq + 1;
		if ((id->kind == ID_ASSOC || id->kind == ID_AGG) &&
		    key_begin(l, id, &l->var[i].key) < 0)
			return -1;
	}
	for (cl = l->u->clause; cl != NULL; cl = cl->next)
		(void)clause_walk(cl, key_use, l);
	layout_sharing(l);
	for (i = 0; i < l->nident && !l->failed; i++) {
		id = l->ident[i];
		if (id->kind == ID_AGG) {
			if (id->func != NULL &&
			    layout_agg(l, id, &l->var[i]) < 0)
				return -1;
			continue;
		}
		if (id->type == NULL)
			continue;
		if (id->kind == ID_SCALAR)
			place_scalar(l, id, &l->var[i]);
		else if (id->kind == ID_ASSOC)
			layout_assoc(l, id, &l->var[i]);
	}
	return l->failed ? -1 : 0;
}

static uint32_t
pow2(uint64_t n)
{
	uint64_t p = 4096;

	while (p < n && p < 1ULL << 31)
		p *= 2;
	return (uint32_t)p;
}

/*
 * One ring for all processors, as large as DTrace's buffers together, since
 * bufsize is what each processor gets; many processors share RING_SHARED.
 */
static uint32_t
ring_bytes(const struct trace *t)
{
	uint64_t one = (uint64_t)opt_num(&t->opt, O_BUFSIZE);
	uint64_t all = one * (uint64_t)(t->kern.ncpu > 0 ? t->kern.ncpu : 1);

	if (all > RING_SHARED)
		all = one > RING_SHARED ? one : RING_SHARED;
	return pow2(all);
}

static void
fixed_maps(struct lower *l)
{
	(void)map_add(l, "ring", BPF_MAP_TYPE_RINGBUF, 0, 0,
	    ring_bytes(l->t), 0);
	(void)map_add(l, "state", BPF_MAP_TYPE_ARRAY, 4, sizeof(struct state),
	    1, MMAPABLE);
	(void)map_add(l, "drops", BPF_MAP_TYPE_PERCPU_ARRAY, 4,
	    sizeof(struct dropcount), DROP_NKIND, 0);
	(void)map_add(l, "fired", BPF_MAP_TYPE_PERCPU_ARRAY, 4,
	    8 * (uint32_t)l->p->nlayout, 1, 0);
	(void)map_add(l, "globals", BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
	(void)map_add(l, "rodata", BPF_MAP_TYPE_ARRAY, 4, 8, 1, RDONLY_PROG);
}

static int
arrays(struct lower *l)
{
	struct prog *p = l->p;
	struct event *ev;
	struct ident *id;
	size_t n = 0, k;

	for (id = l->u->ident; id != NULL; id = id->next)
		l->nident++;
	for (ev = provider_events(l->t); ev != NULL; ev = ev->next)
		n++;
	l->mapalloc = MAP_NFIXED + l->nident + 2 * n + 8 +
	    GEN_MAPS;
	p->nlayout = l->u->nclause > 0 ? l->u->nclause : 1;
	p->nprobe = provider_nprobe(l->t);
	p->map = arena_calloc(l->ar, l->mapalloc, sizeof(*p->map));
	p->layout = arena_calloc(l->ar, p->nlayout, sizeof(*p->layout));
	p->agg = arena_calloc(l->ar, l->nident + 1, sizeof(struct aggdesc *));
	p->probe = arena_calloc(l->ar, p->nprobe + 1, sizeof(struct probe *));
	l->ident = calloc(l->nident + 1, sizeof(struct ident *));
	l->var = calloc(l->nident + 1, sizeof(*l->var));
	if (p->map == NULL || p->layout == NULL || p->agg == NULL ||
	    p->probe == NULL || l->ident == NULL || l->var == NULL) {
		low_nomem(l);
		return -1;
	}
	for (k = 0; k < p->nprobe; k++)
		p->probe[k] = provider_probe(l->t, k);
	return 0;
}

/* One struct for a thread: by its task, or else by its id. */
static void
self_map(struct lower *l)
{
	uint32_t size = up8(l->nself);

	if (size <= MAX_TASK_VALUE && kernel_has(l->t, KF_TASK_STORAGE) &&
	    kernel_has(l->t, KF_TASK_BTF)) {
		l->selfmap = map_add(l, "self", BPF_MAP_TYPE_TASK_STORAGE, 4,
		    size, 0, NO_PREALLOC);
		if (l->selfmap >= 0)
			l->p->map[l->selfmap].maxent = 0;
		return;
	}
	l->selfhash = true;
	l->selfmap = map_add(l, "self", BPF_MAP_TYPE_HASH, 8, size,
	    layout_elements(l, O_DYNVARSIZE, 8 + size),
	    kernel_has(l->t, KF_ALLOC) ? NO_PREALLOC : 0);
	l->p->selfhash = l->selfmap;
}

int
layout_unit(struct lower *l)
{
	l->strmax = l->u->strmax;
	l->strsize = up8(l->strmax);
	l->selfmap = l->specmap = -1;
	l->p->nspec = (uint32_t)opt_num(&l->t->opt, O_NSPEC);
	if (arrays(l) < 0)
		return -1;
	fixed_maps(l);
	(void)ro_add(l, "", 1);		/* no table begins at 0 */
	if (variables(l) < 0)
		return -1;
	find_shared(l);
	if (l->nglobals > 0)
		l->p->map[MAP_GLOBALS].valsize = up8(l->nglobals);
	if (l->nself > 0)
		self_map(l);
	return l->failed ? -1 : 0;
}
