/* Collectors: the tracer's arguments, its start, readiness, signals and end. */
#include "config.h"

#include "capture/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/guard.h"
#include "libdt/clock.h"
#include "libdt/file.h"
#include "libdt/path.h"

void
collector_init(struct collector *c, enum family f, bool required)
{
	memset(c, 0, sizeof(*c));
	c->family = f;
	c->required = required;
	c->pidfd = c->spool = -1;
	c->exit_code = -1;
}

void
collector_close(struct collector *c)
{
	size_t i;

	for (i = 0; i < c->argc; i++)
		free(c->argv[i]);
	free(c->script);
	if (c->pidfd != -1)
		close(c->pidfd);
	if (c->spool != -1)
		close(c->spool);
	collector_init(c, c->family, c->required);
}

void
collector_error(struct collector *c, const char *fmt, ...)
{
	va_list ap;

	if (c->errors == COLLECTOR_ERRORS)
		return;
	va_start(ap, fmt);
	vsnprintf(c->error[c->errors++], sizeof(c->error[0]), fmt, ap);
	va_end(ap);
}

static int
arg_add(struct collector *c, const char *s)
{
	char *copy = s != NULL ? strdup(s) : NULL;

	if (copy == NULL ||
	    c->argc == sizeof(c->argv) / sizeof(c->argv[0]) - 1) {
		free(copy);
		return -1;
	}
	c->argv[c->argc++] = copy;
	return 0;
}

static int
arg_add_own(struct collector *c, char *s)
{
	int rc = arg_add(c, s);

	free(s);
	return rc;
}

/* dt-trace unwinds by DWARF where it has libdw, from Linux 5.15 on. */
static bool
can_unwind(void)
{
#ifdef HAVE_LIBDW
	struct utsname u;
	int major, minor;

	return uname(&u) == 0 &&
	    sscanf(u.release, "%d.%d", &major, &minor) == 2 &&
	    (major > 5 || (major == 5 && minor >= 15));
#else
	return false;
#endif
}

static int
collector_argv(struct collector *c, struct staging *st,
    const struct tracer *tr, const struct settings *set, pid_t target)
{
	char name[64], pid[32];
	int bad = 0;
	size_t i;

	for (i = 0; i < tr->words; i++)
		bad |= arg_add(c, tr->word[i]);
	if (tr->own) {
		snprintf(name, sizeof(name), "spool/%s.stats",
		    family_name(c->family));
		bad |= arg_add(c, "--stats");
		bad |= arg_add_own(c, staging_path(st, name));
		bad |= arg_add(c, "-x");
		bad |= arg_add(c, "noresolve");
	}
	/* most distributions ship code without frame pointers */
	if (tr->own && c->family == FAMILY_cpu && can_unwind()) {
		bad |= arg_add(c, "-x");
		bad |= arg_add(c, "unwind=dwarf");
	}
	for (i = 0; i < set->options; i++) {
		if (set->option[i].family >= 0 &&
		    set->option[i].family != (int)c->family)
			continue;
		bad |= arg_add(c, "-x");
		bad |= arg_add(c, set->option[i].text);
	}
	snprintf(pid, sizeof(pid), "%ld", (long)target);
	bad |= arg_add(c, "-s");
	bad |= arg_add_own(c, staging_path(st, c->script));
	bad |= arg_add(c, pid);
	return bad ? -1 : 0;
}

_Noreturn static void
child_main(struct collector *c, int out, int err, int verdict, pid_t parent,
    const void *sigmask)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), e;

	setpgid(0, 0);
	/* It must keep up with any number of busy threads, where it may. */
	(void)setpriority(PRIO_PROCESS, 0, -20);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(127);
	if (null != -1 && dup2(null, 0) != -1 && dup2(out, 1) != -1 &&
	    dup2(err, 2) != -1) {
		sigprocmask(SIG_SETMASK, sigmask, NULL);
		execvp(c->argv[0], c->argv);
	}
	e = errno;
	(void)!write(verdict, &e, sizeof(e));
	_exit(127);
}

/* 0 once it has been executed, else -1 with errno. */
static int
collector_fork(struct collector *c, int out, int err, const void *sigmask)
{
	pid_t parent = getpid();
	int p[2], e = 0;

	if (pipe2(p, O_CLOEXEC) == -1)
		return -1;
	c->pid = fork();
	if (c->pid == 0)
		child_main(c, out, err, p[1], parent, sigmask);
	close(p[1]);
	if (c->pid > 0) {
		setpgid(c->pid, c->pid);
		if (file_read(p[0], &e, sizeof(e)) == (ssize_t)sizeof(e)) {
			waitpid(c->pid, NULL, 0);
			c->pid = 0;
		}
	} else {
		e = errno;
		c->pid = 0;
	}
	close(p[0]);
	errno = e;
	return c->pid > 0 ? 0 : -1;
}

static int
collector_files(struct collector *c, struct staging *st, int *out, int *err,
    struct msg *m)
{
	char name[64];

