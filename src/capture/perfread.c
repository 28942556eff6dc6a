/* perfmap's rings: records read as births and mappings, losses told. */
#include "capture/perfmap_impl.h"

#include <string.h>
#include <unistd.h>

#include "libdt/clock.h"

#define TRAILER		24		/* bytes of the sample id, below */

#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID	(1 << 14)
#endif
#ifndef PERF_RECORD_MISC_COMM_EXEC
#define PERF_RECORD_MISC_COMM_EXEC	(1 << 13)
#endif

/* PERF_RECORD_MMAP2 after its header */
struct mmap2 {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	union {
		struct { uint32_t maj, min; uint64_t ino, gen; } dev;
		struct { uint8_t len, pad[3], id[20]; } build;
	} u;
	uint32_t prot, flags;
	char path[];
};

/* what sample_id_all puts at each record's end, for TID | TIME | CPU */
struct trailer {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, res;
};

static bool
event_map(struct perfmap_event *e, const struct perf_event_header *h,
    const struct trailer *t)
{
	const struct mmap2 *r = (const void *)(h + 1);
	size_t room = (size_t)((const char *)t - r->path);

	if (h->size < sizeof(*h) + sizeof(*r) + sizeof(*t) ||
	    memchr(r->path, '\0', room) == NULL)
		return false;
	e->type = PERFMAP_MAP;
	e->pid = (pid_t)r->pid;
	e->tid = (pid_t)r->tid;
	e->start = r->addr;
	e->end = r->addr + r->len;
	e->offset = r->pgoff;
	e->path = r->path;
	if ((h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) != 0 &&
	    r->u.build.len > 0 && r->u.build.len <= 20) {
		e->id = r->u.build.id;
		e->id_len = r->u.build.len;
	}
	return true;
}

/* After the header: pid, ppid, tid, ptid, time; threads are passed over. */
static bool
event_fork(struct perfmap_event *e, const struct perf_event_header *h)
{
	const uint32_t *id = (const void *)(h + 1);

	if (h->size < sizeof(*h) + 24 + TRAILER || id[0] == id[1])
		return false;
	e->type = PERFMAP_FORK;
	e->child = (pid_t)id[0];
	e->pid = (pid_t)id[1];
	return true;
}

/* Makes an event of a record; false for those that are of no interest. */
static bool
event_make(struct perfmap_event *e, const struct perf_event_header *h)
{
	const struct trailer *t = (const void *)((const char *)h + h->size -
	    TRAILER);

	if (h->size < sizeof(*h) + TRAILER)
		return false;
	memset(e, 0, sizeof(*e));
	e->ts = t->time;
	e->cpu = t->cpu;
	e->pid = (pid_t)t->pid;
	e->tid = (pid_t)t->tid;
	switch (h->type) {
	case PERF_RECORD_MMAP2:
		return event_map(e, h, t);
	case PERF_RECORD_COMM:
		e->type = PERFMAP_EXEC;
		return (h->misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
	case PERF_RECORD_FORK:
		return event_fork(e, h);
	default:
		return false;
	}
}

/* What one event has lost so far, 0 if that cannot be told. */
static uint64_t
lost_of(int fd)
{
	uint64_t v[2];

	return read(fd, v, sizeof(v)) == (ssize_t)sizeof(v) ? v[1] : 0;
}

/* All that the events of a CPU have lost. */
static uint64_t
lost_now(const struct perfmap *p, unsigned cpu)
{
	uint64_t sum = lost_of(p->ring[cpu].fd);
	size_t i;

	for (i = 0; i < p->extras; i++)
		if (p->extra[i].cpu == cpu)
			sum += lost_of(p->extra[i].fd);
	return sum;
}

/*
 * Tells of events lost since the ring was read before. The kernel writes of
 * a loss into the ring only with the next event, which may never come.
 */
static void
lost_tell(struct perfmap *p, unsigned cpu, uint64_t records, perfmap_fn *fn,
    void *arg)
{
	struct ring *r = &p->ring[cpu];
	struct perfmap_event e = { .type = PERFMAP_LOST, .cpu = cpu };
	uint64_t now = p->counts ? lost_now(p, cpu) : r->lost + records;

	if (now <= r->lost)
		return;
	e.count = now - r->lost;
	e.start = r->read_at;
	e.end = e.ts = clock_now();
	r->lost = now;
	fn(arg, &e);
}

/* A record that begins at tail, put together in p->event. */
static struct perf_event_header *
record_get(struct perfmap *p, const char *data, size_t size, uint64_t tail)
{
	struct perf_event_header *h = (void *)p->event;
	size_t at = tail & (size - 1), part;

	/* Records are multiples of 8 bytes: a header never wraps. */
	memcpy(h, data + at, sizeof(*h));
	if (h->size < sizeof(*h))
		return h;
	part = size - at < h->size ? size - at : h->size;
	memcpy(p->event + sizeof(*h), data + at + sizeof(*h),
	    part - sizeof(*h));
	memcpy(p->event + part, data, h->size - part);
	return h;
}

static void
ring_read(struct perfmap *p, unsigned cpu, bool last, perfmap_fn *fn,
    void *arg)
{
	struct ring *r = &p->ring[cpu];
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = p->pages * page;
	const char *data = (const char *)r->page + page;
	uint64_t head = __atomic_load_n(&r->page->data_head,
	    __ATOMIC_ACQUIRE), tail = r->page->data_tail, records = 0;
	struct perf_event_header *h;
	struct perfmap_event e;
	bool full = head - tail > size / 4 * 3;

	while (tail < head) {
		h = record_get(p, data, size, tail);
		if (h->size < sizeof(*h) || h->size > head - tail)
			break;
		tail += h->size;
		if (h->type == PERF_RECORD_LOST)
			records += ((const uint64_t *)(h + 1))[1];
		else if (!event_make(&e, h))
			continue;
		else if (!p->wide)
			fn(arg, &e);
		else if (!perfqueue_add(p, &e))
			records++;
	}
	__atomic_store_n(&r->page->data_tail, head, __ATOMIC_RELEASE);
	if (full || last || records > 0)
		lost_tell(p, cpu, records, fn, arg);
	r->read_at = clock_now();
}

void
perfmap_read(struct perfmap *p, bool last, perfmap_fn *fn, void *arg)
{
	uint64_t begin = clock_now();
	unsigned cpu;

	for (cpu = 0; cpu < p->cpus; cpu++)
		if (p->ring[cpu].page != NULL)
			ring_read(p, cpu, last, fn, arg);
	if (!p->wide)
		return;
	/* What was older when the read before began has come from all CPUs. */
	perfqueue_flush(p, last ? UINT64_MAX : p->round, fn, arg);
	p->round = begin;
}
