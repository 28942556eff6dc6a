/*
 * value.h - one value of a record, or one component of a key, as text.
 *
 * Nothing is kept. `base` is the record (or the key) a datum's offset counts
 * from; all functions that write return 0, or -1 when the stream failed or
 * memory is out (errno tells).
 */
#ifndef TRACE_VALUE_H
#define TRACE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct datum;
struct dtype;
struct trace;

/* Integers of 1, 2, 4 or 8 bytes at any address; other sizes give 0. */
uint64_t value_uint(const void *p, size_t size);
int64_t	value_int(const void *p, size_t size);
/* The type is an integer with a sign: %d and trace() go by it. */
bool	value_signed(const struct dtype *);
/* The datum is a string, in the record or by number (ACT_STRID). */
bool	value_is_str(const struct datum *);
/* The datum is a stack or a symbol (symtext.h). */
bool	value_is_sym(const struct datum *);
/* A string or char array datum: its bytes and their number up to the NUL. A
 * NULL string is empty. */
const char *value_str(const struct trace *, const struct datum *,
	    const uint8_t *base, size_t *len);

/* trace(): in quiet mode the bare value, else a column by its size. */
int	value_trace(const struct trace *, FILE *, const struct datum *,
	    const uint8_t *base, bool quiet);
/* A key's component in the default print of an aggregation. */
int	value_key(const struct trace *, FILE *, const struct datum *,
	    const uint8_t *base);
/* The dump of tracemem() and of values that have no other form. */
int	value_dump(FILE *, const uint8_t *p, size_t n);

#endif
