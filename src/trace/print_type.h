/*
 * print_type.h - print(): a value with its type, member by member. Nothing is
 * kept.
 */
#ifndef TRACE_PRINT_TYPE_H
#define TRACE_PRINT_TYPE_H

#include <stdint.h>
#include <stdio.h>

struct action;
struct trace;

/*
 * datum[0] is a pointer and datum[1] the bytes it points to, which may be
 * fewer than their type has; or datum[0] alone is the value. Members of zeroes
 * are left out; members that begin past the bytes, or past the printsize
 * option, are "...". 0, or -1 when the stream failed.
 */
int	print_type(const struct trace *, FILE *, const struct action *,
	    const uint8_t *rec);

#endif
