/*
 * From two numbers to the index the caller gave them; open addressing.
 *
 * Ownership: a pair_map owns its slots until pair_map_free(); zeroed, it is
 * empty.
 */
#ifndef LIBDT_PAIRMAP_H
#define LIBDT_PAIRMAP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pair_slot {
	uint64_t a, b;
	uint32_t index;		/* + 1; 0 = free */
};
struct pair_map {
	struct pair_slot *v;
	size_t n, cap;		/* cap is a power of two, or 0 */
};

/* The index of (a, b), or -1. */
ssize_t pair_map_get(const struct pair_map *m, uint64_t a, uint64_t b);
/* Sets it; -1 without memory, which one that is there does not need. */
int pair_map_set(struct pair_map *m, uint64_t a, uint64_t b, uint32_t index);
/* Forgets it. */
void pair_map_del(struct pair_map *m, uint64_t a, uint64_t b);
void pair_map_free(struct pair_map *m);

#endif
