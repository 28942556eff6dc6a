/*
 * symevent.c - perf's side-band events.
 *
 * Source: perf_event_open(2). One software event a CPU that counts nothing;
 * with its records comes the time, by which those of all CPUs are ordered.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libdt/array.h"
#include "libdt/msg.h"
#include "trace/symevent.h"

enum { RING = 512 * 1024, RECORD_MAX = 8192 };

struct evcpu {
	int fd;
	struct perf_event_mmap_page *page;
	const uint8_t *data;
};

struct symevents {
	struct evcpu *cpu;
	size_t ncpu, page;		/* page: bytes of one */
	int ep;
	struct symev *ev;		/* read, not yet given out */
	size_t n, cap;
	bool lost;
};

static int
open_one(struct symevents *se, int cpu)
{
	struct perf_event_attr at = {
		.size = sizeof(at), .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY, .sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1,
		.mmap = 1, .mmap2 = 1, .comm = 1, .comm_exec = 1, .task = 1,
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC,
		.watermark = 1, .wakeup_watermark = RING / 2,
	};
	struct epoll_event ee = { .events = EPOLLIN };
	struct evcpu *c = &se->cpu[se->ncpu];
	void *p;

	c->fd = (int)syscall(SYS_perf_event_open, &at, -1, cpu, -1,
	    PERF_FLAG_FD_CLOEXEC);
	if (c->fd == -1)
		return -1;
	se->ncpu++;
	p = mmap(NULL, se->page + RING, PROT_READ | PROT_WRITE, MAP_SHARED,
	    c->fd, 0);
	if (p == MAP_FAILED)
		return -1;
	c->page = p;
	c->data = (const uint8_t *)p + se->page;
	return epoll_ctl(se->ep, EPOLL_CTL_ADD, c->fd, &ee);
}

int
symevents_open(struct symevents **out, struct msg *m)
{
	struct symevents *se = calloc(1, sizeof(*se));
	int n = (int)sysconf(_SC_NPROCESSORS_CONF), i;

	*out = NULL;
	if (se == NULL)
		return msg_set_nomem(m);
	se->page = (size_t)sysconf(_SC_PAGESIZE);
	se->ep = epoll_create1(EPOLL_CLOEXEC);
	se->cpu = calloc((size_t)n, sizeof(*se->cpu));
	if (se->cpu == NULL || se->ep == -1) {
		symevents_close(se);
		return msg_set_nomem(m);
	}
	for (i = 0; i < n; i++)
		if (open_one(se, i) == -1 && errno != ENODEV) {
			msg_set_errno(m, "perf", NULL,
			    "perf_event_open on CPU %d", i);
			symevents_close(se);
			return -1;
		}
	*out = se;
	return 0;
}

void
symevents_close(struct symevents *se)
{
	size_t i;

	if (se == NULL)
		return;
	for (i = 0; i < se->ncpu; i++) {
		if (se->cpu[i].page != NULL)
			munmap(se->cpu[i].page, se->page + RING);
		close(se->cpu[i].fd);
	}
	for (i = 0; i < se->n; i++)
		free(se->ev[i].path);
	if (se->ep != -1)
		close(se->ep);
	free(se->cpu);
	free(se->ev);
	free(se);
}

int
symevents_fd(const struct symevents *se)
{
	return se->ep;
}

static void
keep(struct symevents *se, const struct symev *e)
{
	if (ARRAY_ROOM(se->ev, se->n, se->cap) == -1) {
		free(e->path);
		se->lost = true;
		return;
	}
	se->ev[se->n++] = *e;
}

struct mmap2 {				/* PERF_RECORD_MMAP2 after its header */
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, gen;
	uint32_t prot, flags;
};
struct task {				/* FORK, EXIT */
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};
struct comm { uint32_t pid, tid; };

