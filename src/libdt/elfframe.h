/*
 * Where functions begin and end by a file's .eh_frame: what is left of them
 * in a stripped library.
 *
 * Ownership: a struct elfframes owns its table until elfframe_free(); zeroed,
 * it is empty.
 */
#ifndef LIBDT_ELFFRAME_H
#define LIBDT_ELFFRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elfframes {
	struct elfframe { uint64_t start, size; } *v;	/* sorted by start */
	size_t n;
};

/* Parts of the file in memory: bytes, and the virtual address of the first. */
struct elfbytes {
	const uint8_t *p;
	size_t n;
	uint64_t vaddr;
};

/*
 * Reads the table of .eh_frame_hdr, in its usual encoding (LSB 5.0, 10.6.2),
 * and each function's size from its FDE in .eh_frame. What is broken or
 * encoded in another way is left out. 0, or -1: no memory.
 */
int elfframe_read(struct elfframes *f, const struct elfbytes *hdr,
    const struct elfbytes *eh);
/* The function that covers a virtual address; false: none. */
bool elfframe_find(const struct elfframes *f, uint64_t vaddr,
    uint64_t *start);
void elfframe_free(struct elfframes *f);

#endif
