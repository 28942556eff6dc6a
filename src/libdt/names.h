/*
 * A set of strings, each with a dense number: how reports count by name.
 *
 * Ownership: the set owns its copies of the strings until names_free().
 */
#ifndef LIBDT_NAMES_H
#define LIBDT_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct names {
	struct name { char *s; size_t n; uint64_t hash; } *v;
	size_t n, cap;
	uint32_t *slot;		/* index + 1 into v, 0 = free */
	size_t nslot;
};

/* The number of a string of n bytes, added if it is new; -1: no memory. */
ssize_t names_add(struct names *t, const char *s, size_t n);
/* -1: it is not there. */
ssize_t names_find(const struct names *t, const char *s, size_t n);
void names_free(struct names *t);

/*
 * Room for index i in an array of elements of that size, which names number:
 * v or what it became, new elements zero; NULL: no memory, v is as it was.
 */
void *names_room(void *v, size_t *cap, size_t i, size_t size);

#endif
