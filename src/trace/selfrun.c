/*
 * selfrun.c - a probe on ourselves, to run a program once.
 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "trace/attach.h"
#include "trace/selfrun.h"
#include "trace/trace.h"

static const char exe[] = "/proc/self/exe", maps[] = "/proc/self/maps";

/* Where the probe is put. */
__attribute__((noinline)) static void
here(void)
{
	__asm__ volatile ("" ::: "memory");
}

/* The offset of an address in the file that is mapped there. */
static int
file_offset(uint64_t addr, uint64_t *off, struct msg *m)
{
	FILE *fp = fopen(maps, "re");
	uint64_t start, end, at;
	char line[4352];
	int found = 0;

	if (fp == NULL)
		return msg_set_errno(m, "run", maps, "cannot open");
	while (!found && fgets(line, sizeof(line), fp) != NULL)
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64,
		    &start, &end, &at) == 3 && addr >= start && addr < end) {
			*off = addr - start + at;
			found = 1;
		}
	fclose(fp);
	return found ? 0 : msg_set_at(m, "run", maps, 0,
	    "a function of dt-trace is not in it");
}

int
selfrun(struct trace *t, struct event *ev, struct msg *m)
{
	uint64_t off;

	if (file_offset((uintptr_t)here, &off, m) == -1 ||
	    attach_self(t, ev, exe, off, m) == -1)
		return -1;
	here();
	attach_undo(ev);
	return 0;
}
