/*
 * Arrays that grow, and sorted ones that are searched.
 *
 * Ownership: an array is its caller's, who gives it to free().
 */
#ifndef LIBDT_ARRAY_H
#define LIBDT_ARRAY_H

#include <stddef.h>

/*
 * Makes room for one more behind the n elements of v, an lvalue that begins
 * as NULL, whose capacity is the size_t cap: it doubles. 0, or -1 without
 * memory, when all is as it was.
 */
#define ARRAY_ROOM(v, n, cap) \
	((n) < (cap) ? 0 : array_grow(&(v), &(cap), sizeof(*(v))))

/*
 * The first i of 0 to n - 1 for which is holds, n if there is none. Where it
 * holds, it holds for all that follow: the array is sorted by what it looks
 * at. i is a size_t lvalue.
 */
#define ARRAY_FIRST(i, n, is) do { \
	size_t lo_ = 0, hi_ = (n); \
	while (lo_ < hi_) { \
		(i) = lo_ + (hi_ - lo_) / 2; \
		if (is) \
			hi_ = (i); \
		else \
			lo_ = (i) + 1; \
	} \
	(i) = lo_; \
} while (0)

/* array: the address of the pointer to elements of size bytes. */
int array_grow(void *array, size_t *cap, size_t size);

#endif
