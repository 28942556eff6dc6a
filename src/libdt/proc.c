/* Processes in /proc: stat, exe, arguments, threads, children. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/array.h"
#include "libdt/clock.h"
#include "libdt/file.h"
#include "libdt/proc.h"

#define STAT_MAX	4096
#define STATUS_MAX	65536
#define DELETED		" (deleted)"

/* A process that ended meanwhile is told apart from a failure. */
static int
gone(const char *path, pid_t pid, const char *what, struct msg *m)
{
	if (errno == ENOENT || errno == ESRCH)
		return msg_set_at(m, "no-process", NULL, 0,
		    "no process %ld", (long)pid);
	if (access("/proc/self/stat", R_OK) == -1)
		return msg_set_at(m, "no-proc", NULL, 0,
		    "/proc is not there");
	return msg_set_errno(m, "read", path, "%s", what);
}

static int
proc_slurp(pid_t pid, const char *path, size_t max, char **buf, size_t *len,
    struct msg *m)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	if (fd == -1)
		return gone(path, pid, "cannot open", m);
	errno = 0;
	rc = file_slurp_fd(fd, path, max, buf, len, m);
	if (rc == -1 && errno == ESRCH)
		gone(path, pid, "cannot read", m);
	close(fd);
	return rc;
}

int
proc_boot_id(char boot[PROC_BOOT_SIZE], struct msg *m)
{
	static const char path[] = "/proc/sys/kernel/random/boot_id";
	size_t len, i;
	char *buf;
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	if (fd == -1)
		return msg_set_errno(m, "no-proc", path, "cannot open");
	rc = file_slurp_fd(fd, path, 256, &buf, &len, m);
	close(fd);
	if (rc == -1)
		return -1;
	if (len > 0 && buf[len - 1] == '\n')
		len--;
	for (i = 0; i < len; i++)
		if (!isxdigit((unsigned char)buf[i]) && buf[i] != '-')
			break;
	if (len != PROC_BOOT_SIZE - 1 || i != len) {
		free(buf);
		return msg_set_at(m, "proc-parse", path, 1, "is no UUID");
	}
	memcpy(boot, buf, len);
	boot[len] = '\0';
	free(buf);
	return 0;
}

/*
 * Fields 4 to 52 of /proc/PID/stat, numbered as in proc(5); the comm before
 * them may hold anything, so they are found from the last parenthesis. Those
 * after 22 may be absent.
 */
enum { F_PPID = 4, F_PGRP = 5, F_SESSION = 6, F_UTIME = 14, F_STIME = 15,
	F_THREADS = 20, F_START = 22, F_EXIT = 52, F_END = 53 };

static int
parse_fields(char *p, uint64_t *field)
{
	char *end;
	int i;

	for (i = F_PPID; i < F_END; i++) {
		errno = 0;
		field[i] = (uint64_t)strtoll(p, &end, 10);
		if (errno == ERANGE) {
			errno = 0;
			field[i] = strtoull(p, &end, 10);
		}
		if (end == p && i > F_START)
			break;
		if (end == p || errno != 0)
			return -1;
		p = end;
	}
	return 0;
}

static void
stat_times(struct proc_stat *s, uint64_t user, uint64_t system,
    int64_t suspended)
{
	long hz = sysconf(_SC_CLK_TCK);
	uint64_t boot;

	s->res_ns = NS_PER_S / (uint64_t)(hz > 0 ? hz : 100);
	s->user_ns = user * s->res_ns;
	s->system_ns = system * s->res_ns;
	boot = s->start_ticks * s->res_ns;
	s->start_ns = boot > (uint64_t)suspended ?
	    boot - (uint64_t)suspended : 0;
}

int
proc_stat_parse(const char *buf, size_t n, int64_t suspended_ns,
    struct proc_stat *s, struct msg *m)
{
	uint64_t f[F_END] = { 0 };
	char text[STAT_MAX + 1], *open_paren, *close_paren, *end;
	size_t len;

	memset(s, 0, sizeof(*s));
	if (n > STAT_MAX)
		n = STAT_MAX;
	memcpy(text, buf, n);
	text[n] = '\0';
	open_paren = strchr(text, '(');
	close_paren = strrchr(text, ')');
	s->pid = (pid_t)strtol(text, &end, 10);
	if (open_paren == NULL || close_paren == NULL || end == text ||
	    close_paren < open_paren || close_paren[1] != ' ' ||
	    close_paren[2] == '\0' || parse_fields(close_paren + 3, f) == -1)
		return msg_set(m, "proc-parse",
		    "process status cannot be parsed");
	len = (size_t)(close_paren - open_paren - 1);
	if (len >= sizeof(s->comm))
		len = sizeof(s->comm) - 1;
	memcpy(s->comm, open_paren + 1, len);
	s->state = close_paren[2];
	s->ppid = (pid_t)f[F_PPID];
	s->pgrp = (pid_t)f[F_PGRP];
	s->session = (pid_t)f[F_SESSION];
	s->threads = f[F_THREADS];
	s->start_ticks = f[F_START];
	s->wait_status = (int)f[F_EXIT];
	stat_times(s, f[F_UTIME], f[F_STIME], suspended_ns);
	return 0;
}

static int
stat_path(pid_t pid, const char *path, struct proc_stat *s, struct msg *m)
{
	int64_t suspended;
	size_t len;
	char *buf;
	int rc;

	if (clock_suspended(&suspended, m) == -1 ||
	    proc_slurp(pid, path, STAT_MAX, &buf, &len, m) == -1)
		return -1;
	rc = proc_stat_parse(buf, len, suspended, s, m);
	if (rc == -1)
		msg_at(m, path, 1);
	free(buf);
	return rc;
}

