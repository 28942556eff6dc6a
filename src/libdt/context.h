/*
 * Runtime and span of threads as time goes on, from raw/spans.tsv.
 *
 * Ownership: a struct context is the caller's until context_free().
 */
#ifndef LIBDT_CONTEXT_H
#define LIBDT_CONTEXT_H

#include <stdint.h>

#include "libdt/msg.h"
#include "libdt/record.h"

struct context;
/* rd is taken over, may be NULL: no spans. NULL with m. */
struct context *context_new(struct record_reader *rd, struct msg *m);
void context_free(struct context *c);		/* may be NULL */
/* Moves on to ts and sets rt and span of a record that has none. */
int context_join(struct context *c, struct record *r, struct msg *m);
/* Takes one record of the spans family itself. */
int context_take(struct context *c, const struct record *r, struct msg *m);

#endif
