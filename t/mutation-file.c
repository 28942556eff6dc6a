/*
 * Changes of whole files: cut, doubled, gone, and one too many.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/path.h"
#include "mutation.h"

static void
try_file(struct mutation *m, const char *file, const char *op)
{
	char name[512];

	(void)snprintf(name, sizeof(name), "%s::%s", file, op);
	mutation_try(m, name);
}

static int
one_file(void *arg, const struct path_entry *e)
{
	struct mutation *m = arg;
	char *old, *more;
	size_t len;

	if (e->type != PATH_FILE || strstr(e->path, "SUMS") != NULL ||
	    !mutation_wants(m, e->path))
		return 0;
	m->derived = strncmp(e->path, "report/", 7) == 0 ||
	    strcmp(e->path, "validation.json") == 0;
	old = edit_read(m->cwd, e->path, &len);
	edit_write(m->cwd, e->path, old, len / 2);
	try_file(m, e->path, "half");
	edit_write(m->cwd, e->path, old, 0);
	try_file(m, e->path, "empty");
	more = malloc(2 * len + 2);
	if (more == NULL)
		edit_die("out of memory");
	memcpy(more, old, len);
	memcpy(more + len, old, len);
	edit_write(m->cwd, e->path, more, 2 * len);
	try_file(m, e->path, "twice");
	more[len] = 'x';
	edit_write(m->cwd, e->path, more, len + 1);
	try_file(m, e->path, "longer");
	if (unlinkat(m->cwd, e->path, 0) == -1)
		edit_die("%s: cannot remove", e->path);
	try_file(m, e->path, "drop");
	edit_write(m->cwd, e->path, old, len);
	free(more);
	more = mutation_join(e->path, ".x");
	edit_write(m->cwd, more, old, len);
	try_file(m, e->path, "copy");
	if (unlinkat(m->cwd, more, 0) == -1)
		edit_die("%s: cannot remove", more);
	free(more);
	free(old);
	return 0;
}

void
mutate_files(struct mutation *m)
{
	struct msg why;

	if (path_walk(m->cwd, NULL, one_file, m, &why) != 0)
		edit_die("%s: %s", why.path, why.text);
}
