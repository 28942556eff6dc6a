/* The parts of dt-attach that no capture can be made to show at will. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/maps.h"
#include "capture/members.h"
#include "capture/perfmap_impl.h"
#include "capture/settings.h"
#include "capture/target.h"
#include "unit.h"

struct got {
	char text[1024];
	size_t n;
};

static void
take(void *arg, const struct perfmap_event *e)
{
	struct got *g = arg;

	g->n += (size_t)snprintf(g->text + g->n, sizeof(g->text) - g->n,
	    "%ju:%d:%s ", (uintmax_t)e->ts, (int)e->pid,
	    e->path != NULL ? e->path : "exec");
}

static void
add_map(struct perfmap *p, uint64_t ts, pid_t pid, const char *path)
{
	char copy[32];
	struct perfmap_event e = {
		.type = PERFMAP_MAP, .ts = ts, .pid = pid, .path = copy,
	};

	/* The event is only lent: its text goes. */
	snprintf(copy, sizeof(copy), "%s", path);
	CHECK(perfqueue_add(p, &e));
	memset(copy, 'x', sizeof(copy) - 1);
}

static void
add_fork(struct perfmap *p, uint64_t ts, pid_t pid, pid_t child)
{
	struct perfmap_event e = {
		.type = PERFMAP_FORK, .ts = ts, .pid = pid, .child = child,
	};

	CHECK(perfqueue_add(p, &e));
}

static void
test_queue(void)
{
	struct perfmap *p = calloc(1, sizeof(*p));
	struct got g = { "", 0 };

	if (p == NULL || perfqueue_open(p, 100) == -1)
		abort();
	/* One CPU tells of the child before another of its birth. */
	add_map(p, 30, 101, "child");
	add_map(p, 15, 999, "stranger");
	add_map(p, 40, 101, "later");
	add_map(p, 10, 100, "first");
	add_fork(p, 20, 100, 101);
	add_map(p, 30, 101, "second");
	perfqueue_flush(p, 30, take, &g);
	CHECK_STR(g.text, "10:100:first 30:101:child 30:101:second ");
	/* A stranger gets the pid of a member that has died. */
	add_fork(p, 50, 999, 101);
	add_map(p, 60, 101, "not ours");
	add_fork(p, 70, 100, 102);
	add_fork(p, 80, 102, 103);
	add_map(p, 90, 103, "grandchild");
	g.n = 0;
	perfqueue_flush(p, UINT64_MAX, take, &g);
	CHECK_STR(g.text, "40:101:later 90:103:grandchild ");
	CHECK_INT(p->queued, 0);
	perfqueue_flush(p, UINT64_MAX, take, &g);
	add_map(p, 95, 100, "left over");
	perfqueue_close(p);
	free(p);
}

static void
test_members(void)
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	struct members s = { NULL, 0, 0, 0 };

	CHECK_INT(members_add(&s, 7), 0);
	dprintf(fd, "READY\t1\tprocs\t1\nproc-fork\t5\t7\t7\t0\t8\n"
	    "proc-fork\t6\t7\t7\t0\t");
	CHECK_INT(members_read(&s, fd), 0);
	CHECK_INT(s.n, 2);
	CHECK_INT(s.pid[1], 8);
	/* the rest of a torn line */
	dprintf(fd, "9\nproc-exec\t6\t9\t9\t0\tproc-exit 9\\0\n");
	CHECK_INT(members_read(&s, fd), 0);
	CHECK_INT(s.n, 3);
	dprintf(fd, "proc-exit\t7\t7\t7\t0\t0\nthread-exit\t8\t8\t8\t0\n");
	CHECK_INT(members_read(&s, fd), 0);
	CHECK_INT(s.n, 2);
	CHECK(s.pid[0] != 7 && s.pid[1] != 7);
	members_free(&s);
	close(fd);
}

