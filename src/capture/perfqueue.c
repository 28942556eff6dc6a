/*
 * Events of the whole host, put in order, and of them those of the cohort: a
 * process is of it if it is the first one, or if one of it has forked it.
 */
#include "capture/perfmap_impl.h"

#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"

#define PIDS	(1u << 22)	/* PID_MAX_LIMIT of Linux */

struct pending {
	struct perfmap_event e;
	uint64_t serial;	/* order of reading, where times are equal */
	uint8_t id[20];
	char path[];
};

int
perfqueue_open(struct perfmap *p, pid_t pid)
{
	p->member = calloc(PIDS / 8, 1);
	if (p->member == NULL || (unsigned)pid >= PIDS)
		return -1;
	p->member[pid / 8] |= (uint8_t)(1 << pid % 8);
	return 0;
}

void
perfqueue_close(struct perfmap *p)
{
	size_t i;

	for (i = 0; i < p->queued; i++)
		free(p->queue[i]);
	free(p->queue);
	free(p->member);
	p->queue = NULL;
	p->member = NULL;
	p->queued = p->queue_cap = 0;
}

bool
perfqueue_add(struct perfmap *p, const struct perfmap_event *e)
{
	size_t len = e->path != NULL ? strlen(e->path) + 1 : 0;
	struct pending *q;

	if (ARRAY_ROOM(p->queue, p->queued, p->queue_cap) == -1)
		return false;
	q = malloc(sizeof(*q) + len);
	if (q == NULL)
		return false;
	q->e = *e;
	q->serial = p->queued;
	if (len > 0)
		q->e.path = memcpy(q->path, e->path, len);
	if (e->id != NULL && e->id_len <= sizeof(q->id))
		q->e.id = memcpy(q->id, e->id, e->id_len);
	p->queue[p->queued++] = q;
	return true;
}

static int
by_time(const void *a, const void *b)
{
	const struct pending *x = *(struct pending *const *)a;
	const struct pending *y = *(struct pending *const *)b;

	if (x->e.ts != y->e.ts)
		return x->e.ts < y->e.ts ? -1 : 1;
	return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static bool
is_member(const struct perfmap *p, pid_t pid)
{
	return pid >= 0 && (unsigned)pid < PIDS &&
	    (p->member[pid / 8] >> pid % 8 & 1) != 0;
}

/* A pid that is used again belongs to whom its new parent belongs. */
static void
fork_note(struct perfmap *p, const struct perfmap_event *e)
{
	uint8_t bit = (uint8_t)(1 << e->child % 8);

	if (e->child < 0 || (unsigned)e->child >= PIDS)
		return;
	if (is_member(p, e->pid))
		p->member[e->child / 8] |= bit;
	else
		p->member[e->child / 8] &= (uint8_t)~bit;
}

void
perfqueue_flush(struct perfmap *p, uint64_t until, perfmap_fn *fn, void *arg)
{
	size_t i;

	if (p->queued > 1)
		qsort(p->queue, p->queued, sizeof(*p->queue), by_time);
	for (i = 0; i < p->queued && p->queue[i]->e.ts <= until; i++) {
		if (p->queue[i]->e.type == PERFMAP_FORK)
			fork_note(p, &p->queue[i]->e);
		else if (is_member(p, p->queue[i]->e.pid))
			fn(arg, &p->queue[i]->e);
		free(p->queue[i]);
	}
	if (i > 0)
		memmove(p->queue, p->queue + i,
		    (p->queued - i) * sizeof(*p->queue));
	p->queued -= i;
	for (i = 0; i < p->queued; i++)
		p->queue[i]->serial = i;
}
