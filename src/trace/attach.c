/*
 * attach.c - events attached: raw tracepoints, kprobes, uprobes, perf events.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/btf.h>
#include <linux/perf_event.h>

#include "trace/attach.h"
#include "trace/feature.h"
#include "trace/kernel.h"
#include "trace/provider.h"
#include "trace/threadend.h"
#include "trace/trace.h"

enum { MAXCPU = 4096, SLOW_MAX = 8 };

/* The part of union bpf_attr that <linux/bpf.h> has since Linux 6.6, and the
 * values that go with it. */
struct link_uprobes {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t cnt, multi_flags, pid, pad;
};
enum { TRACE_UPROBE_MULTI = 48, UPROBE_MULTI_RETURN = 1 };

enum bpf_prog_type
event_progtype(const struct event *ev, enum bpf_attach_type *at)
{
	*at = 0;
	switch (ev->type) {
	case EV_RAWTP:
		if (ev->btf_id == 0)
			return BPF_PROG_TYPE_RAW_TRACEPOINT;
		*at = BPF_TRACE_RAW_TP;
		return BPF_PROG_TYPE_TRACING;
	case EV_TP:
		return BPF_PROG_TYPE_TRACEPOINT;
	case EV_TIMER:
		if (!ev->one_cpu)
			return BPF_PROG_TYPE_PERF_EVENT;
		break;
	case EV_FENTRY:
		*at = BPF_TRACE_FENTRY;
		return BPF_PROG_TYPE_TRACING;
	case EV_FEXIT:
		*at = BPF_TRACE_FEXIT;
		return BPF_PROG_TYPE_TRACING;
	case EV_UPROBE:
	case EV_URETPROBE:
		if (ev->multi)
			*at = (enum bpf_attach_type)TRACE_UPROBE_MULTI;
		return BPF_PROG_TYPE_KPROBE;
	case EV_KPROBE:
	case EV_KRETPROBE:
		return BPF_PROG_TYPE_KPROBE;
	case EV_MANUAL:
	case EV_SUBPROG:
		break;
	}
	return ev->self_run ? BPF_PROG_TYPE_KPROBE
	    : BPF_PROG_TYPE_RAW_TRACEPOINT;
}

int
event_link(struct event *ev, int fd, struct msg *m)
{
	int *p;

	/* the capacity is the next power of two */
	if ((ev->nlink & (ev->nlink - 1)) == 0) {
		p = reallocarray(ev->link_fd, ev->nlink == 0 ? 1
		    : ev->nlink * 2, sizeof(*p));
		if (p == NULL) {
			close(fd);
			return msg_set_nomem(m);
		}
		ev->link_fd = p;
	}
	ev->link_fd[ev->nlink++] = fd;
	return 0;
}

static int
perf_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	attr->size = sizeof(*attr);
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1,
	    PERF_FLAG_FD_CLOEXEC);
}

/* Makes the perf event on fd run the event's program. */
static int
perf_run(struct event *ev, int fd, struct msg *m)
{
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, ev->prog_fd) == -1 ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == -1) {
		msg_set_errno(m, "attach", NULL, "cannot attach %s", ev->name);
		close(fd);
		return -1;
	}
	return event_link(ev, fd, m);
}

int
attach_rawtp_id(struct trace *t, struct event *ev, struct msg *m)
{
	char name[128];

	if (t->offline)
		return 0;
	if (kernel_btf(t, m) == NULL)
		return -1;
	snprintf(name, sizeof(name), "btf_trace_%s", ev->tpname);
	ev->btf_id = kernel_btf_id(t, name, BTF_KIND_TYPEDEF);
	return ev->btf_id != 0 ? 0 : msg_set(m, "no-match",
	    "the kernel has no tracepoint %s", ev->tpname);
}

