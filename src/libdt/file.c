/* Whole files: read, written beside and renamed. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdt/file.h"
#include "libdt/path.h"

#define SLURP_FIRST	65536

ssize_t
file_read(int fd, void *buf, size_t n)
{
	size_t got = 0;
	ssize_t r;

	while (got < n) {
		r = read(fd, (char *)buf + got, n - got);
		if (r == -1 && errno == EINTR)
			continue;
		if (r == -1)
			return -1;
		if (r == 0)
			break;
		got += (size_t)r;
	}
	return (ssize_t)got;
}

int
file_write(int fd, const void *buf, size_t n)
{
	size_t put = 0;
	ssize_t r;

	while (put < n) {
		r = write(fd, (const char *)buf + put, n - put);
		if (r == -1 && errno == EINTR)
			continue;
		if (r == -1)
			return -1;
		if (r == 0) {
			errno = EIO;
			return -1;
		}
		put += (size_t)r;
	}
	return 0;
}

/* A first size for the buffer, with room to see that there is no more. */
static size_t
slurp_size(int fd, size_t max)
{
	struct stat st;
	size_t n = SLURP_FIRST;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
	    (uintmax_t)st.st_size < max)
		n = (size_t)st.st_size + 1;
	return n < max ? n : max;
}

int
file_slurp_fd(int fd, const char *name, size_t max, char **buf, size_t *len,
    struct msg *m)
{
	size_t cap = slurp_size(fd, max), got = 0;
	char *p = NULL, *bigger, extra;
	ssize_t r;

	for (;;) {
		bigger = realloc(p, cap + 1);
		if (bigger == NULL) {
			free(p);
			return msg_set_nomem(m);
		}
		p = bigger;
		r = file_read(fd, p + got, cap - got);
		if (r == -1)
			goto fail;
		got += (size_t)r;
		if (got < cap)
			break;
		if (cap < max) {
			cap = cap > max / 2 ? max : cap * 2;
			continue;
		}
		if ((r = file_read(fd, &extra, 1)) == -1)
			goto fail;
		if (r == 0)
			break;
		free(p);
		return msg_set_at(m, "too-big", name, 0,
		    "is longer than %zu bytes", max);
	}
	p[got] = '\0';
	*buf = p;
	*len = got;
	return 0;
fail:
	free(p);
	return msg_set_errno(m, "read", name, "cannot read");
}

int
file_slurp(int dirfd, const char *path, size_t max, char **buf, size_t *len,
    struct msg *m)
{
	int fd = path_open_file(dirfd, path, NULL, m), rc;

	if (fd == -1)
		return -1;
	rc = file_slurp_fd(fd, path, max, buf, len, m);
	close(fd);
	return rc;
}

/* Opens the directory path is in and gives the name in it. */
static int
open_parent(int dirfd, const char *path, const char **name, struct msg *m)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_BYTES_MAX + 1];
	size_t n;

	*name = slash != NULL ? slash + 1 : path;
	n = slash != NULL ? (size_t)(slash - path) : 1;
	if (n > PATH_BYTES_MAX)
		return msg_set_at(m, "open", path, 0, "is too long");
	memcpy(dir, slash != NULL ? path : ".", n);
	dir[n] = '\0';
	return path_open_dir(dirfd, dir, m);
}

/*
 * A file without a name where the file system has such: a kill then leaves
 * nothing behind. Else one of a name of its own.
 */
static int
open_temp(struct file_new *f, const char *name)
{
	int fd, n, tries;

	f->temp[0] = '\0';
	fd = openat(f->parent, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (fd != -1 || (errno != EOPNOTSUPP && errno != EISDIR &&
	    errno != ENOENT && errno != EINVAL))
		return fd;
	for (tries = 0; tries < 100; tries++) {
		n = snprintf(f->temp, sizeof(f->temp), ".%.200s.%ld.%d.tmp",
		    name, (long)getpid(), tries);
		if (n < 0 || (size_t)n >= sizeof(f->temp)) {
			errno = ENAMETOOLONG;
			return -1;
		}
		fd = openat(f->parent, f->temp, O_WRONLY | O_CREAT | O_EXCL |
		    O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd != -1 || errno != EEXIST)
			break;
	}
	return fd;
}

int
file_new(struct file_new *f, int dirfd, const char *path, mode_t mode,
    struct msg *m)
{
	const char *name;
	int fd;

	memset(f, 0, sizeof(*f));
	f->path = path;
	f->mode = mode;
	if (path_check(path, strlen(path), m) == -1)
		return -1;
	f->parent = open_parent(dirfd, path, &name, m);
	if (f->parent == -1)
		return -1;
	fd = open_temp(f, name);
	if (fd == -1)
		msg_set_errno(m, "write", path, "cannot make a temporary file");
	else if (out_fdopen(&f->out, fd, path, m) == 0)
		return 0;
	if (fd != -1 && f->temp[0] != '\0')
		(void)unlinkat(f->parent, f->temp, 0);
	close(f->parent);
	return -1;
}

/* Gives a nameless file the name to, of any privilege. */
static int
link_fd(int fd, int parent, const char *to)
{
	char proc[40];

	if (linkat(fd, "", parent, to, AT_EMPTY_PATH) == 0)
		return 0;
	if (errno == EEXIST)
		return -1;
	(void)snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, proc, parent, to, AT_SYMLINK_FOLLOW);
}

