/* The staging directory: made, filled, removed; its logs and copies. */
#include "capture/staging.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "libdt/clock.h"
#include "libdt/file.h"
#include "libdt/json.h"
#include "libdt/path.h"

#define INCOMPLETE_BYTES	4096
#define RESERVE_NAME		".reserve"
#define RESERVE_BYTES		(256u << 10)
#define DISK_LEAST		(64u << 10)	/* bytes free */

static const char *const phases[PHASE_N] = {
#define PHASE(e, name)	[e] = name,
#include "capture/phase.def"
#undef PHASE
};

const char *
phase_name(enum phase p)
{
	return phases[p];
}

static int
remove_one(const char *path, const struct stat *st, int type,
    struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void
staging_remove(struct staging *s)
{
	if (s->path != NULL)
		nftw(s->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	staging_close(s);
}

char *
staging_path(const struct staging *s, const char *name)
{
	char *p;

	return asprintf(&p, "%s/%s", s->path, name) == -1 ? NULL : p;
}

/* Splits the bundle's path: the directory with its slash, and the name. */
static int
bundle_split(struct staging *s, const char *bundle, struct msg *m)
{
	size_t n = strlen(bundle), at;

	while (n > 1 && bundle[n - 1] == '/')
		n--;
	for (at = n; at > 0 && bundle[at - 1] != '/'; at--)
		;
	s->name = strndup(bundle + at, n - at);
	if (s->name == NULL)
		return msg_set_nomem(m);
	if (path_check(s->name, n - at, m) == -1)
		return -1;
	if (n - at > PATH_NAME_MAX - 32)
		return msg_set_at(m, "name", bundle, 0,
		    "the bundle's name is too long");
	if (asprintf(&s->path, "%.*s.%s.staging.%ld", (int)at, bundle,
	    s->name, (long)getpid()) == -1) {
		s->path = NULL;
		return msg_set_nomem(m);
	}
	return 0;
}

/* Files whose room is kept from the start; both also work where it is not. */
static int
rooms_make(struct staging *s, struct msg *m)
{
	int fd;

	s->incomplete = path_create(s->dir, "INCOMPLETE", 0600, m);
	if (s->incomplete == -1)
		return -1;
	if (posix_fallocate(s->incomplete, 0, INCOMPLETE_BYTES) == ENOSPC) {
		errno = ENOSPC;
		return msg_set_errno(m, "write", s->path, "INCOMPLETE");
	}
	fd = path_create(s->dir, RESERVE_NAME, 0600, m);
	if (fd == -1)
		return -1;
	if (posix_fallocate(fd, 0, RESERVE_BYTES) == ENOSPC) {
		close(fd);
		errno = ENOSPC;
		return msg_set_errno(m, "write", s->path, "not even 256 KiB "
		    "are free");
	}
	close(fd);
	return 0;
}

static int
staging_fill(struct staging *s, struct msg *m)
{
	static const char *const dirs[] = { "spool", "scripts", "logs" };
	size_t i;

	s->dir = open(s->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (s->dir == -1) {
		msg_set_errno(m, "open", s->path,
		    "cannot open the staging directory");
		rmdir(s->path);
		return -1;
	}
	if (rooms_make(s, m) == -1)
		return -1;
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (path_mkdirs(s->dir, dirs[i], 0700, m) == -1)
			return -1;
	s->log = path_create(s->dir, "logs/capture.log", 0600, m);
	return s->log == -1 ? -1 : staging_phase(s, PHASE_STAGE, NULL, m);
}

int
staging_make(struct staging *s, const char *bundle, struct msg *m)
{
	struct stat st;

	memset(s, 0, sizeof(*s));
	s->dir = s->incomplete = s->log = -1;
	if (bundle_split(s, bundle, m) == -1)
		return -1;
	if (lstat(bundle, &st) == 0)
		return msg_set_at(m, "exists", bundle, 0,
		    "the bundle exists already");
	if (mkdir(s->path, 0700) == -1)
		return msg_set_errno(m, "open", s->path,
		    "cannot make the staging directory");
	return staging_fill(s, m);
}

void
staging_close(struct staging *s)
{
	if (s->dir != -1) {
		unlinkat(s->dir, RESERVE_NAME, 0);
		close(s->dir);
	}
	if (s->incomplete != -1)
		close(s->incomplete);
	if (s->log != -1)
		close(s->log);
	free(s->path);
	free(s->name);
	memset(s, 0, sizeof(*s));
	s->dir = s->incomplete = s->log = -1;
}

int
staging_phase(struct staging *s, enum phase p, const char *reason,
    struct msg *m)
{
	char buf[INCOMPLETE_BYTES];
	int n;

	n = snprintf(buf, sizeof(buf), "dt-staging 1\nphase: %s\n%s%s%s",
	    phase_name(p), reason != NULL ? "reason: " : "",
	    reason != NULL ? reason : "", reason != NULL ? "\n" : "");
	if (n >= (int)sizeof(buf))
		n = sizeof(buf) - 1;
	if (pwrite(s->incomplete, buf, (size_t)n, 0) != n)
		return msg_set_errno(m, "write", "INCOMPLETE",
		    "cannot write it");
	if (ftruncate(s->incomplete, n) == -1)
		return msg_set_errno(m, "write", "INCOMPLETE",
		    "cannot cut it");
	return 0;
}

int
staging_json(struct staging *s, const cJSON *tree, struct msg *m)
{
	if (json_write(s->dir, "stage.json", tree, 0600, m) == 0)
		return 0;
	if (unlinkat(s->dir, RESERVE_NAME, 0) == -1)
		return -1;
	return json_write(s->dir, "stage.json", tree, 0600, m);
}

int
staging_check(const struct staging *s, struct msg *m)
{
	struct stat st;
	struct statvfs v;

	if (fstat(s->dir, &st) == 0 && st.st_nlink == 0)
		return msg_set_at(m, "gone", s->path, 0,
		    "the staging directory was removed");
	if (fstatvfs(s->dir, &v) == 0 &&
	    (uint64_t)v.f_bavail * v.f_frsize < DISK_LEAST)
		return msg_set_at(m, "disk-full", s->path, 0,
		    "the disk is full");
	return 0;
}

void
staging_log(struct staging *s, const char *fmt, ...)
{
	char buf[1024];
	va_list ap;
	int at, n;

	if (s->log == -1)
		return;
	at = snprintf(buf, sizeof(buf), "%ju ", (uintmax_t)clock_now());
	va_start(ap, fmt);
	n = vsnprintf(buf + at, sizeof(buf) - (size_t)at - 1, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	n = (int)strlen(buf);
	buf[n++] = '\n';
	if (file_write(s->log, buf, (size_t)n) == -1 && s->log_error == 0)
		s->log_error = errno;
}

int
staging_logged(const struct staging *s, struct msg *m)
{
	if (s->log_error == 0)
		return 0;
	errno = s->log_error;
	return msg_set_errno(m, "write", s->path,
	    "cannot write logs/capture.log");
}

int
staging_copy(struct staging *s, int fd, const char *what, const char *to,
    struct msg *m)
{
	char buf[65536];
	ssize_t n = 0;
	int out = path_create(s->dir, to, 0600, m);

	if (out == -1)
		return -1;
	if (lseek(fd, 0, SEEK_SET) == -1) {
		msg_set_errno(m, "read", what, "cannot seek");
		goto fail;
	}
	while ((n = file_read(fd, buf, sizeof(buf))) > 0)
		if (file_write(out, buf, (size_t)n) == -1) {
			msg_set_errno(m, "write", to, "cannot write");
			goto fail;
		}
	if (n == -1) {
		msg_set_errno(m, "read", what, "cannot read");
		goto fail;
	}
	if (close(out) == -1)
		return msg_set_errno(m, "write", to, "cannot close");
	return 0;
fail:
	close(out);
	unlinkat(s->dir, to, 0);
	return -1;
}