int
attach_rawtp(struct trace *t, struct event *ev, struct msg *m)
{
	bool func = ev->type == EV_FENTRY || ev->type == EV_FEXIT;
	int fd;

	(void)t;
	fd = bpf_raw_tracepoint_open(ev->btf_id != 0 ? NULL : ev->tpname,
	    ev->prog_fd);
	if (fd < 0 && func && errno == EBUSY)
		return msg_set(m, "attach", "the kernel lets nobody trace its "
		    "function %s", ev->tpname);
	if (fd < 0)
		return msg_set_errno(m, "attach", NULL, "cannot attach %s %s",
		    func ? "to function" : "tracepoint", ev->tpname);
	return event_link(ev, fd, m);
}

int
attach_timer(struct trace *t, struct event *ev, struct msg *m)
{
	int cpu[MAXCPU], n = kernel_online(cpu, MAXCPU, m), fd;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = ev->period_ns,
		.disabled = 1,
	};

	(void)t;
	for (int i = 0; i < n; i++) {
		fd = perf_open(&attr, -1, cpu[i]);
		if (fd == -1)
			return msg_set_errno(m, "attach", NULL,
			    "cannot sample on CPU %d", cpu[i]);
		if (perf_run(ev, fd, m) == -1)
			return -1;
	}
	return n > 0 ? 0 : -1;
}

int
attach_tp(struct trace *t, struct event *ev, struct msg *m)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.sample_period = 1,
		.disabled = 1,
	};
	int id = kernel_tp_id(ev->tpname, m), fd;

	(void)t;
	if (id < 0)
		return -1;
	attr.config = (uint64_t)id;
	fd = perf_open(&attr, -1, 0);
	if (fd == -1)
		return msg_set_errno(m, "attach", NULL,
		    "cannot open tracepoint %s", ev->tpname);
	return perf_run(ev, fd, m);
}

/* The perf type of "uprobe" or "kprobe", which is dynamic. */
static int
pmu_type(const char *pmu, struct msg *m)
{
	char path[64];
	int type = -1;
	FILE *fp;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type",
	    pmu);
	fp = fopen(path, "re");
	if (fp == NULL && errno == ENOENT)
		return msg_set_at(m, "attach", path, 0,
		    "the kernel has no %ss", pmu);
	if (fp == NULL)
		return msg_set_errno(m, "attach", path, "cannot open");
	if (fscanf(fp, "%d", &type) != 1)
		type = msg_set_at(m, "attach", path, 0, "not a number");
	fclose(fp);
	return type;
}

int
attach_kprobe(struct trace *t, struct event *ev, struct msg *m)
{
	struct perf_event_attr attr = {
		.sample_period = 1,
		.disabled = 1,
		.config = ev->type == EV_KRETPROBE,
		.kprobe_func = (uintptr_t)ev->tpname,
	};
	int type = pmu_type("kprobe", m), fd;

	(void)t;
	if (type < 0)
		return -1;
	attr.type = (uint32_t)type;
	fd = perf_open(&attr, -1, 0);
	if (fd == -1)
		return msg_set_errno(m, "attach", NULL,
		    "cannot put a kprobe on %s", ev->tpname);
	return perf_run(ev, fd, m);
}

int
attach_uprobe(struct trace *t, struct event *ev, const char *path,
    uint64_t offset, uint64_t sema, pid_t pid, uint64_t cookie,
    struct msg *m)
{
	struct perf_event_attr attr = {
		.sample_period = 1,
		.disabled = 1,
		/* bit 0: at return; from bit 32: the semaphore's offset */
		.config = (ev->type == EV_URETPROBE) | sema << 32,
		.uprobe_path = (uintptr_t)path,
		.probe_offset = offset,
	};
	LIBBPF_OPTS(bpf_link_create_opts, o,
	    .perf_event.bpf_cookie = cookie);
	int type = pmu_type("uprobe", m), fd, link;

