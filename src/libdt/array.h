/*
 * Arrays that grow.
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

/* array: the address of the pointer to elements of size bytes. */
int array_grow(void *array, size_t *cap, size_t size);

#endif
