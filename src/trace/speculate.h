/*
 * speculate.h - what becomes of each record: printed, kept until its
 * speculation is committed, or told as an error.
 *
 * A struct spec owns the records it keeps.
 */
#ifndef TRACE_SPECULATE_H
#define TRACE_SPECULATE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "libdt/msg.h"

struct rechead;
struct spec;
struct trace;

struct spec *spec_new(struct trace *, FILE *err, struct msg *);
void	spec_free(struct spec *);
/* Deals with one record of the ring. -1 with m: it could not be printed. */
int	spec_record(struct spec *, const struct rechead *, size_t size,
	    struct msg *);

/* Records that were over specsize since the last call. */
uint64_t spec_dropped(struct spec *);

#endif
