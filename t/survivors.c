#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edit.h"
#include "survivors.h"

void
survivors_read(struct survivors *s, const char *path)
{
	struct edit_lines l;
	size_t i;
	char *p;

	edit_lines_read(&l, AT_FDCWD, path);
	s->n = 0;
	s->v = calloc(l.n + 1, sizeof(*s->v));
	if (s->v == NULL)
		edit_die("out of memory");
	for (i = 0; i < l.n; i++) {
		p = l.v[i];
		p[strcspn(p, "\n")] = '\0';
		if (p[0] == '#' || p[0] == '\0')
			continue;
		if (strstr(p, "  ") == NULL)
			edit_die("%s: no reason: %s", path, p);
		*strstr(p, "  ") = '\0';
		s->v[s->n++].text = p;
	}
}

bool
survivors_have(struct survivors *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (fnmatch(s->v[i].text, name, 0) == 0) {
			s->v[i].used = true;
			return true;
		}
	return false;
}

size_t
survivors_stale(const struct survivors *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->n; i++)
		if (!s->v[i].used) {
			printf("needed no more: %s\n", s->v[i].text);
			n++;
		}
	return n;
}
