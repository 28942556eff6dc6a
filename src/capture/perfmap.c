#include "capture/perfmap.h"

#include <linux/perf_event.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libdt/clock.h"
#include "libdt/proc.h"

#define RING_PAGES	64		/* a power of two */
#define TRAILER		24		/* bytes of the sample id, below */
#define EVENT_MAX	65536

#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID	(1 << 14)
#endif
/* PERF_FORMAT_LOST, since Linux 6.0; read(2) then gives a value and that */
#define FORMAT_LOST	(1u << 4)
#ifndef PERF_RECORD_MISC_COMM_EXEC
#define PERF_RECORD_MISC_COMM_EXEC	(1 << 13)
#endif

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	uint64_t lost;		/* told so far */
	uint64_t read_at;	/* ns, when it was read the last time */
};

struct perfmap {
	struct ring *ring;
	unsigned cpus;
	struct extra { int fd; unsigned cpu; } *extra;	/* further threads' */
	size_t extras;
	bool counts;		/* read(2) of an event tells what it lost */
	uint8_t event[EVENT_MAX];
};

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

/* level 0 asks for all; 1 and 2 for what older kernels have. */
static void
attr_make(struct perf_event_attr *a, int level)
{
	memset(a, 0, sizeof(*a));
	a->type = PERF_TYPE_SOFTWARE;
	a->size = sizeof(*a);
	a->config = PERF_COUNT_SW_DUMMY;
	a->sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	a->inherit = 1;
	a->exclude_kernel = 1;
	a->mmap = 1;
	a->mmap2 = 1;
	a->comm = 1;
	a->comm_exec = 1;
	a->sample_id_all = 1;
	a->watermark = 1;
	a->wakeup_watermark = RING_PAGES * 4096 / 4;
	a->use_clockid = 1;
	a->clockid = CLOCK_MONOTONIC;
	a->build_id = level < 2;	/* since Linux 5.12 */
	a->read_format = level < 1 ? FORMAT_LOST : 0;
}

static int
event_open(struct perfmap *p, pid_t tid, unsigned cpu)
{
	struct perf_event_attr a;
	long fd = -1;
	int level;

	for (level = 0; level < 3 && fd == -1; level++) {
		attr_make(&a, level);
		fd = syscall(SYS_perf_event_open, &a, tid, cpu, -1,
		    PERF_FLAG_FD_CLOEXEC);
		p->counts = level == 0;
		if (fd == -1 && errno != EINVAL && errno != E2BIG)
			break;
	}
	return (int)fd;
}

/* The first thread's event of a CPU has the ring. */
static int
ring_open(struct perfmap *p, pid_t tid, unsigned cpu)
{
	struct ring *r = &p->ring[cpu];
	void *at;

	r->fd = event_open(p, tid, cpu);
	r->read_at = clock_now();
	if (r->fd == -1)
		return errno == ENODEV ? 0 : -1;	/* CPU is offline */
	at = mmap(NULL, (RING_PAGES + 1) * (size_t)sysconf(_SC_PAGESIZE),
	    PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (at == MAP_FAILED)
		return -1;
	r->page = at;
	return 0;
}

static int
extra_open(struct perfmap *p, pid_t tid, unsigned cpu)
{
	struct extra *bigger;
	int fd;

	if (p->ring[cpu].fd == -1)
		return 0;
	fd = event_open(p, tid, cpu);
	if (fd == -1)
		return errno == ESRCH ? 0 : -1;
	bigger = realloc(p->extra, (p->extras + 1) * sizeof(*bigger));
	if (bigger == NULL ||
	    ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, p->ring[cpu].fd) == -1) {
		if (bigger != NULL)
			p->extra = bigger;
		close(fd);
		return -1;
	}
	p->extra = bigger;
	p->extra[p->extras++] = (struct extra){ fd, cpu };
	return 0;
}

static void
files_raise(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < r.rlim_max) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

static int
threads_open(struct perfmap *p, pid_t pid, struct msg *m)
{
	pid_t *tids = NULL;
	size_t n = 0, i;
	unsigned cpu;
	int rc = 0;

	if (proc_threads(pid, &tids, &n, m) == -1)
		return -1;
	if (n > 16)
		files_raise();
	for (cpu = 0; cpu < p->cpus && rc == 0; cpu++)
		rc = ring_open(p, tids[0], cpu);
	for (i = 1; i < n && rc == 0; i++)
		for (cpu = 0; cpu < p->cpus && rc == 0; cpu++)
			rc = extra_open(p, tids[i], cpu);
	free(tids);
	return rc == 0 ? 0 : msg_set_errno(m, "perf", NULL,
	    "perf_event_open");
}

struct perfmap *
perfmap_open(pid_t pid, struct msg *m)
{
	struct perfmap *p = calloc(1, sizeof(*p));
	unsigned cpu;

	if (p == NULL) {
		msg_set_nomem(m);
		return NULL;
	}
	p->cpus = (unsigned)sysconf(_SC_NPROCESSORS_CONF);
	p->ring = calloc(p->cpus, sizeof(*p->ring));
	if (p->ring == NULL) {
		free(p);
		msg_set_nomem(m);
		return NULL;
	}
	for (cpu = 0; cpu < p->cpus; cpu++)
		p->ring[cpu].fd = -1;
	if (threads_open(p, pid, m) == -1) {
		perfmap_close(p);
		return NULL;
	}
	return p;
}

void
perfmap_close(struct perfmap *p)
{
	unsigned cpu;
	size_t i;

	if (p == NULL)
		return;
	for (i = 0; i < p->extras; i++)
		close(p->extra[i].fd);
	for (cpu = 0; cpu < p->cpus; cpu++) {
		if (p->ring[cpu].page != NULL)
			munmap(p->ring[cpu].page, (RING_PAGES + 1) *
			    (size_t)sysconf(_SC_PAGESIZE));
		if (p->ring[cpu].fd != -1)
			close(p->ring[cpu].fd);
	}
	free(p->extra);
	free(p->ring);
	free(p);
}

size_t
perfmap_poll(const struct perfmap *p, struct pollfd *fds, size_t cap)
{
	size_t n = 0;
	unsigned cpu;

	for (cpu = 0; cpu < p->cpus && n < cap; cpu++)
		if (p->ring[cpu].fd != -1)
			fds[n++] = (struct pollfd){
				.fd = p->ring[cpu].fd, .events = POLLIN
			};
	return n;
}

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
	size_t size = RING_PAGES * page;
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
		else if (event_make(&e, h))
			fn(arg, &e);
	}
	__atomic_store_n(&r->page->data_tail, head, __ATOMIC_RELEASE);
	if (full || last || records > 0)
		lost_tell(p, cpu, records, fn, arg);
	r->read_at = clock_now();
}

void
perfmap_read(struct perfmap *p, bool last, perfmap_fn *fn, void *arg)
{
	unsigned cpu;

	for (cpu = 0; cpu < p->cpus; cpu++)
		if (p->ring[cpu].page != NULL)
			ring_read(p, cpu, last, fn, arg);
}
