/* Bundles named by arguments, a list or a manifest on standard input. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdt/file.h"
#include "libdt/operands.h"
#include "libdt/path.h"

#define MANIFEST	"manifest.json"
#define CHUNK		4096

struct run {
	const struct operands *o;
	operand_fn *fn;
	void *arg;
	const struct msg_sink *sink;
	enum dt_exit worst;
};

static void
cannot(struct run *r, const struct msg *m)
{
	(void)msg_forward(r->sink, m);
	r->worst = cli_worst(r->worst, DT_CANNOT);
}

/* Opens the directory an operand names; path is cut to it. */
static int
open_operand(char *path, struct msg *m)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), saved = errno;
	char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;

	if (fd != -1 || saved != ENOTDIR || strcmp(name, MANIFEST) != 0) {
		errno = saved;
		if (fd == -1)
			msg_set_errno(m, "open", path, "cannot open");
		return fd;
	}
	if (slash == NULL)
		strcpy(path, ".");
	else
		slash[slash == path ? 1 : 0] = '\0';
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1)
		msg_set_errno(m, "open", path, "cannot open");
	return fd;
}

static void
run_path(struct run *r, const char *given)
{
	struct operand op = { 0 };
	struct msg m;
	char *path;

	if (given[0] == '\0') {
		msg_set(&m, "operand", "a name is empty");
		cannot(r, &m);
		return;
	}
	if (strlen(given) >= PATH_MAX) {
		msg_set_at(&m, "operand", given, 0, "is too long");
		cannot(r, &m);
		return;
	}
	/* Room for "." in place of an empty path. */
	path = malloc(strlen(given) + 2);
	if (path == NULL) {
		msg_set_nomem(&m);
		cannot(r, &m);
		return;
	}
	strcpy(path, given);
	op.fd = open_operand(path, &m);
	op.path = path;
	if (op.fd == -1) {
		cannot(r, &m);
	} else {
		r->worst = cli_worst(r->worst, r->fn(r->arg, &op));
		close(op.fd);
	}
	free(path);
}

/*
 * The directory of the file on fd 0, if that is what its name still leads
 * to; NULL with m.
 */
static char *
stdin_dir(struct msg *m)
{
	char path[PATH_MAX], *slash;
	struct stat in, named;
	ssize_t n;

	n = readlink("/proc/self/fd/0", path, sizeof(path) - 1);
	if (n > 0)
		path[n] = '\0';
	if (n <= 0 || path[0] != '/' || fstat(0, &in) == -1 ||
	    !S_ISREG(in.st_mode)) {
		msg_set_at(m, "operand", "standard input", 0,
		    "this manifest is on no file: -C must name its bundle");
		return NULL;
	}
	slash = strrchr(path, '/');
	if (strcmp(slash + 1, MANIFEST) != 0 || lstat(path, &named) == -1 ||
	    named.st_dev != in.st_dev || named.st_ino != in.st_ino) {
		msg_set_at(m, "operand", path, 0,
		    "this is no bundle's manifest.json (any more): "
		    "-C must name the bundle");
		return NULL;
	}
	slash[slash == path ? 1 : 0] = '\0';
	return strdup(path);
}

/* The bundle's own manifest must be the very bytes that were read. */
static int
compare_manifest(const struct operand *op, struct msg *m)
{
	size_t len;
	char *own;
	int same;

	if (file_slurp(op->fd, MANIFEST, OPERANDS_MANIFEST_MAX, &own, &len,
	    m) == -1) {
		msg_within(m, op->path);
		return -1;
	}
	same = len == op->manifest_len && memcmp(own, op->manifest, len) == 0;
	free(own);
	if (same)
		return 0;
	return msg_set_at(m, "operand", op->path, 0,
	    "its manifest.json is not the one on standard input");
}

static void
run_manifest(struct run *r, const char *buf, size_t len)
{
	struct operand op = { .manifest = buf, .manifest_len = len };
	struct msg m = { 0 };
	char *dir;

	msg_clear(&m);
	dir = r->o->dir != NULL ? strdup(r->o->dir) : stdin_dir(&m);
	if (dir == NULL) {
		if (m.id == NULL)
			msg_set_nomem(&m);
		cannot(r, &m);
		return;
	}
	op.path = dir;
	op.fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (op.fd == -1) {
		msg_set_errno(&m, "open", dir, "cannot open");
		cannot(r, &m);
	} else if (compare_manifest(&op, &m) == -1) {
		cannot(r, &m);
		close(op.fd);
	} else {
		r->worst = cli_worst(r->worst, r->fn(r->arg, &op));
		close(op.fd);
	}
	free(dir);
}

