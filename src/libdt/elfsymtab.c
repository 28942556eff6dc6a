/* A sorted table of named address ranges. */
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/elfsymtab.h"

#define LOOK_BACK	64	/* entries that may lie within the one found */

int
symtab_add(struct symtab_list *l, uint64_t start, uint64_t size,
    const char *name, size_t len, uint8_t rank)
{
	size_t cap = l->ncap > 0 ? l->ncap : 4096;
	char *names;

	while (cap < l->used + len + 1)
		cap *= 2;
	if (cap != l->ncap) {
		if ((names = realloc(l->names, cap)) == NULL)
			return -1;
		l->names = names;
		l->ncap = cap;
	}
	if (ARRAY_ROOM(l->v, l->n, l->cap) == -1)
		return -1;
	l->v[l->n++] = (struct symtab_entry){ start, size, l->used, rank };
	memcpy(l->names + l->used, name, len);
	l->names[l->used + len] = '\0';
	l->used += len + 1;
	return 0;
}

static int
entry_cmp(const void *a, const void *b)
{
	const struct symtab_entry *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

void
symtab_sort(struct symtab_list *l)
{
	size_t i, n = 0;

	if (l->n == 0)
		return;
	qsort(l->v, l->n, sizeof(*l->v), entry_cmp);
	for (i = 1; i < l->n; i++)
		if (l->v[i].start != l->v[n].start)
			l->v[++n] = l->v[i];
	l->n = n + 1;
}

const char *
symtab_find(const struct symtab_list *l, uint64_t addr, uint64_t *off)
{
	const struct symtab_entry *v;
	size_t i, past;

	ARRAY_FIRST(past, l->n, l->v[past].start > addr);
	for (i = 0; i < past && i < LOOK_BACK; i++) {
		v = &l->v[past - 1 - i];
		if (addr - v->start < v->size || (v->size == 0 && i == 0)) {
			*off = addr - v->start;
			return l->names + v->name;
		}
	}
	return NULL;
}

void
symtab_free(struct symtab_list *l)
{
	free(l->v);
	free(l->names);
	memset(l, 0, sizeof(*l));
}
