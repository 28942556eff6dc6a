/*
 * The spans that threads hold, the innermost on top. They may close in any
 * order, and one may be held twice.
 *
 * Ownership: a struct held owns its spans until held_free(); zeroed, it is
 * empty. The caller keeps a number for each thread, its top: 0 = none.
 */
#ifndef LIBDT_HELD_H
#define LIBDT_HELD_H

#include "libdt/pairmap.h"

struct held_span {
	uint64_t span;
	uint32_t under, above;	/* in the thread; numbers from 1, 0 = none */
	uint32_t outer;		/* the same span once more */
};

struct held {
	struct pair_map innermost;	/* of (thread, span) */
	struct held_span *v;
	size_t n, cap;
	uint32_t unused;	/* chain of free ones, by under */
};

/* The thread, any number of the caller's, takes a span; -1: no memory. */
int held_push(struct held *h, uint64_t thread, uint32_t *top, uint64_t span);
/* The innermost of that id goes; 1: it holds none. */
int held_drop(struct held *h, uint64_t thread, uint32_t *top, uint64_t span);
/* The span of a top that is not 0. */
uint64_t held_span(const struct held *h, uint32_t top);
void held_free(struct held *h);

#endif
