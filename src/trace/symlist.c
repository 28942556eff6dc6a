/* symlist.c - sorted tables of named ranges. */
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "trace/sym_impl.h"

enum { POOL = 64 * 1024, LOOK_BACK = 32 };

char *
symlist_dup(struct symlist *l, const char *s, size_t len)
{
	size_t want = len + 1 > POOL ? len + 1 : POOL;
	char **pool, *p;

	if (len + 1 > l->left) {
		pool = realloc(l->pool, (l->npool + 1) * sizeof(*pool));
		if (pool == NULL)
			return NULL;
		l->pool = pool;
		if ((p = malloc(want)) == NULL)
			return NULL;
		l->pool[l->npool++] = p;
		l->left = want;
	}
	want = POOL > len + 1 ? POOL : len + 1;
	p = l->pool[l->npool - 1] + (want - l->left);
	memcpy(p, s, len);
	p[len] = '\0';
	l->left -= len + 1;
	return p;
}

int
symlist_add(struct symlist *l, uint64_t start, uint64_t size,
    const char *name, size_t len, uint8_t rank)
{
	char *copy;

	if (ARRAY_ROOM(l->sym, l->n, l->cap) == -1)
		return -1;
	if ((copy = symlist_dup(l, name, len)) == NULL)
		return -1;
	l->sym[l->n++] = (struct symrange){ .start = start, .size = size,
	    .name = copy, .rank = rank };
	return 0;
}

static int
cmp(const void *va, const void *vb)
{
	const struct symrange *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return strcmp(a->name, b->name);
}

void
symlist_sort(struct symlist *l)
{
	size_t i, n = 0;

	if (l->n == 0)
		return;
	qsort(l->sym, l->n, sizeof(*l->sym), cmp);
	for (i = 1; i < l->n; i++)
		if (l->sym[i].start != l->sym[n].start)
			l->sym[++n] = l->sym[i];
	l->n = n + 1;
}

struct symrange *
symlist_find(struct symlist *l, uint64_t addr)
{
	struct symrange *r;
	size_t i, past;

	ARRAY_FIRST(past, l->n, l->sym[past].start > addr);
	for (i = 0; i < LOOK_BACK && i < past; i++) {
		r = &l->sym[past - 1 - i];
		if (addr - r->start < r->size || (r->size == 0 && i == 0))
			return r;
	}
	return NULL;
}

void
symlist_free(struct symlist *l)
{
	size_t i;

	for (i = 0; i < l->npool; i++)
		free(l->pool[i]);
	free(l->pool);
	free(l->sym);
	memset(l, 0, sizeof(*l));
}
