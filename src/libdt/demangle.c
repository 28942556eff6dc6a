/* Names of C++ and Rust symbols as people write them. */
#include "config.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#endif

#include "libdt/elfsym.h"

#define NAME_MAX_BYTES	4096	/* with NUL; a demangled name can be huge */
#define BASE62		"0123456789abcdefghijklmnopqrstuvwxyz" \
			"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define BOUND_DIGITS	2	/* of a number of lifetimes */

#ifdef HAVE_LIBIBERTY

struct text {
	char buf[NAME_MAX_BYTES];
	size_t n;
	jmp_buf full;
};

/* A short name can stand for one that has no end: what fits is enough. */
static void
append(const char *s, size_t n, void *arg)
{
	struct text *t = arg;
	size_t room = sizeof(t->buf) - 1 - t->n;
	bool over = n > room;

	if (over)
		n = room;
	if (n > 0)
		memcpy(t->buf + t->n, s, n);
	t->n += n;
	if (over)
		longjmp(t->full, 1);
}

/*
 * Rust's for<'a, ...>: F or D, G, a number. The demangler counts up to that,
 * also where it prints nothing; no function has more than a few lifetimes.
 */
static bool
binds_many(const char *name)
{
	const char *p;
	size_t n;

	for (p = name + 1; (p = strchr(p, 'G')) != NULL; p++) {
		if (p[-1] != 'F' && p[-1] != 'D')
			continue;
		n = strspn(p + 1, BASE62);
		if (n > BOUND_DIGITS && p[1 + n] == '_')
			return true;
	}
	return false;
}

static bool
demangle(const char *name, struct text *t)
{
	if (setjmp(t->full) != 0)
		return true;
	if (name[1] == 'R' && binds_many(name))
		return false;
	if (name[1] == 'R')
		return rust_demangle_callback(name, DMGL_NO_OPTS, append, t);
	return name[1] == 'Z' && cplus_demangle_v3_callback(name,
	    DMGL_NO_OPTS, append, t);
}

char *
elfsym_demangle(const char *name)
{
	struct text t = { .n = 0 };

	if (name[0] != '_' || strlen(name) >= NAME_MAX_BYTES)
		return NULL;
	return demangle(name, &t) && t.n > 0 ? strndup(t.buf, t.n) : NULL;
}

#else

char *
elfsym_demangle(const char *name)
{
	(void)name;
	return NULL;
}

#endif
