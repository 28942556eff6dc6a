/* The living processes of the cohort, from the spool of procs. */
#include "capture/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/array.h"

int
members_add(struct members *s, pid_t pid)
{
	if (ARRAY_ROOM(s->pid, s->n, s->cap) == -1)
		return -1;
	s->pid[s->n++] = pid;
	return 0;
}

static void
members_drop(struct members *s, pid_t pid)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->pid[i] == pid) {
			s->pid[i] = s->pid[--s->n];
			return;
		}
}

static int
members_line(struct members *s, const char *line)
{
	long pid, child;

	if (sscanf(line, "proc-fork\t%*s\t%ld\t%*s\t%*s\t%ld", &pid,
	    &child) == 2)
		return members_add(s, (pid_t)child);
	if (sscanf(line, "proc-exit\t%*s\t%ld", &pid) == 1)
		members_drop(s, (pid_t)pid);
	return 0;
}

int
members_read(struct members *s, int spool)
{
	char buf[65536], *line, *end;
	ssize_t n;

	while ((n = pread(spool, buf, sizeof(buf) - 1, s->at)) > 0) {
		buf[n] = '\0';
		for (line = buf; (end = strchr(line, '\n')) != NULL;
		    line = end + 1) {
			*end = '\0';
			if (members_line(s, line) == -1)
				return -1;
		}
		/* A line that fills the buffer is none of these two kinds. */
		if (line == buf && n < (ssize_t)sizeof(buf) - 1)
			return 0;
		s->at += line == buf ? n : line - buf;
	}
	return n == 0 ? 0 : -1;
}

void
members_free(struct members *s)
{
	free(s->pid);
	memset(s, 0, sizeof(*s));
}
