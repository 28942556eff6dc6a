/* arena.c - memory that is freed as a whole. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/arena.h"

struct chunk {
	struct chunk *next;
	size_t size, used;
	max_align_t mem[];
};

struct arena {
	struct chunk *chunk;
	size_t total, limit;
	bool failed;
};

enum { CHUNK_MIN = 16 * 1024 };

struct arena *
arena_new(size_t limit)
{
	struct arena *a = calloc(1, sizeof(*a));

	if (a != NULL)
		a->limit = limit;
	return a;
}

void
arena_free(struct arena *a)
{
	if (a == NULL)
		return;
	while (a->chunk != NULL) {
		struct chunk *next = a->chunk->next;

		free(a->chunk);
		a->chunk = next;
	}
	free(a);
}

static struct chunk *
chunk_add(struct arena *a, size_t need)
{
	size_t size = need > CHUNK_MIN ? need : CHUNK_MIN;
	struct chunk *c;

	if (a->limit != 0 && size > a->limit - a->total)
		return NULL;
	if ((c = calloc(1, sizeof(*c) + size)) == NULL)
		return NULL;
	c->size = size;
	c->next = a->chunk;
	a->chunk = c;
	a->total += size;
	return c;
}

void *
arena_alloc(struct arena *a, size_t size)
{
	struct chunk *c = a->chunk;
	void *p;

	if (size > SIZE_MAX / 4) {
		a->failed = true;
		return NULL;
	}
	size = (size + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);
	if (size == 0)
		size = sizeof(max_align_t);
	if ((c == NULL || c->size - c->used < size) &&
	    (c = chunk_add(a, size)) == NULL) {
		a->failed = true;
		return NULL;
	}
	p = (char *)c->mem + c->used;
	c->used += size;
	return p;
}

void *
arena_calloc(struct arena *a, size_t n, size_t size)
{
	if (size != 0 && n > SIZE_MAX / size) {
		a->failed = true;
		return NULL;
	}
	return arena_alloc(a, n * size);
}

char *
arena_strn(struct arena *a, const char *s, size_t len)
{
	char *p = len < SIZE_MAX ? arena_alloc(a, len + 1) : NULL;

	if (p != NULL)
		memcpy(p, s, len);
	return p;
}

char *
arena_str(struct arena *a, const char *s)
{
	return arena_strn(a, s, strlen(s));
}

char *
arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || (p = arena_alloc(a, (size_t)n + 1)) == NULL) {
		a->failed = true;
		return NULL;
	}
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

bool
arena_failed(const struct arena *a)
{
	return a->failed;
}
