/*
 * module.c - mappings of processes and what a loader would add to them.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libdt/proc.h"
#include "trace/module.h"
#include "trace/provider.h"
#include "trace/trace.h"
#include "trace/uelf.h"
#include "trace/victim.h"

static int
add_module(struct procmods *pm, const char *path, bool program,
    const struct proc_map *map)
{
	struct module *mod;
	struct uelf *u;

	for (size_t i = 0; i < pm->n; i++)
		if (strcmp(pm->mod[i].elf->path, path) == 0)
			return 0;
	/* what cannot be read as ELF has nothing to probe */
	u = uelf_open(path, NULL);
	if (u == NULL)
		return 0;
	mod = reallocarray(pm->mod, pm->n + 1, sizeof(*mod));
	if (mod == NULL) {
		uelf_free(u);
		return -1;
	}
	pm->mod = mod;
	mod = &pm->mod[pm->n++];
	*mod = (struct module){ .elf = u, .program = program,
	    .mapped = map != NULL };
	if (map != NULL) {
		mod->start = map->start;
		mod->offset = map->offset;
	}
	return 0;
}

struct mapping {
	struct procmods *pm;
	const char *exe;
	bool nomem;
};

static int
on_map(void *arg, const struct proc_map *map)
{
	struct mapping *mp = arg;
	char path[4096];

	if (map->perms[2] != 'x' || map->path[0] != '/' || map->deleted ||
	    map->path_len >= sizeof(path) - 32)
		return 0;
	/* as seen by the process: it may have another root */
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)mp->pm->pid,
	    map->path);
	if (access(map->path, R_OK) == 0)
		snprintf(path, sizeof(path), "%s", map->path);
	if (add_module(mp->pm, path, mp->exe != NULL &&
	    strcmp(map->path, mp->exe) == 0, map) == -1)
		mp->nomem = true;
	return mp->nomem;
}

/* A line of the loader's list: "libc.so.6 => /lib/libc.so.6 (0x…)" or
 * "/lib64/ld-linux-x86-64.so.2 (0x…)". */
static int
add_listed(struct procmods *pm, char *line)
{
	char *path = strstr(line, "=> "), *end;

	path = path != NULL ? path + 3 : line + strspn(line, " \t");
	end = strstr(path, " (0x");
	if (*path != '/' || end == NULL)
		return 0;
	*end = '\0';
	return add_module(pm, path, false, NULL);
}

extern char **environ;

/* Asks the program's own loader, which lists and ends: nothing of the program
 * runs. Both glibc's and musl's know --list. */
static int
add_needed(struct procmods *pm, const struct uelf *prog)
{
	char *argv[] = { (char *)prog->interp, "--list", prog->path, NULL };
	posix_spawn_file_actions_t fa;
	char *line = NULL;
	size_t cap = 0;
	int out[2], rc = 0, err;
	pid_t pid;
	FILE *fp;

	if (pipe2(out, O_CLOEXEC) == -1)
		return -1;
	err = posix_spawn_file_actions_init(&fa);
	if (err == 0) {
		err = posix_spawn_file_actions_adddup2(&fa, out[1], 1);
		if (err == 0)
			err = posix_spawn(&pid, prog->interp, &fa, NULL, argv,
			    environ);
		posix_spawn_file_actions_destroy(&fa);
	}
	close(out[1]);
	fp = err == 0 ? fdopen(out[0], "r") : NULL;
	while (fp != NULL && rc == 0 && getline(&line, &cap, fp) != -1)
		rc = add_listed(pm, line);
	free(line);
	if (fp != NULL)
		fclose(fp);
	else
		close(out[0]);
	while (err == 0 && waitpid(pid, NULL, 0) == -1 && errno == EINTR)
		;
	return rc;
}

static const struct uelf *
program_of(const struct procmods *pm)
{
	for (size_t i = 0; i < pm->n; i++)
		if (pm->mod[i].program)
			return pm->mod[i].elf;
	return NULL;
}

static bool
is_held(const struct trace *t, pid_t pid)
{
	for (size_t i = 0; t->victims != NULL && i < t->victims->n; i++)
		if (t->victims->v[i].pid == pid)
			return t->victims->v[i].held;
	return false;
}

