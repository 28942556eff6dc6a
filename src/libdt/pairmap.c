/* A hash table from two numbers to an index. */
#include <stdlib.h>

#include "libdt/hash.h"
#include "libdt/pairmap.h"

static size_t
home(const struct pair_map *m, uint64_t a, uint64_t b)
{
	uint64_t k[2] = { a, b };

	return (size_t)hash_bytes(k, sizeof(k)) & (m->cap - 1);
}

/* The slot of (a, b), or the free one where it would go. */
static struct pair_slot *
slot(const struct pair_map *m, uint64_t a, uint64_t b)
{
	size_t i = home(m, a, b);

	while (m->v[i].index != 0 && (m->v[i].a != a || m->v[i].b != b))
		i = (i + 1) & (m->cap - 1);
	return &m->v[i];
}

ssize_t
pair_map_get(const struct pair_map *m, uint64_t a, uint64_t b)
{
	if (m->n == 0)
		return -1;
	return (ssize_t)slot(m, a, b)->index - 1;
}

static int
grow(struct pair_map *m)
{
	struct pair_map big = { .n = m->n };
	size_t i;

	big.cap = m->cap > 0 ? m->cap * 2 : 64;
	if ((big.v = calloc(big.cap, sizeof(*big.v))) == NULL)
		return -1;
	for (i = 0; i < m->cap; i++)
		if (m->v[i].index != 0)
			*slot(&big, m->v[i].a, m->v[i].b) = m->v[i];
	free(m->v);
	*m = big;
	return 0;
}

int
pair_map_set(struct pair_map *m, uint64_t a, uint64_t b, uint32_t index)
{
	struct pair_slot *s;

	if (m->n + 1 > m->cap / 2 && pair_map_get(m, a, b) == -1 &&
	    grow(m) == -1)
		return -1;
	s = slot(m, a, b);
	if (s->index == 0)
		m->n++;
	*s = (struct pair_slot){ a, b, index + 1 };
	return 0;
}

void
pair_map_del(struct pair_map *m, uint64_t a, uint64_t b)
{
	struct pair_slot *s, moved;
	size_t i;

	if (m->n == 0 || (s = slot(m, a, b))->index == 0)
		return;
	s->index = 0;
	m->n--;
	/* what follows in the run may have to move up */
	i = (size_t)(s - m->v);
	for (;;) {
		i = (i + 1) & (m->cap - 1);
		if (m->v[i].index == 0)
			return;
		moved = m->v[i];
		m->v[i].index = 0;
		*slot(m, moved.a, moved.b) = moved;
	}
}

void
pair_map_free(struct pair_map *m)
{
	free(m->v);
	m->v = NULL;
	m->n = m->cap = 0;
}
