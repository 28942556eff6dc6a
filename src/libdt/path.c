/* Paths checked and opened beneath a directory, no link followed. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef HAVE_LINUX_OPENAT2_H
#include <linux/openat2.h>
#endif

#include "libdt/esc.h"
#include "libdt/path.h"

static const char *const fault_texts[] = {
#define X(e, text)	text,
#include "libdt/path.def"
#undef X
};

/* The fault of one component of n bytes. */
static enum path_fault
component_fault(const char *s, size_t n)
{
	if (n == 0)
		return PATH_EMPTY_PART;
	if (n == 1 && s[0] == '.')
		return PATH_DOT;
	if (n == 2 && s[0] == '.' && s[1] == '.')
		return PATH_DOTDOT;
	if (n > PATH_NAME_MAX)
		return PATH_LONG;
	return PATH_GOOD;
}

enum path_fault
path_fault(const char *path, size_t len)
{
	enum path_fault f;
	size_t i, from = 0, depth = 0;

	if (len == 0)
		return PATH_EMPTY;
	if (path[0] == '/')
		return PATH_ABSOLUTE;
	if (memchr(path, '\0', len) != NULL)
		return PATH_NUL;
	if (len > PATH_BYTES_MAX)
		return PATH_LONG;
	for (i = 0; i <= len; i++) {
		if (i < len && path[i] != '/')
			continue;
		f = component_fault(path + from, i - from);
		if (f != PATH_GOOD)
			return f;
		if (++depth > PATH_DEPTH_MAX)
			return PATH_DEEP;
		from = i + 1;
	}
	for (i = 0; i < len; i++)
		if ((unsigned char)path[i] < 0x20 || path[i] == 0x7f)
			return PATH_CONTROL;
	return utf8_valid(path, len) ? PATH_GOOD : PATH_UTF8;
}

const char *
path_fault_text(enum path_fault f)
{
	return fault_texts[f];
}

int
path_check(const char *path, size_t len, struct msg *m)
{
	enum path_fault f = path_fault(path, len);
	char shown[256];

	if (f == PATH_GOOD)
		return 0;
	esc_encode(shown, sizeof(shown), path, len);
	return msg_set(m, "path-unsafe", "path \"%s\" %s", shown,
	    fault_texts[f]);
}

/* One component after the other, where the kernel cannot do it in one. */
static int
open_walk(int dirfd, const char *path, int flags, mode_t mode)
{
	char name[PATH_NAME_MAX + 1];
	const char *slash;
	int at = dirfd, next, saved;

	while ((slash = strchr(path, '/')) != NULL) {
		memcpy(name, path, (size_t)(slash - path));
		name[slash - path] = '\0';
		next = openat(at, name,
		    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		saved = errno;
		if (at != dirfd)
			close(at);
		errno = saved;
		if (next == -1)
			return -1;
		at = next;
		path = slash + 1;
	}
	next = openat(at, path, flags | O_NOFOLLOW | O_CLOEXEC, mode);
	saved = errno;
	if (at != dirfd)
		close(at);
	errno = saved;
	return next;
}

static int
open_beneath(int dirfd, const char *path, int flags, mode_t mode)
{
#if defined(HAVE_LINUX_OPENAT2_H) && defined(SYS_openat2)
	struct open_how how = {
		.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC | O_NOFOLLOW),
		.mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? mode : 0,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
	};
	long fd = syscall(SYS_openat2, dirfd, path, &how, sizeof(how));

	/* ENOSYS: before 5.6; EPERM: filtered, or really not permitted. */
	if (fd != -1 || (errno != ENOSYS && errno != EPERM))
		return (int)fd;
#endif
	return open_walk(dirfd, path, flags, mode);
}

/* A path that may be opened: safe, or "." alone. */
static int
check_open(const char *path, struct msg *m)
{
	enum path_fault f;

	if (strcmp(path, ".") == 0)
		return 0;
	f = path_fault(path, strlen(path));
	if (f == PATH_GOOD || f == PATH_CONTROL || f == PATH_UTF8)
		return 0;
	path_check(path, strlen(path), m);
	errno = EINVAL;
	return -1;
}

