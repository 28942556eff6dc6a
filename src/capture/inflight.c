/* spool/inflight.spool: the system calls that threads are in at the end. */
#include "capture/inflight.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/clock.h"
#include "libdt/file.h"
#include "libdt/out.h"
#include "libdt/path.h"
#include "libdt/proc.h"

/* The engine's table: the collector's names are the same. */
static const struct { short nr; const char *name; } calls[] = {
#if defined(__x86_64__)
#define S(x86_64, arm64, i386, name, kernel, args)	{ x86_64, name },
#elif defined(__aarch64__)
#define S(x86_64, arm64, i386, name, kernel, args)	{ arm64, name },
#else
#define S(x86_64, arm64, i386, name, kernel, args)	{ i386, name },
#endif
#include "trace/syscall.def"
#undef S
};

const char *
syscall_name(long nr)
{
	size_t i;

	for (i = 0; nr >= 0 && i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].nr == nr)
			return calls[i].name;
	return NULL;
}

/*
 * "NR 0xARG0 ..." of a thread that is in a call: 1; 0 if it is in none or has
 * gone; -1 with m.
 */
static int
call_read(pid_t pid, pid_t tid, long *nr, int64_t *arg0, struct msg *m)
{
	char path[64], buf[256];
	uint64_t arg;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/task/%ld/syscall", (long)pid,
	    (long)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd != -1 ? file_read(fd, buf, sizeof(buf) - 1) : -1;
	if (n == -1 && errno != ENOENT && errno != ESRCH)
		msg_set_errno(m, "read", path, "cannot read it");
	else
		m = NULL;
	if (fd != -1)
		close(fd);
	if (n == -1)
		return m != NULL ? -1 : 0;
	buf[n] = '\0';
	if (sscanf(buf, "%ld %" SCNx64, nr, &arg) != 2 || *nr < 0)
		return 0;
	*arg0 = (int64_t)arg;
	return 1;
}

/* One that has gone is in no call. */
static int
process_write(struct out *o, pid_t pid, uint64_t *fired, struct msg *m)
{
	pid_t *tids = NULL;
	size_t n = 0, i;
	int64_t arg0;
	int rc = 0;
	long nr;
	const char *name;

	if (proc_threads(pid, &tids, &n, m) == -1)
		return strcmp(m->id, "no-process") == 0 ? 0 : -1;
	for (i = 0; i < n && rc != -1; i++) {
		uint64_t ts = clock_now();

		rc = call_read(pid, tids[i], &nr, &arg0, m);
		if (rc != 1)
			continue;
		name = syscall_name(nr);
		++*fired;
		out_printf(o, "syscall-open\t%" PRIu64 "\t%ld\t%ld\t-\t", ts,
		    (long)pid, (long)tids[i]);
		if (name != NULL)
			out_puts(o, name);
		else
			out_printf(o, "syscall_%ld", nr);
		out_printf(o, "\t%" PRId64 "\n", arg0);
	}
	free(tids);
	return rc == -1 ? -1 : 0;
}

int
inflight_write(struct staging *st, const struct members *who, struct msg *m)
{
	static const char name[] = "spool/inflight.spool";
	struct out o;
	uint64_t fired = 0;
	size_t i;
	int rc = 0;
	int fd = path_create(st->dir, name, 0600, m);

	if (fd == -1 || out_fdopen(&o, fd, name, m) == -1)
		return -1;
	out_printf(&o, "READY\t1\tinflight\t%" PRIu64 "\n", clock_now());
	for (i = 0; i < who->n && rc == 0; i++)
		rc = process_write(&o, who->pid[i], &fired, m);
	if (rc == -1) {
		out_close(&o, NULL);
		return -1;
	}
	out_printf(&o, "COUNT\tfired\t%" PRIu64 "\nEND\t%" PRIu64 "\n", fired,
	    clock_now());
	return out_close(&o, m);
}
