/* The guard: a child that ends tracers which dt-attach has left behind. */
#include "capture/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libdt/clock.h"
#include "libdt/file.h"

#define GUARD_GROUPS	64
#define GUARD_FDS	1024
#define GUARD_GRACE_NS	(2 * NS_PER_S)

static void
guard_tell(const pid_t *group, size_t n, int sig)
{
	size_t i;

	for (i = 0; i < n; i++)
		kill(-group[i], sig);
}

/* Groups come in as they start, negative as they end. */
static size_t
guard_read(int fd, pid_t group[GUARD_GROUPS])
{
	size_t n = 0, i;
	pid_t g;

	while (file_read(fd, &g, sizeof(g)) == (ssize_t)sizeof(g)) {
		for (i = 0; i < n && group[i] != -g; i++)
			;
		if (g > 0 && n < GUARD_GROUPS)
			group[n++] = g;
		else if (g < 0 && i < n)
			group[i] = group[--n];
	}
	return n;
}

/* All descriptors but 0; close_range(2) is there since Linux 5.9. */
static void
guard_close(void)
{
	int fd;

	if (syscall(SYS_close_range, 1, ~0u, 0) == 0)
		return;
	for (fd = 1; fd < GUARD_FDS; fd++)
		close(fd);
}

_Noreturn static void
guard_main(int fd)
{
	pid_t group[GUARD_GROUPS];
	sigset_t all;
	size_t n;

	/* What the terminal or a shell sends to all is not for the guard. */
	setsid();
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	prctl(PR_SET_NAME, "dt-guard");
	dup2(fd, 0);
	guard_close();
	(void)!chdir("/");
	n = guard_read(0, group);
	guard_tell(group, n, SIGTERM);
	if (n > 0)
		clock_sleep_until(clock_now() + GUARD_GRACE_NS);
	guard_tell(group, n, SIGKILL);
	_exit(0);
}

int
guard_start(struct msg *m)
{
	int p[2];
	pid_t pid;

	if (pipe2(p, O_CLOEXEC) == -1)
		return msg_set_errno(m, "guard", NULL, "pipe");
	pid = fork();
	if (pid == 0) {
		/* Again a child, so that nobody has to wait for the guard. */
		close(p[1]);
		if (fork() == 0)
			guard_main(p[0]);
		_exit(0);
	}
	close(p[0]);
	if (pid == -1) {
		close(p[1]);
		return msg_set_errno(m, "guard", NULL, "fork");
	}
	while (syscall(SYS_wait4, pid, NULL, 0, NULL) == -1 && errno == EINTR)
		;
	return p[1];
}

int
guard_add(int fd, pid_t group)
{
	return file_write(fd, &group, sizeof(group));
}

int
guard_drop(int fd, pid_t group)
{
	pid_t gone = -group;

	return file_write(fd, &gone, sizeof(gone));
}