int
proc_stat(pid_t pid, struct proc_stat *s, struct msg *m)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	return stat_path(pid, path, s, m);
}

int
proc_thread_stat(pid_t pid, pid_t tid, struct proc_stat *s, struct msg *m)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%ld/task/%ld/stat",
	    (long)pid, (long)tid);
	return stat_path(pid, path, s, m);
}

bool
proc_is(pid_t pid, uint64_t start_ticks)
{
	struct proc_stat s;

	return proc_stat(pid, &s, NULL) == 0 && s.start_ticks == start_ticks;
}

/* What the link holds; 0, -1 with errno. */
static int
link_read(const char *link, char **path, bool *deleted)
{
	static const size_t dl = sizeof(DELETED) - 1;
	char buf[PATH_MAX + 16];
	ssize_t n = readlink(link, buf, sizeof(buf) - 1);
	bool cut;

	if (n == -1)
		return -1;
	buf[n] = '\0';
	cut = (size_t)n > dl && strcmp(buf + n - dl, DELETED) == 0;
	if (cut)
		buf[(size_t)n - dl] = '\0';
	if (deleted != NULL)
		*deleted = cut;
	*path = strdup(buf);
	return *path != NULL ? 0 : -1;
}

int
proc_exe(pid_t pid, char **path, bool *deleted, struct msg *m)
{
	char link[64];
	struct proc_stat s;
	int why;

	*path = NULL;
	(void)snprintf(link, sizeof(link), "/proc/%ld/exe", (long)pid);
	if (link_read(link, path, deleted) == 0)
		return 0;
	/* a kernel thread has the link, but nothing behind it */
	why = errno;
	if (why == ENOENT && proc_stat(pid, &s, NULL) == 0 && s.state != 'Z')
		return 1;
	errno = why;
	return gone(link, pid, "cannot read the link", m);
}

int
proc_fd_path(int fd, char **path, struct msg *m)
{
	char link[64];

	*path = NULL;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (link_read(link, path, NULL) == 0)
		return 0;
	return msg_set_errno(m, "process", link, "cannot read the link");
}

int
proc_open_exe(pid_t pid, struct msg *m)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%ld/exe", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd != -1 ? fd : gone(path, pid, "cannot open", m);
}

int
proc_cmdline(pid_t pid, size_t max, char **buf, size_t *len, struct msg *m)
{
	char path[64], *p;
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%ld/cmdline", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return gone(path, pid, "cannot open", m);
	p = malloc(max + 1);
	n = p != NULL ? file_read(fd, p, max) : -1;
	if (p == NULL)
		msg_set_nomem(m);
	else if (n == -1)
		gone(path, pid, "cannot read", m);
	close(fd);
	if (n == -1) {
		free(p);
		return -1;
	}
	p[n] = '\0';
	*buf = p;
	*len = (size_t)n;
	return 0;
}

int
proc_ids(pid_t pid, struct proc_ids *ids, struct msg *m)
{
	unsigned long u[2], g[2];
	char path[64], *buf, *up, *gp;
	size_t len;
	int ok;

	(void)snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
	if (proc_slurp(pid, path, STATUS_MAX, &buf, &len, m) == -1)
		return -1;
	up = strstr(buf, "\nUid:");
	gp = strstr(buf, "\nGid:");
	ok = up != NULL && gp != NULL &&
	    sscanf(up + 5, "%lu %lu", &u[0], &u[1]) == 2 &&
	    sscanf(gp + 5, "%lu %lu", &g[0], &g[1]) == 2;
	free(buf);
	if (!ok)
		return msg_set_at(m, "proc-parse", path, 0,
		    "has no Uid and Gid lines");
	ids->uid = (uid_t)u[0];
	ids->euid = (uid_t)u[1];
	ids->gid = (gid_t)g[0];
	ids->egid = (gid_t)g[1];
	return 0;
}

static int
pid_cmp(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return x < y ? -1 : x > y;
}

/* The names in a directory of /proc that are numbers, in ascending order. */
static int
pids_read(const char *path, pid_t pid, pid_t **v, size_t *n, struct msg *m)
{
	const struct dirent *e;
	size_t cap = 0;
	DIR *d;

	*v = NULL;
	*n = 0;
	d = opendir(path);
	if (d == NULL)
		return gone(path, pid, "cannot open", m);
	while ((errno = 0, e = readdir(d)) != NULL) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		if (ARRAY_ROOM(*v, *n, cap) == -1) {
			errno = ENOMEM;
			break;
		}
		(*v)[(*n)++] = (pid_t)atol(e->d_name);
	}
	if (errno != 0) {
		gone(path, pid, "cannot read", m);
		closedir(d);
		free(*v);
		*v = NULL;
		return -1;
	}
	closedir(d);
	if (*n > 1)
		qsort(*v, *n, sizeof(**v), pid_cmp);
	return 0;
}

int
proc_threads(pid_t pid, pid_t **tids, size_t *n, struct msg *m)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%ld/task", (long)pid);
	return pids_read(path, pid, tids, n, m);
}

int
proc_children(pid_t pid, pid_t **pids, size_t *n, struct msg *m)
{
	struct proc_stat s;
	size_t i, all;

	if (pids_read("/proc", pid, pids, &all, m) == -1)
		return -1;
	for (i = *n = 0; i < all; i++)
		if (proc_stat((*pids)[i], &s, NULL) == 0 && s.ppid == pid)
			(*pids)[(*n)++] = s.pid;
	return 0;
}
