/* A set of strings, each with a number, in a hash table. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/hash.h"
#include "libdt/names.h"

static uint32_t *
find_slot(const struct names *t, const char *s, size_t n, uint64_t h)
{
	const struct name *v;
	size_t i;

	for (i = h & (t->nslot - 1); t->slot[i] != 0;
	    i = (i + 1) & (t->nslot - 1)) {
		v = &t->v[t->slot[i] - 1];
		if (v->hash == h && v->n == n && memcmp(v->s, s, n) == 0)
			break;
	}
	return &t->slot[i];
}

static int
grow_slots(struct names *t)
{
	struct names next = *t;
	size_t i;

	next.nslot = t->nslot != 0 ? t->nslot * 2 : 64;
	if ((next.slot = calloc(next.nslot, sizeof(*next.slot))) == NULL)
		return -1;
	for (i = 0; i < t->n; i++)
		*find_slot(&next, t->v[i].s, t->v[i].n, t->v[i].hash) =
		    (uint32_t)i + 1;
	free(t->slot);
	*t = next;
	return 0;
}

ssize_t
names_add(struct names *t, const char *s, size_t n)
{
	uint64_t h = hash_bytes(s, n);
	uint32_t *slot;
	char *copy;

	if (t->n * 2 >= t->nslot && grow_slots(t) == -1)
		return -1;
	slot = find_slot(t, s, n, h);
	if (*slot != 0)
		return (ssize_t)*slot - 1;
	if (ARRAY_ROOM(t->v, t->n, t->cap) == -1)
		return -1;
	if ((copy = malloc(n + 1)) == NULL)
		return -1;
	memcpy(copy, s, n);
	copy[n] = '\0';
	t->v[t->n] = (struct name){ copy, n, h };
	*slot = (uint32_t)++t->n;
	return (ssize_t)t->n - 1;
}

ssize_t
names_find(const struct names *t, const char *s, size_t n)
{
	uint32_t *slot;

	if (t->nslot == 0)
		return -1;
	slot = find_slot(t, s, n, hash_bytes(s, n));
	return *slot != 0 ? (ssize_t)*slot - 1 : -1;
}

void
names_free(struct names *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		free(t->v[i].s);
	free(t->v);
	free(t->slot);
	memset(t, 0, sizeof(*t));
}

void *
names_room(void *v, size_t *cap, size_t i, size_t size)
{
	size_t n = *cap != 0 ? *cap : 64;
	char *p;

	if (i < *cap)
		return v;
	while (n <= i)
		n *= 2;
	if ((p = reallocarray(v, n, size)) == NULL)
		return NULL;
	memset(p + *cap * size, 0, (n - *cap) * size);
	*cap = n;
	return p;
}
