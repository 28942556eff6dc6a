/*
 * symevent.h - births, executions, mappings and deaths of processes, as the
 * kernel tells them (perf's side-band events).
 *
 * struct symevents owns its descriptors and ring buffers; symtab.ev points to
 * it. Where it is open, a process that lived too short to be looked at has
 * names all the same.
 */
#ifndef TRACE_SYMEVENT_H
#define TRACE_SYMEVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct msg;
struct symevents;

enum symevkind { SYMEV_FORK, SYMEV_EXEC, SYMEV_MAP, SYMEV_EXIT };

struct symev {
	enum symevkind kind;
	pid_t pid, ppid;		/* FORK: ppid is the parent */
	uint64_t time;			/* ns, CLOCK_MONOTONIC */
	uint64_t start, len, off, inode;	/* MAP, an executable one */
	unsigned dev_major, dev_minor;
	char *path;			/* MAP */
};

/* -1 with *m: the kernel refuses. */
int	symevents_open(struct symevents **, struct msg *m);
void	symevents_close(struct symevents *);
/* A descriptor that polls readable when a buffer is half full. */
int	symevents_fd(const struct symevents *);
/* Calls fn for each event up to `until` (ns), in the order of time; true: some
 * were lost since the last call. */
bool	symevents_drain(struct symevents *, uint64_t until,
	    void (*fn)(void *, const struct symev *), void *arg);

#endif
