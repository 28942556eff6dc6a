/*
 * drop.h - losses: read from the kernel, told on stderr, kept as intervals.
 *
 * A struct drops owns its intervals.
 */
#ifndef TRACE_DROP_H
#define TRACE_DROP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "libdt/msg.h"

struct drops;
struct dropspan;
struct trace;

/* NULL with m. err: where lines about drops go, not owned. */
struct drops *drops_new(struct trace *, FILE *err, struct msg *);
void	drops_free(struct drops *);
/* Nothing can be lost before: when BEGIN starts, ns on the bundle's clock. */
void	drops_begin(struct drops *, uint64_t begin_ns);
/* Reads the counters; what is new gets a line on err and an interval. */
int	drops_check(struct drops *, struct msg *);
/* n losses that this process saw itself since the last drops_check(). */
int	drops_note(struct drops *, int kind, uint64_t n, struct msg *);
const struct dropspan *drops_spans(const struct drops *, size_t *n);
/* "principal", "aggregation" … for --stats. */
const char *drops_kind(int kind);

#endif
