/*
 * What the parts of perfmap share.
 *
 * Ownership: all of it belongs to the struct perfmap.
 */
#ifndef CAPTURE_PERFMAP_IMPL_H
#define CAPTURE_PERFMAP_IMPL_H

#include <linux/perf_event.h>

#include "capture/perfmap.h"

#define PERF_EVENT_MAX	65536

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	uint64_t lost;		/* told so far */
	uint64_t read_at;	/* ns, when it was read the last time */
};

struct pending;

struct perfmap {
	struct ring *ring;
	unsigned cpus;
	size_t pages;		/* of a ring, a power of two */
	bool counts;		/* read(2) of an event tells what it lost */
	/*
	 * wide: the events are of the whole host, and of them those of the
	 * cohort are given on, in order. Else they are of a task and inherited
	 * by its children, but a set-user-id exec ends that.
	 */
	bool wide;
	struct extra { int fd; unsigned cpu; } *extra;	/* further threads' */
	size_t extras;
	/* perfqueue.c */
	uint8_t *member;	/* a bit for each pid, wide */
	struct pending **queue;
	size_t queued, queue_cap;
	uint64_t round;		/* ns, when the read before began */
	uint8_t event[PERF_EVENT_MAX];
};

/* perfqueue.c: 0 or -1 (no memory) */
int perfqueue_open(struct perfmap *p, pid_t pid);
void perfqueue_close(struct perfmap *p);
/* Takes a copy of an event; without memory it is a loss: false. */
bool perfqueue_add(struct perfmap *p, const struct perfmap_event *e);
/* Gives on, in order of time, what is not younger than until (ns). */
void perfqueue_flush(struct perfmap *p, uint64_t until, perfmap_fn *fn,
    void *arg);

#endif