static void
take_mmap(struct symevents *se, struct symev *e, const uint8_t *p, size_t n)
{
	struct mmap2 mm;

	if (n < sizeof(mm))
		return;
	memcpy(&mm, p, sizeof(mm));
	e->kind = SYMEV_MAP;
	e->pid = (pid_t)mm.pid;
	e->start = mm.addr;
	e->len = mm.len;
	e->off = mm.pgoff;
	e->inode = mm.ino;
	e->dev_major = mm.maj;
	e->dev_minor = mm.min;
	e->path = strndup((const char *)p + sizeof(mm), n - sizeof(mm));
	if (e->path != NULL)
		keep(se, e);
	else
		se->lost = true;
}

/* One record, its header included; the time is in its last 8 bytes. */
static void
take(struct symevents *se, const uint8_t *p, size_t size)
{
	struct perf_event_header h;
	struct symev e = { 0 };
	struct task tk;
	struct comm cm;

	memcpy(&h, p, sizeof(h));
	if (h.type == PERF_RECORD_LOST)
		se->lost = true;
	if (size < sizeof(h) + 8)
		return;
	memcpy(&e.time, p + size - 8, 8);
	p += sizeof(h);
	size -= sizeof(h) + 8;
	if (h.type == PERF_RECORD_MMAP2) {
		take_mmap(se, &e, p, size);
		return;
	}
	if (h.type == PERF_RECORD_COMM && size >= sizeof(cm) &&
	    (h.misc & PERF_RECORD_MISC_COMM_EXEC)) {
		memcpy(&cm, p, sizeof(cm));
		e.kind = SYMEV_EXEC;
		e.pid = (pid_t)cm.pid;
		keep(se, &e);
	}
	if ((h.type != PERF_RECORD_FORK && h.type != PERF_RECORD_EXIT) ||
	    size < sizeof(tk))
		return;
	memcpy(&tk, p, sizeof(tk));
	e.kind = h.type == PERF_RECORD_FORK ? SYMEV_FORK : SYMEV_EXIT;
	e.pid = (pid_t)tk.pid;
	e.ppid = (pid_t)tk.ppid;
	if (tk.pid == tk.tid && (e.kind == SYMEV_EXIT || tk.pid != tk.ppid))
		keep(se, &e);		/* of processes, not of threads */
}

static void
copy_out(const struct evcpu *c, uint64_t at, uint8_t *buf, size_t n)
{
	size_t from = at % RING, first = RING - from < n ? RING - from : n;

	memcpy(buf, c->data + from, first);
	memcpy(buf + first, c->data, n - first);
}

static void
read_cpu(struct symevents *se, struct evcpu *c)
{
	uint64_t head, tail = c->page->data_tail;
	struct perf_event_header h;
	uint8_t buf[RECORD_MAX];

	head = __atomic_load_n(&c->page->data_head, __ATOMIC_ACQUIRE);
	while (tail < head) {
		copy_out(c, tail, (uint8_t *)&h, sizeof(h));
		if (h.size < sizeof(h))
			break;
		if (h.size <= sizeof(buf)) {
			copy_out(c, tail, buf, h.size);
			take(se, buf, h.size);
		}
		tail += h.size;
	}
	__atomic_store_n(&c->page->data_tail, head, __ATOMIC_RELEASE);
}

static int
cmp_time(const void *va, const void *vb)
{
	const struct symev *a = va, *b = vb;

	return a->time < b->time ? -1 : a->time > b->time;
}

bool
symevents_drain(struct symevents *se, uint64_t until,
    void (*fn)(void *, const struct symev *), void *arg)
{
	size_t i, n = se->n;
	bool lost;

	for (i = 0; i < se->ncpu; i++)
		if (se->cpu[i].page != NULL)
			read_cpu(se, &se->cpu[i]);
	if (se->n != n)
		qsort(se->ev, se->n, sizeof(*se->ev), cmp_time);
	for (i = 0; i < se->n && se->ev[i].time <= until; i++) {
		fn(arg, &se->ev[i]);
		free(se->ev[i].path);
	}
	memmove(se->ev, se->ev + i, (se->n - i) * sizeof(*se->ev));
	se->n -= i;
	lost = se->lost;
	se->lost = false;
	return lost;
}
