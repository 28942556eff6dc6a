/*
 * symjit.c - symbols of code made at run time, from /tmp/perf-PID.map.
 *
 * Source: perf's jit interface: lines of "START SIZE name" in hex, in the
 * mount and pid namespaces of the process.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdt/clock.h"
#include "trace/sym_impl.h"

struct symjit {
	struct symlist list;
	off_t size;			/* of the file when it was read */
	uint64_t look_ns;		/* when it was last looked at */
};

/* Larger ones are not read: whoever may write to /tmp can make one. */
static const off_t bytes_max = (off_t)256 << 20;
static const uint64_t look_again_ns = NS_PER_S / 10;

/* The pid by which the process knows itself. */
static pid_t
inner_pid(pid_t pid)
{
	char path[64], *line = NULL, *last;
	size_t cap = 0;
	pid_t inner = pid;
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if ((fp = fopen(path, "re")) == NULL)
		return pid;
	while (getline(&line, &cap, fp) > 0)
		if (strncmp(line, "NSpid:", 6) == 0) {
			last = strrchr(line, '\t');
			if (last != NULL)
				inner = (pid_t)strtol(last, NULL, 10);
			break;
		}
	free(line);
	fclose(fp);
	return inner;
}

/* A regular file, and nothing that blocks or leads elsewhere. */
static FILE *
open_regular(const char *path, struct stat *sb)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
	    O_NOCTTY);
	FILE *fp = NULL;

	if (fd != -1 && fstat(fd, sb) == 0 && S_ISREG(sb->st_mode))
		fp = fdopen(fd, "r");
	if (fp == NULL && fd != -1)
		close(fd);
	return fp;
}

static FILE *
jit_open(pid_t pid, struct stat *sb)
{
	char path[96];
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/%d/root" "/tmp/perf-%d.map", pid,
	    inner_pid(pid));
	if ((fp = open_regular(path, sb)) != NULL)
		return fp;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	return open_regular(path, sb);
}

static int
read_lines(struct symjit *j, FILE *fp)
{
	char *line = NULL, *p;
	uint64_t start, size;
	size_t cap = 0;
	int r = 0;

	while (r == 0 && getline(&line, &cap, fp) > 0) {
		start = strtoull(line, &p, 16);
		if (p == line || *p != ' ')
			continue;
		size = strtoull(p, &p, 16);
		if (*p != ' ' || size == 0)
			continue;
		p += strspn(p, " ");
		r = symlist_add(&j->list, start, size, p, strcspn(p, "\n"),
		    0);
	}
	free(line);
	symlist_sort(&j->list);
	return r;
}

/* Reads the map when it is new or has changed in size. */
static void
jit_read(struct symproc *p)
{
	struct symjit *j = p->jit;
	struct stat sb;
	FILE *fp;

	j->look_ns = clock_now();
	if ((fp = jit_open(p->pid, &sb)) == NULL)
		return;
	if (sb.st_size != j->size && sb.st_size <= bytes_max) {
		symlist_free(&j->list);
		j->size = sb.st_size;
		if (read_lines(j, fp) == -1)
			symlist_free(&j->list);
	}
	fclose(fp);
}

const char *
symjit_find(struct symproc *p, uint64_t addr, uint64_t *off)
{
	struct symrange *r;
	struct symjit *j;

	if (p->jit == NULL &&
	    (p->jit = calloc(1, sizeof(*p->jit))) == NULL)
		return NULL;
	j = p->jit;
	r = symlist_find(&j->list, addr);
	if (r == NULL && clock_now() - j->look_ns > look_again_ns) {
		jit_read(p);
		r = symlist_find(&j->list, addr);
	}
	if (r == NULL)
		return NULL;
	*off = addr - r->start;
	return r->name;
}

void
symjit_free(struct symjit *j)
{
	if (j == NULL)
		return;
	symlist_free(&j->list);
	free(j);
}
