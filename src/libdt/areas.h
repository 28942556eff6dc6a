/*
 * Sets of mapped areas, which share what they have in common: a fork's child
 * takes over its parent's in one step. A set is the number of a tree's root,
 * 0 where there is nothing in it.
 *
 * Ownership: a pool owns all sets that are made in it.
 */
#ifndef LIBDT_AREAS_H
#define LIBDT_AREAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a file at addresses; end is past the last. */
struct area { uint64_t start, end, off; uint32_t file; };

struct area_node {
	struct area a;
	uint32_t left, right;	/* below and above a; 0 = none */
	uint32_t refs;
	uint32_t rank;		/* drawn; no node has one above its own */
};

struct area_pool {		/* empty if it is zeroed */
	struct area_node *v;	/* the first is no set's */
	size_t n, cap;
	uint32_t unused;	/* chain of free ones, by left */
	uint64_t drawn;
	bool failed;		/* no memory: the sets are not what they say */
};

/* All sets are gone; the memory stays. */
void area_pool_reset(struct area_pool *p);
void area_pool_free(struct area_pool *p);

/* A set of one area. */
uint32_t area_set(struct area_pool *p, const struct area *a);
/* The same set once more, to be changed and dropped by itself. */
uint32_t area_share(struct area_pool *p, uint32_t set);
void area_drop(struct area_pool *p, uint32_t set);
/*
 * Puts the set with, which is taken over and lies in [start, end), in the
 * place of all there; returns what was there, a set. What sticks out on
 * either side stays.
 */
uint32_t area_swap(struct area_pool *p, uint32_t *set, uint64_t start,
    uint64_t end, uint32_t with);
/* The area of addr; NULL: none. Lent until the pool changes. */
const struct area *area_find(const struct area_pool *p, uint32_t set,
    uint64_t addr);

#endif
