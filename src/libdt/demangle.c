#include "config.h"

#include <stdlib.h>
#include <string.h>
#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#endif

#include "libdt/elfsym.h"

#define NAME_MAX_BYTES	4096	/* with NUL; a demangled name can be huge */

#ifdef HAVE_LIBIBERTY

struct text {
	char buf[NAME_MAX_BYTES];
	size_t n;
};

static void
append(const char *s, size_t n, void *arg)
{
	struct text *t = arg;
	size_t room = sizeof(t->buf) - 1 - t->n;

	if (n > room)
		n = room;
	memcpy(t->buf + t->n, s, n);
	t->n += n;
}

char *
elfsym_demangle(const char *name)
{
	struct text t = { .n = 0 };
	int ok;

	if (name[0] != '_' || strlen(name) >= NAME_MAX_BYTES)
		return NULL;
	if (name[1] == 'R')
		ok = rust_demangle_callback(name, DMGL_NO_OPTS, append, &t);
	else if (name[1] == 'Z')
		ok = cplus_demangle_v3_callback(name, DMGL_NO_OPTS, append,
		    &t);
	else
		return NULL;
	return ok && t.n > 0 ? strndup(t.buf, t.n) : NULL;
}

#else

char *
elfsym_demangle(const char *name)
{
	(void)name;
	return NULL;
}

#endif
