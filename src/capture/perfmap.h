/*
 * Mappings of a process tree as the kernel tells them while they are made: one
 * perf dummy event a CPU, of the whole host where that is allowed, else
 * inherited by the children (perf_event_open(2)).
 *
 * Ownership: a struct perfmap is freed by perfmap_close(); a perfmap_event is
 * lent to the callback.
 */
#ifndef CAPTURE_PERFMAP_H
#define CAPTURE_PERFMAP_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <limits.h>
#include <sys/types.h>

#include "libdt/msg.h"

enum perfmap_type {
	PERFMAP_MAP,		/* an executable mapping */
	PERFMAP_EXEC,		/* all mappings of the process have gone */
	PERFMAP_FORK,		/* never given on: pid has made child */
	PERFMAP_LOST,		/* count events were lost from start to end,
				   ns, on that cpu */
};

#define PERFMAP_NO_CPU	UINT_MAX	/* it was read, and not told */

struct perfmap_event {
	enum perfmap_type type;
	uint64_t ts;		/* ns, CLOCK_MONOTONIC */
	pid_t pid, tid, child;
	unsigned cpu;
	uint64_t start, end, offset;
	const char *path;	/* as the process sees it; "//anon", "[vdso]" */
	const uint8_t *id;	/* build-id, NULL = not known */
	unsigned id_len;
	uint64_t count;
};
typedef void perfmap_fn(void *arg, const struct perfmap_event *e);

struct perfmap;

/*
 * Watches a process, all its threads, and whatever they give birth to. NULL
 * with m (id "perf") if the kernel or the privilege is not there for it.
 */
struct perfmap *perfmap_open(pid_t pid, struct msg *m);
void perfmap_close(struct perfmap *p);

/* Descriptors to poll(2) for input; fills up to cap, returns their number. */
size_t perfmap_poll(const struct perfmap *p, struct pollfd *fds, size_t cap);

/*
 * Everything there is now, in order for each CPU; the last time with `last`,
 * so that no loss goes unnoticed.
 */
void perfmap_read(struct perfmap *p, bool last, perfmap_fn *fn, void *arg);

#endif
