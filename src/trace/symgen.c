/* symgen.c - mappings of one program, between two execs. */
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "trace/sym_impl.h"

struct symgen *
symgen_new(void)
{
	struct symgen *g = calloc(1, sizeof(*g));

	if (g != NULL)
		g->refs = 1;
	return g;
}

struct symgen *
symgen_ref(struct symgen *g)
{
	g->refs++;
	return g;
}

void
symgen_unref(struct symgen *g)
{
	struct symgen *older;

	for (; g != NULL && --g->refs == 0; g = older) {
		older = g->older;
		free(g->map);
		free(g);
	}
}

/* The first mapping that ends after addr. */
static size_t
index_of(const struct symgen *g, uint64_t addr)
{
	size_t i;

	ARRAY_FIRST(i, g->nmap, g->map[i].end > addr);
	return i;
}

static int
make_room(struct symgen *g)
{
	size_t cap = g->cap != 0 ? g->cap * 2 : 16;
	struct symmap *map;

	if (g->nmap + 2 <= g->cap)
		return 0;
	if ((map = realloc(g->map, cap * sizeof(*map))) == NULL)
		return -1;
	g->map = map;
	g->cap = cap;
	return 0;
}

static void
insert(struct symgen *g, size_t i, const struct symmap *m)
{
	memmove(&g->map[i + 1], &g->map[i],
	    (g->nmap - i) * sizeof(*g->map));
	g->map[i] = *m;
	g->nmap++;
}

int
symgen_add(struct symgen *g, const struct symmap *m)
{
	struct symmap *o, tail;
	size_t i;

	if (m->start >= m->end)
		return 0;
	if (make_room(g) == -1)
		return -1;
	i = index_of(g, m->start);
	if (i < g->nmap && g->map[i].start < m->start) {
		/* one that reaches in from below; it may end beyond */
		o = &g->map[i];
		tail = *o;
		o->end = m->start;
		i++;
		if (tail.end > m->end) {
			tail.off += m->end - tail.start;
			tail.start = m->end;
			insert(g, i, &tail);
		}
	}
	while (i < g->nmap && g->map[i].end <= m->end) {
		memmove(&g->map[i], &g->map[i + 1],
		    (g->nmap - i - 1) * sizeof(*g->map));
		g->nmap--;
	}
	if (i < g->nmap && g->map[i].start < m->end) {
		g->map[i].off += m->end - g->map[i].start;
		g->map[i].start = m->end;
	}
	insert(g, i, m);
	return 0;
}

struct symgen *
symgen_own(struct symgen *g)
{
	struct symgen *mine;

	if (g->refs == 1)
		return g;
	if ((mine = symgen_new()) == NULL)
		return NULL;
	mine->map = malloc((g->nmap + 16) * sizeof(*mine->map));
	if (mine->map == NULL) {
		free(mine);
		return NULL;
	}
	mine->cap = g->nmap + 16;
	mine->nmap = g->nmap;
	if (g->nmap != 0)
		memcpy(mine->map, g->map, g->nmap * sizeof(*mine->map));
	mine->older = g->older != NULL ? symgen_ref(g->older) : NULL;
	g->refs--;
	return mine;
}

bool
symgen_has(const struct symgen *g, uint64_t addr)
{
	size_t i = index_of(g, addr);

	return i < g->nmap && g->map[i].start <= addr;
}

const struct symmap *
symgen_find(const struct symgen *g, uint64_t addr)
{
	size_t i;

	for (; g != NULL; g = g->older) {
		i = index_of(g, addr);
		if (i < g->nmap && g->map[i].start <= addr)
			return &g->map[i];
	}
	return NULL;
}
