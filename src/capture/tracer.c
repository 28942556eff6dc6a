/* The tracer: found, asked for its version. */
#include "capture/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/command.h"
#include "libdt/clock.h"

#define VERSION_WAIT_NS	(10 * NS_PER_S)

extern char **environ;

char *
self_dir(void)
{
	char buf[4096];
	ssize_t n = readlink("/proc/self/exe", buf, sizeof(buf) - 1);

	while (n > 0 && buf[n - 1] != '/')
		n--;
	return n <= 1 ? NULL : strndup(buf, (size_t)n - 1);
}

static int
tracer_words(struct tracer *t, const char *command, struct msg *m)
{
	char *w, *save = NULL;

	t->text = strdup(command);
	t->command = strdup(command);
	if (t->text == NULL || t->command == NULL)
		return msg_set_nomem(m);
	if (access(command, F_OK) == 0 && strchr(command, '/') != NULL) {
		t->word[t->words++] = t->text;
		return 0;
	}
	for (w = strtok_r(t->text, " \t", &save); w != NULL;
	    w = strtok_r(NULL, " \t", &save)) {
		if (t->words == TRACER_WORDS_MAX - 1)
			return msg_set(m, "usage", "-T: more than %d words",
			    TRACER_WORDS_MAX - 1);
		t->word[t->words++] = w;
	}
	return t->words > 0 ? 0 : msg_set(m, "usage", "-T: no command");
}

/* Reads what the tracer's -V prints until its end, cap, or the deadline. */
static void
version_read(int fd, char *buf, size_t cap)
{
	uint64_t until = clock_now() + VERSION_WAIT_NS, now;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	size_t len = 0;
	ssize_t n;

	while (len < cap - 1 && (now = clock_now()) < until) {
		if (poll(&p, 1, (int)((until - now) / 1000000) + 1) <= 0)
			continue;
		n = read(fd, buf + len, cap - 1 - len);
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	buf[len] = '\0';
}

/* Waits for the child at most until the deadline, then kills it. */
static int
version_wait(pid_t pid)
{
	uint64_t until = clock_now() + VERSION_WAIT_NS;
	int status;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (clock_now() >= until) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
		clock_sleep_until(clock_now() + 1000000);
	}
	return status;
}

static int
version_spawn(struct tracer *t, int out, pid_t *pid)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	sigset_t none;
	int err;

	sigemptyset(&none);
	t->word[t->words] = (char *)"-V";
	t->word[t->words + 1] = NULL;
	posix_spawn_file_actions_init(&fa);
	posix_spawnattr_init(&at);
	posix_spawnattr_setsigmask(&at, &none);
	posix_spawnattr_setflags(&at, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, out, 1);
	posix_spawn_file_actions_addopen(&fa, 2, "/dev/null", O_WRONLY, 0);
	err = posix_spawnp(pid, t->word[0], &fa, &at, t->word, environ);
	posix_spawn_file_actions_destroy(&fa);
	posix_spawnattr_destroy(&at);
	t->word[t->words] = NULL;
	return err;
}

/* Asks for the version: 0 it answered, 1 it did not, -1 it cannot be run. */
static int
tracer_ask(struct tracer *t, struct msg *m)
{
	char buf[1024];
	int p[2], err, status;
	pid_t pid;

	if (pipe2(p, O_CLOEXEC) == -1)
		return msg_set_errno(m, "tracer", NULL, "pipe");
	err = version_spawn(t, p[1], &pid);
	close(p[1]);
	if (err != 0) {
		close(p[0]);
		errno = err;
		return msg_set_errno(m, "tracer", t->command,
		    "cannot run the tracer");
	}
	version_read(p[0], buf, sizeof(buf));
	close(p[0]);
	status = version_wait(pid);
	buf[strcspn(buf, "\n")] = '\0';
	snprintf(t->version, sizeof(t->version), "%.100s", buf);
	t->own = strstr(buf, "dt-trace") != NULL;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
	    buf[0] != '\0' ? 0 : 1;
}

static int
tracer_given(struct tracer *t, const char *command, struct msg *m)
{
	if (tracer_words(t, command, m) == -1)
		return -1;
	if (tracer_ask(t, m) == -1)
		return -1;
	return 0;
}

/* dt-trace beside this program: 0, or 1 with the reason in why. */
static int
tracer_own(struct tracer *t, const struct capabilities *can, char *why,
    size_t cap)
{
	char *dir = self_dir(), *path = NULL;
	struct msg m;
	int rc = 1;

	msg_clear(&m);
	if (dir == NULL || asprintf(&path, "%s/dt-trace", dir) == -1)
		snprintf(why, cap, "cannot tell where dt-attach is");
	else if (access(path, X_OK) == -1)
		snprintf(why, cap, "%s: %s", path, strerror(errno));
	else if (!can->bpf.ok)
		snprintf(why, cap, "dt-trace: BPF: %s", can->bpf.why);
	else if (!can->btf.ok)
		snprintf(why, cap, "dt-trace: %s", can->btf.why);
	else if (tracer_given(t, path, &m) == -1)
		snprintf(why, cap, "%s: %.200s", path, m.text);
	else
		rc = 0;
	free(path);
	free(dir);
	return rc;
}

int
tracer_find(struct tracer *t, const char *command,
    const struct capabilities *can, struct msg *m)
{
	char why[512], *path;

	memset(t, 0, sizeof(*t));
	if (command != NULL)
		return tracer_given(t, command, m);
	if (tracer_own(t, can, why, sizeof(why)) == 0)
		return 0;
	tracer_free(t);
	path = command_find("dtrace", getenv("PATH"));
	if (path == NULL) {
		msg_set(m, "no-tracer", "%s; no dtrace in PATH", why);
		return 1;
	}
	if (tracer_words(t, path, m) == -1 || tracer_ask(t, m) != 0) {
		msg_set(m, "no-tracer", "%s; %s is no DTrace: it does not "
		    "answer -V", why, path);
		free(path);
		return 1;
	}
	free(path);
	if (geteuid() == 0)
		return 0;
	msg_set(m, "no-tracer", "%s; %s needs root", why, t->command);
	return 1;
}

void
tracer_free(struct tracer *t)
{
	free(t->text);
	free(t->command);
	memset(t, 0, sizeof(*t));
}
