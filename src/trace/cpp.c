/*
 * cpp.c - running the C preprocessor.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libdt/file.h"
#include "trace/cpp.h"
#include "trace/opt.h"
#include "trace/trace.h"

extern char **environ;

struct args {
	char **v;
	size_t n, cap;
	bool failed;
};

static void
arg_add(struct args *a, const char *prefix, const char *text, size_t len)
{
	char *s, **v;

	if (a->n + 2 > a->cap) {
		size_t cap = a->cap == 0 ? 32 : a->cap * 2;

		v = reallocarray(a->v, cap, sizeof(*v));
		if (v == NULL) {
			a->failed = true;
			return;
		}
		a->v = v;
		a->cap = cap;
	}
	if (asprintf(&s, "%s%.*s", prefix, (int)len, text) == -1) {
		a->failed = true;
		return;
	}
	a->v[a->n++] = s;
	a->v[a->n] = NULL;
}

/* Each line of an option's list. */
static void
arg_list(struct args *a, const char *prefix, const char *list)
{
	while (list != NULL && *list != '\0') {
		size_t len = strcspn(list, "\n");

		arg_add(a, prefix, list, len);
		list += len + (list[len] == '\n');
	}
}

static void
args_free(struct args *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->v[i]);
	free(a->v);
}

static void
cpp_args(const struct trace *t, struct args *a)
{
	static const char *const fixed[] = { "-D__SUNW_D=1",
	    "-D__SUNW_D_VERSION=0x02000000", "-D__linux", "-D__unix",
	    "-undef", "-nostdinc" };

	arg_add(a, "", opt_str(&t->opt, O_CPPPATH),
	    strlen(opt_str(&t->opt, O_CPPPATH)));
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		arg_add(a, "", fixed[i], strlen(fixed[i]));
	if (opt_flag(&t->opt, O_CPPHDRS))
		arg_add(a, "-H", "", 0);
	arg_list(a, "", opt_str(&t->opt, O_CPPARGS));
	arg_list(a, "-D", opt_str(&t->opt, O_DEFINE));
	arg_list(a, "-U", opt_str(&t->opt, O_UNDEF));
	arg_list(a, "-I", opt_str(&t->opt, O_INCDIR));
	arg_add(a, "-", "", 0);
}

/* The text as a file of its own: a first line "#!…" is no directive and is left
 * out, its newline stays. The descriptor, or -1 with m. */
static int
cpp_input(int fd, const char *name, size_t max, struct msg *m)
{
	char *text, *p;
	size_t len;
	int in;

	if (file_slurp_fd(fd, name, max, &text, &len, m) == -1)
		return -1;
	p = text;
	if (len > 1 && p[0] == '#' && p[1] == '!')
		p += strcspn(p, "\n");
	in = memfd_create("cpp", MFD_CLOEXEC);
	if (in == -1 || file_write(in, p, len - (size_t)(p - text)) == -1 ||
	    lseek(in, 0, SEEK_SET) == -1) {
		msg_set_errno(m, "cpp", NULL, "cannot copy %s", name);
		if (in >= 0)
			close(in);
		in = -1;
	}
	free(text);
	return in;
}

static int
cpp_spawn(const struct args *a, int in, int out, pid_t *pid)
{
	posix_spawn_file_actions_t fa;
	int err;

	err = posix_spawn_file_actions_init(&fa);
	if (err != 0)
		return err;
	err = posix_spawn_file_actions_adddup2(&fa, in, STDIN_FILENO);
	if (err == 0)
		err = posix_spawn_file_actions_adddup2(&fa, out,
		    STDOUT_FILENO);
	if (err == 0)
		err = posix_spawnp(pid, a->v[0], &fa, NULL, a->v, environ);
	posix_spawn_file_actions_destroy(&fa);
	return err;
}

int
cpp_run(struct trace *t, int fd, const char *name, size_t max, char **text,
    size_t *len, struct msg *m)
{
	struct args a = { 0 };
	int out[2], in, rc, err, status = -1;
	pid_t pid;

	*text = NULL;
	cpp_args(t, &a);
	if (a.failed) {
		args_free(&a);
		return msg_set_nomem(m);
	}
	in = cpp_input(fd, name, max, m);
	if (in == -1 || pipe2(out, O_CLOEXEC) == -1) {
		args_free(&a);
		if (in == -1)
			return -1;
		close(in);
		return msg_set_errno(m, "cpp", NULL, "pipe");
	}
	err = cpp_spawn(&a, in, out[1], &pid);
	close(in);
	args_free(&a);
	close(out[1]);
	if (err != 0) {
		close(out[0]);
		errno = err;
		return msg_set_errno(m, "cpp", NULL, "cannot run %s",
		    opt_str(&t->opt, O_CPPPATH));
	}
	rc = file_slurp_fd(out[0], name, max, text, len, m);
	close(out[0]);
	while (waitpid(pid, &status, 0) == -1 && errno == EINTR)
		;
	if (rc == -1 || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
		return rc;
	free(*text);
	*text = NULL;
	return msg_set(m, "cpp", "failed to compile script %s: %s failed", name,
	    opt_str(&t->opt, O_CPPPATH));
}
