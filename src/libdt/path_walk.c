/* A directory tree walked in byte order, no link followed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/array.h"
#include "libdt/path.h"

#define ENTRIES_DEFAULT	(1u << 20)

static const char *const type_names[] = {
	[PATH_FILE] = "file",
	[PATH_DIR] = "directory",
	[PATH_SYMLINK] = "symbolic link",
	[PATH_FIFO] = "fifo",
	[PATH_SOCKET] = "socket",
	[PATH_CHAR] = "character device",
	[PATH_BLOCK] = "block device",
	[PATH_OTHER] = "unknown",
};

struct name {
	char *s;
	bool dir;	/* sorts as if "/" followed it */
};

struct names {
	struct name *v;
	size_t n, cap;
};

struct walk {
	path_fn *fn;
	void *arg;
	struct msg *m;
	size_t max, left;	/* entries */
	unsigned depth_max;
	size_t len;		/* of path */
	char path[PATH_BYTES_MAX + 1];
};

const char *
path_type_name(enum path_type t)
{
	return type_names[t];
}

static enum path_type
mode_type(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return PATH_FILE;
	case S_IFDIR:
		return PATH_DIR;
	case S_IFLNK:
		return PATH_SYMLINK;
	case S_IFIFO:
		return PATH_FIFO;
	case S_IFSOCK:
		return PATH_SOCKET;
	case S_IFCHR:
		return PATH_CHAR;
	case S_IFBLK:
		return PATH_BLOCK;
	}
	return PATH_OTHER;
}

static void
names_free(struct names *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		free(l->v[i].s);
	free(l->v);
}

static int
names_add(struct names *l, const char *s, bool dir)
{
	if (ARRAY_ROOM(l->v, l->n, l->cap) == -1)
		return -1;
	l->v[l->n].dir = dir;
	if ((l->v[l->n].s = strdup(s)) == NULL)
		return -1;
	l->n++;
	return 0;
}

static int
name_cmp(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	const unsigned char *p = (const unsigned char *)x->s;
	const unsigned char *q = (const unsigned char *)y->s;
	int c, d;

	while (*p != '\0' && *p == *q)
		p++, q++;
	c = *p != '\0' ? *p : x->dir ? '/' : -1;
	d = *q != '\0' ? *q : y->dir ? '/' : -1;
	return c - d;
}

/* Whether an entry is a directory; asks the system only if readdir did not. */
static bool
is_dir(int fd, const struct dirent *e)
{
	struct stat st;

	if (e->d_type != DT_UNKNOWN)
		return e->d_type == DT_DIR;
	return fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISDIR(st.st_mode);
}

static int
too_many(struct walk *w)
{
	return msg_set_at(w->m, "limit", w->path, 0,
	    "more than %zu entries", w->max);
}

static int
names_read(struct walk *w, DIR *d, struct names *l)
{
	const struct dirent *e;

	for (;;) {
		errno = 0;
		if ((e = readdir(d)) == NULL)
			break;
		if (strcmp(e->d_name, ".") == 0 ||
		    strcmp(e->d_name, "..") == 0)
			continue;
		if (w->left == 0)
			return too_many(w);
		w->left--;
		if (names_add(l, e->d_name, is_dir(dirfd(d), e)) == -1)
			return msg_set_nomem(w->m);
	}
	if (errno != 0)
		return msg_set_errno(w->m, "read",
		    w->len > 0 ? w->path : ".", "cannot read directory");
	if (l->n > 0)
		qsort(l->v, l->n, sizeof(*l->v), name_cmp);
	return 0;
}

static int walk_dir(struct walk *w, int fd, unsigned depth);

static int
walk_entry(struct walk *w, int fd, const char *name, unsigned depth)
{
	struct path_entry e = { .path = w->path };
	int sub = -1, rc;

	if (fstatat(fd, name, &e.st, AT_SYMLINK_NOFOLLOW) == -1) {
		e.err = errno;
		memset(&e.st, 0, sizeof(e.st));
		e.type = PATH_OTHER;
		return w->fn(w->arg, &e);
	}
	e.type = mode_type(e.st.st_mode);
	if (e.type != PATH_DIR)
		return w->fn(w->arg, &e);
	if (depth >= w->depth_max)
		return msg_set_at(w->m, "limit", w->path, 0,
		    "directories are nested more than %u deep", w->depth_max);
	sub = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (sub == -1)
		e.err = errno;
	rc = w->fn(w->arg, &e);
	if (sub == -1)
		return rc;
	if (rc != 0) {
		close(sub);
		return rc;
	}
	return walk_dir(w, sub, depth + 1);
}

/* Appends name to w->path; false if it does not fit. */
static bool
path_push(struct walk *w, const char *name)
{
	size_t n = strlen(name), slash = w->len > 0;

	if (w->len + slash + n > PATH_BYTES_MAX)
		return false;
	if (slash)
		w->path[w->len] = '/';
	memcpy(w->path + w->len + slash, name, n + 1);
	w->len += slash + n;
	return true;
}

static void
path_cut(struct walk *w, size_t len)
{
	w->path[len] = '\0';
	w->len = len;
}

/* Takes over fd. */
static int
walk_dir(struct walk *w, int fd, unsigned depth)
{
	struct names l = { 0 };
	size_t i, len = w->len;
	int rc;
	DIR *d = fdopendir(fd);

	if (d == NULL) {
		msg_set_errno(w->m, "read", len > 0 ? w->path : ".",
		    "cannot read directory");
		close(fd);
		return -1;
	}
	rc = names_read(w, d, &l);
	for (i = 0; rc == 0 && i < l.n; i++) {
		if (path_push(w, l.v[i].s))
			rc = walk_entry(w, dirfd(d), l.v[i].s, depth);
		else
			rc = msg_set_at(w->m, "limit", w->path, 0,
			    "holds a path longer than %d bytes",
			    PATH_BYTES_MAX);
		path_cut(w, len);
	}
	names_free(&l);
	closedir(d);
	return rc;
}

int
path_walk(int dirfd, const struct path_limits *lim, path_fn *fn, void *arg,
    struct msg *m)
{
	struct walk w = { .fn = fn, .arg = arg, .m = m };
	int fd;

	w.max = w.left = lim != NULL && lim->entries > 0 ? lim->entries :
	    ENTRIES_DEFAULT;
	w.depth_max = lim != NULL && lim->depth > 0 ? lim->depth :
	    PATH_DEPTH_MAX;
	fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1)
		return msg_set_errno(m, "read", NULL, "cannot read directory");
	return walk_dir(&w, fd, 1);
}