	snprintf(name, sizeof(name), "spool/%s.err", family_name(c->family));
	*err = path_create(st->dir, name, 0600, m);
	snprintf(name, sizeof(name), "spool/%s.spool",
	    family_name(c->family));
	*out = path_create(st->dir, name, 0600, m);
	if (*err == -1 || *out == -1)
		return -1;
	c->spool = path_open_file(st->dir, name, NULL, m);
	return c->spool == -1 ? -1 : 0;
}

/* It has ended, or ends now: its status, and an end of its group. */
static void
collector_wait(struct collector *c, int guard)
{
	int status = 0;

	c->detach = clock_now();
	/* Whatever it has left behind in its group goes with it. */
	kill(-c->pid, SIGKILL);
	guard_drop(guard, c->pid);
	waitpid(c->pid, &status, 0);
	if (WIFEXITED(status))
		c->exit_code = WEXITSTATUS(status);
	else
		c->signal = WTERMSIG(status);
}

int
collector_start(struct collector *c, struct staging *st,
    const struct tracer *tr, const struct settings *set, pid_t target,
    int guard, const void *sigmask, struct msg *m)
{
	int out = -1, err = -1, rc;

	c->state = COLLECTOR_FAILED;
	if (collector_argv(c, st, tr, set, target) == -1)
		return msg_set_nomem(m);
	rc = collector_files(c, st, &out, &err, m);
	if (rc == 0) {
		c->started = clock_now();
		rc = collector_fork(c, out, err, sigmask);
		if (rc == -1) {
			msg_set_errno(m, "tracer", c->argv[0],
			    "cannot run the tracer");
			c->started = 0;		/* it never was */
		}
	}
	if (out != -1)
		close(out);
	if (err != -1)
		close(err);
	if (rc == -1)
		return -1;
	/* Without a guard a tracer still has its parent-death signal. */
	if (guard_add(guard, c->pid) == -1)
		staging_log(st, "the guard has gone");
	c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	if (c->pidfd == -1) {
		msg_set_errno(m, "tracer", NULL, "pidfd_open");
		collector_wait(c, guard);
		return -1;
	}
	c->state = COLLECTOR_STARTED;
	fcntl(c->pidfd, F_SETFD, FD_CLOEXEC);
	return 0;
}

int
collector_ready(struct collector *c, struct msg *m)
{
	char buf[128], *line = buf, want[64];
	const char *name = family_name(c->family);
	size_t n, len;
	ssize_t got = pread(c->spool, buf, sizeof(buf) - 1, 0);

	if (got < 0)
		return msg_set_errno(m, "spool", name, "cannot read it");
	buf[got] = '\0';
	len = (size_t)got;
	while (*line == '\n')
		line++;
	n = (size_t)snprintf(want, sizeof(want), "READY\t1\t%s\t", name);
	len -= (size_t)(line - buf);
	if (strncmp(line, want, len < n ? len : n) != 0) {
		line[strcspn(line, "\n")] = '\0';
		return msg_set(m, "ack", "its first line is no READY: %s",
		    line);
	}
	if (len < n || strchr(line, '\n') == NULL)
		return 0;
	c->ack = clock_now();
	c->state = COLLECTOR_READY;
	return 1;
}

uint64_t
collector_bytes(const struct collector *c)
{
	struct stat st;

	return c->spool != -1 && fstat(c->spool, &st) == 0 ?
	    (uint64_t)st.st_size : 0;
}

void
collector_signal(struct collector *c, int sig)
{
	if (c->stops < COLLECTOR_STOPS) {
		c->stop[c->stops].signal = sig;
		c->stop[c->stops++].at = clock_now();
	}
	/* its group, and itself where it has gone over to another one */
	kill(-c->pid, sig);
	if (getpgid(c->pid) != c->pid)
		kill(c->pid, sig);
}

bool
collector_alive(const struct collector *c)
{
	return c->pidfd != -1 && c->detach == 0;
}

void
collector_reap(struct collector *c, struct staging *st, int guard)
{
	char said[200];
	siginfo_t si = { .si_pid = 0 };

	if (!collector_alive(c) || waitid(P_PID, (id_t)c->pid, &si,
	    WEXITED | WNOHANG | WNOWAIT) == -1 || si.si_pid == 0)
		return;
	collector_wait(c, guard);
	if (c->state == COLLECTOR_STARTED && c->stops == 0)
		collector_ready(c, NULL);
	c->state = c->state == COLLECTOR_READY ? COLLECTOR_ENDED :
	    COLLECTOR_FAILED;
	if (c->exit_code == 0)
		return;
	collector_said(c, st, said, sizeof(said));
	if (said[0] != '\0')
		collector_error(c, "%s", said);
}

void
collector_said(const struct collector *c, const struct staging *st, char *buf,
    size_t cap)
{
	char name[64];
	ssize_t n;
	int fd;

	buf[0] = '\0';
	snprintf(name, sizeof(name), "spool/%s.err", family_name(c->family));
	fd = path_open_file(st->dir, name, NULL, NULL);
	if (fd == -1)
		return;
	n = pread(fd, buf, cap - 1, 0);
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
}