/*
 * A whole and synced nameless file gets its name at once if that is free;
 * else it takes a fixed name beside it first, where one that a kill left is
 * of no use to anybody.
 */
static int
link_temp(struct file_new *f, const char *name)
{
	int fd = fileno(f->out.fp);

	if (link_fd(fd, f->parent, name) == 0)
		return 1;
	if (errno != EEXIST)
		return -1;
	(void)snprintf(f->temp, sizeof(f->temp), ".%.200s.tmp", name);
	if (link_fd(fd, f->parent, f->temp) == 0)
		return 0;
	if (errno != EEXIST || unlinkat(f->parent, f->temp, 0) == -1)
		return -1;
	return link_fd(fd, f->parent, f->temp);
}

int
file_commit(struct file_new *f, struct msg *m)
{
	const char *slash = strrchr(f->path, '/');
	const char *name = slash != NULL ? slash + 1 : f->path;
	int linked = 0, rc = -1;

	if (out_flush(&f->out, m) == -1)
		goto out;
	if (fchmod(fileno(f->out.fp), f->mode) == -1) {
		msg_set_errno(m, "write", f->path, "cannot set its mode");
		goto out;
	}
	if (out_sync(&f->out, m) == -1)
		goto out;
	if (f->temp[0] == '\0' && (linked = link_temp(f, name)) == -1) {
		msg_set_errno(m, "write", f->path, "cannot link");
		goto out;
	}
	if (linked == 0 &&
	    renameat(f->parent, f->temp, f->parent, name) == -1) {
		msg_set_errno(m, "write", f->path, "cannot rename");
		goto out;
	}
	f->temp[0] = '\0';
	rc = 0;
out:
	if (rc == -1) {
		file_abort(f);
		return -1;
	}
	rc = out_close(&f->out, m);
	close(f->parent);
	return rc;
}

void
file_abort(struct file_new *f)
{
	(void)out_close(&f->out, NULL);
	if (f->temp[0] != '\0')
		(void)unlinkat(f->parent, f->temp, 0);
	close(f->parent);
}

int
file_put(int dirfd, const char *path, const void *buf, size_t len,
    mode_t mode, struct msg *m)
{
	struct file_new f;

	if (file_new(&f, dirfd, path, mode, m) == -1)
		return -1;
	(void)out_write(&f.out, buf, len);
	return file_commit(&f, m);
}

/* Where there is no renameat2(): see file.h. */
static int
rename_by_hand(int olddir, const char *old, int newdir, const char *new_name)
{
	struct stat st;
	int saved;

	if (fstatat(olddir, old, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return -1;
	if (!S_ISDIR(st.st_mode)) {
		if (linkat(olddir, old, newdir, new_name, 0) == -1)
			return -1;
		return unlinkat(olddir, old, 0);
	}
	if (mkdirat(newdir, new_name, 0700) == -1)
		return -1;
	if (renameat(olddir, old, newdir, new_name) == 0)
		return 0;
	saved = errno;
	(void)unlinkat(newdir, new_name, AT_REMOVEDIR);
	errno = saved;
	return -1;
}

int
file_rename_noreplace(int olddir, const char *old, int newdir,
    const char *new_name, struct msg *m)
{
	int rc = -1;

	errno = ENOSYS;
#ifdef RENAME_NOREPLACE
	rc = renameat2(olddir, old, newdir, new_name, RENAME_NOREPLACE);
#endif
	if (rc == -1 && (errno == EINVAL || errno == ENOSYS))
		rc = rename_by_hand(olddir, old, newdir, new_name);
	if (rc == 0)
		return 0;
	return msg_set_errno(m, errno == EEXIST ? "exists" : "rename",
	    new_name, "cannot rename \"%s\" to it", old);
}
