/* The target: forked and held, or found by pid; its facts and its end. */
#include "capture/target.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libdt/file.h"

#define CMDLINE_MAX	65536	/* bytes */
#define HELD_END_MS	1000

void
target_init(struct target *t)
{
	memset(t, 0, sizeof(*t));
	t->pidfd = t->go = t->verdict = t->file = t->exe = -1;
	t->exit_code = -1;
}

static int
nonce_make(char hex[NONCE_HEX], struct msg *m)
{
	unsigned char raw[(NONCE_HEX - 1) / 2];
	size_t i;

	if (getrandom(raw, sizeof(raw), 0) != (ssize_t)sizeof(raw))
		return msg_set_errno(m, "launch", NULL, "getrandom");
	for (i = 0; i < sizeof(raw); i++)
		snprintf(hex + 2 * i, 3, "%02x", raw[i]);
	return 0;
}

/* Whether the command can be run is said before anything is set up. */
static int
command_check(struct target *t, const char *name, struct msg *m)
{
	struct stat st;

	t->path = command_find(name, t->as.path);
	if (t->path == NULL)
		return msg_set_errno(m, "no-command", name, "cannot run it");
	if (stat(t->path, &st) == -1)
		return msg_set_errno(m, "no-command", name, "cannot run it");
	if (!S_ISREG(st.st_mode) || (st.st_mode & 0111) == 0) {
		errno = EACCES;
		return msg_set_errno(m, "no-command", name, "cannot run it");
	}
	t->file = open(t->path, O_RDONLY | O_CLOEXEC);
	return 0;
}

int
target_check(const char *name, const char *user, struct msg *m)
{
	struct target t;
	int rc;

	target_init(&t);
	rc = runas_make(&t.as, user, "", m);
	if (rc == 0)
		rc = command_check(&t, name, m);
	target_close(&t);
	return rc;
}

/* As execvp(3): a file of no known format is a script of sh. */
static void
child_exec(const char *path, char **argv, char **env)
{
	char **sh;
	size_t n;

	execve(path, argv, env);
	if (errno != ENOEXEC)
		return;
	for (n = 0; argv[n] != NULL; n++)
		;
	sh = calloc(n + 2, sizeof(*sh));
	if (sh == NULL)
		return;
	sh[0] = (char *)"sh";
	sh[1] = (char *)path;
	memcpy(sh + 2, argv + 1, n * sizeof(*sh));
	execve("/bin/sh", sh, env);
}

static void
child_signals(const void *mask)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	static const int back[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	struct sigaction was;
	size_t i;

	/* What dt-attach itself was told to ignore stays ignored. */
	for (i = 0; i < sizeof(back) / sizeof(back[0]); i++)
		if (sigaction(back[i], NULL, &was) == 0 &&
		    was.sa_handler != SIG_IGN)
			sigaction(back[i], &dfl, NULL);
	sigprocmask(SIG_SETMASK, mask, NULL);
}

_Noreturn static void
child_main(struct target *t, const struct target_launch *l, int go, int verdict)
{
	char c;
	ssize_t n;
	int err;

	if (l->out != 1 && dup2(l->out, 1) == -1)
		goto fail;
	umask(l->umask);
	if (runas_become(&t->as) == -1)
		goto fail;
	c = 'r';
	if (file_write(verdict, &c, 1) == -1)
		_exit(127);
	do
		n = read(go, &c, 1);
	while (n == -1 && errno == EINTR);
	if (n != 1)
		_exit(127);
	child_signals(l->sigmask);
	child_exec(t->path, l->argv, t->as.env);
fail:
	err = errno;
	c = 'e';
	if (file_write(verdict, &c, 1) == 0)
		(void)!write(verdict, &err, sizeof(err));
	_exit(127);
}

/* What the child says: 'r' ready, 'e' and an errno, or its end. */
static int
verdict_read(struct target *t, const char *what, char *c, struct msg *m)
{
	ssize_t n = file_read(t->verdict, c, 1);
	int err;

	if (n != 1)
		return n == -1 ? msg_set_errno(m, "launch", NULL, "read") : 1;
	if (*c != 'e')
		return 0;
	if (file_read(t->verdict, &err, sizeof(err)) != (ssize_t)sizeof(err))
		err = EIO;
	errno = err;
	return msg_set_errno(m, err == ENOENT || err == EACCES ?
	    "no-command" : "launch", t->path, "%s", what);
}

static int
target_facts(struct target *t, struct msg *m)
{
	t->pidfd = (int)syscall(SYS_pidfd_open, t->pid, 0);
	if (t->pidfd == -1 && (errno == EINVAL || errno == ENOENT))
		return msg_set(m, "no-process",
		    "%ld is a thread: name its process", (long)t->pid);
	if (t->pidfd == -1)
		return msg_set_errno(m, "no-process", NULL, "process %ld",
		    (long)t->pid);
	fcntl(t->pidfd, F_SETFD, FD_CLOEXEC);
	if (proc_stat(t->pid, &t->st, m) == -1)
		return -1;
	if (proc_ids(t->pid, &t->ids, m) == -1)
		return -1;
	return 0;
}

