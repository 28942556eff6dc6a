/*
 * arena.h - memory that is freed as a whole.
 *
 * An arena owns everything it hands out, until arena_free. Running out of
 * memory sticks: the call returns NULL and arena_failed() says so later, so
 * a pass may check once at its end where NULL cannot be mistaken.
 */
#ifndef TRACE_ARENA_H
#define TRACE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

/* A new arena that refuses to grow over limit bytes (0: no limit). */
struct arena *arena_new(size_t limit);
void	arena_free(struct arena *);
/* Zeroed memory, aligned for any object. */
void	*arena_alloc(struct arena *, size_t size);
/* n zeroed objects of size bytes; NULL also when that overflows. */
void	*arena_calloc(struct arena *, size_t n, size_t size);
/* len bytes of s, followed by a NUL. */
char	*arena_strn(struct arena *, const char *s, size_t len);
char	*arena_str(struct arena *, const char *s);
char	*arena_printf(struct arena *, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));
bool	arena_failed(const struct arena *);

#endif