	if (type < 0)
		return -1;
	attr.type = (uint32_t)type;
	fd = perf_open(&attr, pid > 0 ? pid : -1, pid > 0 ? -1 : 0);
	if (fd == -1 && errno == EACCES)
		return msg_set_at(m, "attach", path, 0, "probes in programs "
		    "need CAP_SYS_ADMIN too");
	if (fd == -1)
		return msg_set_errno(m, "attach", path,
		    "cannot put a probe at offset %#llx",
		    (unsigned long long)offset);
	if (!kernel_has(t, KF_COOKIE))
		return perf_run(ev, fd, m);
	link = bpf_link_create(ev->prog_fd, fd, BPF_PERF_EVENT, &o);
	if (link < 0) {
		msg_set_errno(m, "attach", path, "cannot attach %s", ev->name);
		close(fd);
		return -1;
	}
	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == -1) {
		msg_set_errno(m, "attach", path, "cannot enable %s", ev->name);
		close(link);
		close(fd);
		return -1;
	}
	/* the link holds the event */
	close(fd);
	return event_link(ev, link, m);
}

int
attach_self(struct trace *t, struct event *ev, const char *path,
    uint64_t offset, struct msg *m)
{
	return attach_uprobe(t, ev, path, offset, 0, getpid(), 0, m);
}

void
attach_undo(struct event *ev)
{
	if (ev->nlink > 0)
		close(ev->link_fd[--ev->nlink]);
}

int
attach_uprobes(struct event *ev, const char *path, size_t n,
    const uint64_t *offset, const uint64_t *sema, const uint64_t *cookie,
    pid_t pid, struct msg *m)
{
	struct link_uprobes a = {
		.prog_fd = (uint32_t)ev->prog_fd,
		.attach_type = TRACE_UPROBE_MULTI,
		.path = (uintptr_t)path,
		.offsets = (uintptr_t)offset,
		.ref_ctr_offsets = (uintptr_t)sema,
		.cookies = (uintptr_t)cookie,
		.cnt = (uint32_t)n,
		.multi_flags = ev->type == EV_URETPROBE ? UPROBE_MULTI_RETURN
		    : 0,
		.pid = pid > 0 ? (uint32_t)pid : 0,
	};
	int fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &a, sizeof(a));

	if (fd == -1)
		return msg_set_errno(m, "attach", path,
		    "cannot put probes at %zu places", n);
	return event_link(ev, fd, m);
}

int
attach_all(struct trace *t, struct msg *m)
{
	for (struct event *ev = provider_events(t); ev != NULL; ev = ev->next) {
		if (ev->nec == 0 || ev->prog_fd < 0)
			continue;
		if (ev->pv->attach(t, ev, m) == -1) {
			attach_detach(t);
			return -1;
		}
	}
	if (threadend_attach(t, m) == -1) {
		attach_detach(t);
		return -1;
	}
	return 0;
}

/*
 * Before Linux 6.10 each place of a user probe is detached by itself, and the
 * kernel waits some 100 ms for each: many would take minutes. It waits less
 * while this is set. Returns whether we set it.
 */
static bool
rcu_hurry(bool on)
{
	int fd = open("/sys/kernel/rcu_expedited", O_RDWR | O_CLOEXEC);
	char c = '1';
	bool done = false;

	if (fd == -1)
		return false;
	/* one who finds it set leaves it so */
	if (!on || (pread(fd, &c, 1, 0) == 1 && c == '0'))
		done = pwrite(fd, on ? "1" : "0", 1, 0) == 1;
	close(fd);
	return done;
}

static size_t
slow_links(const struct trace *t)
{
	size_t n = 0;

	for (struct event *ev = provider_events(t); ev != NULL; ev = ev->next)
		if ((ev->type == EV_UPROBE || ev->type == EV_URETPROBE ||
		    ev->type == EV_TP) && !ev->multi)
			n += ev->nlink;
	return n;
}

void
attach_detach(struct trace *t)
{
	bool hurried = slow_links(t) > SLOW_MAX && rcu_hurry(true);

	for (struct event *ev = provider_events(t); ev != NULL; ev = ev->next) {
		if (ev->pv->detach != NULL)
			ev->pv->detach(t, ev);
		for (size_t i = 0; i < ev->nlink; i++)
			close(ev->link_fd[i]);
		ev->nlink = 0;
	}
	if (hurried)
		(void)rcu_hurry(false);
}