static void
test_settings(void)
{
	struct settings s;
	struct msg m;

	settings_init(&s);
	CHECK_INT(s.want[FAMILY_procs], WANT_REQUIRED);
	CHECK_INT(settings_preset(&s, "default", &m), 0);
	CHECK_INT(s.want[FAMILY_cpu], WANT_OPTIONAL);
	CHECK_INT(settings_families(&s, "cpu", &m), 0);
	CHECK_INT(s.want[FAMILY_cpu], WANT_REQUIRED);
	CHECK_INT(s.want[FAMILY_syscalls], WANT_OPTIONAL);
	CHECK_INT(settings_preset(&s, "default", &m), 0);
	CHECK_INT(settings_preset(&s, "cpu", &m), -1);
	CHECK_INT(settings_families(&s, "", &m), -1);
	CHECK_INT(settings_families(&s, "cpu,", &m), -1);
	CHECK_INT(settings_option(&s, "a=b:c", &m), 0);
	CHECK_INT(s.option[0].family, -1);
	CHECK_INT(settings_option(&s, "cpu:a=b", &m), 0);
	CHECK_INT(s.option[1].family, FAMILY_cpu);
	CHECK_STR(s.option[1].text, "a=b");
	CHECK_INT(settings_option(&s, "cpu:", &m), -1);
	CHECK_INT(settings_option(&s, "", &m), -1);
}

/* A process that traces pid and does not ask how it ended; -1 if it may not. */
static pid_t
tracing(pid_t pid)
{
	int ready[2];
	char c = 0;
	pid_t tracer;

	CHECK_INT(pipe(ready), 0);
	tracer = fork();
	if (tracer == 0) {
		if (ptrace(PTRACE_SEIZE, pid, 0, 0) == -1 ||
		    write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1) {
		waitpid(tracer, NULL, 0);
		tracer = -1;
	}
	close(ready[0]);
	return tracer;
}

/* How a command ended is known while its tracer holds its wait status. */
static void
check_reap(int code, int sig)
{
	struct pollfd dead = { .events = POLLIN };
	struct target t;
	pid_t tracer;
	int hold[2];
	char c;

	target_init(&t);
	CHECK_INT(pipe(hold), 0);
	t.launched = true;
	t.pid = fork();
	if (t.pid == 0) {
		close(hold[1]);
		(void)!read(hold[0], &c, 1);
		if (sig != 0)
			raise(sig);
		_exit(code);
	}
	close(hold[0]);
	t.pidfd = dead.fd = (int)syscall(SYS_pidfd_open, t.pid, 0);
	CHECK(t.pidfd != -1);
	tracer = tracing(t.pid);
	CHECK_INT(write(hold[1], "x", 1), 1);
	close(hold[1]);
	CHECK_INT(poll(&dead, 1, -1), 1);
	if (tracer != -1)
		CHECK_INT(waitpid(t.pid, NULL, WNOHANG), 0);
	target_reap(&t);
	CHECK(t.ended);
	/* a 0 may mean that the kernel does not tell: believed of root's */
	if (tracer == -1 || geteuid() == 0 || code != 0 || sig != 0) {
		CHECK_INT(t.exit_code, sig != 0 ? -1 : code);
		CHECK_INT(t.signal, sig);
	}
	if (tracer != -1) {
		kill(tracer, SIGKILL);
		waitpid(tracer, NULL, 0);
	}
	waitpid(t.pid, NULL, 0);
	close(t.pidfd);
}

/* Mappings that are polled are told once. */
static void
test_polled(void)
{
	static struct maps maps;
	int fd = open("/dev/null", O_WRONLY);
	struct msg m;
	uint64_t fired;

	CHECK_INT(out_fdopen(&maps.out, fd, "null", &m), 0);
	maps.open = true;
	maps_snapshot(&maps, getpid());
	fired = maps.fired;
	CHECK(fired > 0);
	maps_snapshot(&maps, getpid());
	CHECK_INT(maps.fired, fired);
	CHECK_INT(maps.seen.n, fired);
	CHECK_INT(maps_stop(&maps, &m), 0);
}

int
main(void)
{
	check_reap(0, 0);
	check_reap(3, 0);
	check_reap(0, SIGKILL);
	test_queue();
	test_members();
	test_settings();
	test_polled();
	return unit_end();
}
