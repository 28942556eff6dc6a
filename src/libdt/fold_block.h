/*
 * One stack as tracers print it: keys, then groups of frames, each leaf
 * first; fold_text.c fills it line by line.
 *
 * Ownership: the block owns its text until block_free(); it begins as zeros.
 */
#ifndef LIBDT_FOLD_BLOCK_H
#define LIBDT_FOLD_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdt/fold.h"

struct block {
	char *text;		/* keys and frames, not NUL-terminated */
	size_t len, cap;
	struct piece { size_t at, n; unsigned group; } *piece;
	size_t npiece, pcap;
	size_t nkey;		/* pieces that are keys, in any place */
	unsigned group;
	char *out;		/* the stack, root first */
	size_t ocap;
};

/* -1: no memory. `;` in the text is escaped. */
int block_key(struct block *b, const char *s, size_t n);
int block_frame(struct block *b, const char *s, size_t n);
int block_frame2(struct block *b, const char *module, const char *symbol);
/* A stack ended within the block; another may follow. */
void block_group(struct block *b);
bool block_empty(const struct block *b);
/* Forgets keys and frames. */
void block_clear(struct block *b);
/* Adds the stack to f and empties the block. -1: no memory. */
int block_flush(struct block *b, struct fold *f, uint64_t count);
void block_free(struct block *b);

#endif