/*
 * Standard input, read in pieces of its own: stdio would read ahead of what
 * a callback's child may want. One list entry is in line at a time.
 */
struct list {
	struct run *r;
	char line[PATH_MAX];
	size_t len;
	uint64_t number;
	uint64_t paths;
	bool too_long;
};

static void
list_end(struct list *l)
{
	struct msg m;

	l->number++;
	if (l->too_long) {
		msg_set_at(&m, "operand", "standard input", l->number,
		    "longer than a path can be");
		cannot(l->r, &m);
		l->paths++;
	} else if (memchr(l->line, '\0', l->len) != NULL) {
		msg_set_at(&m, "operand", "standard input", l->number,
		    "a NUL byte in a path (-0 reads NUL-separated lists)");
		cannot(l->r, &m);
		l->paths++;
	} else if (l->len > 0) {
		l->line[l->len] = '\0';
		l->paths++;
		run_path(l->r, l->line);
	}
	l->len = 0;
	l->too_long = false;
}

static void
list_add(struct list *l, const char *buf, size_t n)
{
	char end = l->r->o->nul ? '\0' : '\n';
	size_t i;

	for (i = 0; i < n; i++) {
		if (buf[i] == end)
			list_end(l);
		else if (l->len + 1 < sizeof(l->line))
			l->line[l->len++] = buf[i];
		else
			l->too_long = true;
	}
}

/* A list that begins with the n bytes at first. */
static void
run_list(struct run *r, const char *first, size_t n)
{
	struct list l = { .r = r };
	char buf[CHUNK];
	struct msg m;
	ssize_t got;

	list_add(&l, first, n);
	for (;;) {
		got = read(0, buf, sizeof(buf));
		if (got == -1 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		list_add(&l, buf, (size_t)got);
	}
	if (got == -1) {
		msg_set_errno(&m, "read", "standard input", "cannot read");
		cannot(r, &m);
		return;
	}
	if (l.len > 0 || l.too_long)
		list_end(&l);
	if (l.paths == 0) {
		msg_set_at(&m, "operand", "standard input", 0,
		    "the input names no bundle");
		cannot(r, &m);
	}
}

static bool
blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Appends all of fd 0 to the n bytes at first and runs them as a manifest. */
static void
slurp_manifest(struct run *r, const char *first, size_t n)
{
	size_t len, max = OPERANDS_MANIFEST_MAX - n;
	struct msg m;
	char *rest, *all;

	if (r->o->no_manifest != NULL) {
		msg_set(&m, "usage", "%s", r->o->no_manifest);
		cannot(r, &m);
		return;
	}
	if (file_slurp_fd(0, "standard input", max, &rest, &len, &m) == -1) {
		cannot(r, &m);
		return;
	}
	all = malloc(n + len + 1);
	if (all == NULL) {
		msg_set_nomem(&m);
		cannot(r, &m);
	} else {
		memcpy(all, first, n);
		memcpy(all + n, rest, len + 1);
		run_manifest(r, all, n + len);
	}
	free(all);
	free(rest);
}

/* Looks at the first bytes of fd 0 to tell a manifest from a list. */
static void
run_stdin(struct run *r)
{
	char buf[CHUNK];
	size_t n = 0, i = 0;
	struct msg m;
	ssize_t got;

	do {
		got = read(0, buf + n, sizeof(buf) - n);
		if (got == -1 && errno == EINTR)
			continue;
		if (got == -1) {
			msg_set_errno(&m, "read", "standard input", "cannot read");
			cannot(r, &m);
			return;
		}
		n += (size_t)got;
		while (i < n && blank(buf[i]))
			i++;
	} while (i == n && got != 0 && n < sizeof(buf));
	if (i < n && buf[i] == '{' && !r->o->nul)
		slurp_manifest(r, buf, n);
	else
		run_list(r, buf, n);
}

enum dt_exit
operands_each(const struct operands *o, operand_fn *fn, void *arg,
    const struct msg_sink *sink)
{
	struct run r = { .o = o, .fn = fn, .arg = arg, .sink = sink };
	struct msg m;
	int i;

	if (o->argc == 0) {
		run_stdin(&r);
		return r.worst;
	}
	if (o->dir != NULL) {
		msg_set(&m, "usage", "-C goes with a manifest on standard "
		    "input, not with operands");
		cannot(&r, &m);
		return r.worst;
	}
	for (i = 0; i < o->argc; i++)
		run_path(&r, o->argv[i]);
	return r.worst;
}