const struct procmods *
modules_of(struct trace *t, pid_t pid, struct msg *m)
{
	struct procmods *pm;
	struct mapping mp = { .exe = NULL };
	const struct uelf *prog;
	char *exe = NULL;
	struct msg why;
	int rc;

	for (pm = t->procmods; pm != NULL; pm = pm->next)
		if (pm->pid == pid)
			return pm;
	rc = proc_exe(pid, &exe, NULL, &why);
	if (rc != 0) {
		msg_set(m, "no-match", "failed to grab process %d: %s",
		    (int)pid, rc == 1 ? "a kernel thread has no program" :
		    strcmp(why.id, "no-process") == 0 ? strerror(ESRCH) :
		    why.text);
		return NULL;
	}
	pm = calloc(1, sizeof(*pm));
	if (pm == NULL) {
		free(exe);
		msg_set_nomem(m);
		return NULL;
	}
	pm->pid = pid;
	pm->next = t->procmods;
	t->procmods = pm;
	mp.pm = pm;
	mp.exe = exe;
	rc = proc_maps(pid, on_map, &mp, m);
	prog = program_of(pm);
	if (rc == 0 && is_held(t, pid) && prog != NULL &&
	    prog->interp != NULL && add_needed(pm, prog) == -1)
		mp.nomem = true;
	free(exe);
	if (mp.nomem)
		msg_set_nomem(m);
	return mp.nomem || rc == -1 ? NULL : pm;
}

struct uelf *
modules_file(struct trace *t, const char *path, struct msg *m)
{
	struct procmods *pm;

	/* kept as the module of a process that is none */
	for (pm = t->procmods; pm != NULL; pm = pm->next)
		if (pm->pid == 0 && strcmp(pm->mod[0].elf->path, path) == 0)
			return pm->mod[0].elf;
	pm = calloc(1, sizeof(*pm));
	if (pm == NULL || (pm->mod = calloc(1, sizeof(*pm->mod))) == NULL) {
		free(pm);
		msg_set_nomem(m);
		return NULL;
	}
	pm->mod[0].elf = uelf_open(path, m);
	if (pm->mod[0].elf == NULL) {
		free(pm->mod);
		free(pm);
		return NULL;
	}
	pm->n = 1;
	pm->next = t->procmods;
	t->procmods = pm;
	return pm->mod[0].elf;
}

enum { TOUCH_MAX = 64 << 20 };		/* bytes of one process */

struct touching {
	const struct procmods *pm;
	int mem;			/* /proc/PID/mem */
	uint64_t left;
};

static int
touch_map(void *arg, const struct proc_map *map)
{
	struct touching *to = arg;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	bool probed = false;
	char c;

	for (size_t i = 0; i < to->pm->n; i++) {
		const struct uelf *u = to->pm->mod[i].elf;
		const char *tail = strstr(u->path, map->path);

		probed |= u->probed && tail != NULL &&
		    tail[map->path_len] == '\0';
	}
	if (!probed || map->path_len == 0 || map->perms[0] != 'r')
		return 0;
	for (uint64_t a = map->start; a < map->end && to->left >= page;
	    a += page, to->left -= page)
		if (pread(to->mem, &c, 1, (off_t)a) != 1)
			break;
	return 0;
}

void
modules_touch(struct trace *t)
{
	for (const struct procmods *pm = t->procmods; pm != NULL;
	    pm = pm->next) {
		struct touching to = { .pm = pm, .left = TOUCH_MAX };
		char path[32];

		if (pm->pid == 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/mem", (int)pm->pid);
		to.mem = open(path, O_RDONLY | O_CLOEXEC);
		if (to.mem == -1)
			continue;
		/* what is not present then makes copyin() fault, no more */
		(void)proc_maps(pm->pid, touch_map, &to, NULL);
		close(to.mem);
	}
}

void
modules_free(struct trace *t)
{
	for (struct procmods *pm = t->procmods, *n; pm != NULL; pm = n) {
		n = pm->next;
		for (size_t i = 0; i < pm->n; i++)
			uelf_free(pm->mod[i].elf);
		free(pm->mod);
		free(pm);
	}
	t->procmods = NULL;
}

bool
module_match(const struct module *mod, const char *pattern)
{
	const char *base = mod->elf->base, *so;
	char cut[256];

	if (pdesc_match(pattern, base))
		return true;
	if (mod->program && strcmp(pattern, "a.out") == 0)
		return true;
	so = strstr(base, ".so");
	if (so == NULL || (size_t)(so - base) + 4 > sizeof(cut))
		return false;
	snprintf(cut, sizeof(cut), "%.*s.so", (int)(so - base), base);
	if (strcmp(pattern, cut) == 0)
		return true;
	cut[so - base] = '\0';
	return strcmp(pattern, cut) == 0;
}
