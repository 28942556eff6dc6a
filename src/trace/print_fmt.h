/*
 * print_fmt.h - printing through a D format (fmt.h): what printf(), printa(),
 * system() and freopen() give.
 *
 * Nothing is kept.
 */
#ifndef TRACE_PRINT_FMT_H
#define TRACE_PRINT_FMT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct aggrow;
struct datum;
struct fmt;
struct trace;

/* What the conversions take, in order; offsets count from base. */
struct fmtin {
	const struct datum *arg;
	size_t narg;
	const uint8_t *base;
	struct aggrow *const *row;	/* printa(): one per aggregation */
	size_t nrow;
};

/* 0, or -1 with errno: the stream failed or memory is out. A conversion whose
 * argument is missing prints nothing. */
int	print_fmt(const struct trace *, FILE *, const struct fmt *,
	    const struct fmtin *);
/* C escapes as %S and %C print them; returns the length that needs cap at
 * most 4 bytes for each of n, and does not NUL-end. */
size_t	print_escape(char *dst, const char *src, size_t n);

#endif
