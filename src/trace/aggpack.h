/*
 * aggpack.h - the default print of an aggregation as one table: agghist (each
 * number with a bar), aggpack (each distribution in one line).
 *
 * Nothing is kept.
 */
#ifndef TRACE_AGGPACK_H
#define TRACE_AGGPACK_H

#include <stddef.h>
#include <stdio.h>

struct aggrow;
struct trace;

/* Prints n rows of one aggregation so, where the options ask for it and the
 * aggregation is of that kind: 1; else 0. -1: the stream failed or memory is
 * out. */
int	aggpack_print(const struct trace *, FILE *,
	    struct aggrow *const *row, size_t n);

#endif
