/* The D script of a collector, as it is going to run. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/collector.h"
#include "libdt/file.h"

#define SCRIPT_BYTES_MAX	(1u << 20)

static int
script_open(const char *dir, const char *name, char *path, size_t cap)
{
	int fd;

	snprintf(path, cap, "%s/%s-linux.d", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd != -1)
		return fd;
	snprintf(path, cap, "%s/%s.d", dir, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* -x sets the option of that name for this family. */
static bool
option_given(const struct settings *set, enum family f, const char *name,
    size_t n)
{
	const struct tracer_option *o = set->option;
	unsigned i;

	for (i = 0; i < set->options; i++, o++)
		if ((o->family < 0 || o->family == (int)f) &&
		    strcspn(o->text, "=") == n &&
		    memcmp(o->text, name, n) == 0)
			return true;
	return false;
}

/* Blanks `#pragma D option NAME...` lines whose option is given otherwise. */
static void
script_yield(char *text, const struct settings *set, enum family f)
{
	static const char head[] = "#pragma D option ";
	char *line, *name;
	size_t n;

	for (line = text; *line != '\0'; line += n + (line[n] == '\n')) {
		n = strcspn(line, "\n");
		if (strncmp(line, head, sizeof(head) - 1) != 0)
			continue;
		name = line + sizeof(head) - 1;
		name += strspn(name, " \t");
		if (option_given(set, f, name, strcspn(name, "= \t\n")))
			memset(line, ' ', n);
	}
}

int
collector_script(struct collector *c, struct staging *st,
    const struct settings *set, const char *scripts, struct msg *m)
{
	const char *name = family_name(c->family);
	char from[4096], *text = NULL;
	size_t len;
	int fd = script_open(scripts, name, from, sizeof(from)), rc;

	if (fd == -1) {
		msg_set(m, "no-script", "no script for %s in %s", name,
		    scripts);
		return 1;
	}
	if (asprintf(&c->script, "scripts/%s.d", name) == -1) {
		c->script = NULL;
		close(fd);
		return msg_set_nomem(m);
	}
	rc = file_slurp_fd(fd, from, SCRIPT_BYTES_MAX, &text, &len, m);
	close(fd);
	if (rc == -1)
		return -1;
	script_yield(text, set, c->family);
	rc = file_put(st->dir, c->script, text, len, 0600, m);
	free(text);
	return rc;
}