int
path_open(int dirfd, const char *path, int flags, mode_t mode, struct msg *m)
{
	int fd;

	if (check_open(path, m) == -1)
		return -1;
	do
		fd = open_beneath(dirfd, path, flags, mode);
	while (fd == -1 && errno == EINTR);
	if (fd == -1)
		return msg_set_errno(m, "open", path, errno == ELOOP ?
		    "cannot open (a symbolic link?)" : "cannot open");
	return fd;
}

static int
not_regular(const char *path, mode_t mode, struct msg *m)
{
	errno = S_ISDIR(mode) ? EISDIR : EINVAL;
	return msg_set_at(m, "open", path, 0, "is no regular file");
}

int
path_open_file(int dirfd, const char *path, struct stat *st, struct msg *m)
{
	struct stat mine;
	int fd;

	if (st == NULL)
		st = &mine;
	if (check_open(path, m) == -1)
		return -1;
	if (fstatat(dirfd, path, st, AT_SYMLINK_NOFOLLOW) == -1)
		return msg_set_errno(m, "open", path, "cannot open");
	/* Others are not even to be opened: a device may act on it. */
	if (!S_ISREG(st->st_mode) && !S_ISLNK(st->st_mode))
		return not_regular(path, st->st_mode, m);
	fd = path_open(dirfd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0, m);
	if (fd == -1)
		return -1;
	if (fstat(fd, st) == -1) {
		msg_set_errno(m, "open", path, "cannot stat");
		close(fd);
		return -1;
	}
	if (S_ISREG(st->st_mode))
		return fd;
	close(fd);
	return not_regular(path, st->st_mode, m);
}

int
path_open_dir(int dirfd, const char *path, struct msg *m)
{
	return path_open(dirfd, path, O_RDONLY | O_DIRECTORY, 0, m);
}

int
path_create(int dirfd, const char *path, mode_t mode, struct msg *m)
{
	return path_open(dirfd, path, O_WRONLY | O_CREAT | O_EXCL, mode, m);
}

/* One level of path_mkdirs(): makes and opens name in at. */
static int
mkdir_open(int at, const char *name, mode_t mode)
{
	if (mkdirat(at, name, mode) == -1 && errno != EEXIST)
		return -1;
	return openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int
path_mkdirs(int dirfd, const char *path, mode_t mode, struct msg *m)
{
	char name[PATH_NAME_MAX + 1];
	const char *p = path, *slash;
	size_t n;
	int at = dirfd, next;

	if (path_check(path, strlen(path), m) == -1)
		return -1;
	for (; p != NULL; p = slash != NULL ? slash + 1 : NULL) {
		slash = strchr(p, '/');
		n = slash != NULL ? (size_t)(slash - p) : strlen(p);
		memcpy(name, p, n);
		name[n] = '\0';
		next = mkdir_open(at, name, mode);
		if (next == -1)
			msg_set_errno(m, "mkdir", path, "cannot make");
		if (at != dirfd)
			close(at);
		if (next == -1)
			return -1;
		at = next;
	}
	if (at != dirfd)
		close(at);
	return 0;
}

bool
path_gone(int err)
{
	return err == ENOENT || err == ELOOP || err == ENOTDIR;
}

int
path_sync_dir(int dirfd, const char *path, struct msg *m)
{
	int fd = path_open_dir(dirfd, path, m), rc;

	if (fd == -1)
		return -1;
	/* Some file systems cannot sync a directory: EINVAL is no loss. */
	rc = fsync(fd);
	if (rc == -1 && errno == EINVAL)
		rc = 0;
	if (rc == -1)
		msg_set_errno(m, "write", path, "cannot sync");
	if (close(fd) == -1 && rc == 0 && errno != EINTR)
		rc = msg_set_errno(m, "write", path, "cannot close");
	return rc;
}
