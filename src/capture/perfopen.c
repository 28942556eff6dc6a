/* perfmap's events and rings: opened and closed. */
#include "capture/perfmap_impl.h"

#include <errno.h>
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

#define PAGES_TASK	64		/* of a ring, powers of two */
#define PAGES_WIDE	256

/* PERF_FORMAT_LOST, since Linux 6.0; read(2) then gives a value and that */
#define FORMAT_LOST	(1u << 4)

/* level 0 asks for all; 1 and 2 for what older kernels have. */
static void
attr_make(const struct perfmap *p, struct perf_event_attr *a, int level)
{
	memset(a, 0, sizeof(*a));
	a->type = PERF_TYPE_SOFTWARE;
	a->size = sizeof(*a);
	a->config = PERF_COUNT_SW_DUMMY;
	a->sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	a->inherit = !p->wide;
	a->task = p->wide;
	a->exclude_kernel = 1;
	a->mmap = 1;
	a->mmap2 = 1;
	a->comm = 1;
	a->comm_exec = 1;
	a->sample_id_all = 1;
	a->watermark = 1;
	a->wakeup_watermark = (uint32_t)p->pages * 4096 / 4;
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
		attr_make(p, &a, level);
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
	at = mmap(NULL, (p->pages + 1) * (size_t)sysconf(_SC_PAGESIZE),
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

static void
rings_close(struct perfmap *p)
{
	struct ring *r;
	unsigned cpu;
	size_t i;

	for (i = 0; i < p->extras; i++)
		close(p->extra[i].fd);
	p->extras = 0;
	for (cpu = 0; cpu < p->cpus; cpu++) {
		r = &p->ring[cpu];
		if (r->page != NULL)
			munmap(r->page, (p->pages + 1) *
			    (size_t)sysconf(_SC_PAGESIZE));
		if (r->fd != -1)
			close(r->fd);
		memset(r, 0, sizeof(*r));
		r->fd = -1;
	}
}

/* All processes of the host: 0, or -1 where that is not allowed. */
static int
wide_open(struct perfmap *p, pid_t pid)
{
	unsigned cpu;

	p->wide = true;
	p->pages = PAGES_WIDE;
	for (cpu = 0; cpu < p->cpus; cpu++)
		if (ring_open(p, -1, cpu) == -1)
			return -1;
	return perfqueue_open(p, pid);
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
	if (wide_open(p, pid) == 0)
		return p;
	rings_close(p);
	p->wide = false;
	p->pages = PAGES_TASK;
	if (threads_open(p, pid, m) == 0)
		return p;
	perfmap_close(p);
	return NULL;
}

void
perfmap_close(struct perfmap *p)
{
	if (p == NULL)
		return;
	rings_close(p);
	perfqueue_close(p);
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