static int
target_fork(struct target *t, const struct target_launch *l, struct msg *m)
{
	int go[2], verdict[2];

	if (pipe2(go, O_CLOEXEC) == -1)
		return msg_set_errno(m, "launch", NULL, "pipe");
	if (pipe2(verdict, O_CLOEXEC) == -1) {
		close(go[0]);
		close(go[1]);
		return msg_set_errno(m, "launch", NULL, "pipe");
	}
	t->pid = fork();
	if (t->pid == 0) {
		close(go[1]);
		close(verdict[0]);
		child_main(t, l, go[0], verdict[1]);
	}
	close(go[0]);
	close(verdict[1]);
	t->go = go[1];
	t->verdict = verdict[0];
	return t->pid == -1 ? msg_set_errno(m, "launch", NULL, "fork") : 0;
}

int
target_launch(struct target *t, const struct target_launch *l, struct msg *m)
{
	char c;
	int rc;

	t->launched = true;
	if (nonce_make(t->nonce, m) == -1 ||
	    runas_make(&t->as, l->user, t->nonce, m) == -1 ||
	    command_check(t, l->argv[0], m) == -1 ||
	    target_fork(t, l, m) == -1)
		return -1;
	rc = verdict_read(t, "cannot become its user", &c, m);
	if (rc == 1)
		return msg_set(m, "launch", "the child died before its exec");
	return rc == -1 ? -1 : target_facts(t, m);
}

int
target_open(struct target *t, pid_t pid, struct msg *m)
{
	t->pid = pid;
	t->released = true;
	if (target_facts(t, m) == -1)
		return -1;
	if (proc_cmdline(pid, CMDLINE_MAX, &t->cmdline, &t->cmdline_len,
	    m) == -1)
		return -1;
	target_note_exe(t);
	return 0;
}

int
target_go(struct target *t, struct msg *m)
{
	char c = 'g';

	if (file_write(t->go, &c, 1) == -1)
		return msg_set_errno(m, "launch", t->path,
		    "the held child has gone");
	close(t->go);
	t->go = -1;
	return 0;
}

bool
target_answers(const struct target *t, int ms)
{
	struct pollfd p = { .fd = t->verdict, .events = POLLIN };

	return poll(&p, 1, ms) > 0;
}

int
target_released(struct target *t, struct msg *m)
{
	char c;
	int rc = verdict_read(t, "cannot run it", &c, m);

	if (rc != 1)
		return rc == -1 ? -1 : msg_set(m, "launch",
		    "the held child lost its way");
	t->released = true;
	target_note_exe(t);
	return 0;
}

void
target_note_exe(struct target *t)
{
	struct msg m;
	char hex[ELFID_HEX];

	msg_clear(&m);
	t->exe = proc_open_exe(t->pid, &m);
	/* the path of that very file: the process may go on to another exec */
	if (t->exe == -1 || proc_fd_path(t->exe, &t->exe_path, &m) == -1)
		t->exe_path = NULL;
	if (t->exe != -1 && elfid_fd(t->exe, t->exe_path, hex, &m) == 0)
		memcpy(t->exe_id, hex, sizeof(hex));
	/* It may have ended already: then the file it was made from. */
	if (t->exe == -1 && t->file != -1) {
		t->exe = fcntl(t->file, F_DUPFD_CLOEXEC, 3);
		t->exe_path = realpath(t->path, NULL);
		if (elfid_fd(t->exe, t->path, hex, &m) == 0)
			memcpy(t->exe_id, hex, sizeof(hex));
	}
}

/*
 * The wait status of a child that has ended. A tracer (strace -p, a debugger)
 * gets it first, and waitpid() has nothing until that has taken it: /proc does.
 */
static bool
child_status(pid_t pid, int *status)
{
	struct proc_stat s;
	bool seen;

	if (waitpid(pid, status, WNOHANG) == pid)
		return true;
	seen = proc_stat(pid, &s, NULL) == 0 && s.state == 'Z' &&
	    (s.wait_status != 0 || geteuid() == 0);
	if (seen)
		*status = s.wait_status;
	/* the tracer may have taken it just now */
	return waitpid(pid, status, WNOHANG) == pid || seen;
}

void
target_reap(struct target *t)
{
	int status;

	t->ended = true;
	if (!t->launched || !child_status(t->pid, &status))
		return;
	if (WIFEXITED(status))
		t->exit_code = WEXITSTATUS(status);
	else if (WIFSIGNALED(status))
		t->signal = WTERMSIG(status);
}

/* What is held never runs; one who is traced stays until that tracer goes. */
static void
child_end(const struct target *t)
{
	struct pollfd p = { .fd = t->pidfd, .events = POLLIN };

	kill(t->pid, SIGKILL);
	if (t->pidfd != -1)
		(void)!poll(&p, 1, HELD_END_MS);
	waitpid(t->pid, NULL, t->pidfd != -1 ? WNOHANG : 0);
}

static void
fd_close(int *fd)
{
	if (*fd != -1)
		close(*fd);
	*fd = -1;
}

void
target_close(struct target *t)
{
	fd_close(&t->go);
	if (t->launched && t->pid > 0 && !t->released && !t->ended)
		child_end(t);
	fd_close(&t->pidfd);
	fd_close(&t->verdict);
	fd_close(&t->file);
	fd_close(&t->exe);
	free(t->cmdline);
	free(t->path);
	free(t->exe_path);
	runas_free(&t->as);
	target_init(t);
}
