/*
 * victim.c - the processes of -c and -p: starting, holding, watching them.
 *
 * A command is held by ptrace: PTRACE_TRACEME makes its exec stop before the
 * first instruction, after execve's own return, so that what is traced is the
 * program and nothing of the child's preparations.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/victim.h"

static int
pidfd_of(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static struct victim *
victim_add(struct victims *vs, struct msg *m)
{
	struct victim *v = reallocarray(vs->v, vs->n + 1, sizeof(*v));

	if (v == NULL) {
		msg_set_nomem(m);
		return NULL;
	}
	vs->v = v;
	v = &vs->v[vs->n++];
	*v = (struct victim){ .pidfd = -1 };
	return v;
}

/* Takes a word off *p in place: blanks end it, quotes and \ protect. *open: a
 * quote has no end. */
static char *
next_word(char **p, bool *open)
{
	char *in = *p + strspn(*p, " \t\n"), *word = in, *to = in, quote = 0;

	if (*in == '\0')
		return NULL;
	for (; *in != '\0'; in++) {
		if (quote != 0 ? *in == quote : *in == '\'' || *in == '"')
			quote = quote != 0 ? 0 : *in;
		else if (*in == '\\' && quote != '\'' && in[1] != '\0')
			*to++ = *++in;
		else if (quote == 0 && strchr(" \t\n", *in) != NULL)
			break;
		else
			*to++ = *in;
	}
	*open = quote != 0;
	*p = *in != '\0' ? in + 1 : in;
	*to = '\0';
	return word;
}

static char **
make_argv(char *text, bool *open)
{
	char **argv = NULL, **p, *word;
	bool last = false;
	size_t n = 0;

	do {
		word = next_word(&text, &last);
		*open |= last;
		p = reallocarray(argv, n + 1, sizeof(*p));
		if (p == NULL) {
			free(argv);
			return NULL;
		}
		argv = p;
		argv[n++] = word;
	} while (word != NULL);
	return argv;
}

/* In the child: never returns. A failed exec's errno goes into fd. */
static void
child_exec(char **argv, int fd)
{
	sigset_t none;
	ssize_t n;
	int err;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, 0);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
		execvp(argv[0], argv);
	err = errno;
	n = write(fd, &err, sizeof(err));
	_exit(n == sizeof(err) ? 127 : 126);
}

/* Waits until the child stands at its new program's first instruction. */
static int
await_exec(struct victim *v, int fd, const char *name, struct msg *m)
{
	int err = 0, status;
	ssize_t n;

	do
		n = read(fd, &err, sizeof(err));
	while (n == -1 && errno == EINTR);
	while (waitpid(v->pid, &status, 0) == -1)
		if (errno != EINTR)
			return msg_set_errno(m, "exec", NULL, "waitpid");
	if (n == sizeof(err)) {
		v->gone = true;
		errno = err;
		return msg_set_errno(m, "exec", NULL, "failed to execute %s",
		    name);
	}
	if (!WIFSTOPPED(status)) {
		v->gone = true;
		return msg_set(m, "exec", "%s ended before it began", name);
	}
	v->held = true;
	/* if we are killed now, nothing of it shall run */
	ptrace(PTRACE_SETOPTIONS, v->pid, NULL, PTRACE_O_EXITKILL);
	return 0;
}

int
victim_create(struct victims *vs, const char *command, struct msg *m)
{
	struct victim *v = victim_add(vs, m);
	char **argv = NULL, *text = NULL;
	int fd[2], rc = -1;
	bool open = false;

	if (v == NULL)
		return -1;
	v->child = true;
	v->gone = true;
	v->command = strdup(command);
	text = strdup(command);
	if (v->command != NULL && text != NULL)
		argv = make_argv(text, &open);
	if (argv == NULL)
		msg_set_nomem(m);
	else if (argv[0] == NULL)
		msg_set(m, "usage", "-c: the command is empty");
	else if (open)
		msg_set(m, "usage", "-c: a quote has no end: %s", command);
	else if (pipe2(fd, O_CLOEXEC) == -1)
		msg_set_errno(m, "exec", NULL, "pipe");
	else {
		v->pid = fork();
		if (v->pid == 0)
			child_exec(argv, fd[1]);
		close(fd[1]);
		if (v->pid == -1) {
			msg_set_errno(m, "exec", NULL, "fork");
		} else {
			v->gone = false;
			rc = await_exec(v, fd[0], argv[0], m);
		}
		close(fd[0]);
	}
	free(argv);
	free(text);
	if (rc == -1)
		return -1;
	v->pidfd = pidfd_of(v->pid);
	return v->pidfd >= 0 ? 0 : msg_set_errno(m, "exec", NULL,
	    "pidfd_open");
}

int
victim_grab(struct victims *vs, const char *pid, struct msg *m)
{
	struct victim *v;
	char *end;
	long n;

	errno = 0;
	n = strtol(pid, &end, 10);
	if (errno != 0 || *end != '\0' || end == pid || n <= 0 ||
	    n > INT32_MAX)
		return msg_set(m, "usage", "-p: %s is no process id", pid);
	v = victim_add(vs, m);
	if (v == NULL)
		return -1;
	v->pid = (pid_t)n;
	v->pidfd = pidfd_of(v->pid);
	if (v->pidfd >= 0)
		return 0;
	v->gone = true;
	return msg_set_errno(m, "no-process", NULL,
	    "failed to grab process %ld", n);
}

int
victim_release(struct victims *vs, struct msg *m)
{
	for (size_t i = 0; i < vs->n; i++) {
		struct victim *v = &vs->v[i];

		if (!v->held)
			continue;
		v->held = false;
		if (ptrace(PTRACE_DETACH, v->pid, NULL, NULL) == -1 &&
		    errno != ESRCH)
			return msg_set_errno(m, "exec", NULL,
			    "cannot let %s run", v->command);
	}
	return 0;
}

void
victim_ended(struct victim *v)
{
	int status;

	if (v->child && !v->gone)
		while (waitpid(v->pid, &status, 0) == -1 && errno == EINTR)
			;
	v->gone = true;
}

bool
victim_all_gone(const struct victims *vs)
{
	for (size_t i = 0; i < vs->n; i++)
		if (!vs->v[i].gone)
			return false;
	return vs->n > 0;
}

void
victim_free(struct victims *vs)
{
	for (size_t i = 0; i < vs->n; i++) {
		struct victim *v = &vs->v[i];

		/* as of DTrace, whose processes are killed on last close */
		if (v->held || (v->child && !v->gone)) {
			kill(v->pid, SIGKILL);
			victim_ended(v);
		}
		if (v->pidfd >= 0)
			close(v->pidfd);
		free(v->command);
	}
	free(vs->v);
	*vs = (struct victims){ NULL, 0 };
}
