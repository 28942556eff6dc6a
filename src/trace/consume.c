/*
 * consume.c - the loop of a run: records taken and printed until its end.
 *
 * Records wait in the ring until the next look, once per switchrate, as in
 * DTrace: to be woken for each costs the traced program more than the tracing
 * itself. Lines reach the output after each batch.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <bpf/libbpf.h>
#include <linux/membarrier.h>

#include "libdt/clock.h"
#include "trace/ast.h"
#include "trace/consume.h"
#include "trace/drop.h"
#include "trace/load.h"
#include "trace/opt.h"
#include "trace/print.h"
#include "trace/prog.h"
#include "trace/provider.h"
#include "trace/speculate.h"
#include "trace/sym.h"
#include "trace/trace.h"
#include "trace/victim.h"

enum { BATCH_MAX = 8192, NEVENT = 16, MIN_RATE_NS = 1000000 };

enum source {
	SRC_RING, SRC_SIGNAL, SRC_STATUS, SRC_TICK, SRC_VICTIM, SRC_SYM
};

struct consumer {
	struct trace *t;
	struct victims *vs;
	FILE *err;
	int ep, sigfd, statusfd;
	struct ring_buffer *ring;
	sigset_t oldmask;
	struct tick { int fd; struct event *ev; } *tick;
	size_t ntick;
	struct drops *drops;
	struct spec *spec;
	struct runsums sums;
	size_t batch;			/* records of this batch */
	bool failed;			/* a record could not be printed */
	struct msg why;
};

static struct state *
state_of(const struct trace *t)
{
	return t->prog->map[MAP_STATE].mem;
}

static void
set_activity(struct trace *t, enum activity a)
{
	__atomic_store_n(&state_of(t)->activity, (uint32_t)a,
	    __ATOMIC_SEQ_CST);
}

/* walltimestamp is the monotonic clock and this; the wall clock may be set
 * while we run. */
static void
set_wall(struct trace *t)
{
	struct clock_pair p;

	if (clock_pair_read(&p, NULL) == 0)
		__atomic_store_n(&state_of(t)->boot_wall_ns,
		    (uint64_t)p.wall_ns - p.at_ns, __ATOMIC_RELAXED);
}

static bool
exiting(const struct trace *t)
{
	return __atomic_load_n(&state_of(t)->exiting, __ATOMIC_SEQ_CST) != 0;
}

static int
count_drops(struct consumer *c, struct msg *m)
{
	if (drops_note(c->drops, DROP_SPEC, spec_dropped(c->spec), m) == -1)
		return -1;
	return drops_check(c->drops, m);
}

/* A record out of the ring: negative stops libbpf's loop. */
static int
take_record(void *arg, void *data, size_t size)
{
	struct consumer *c = arg;
	const struct rechead *rec = data;
	int rc;

	if (size < sizeof(*rec))
		return 0;
	c->sums.records++;
	c->sums.bytes += size;
	if (rec->clause == REC_ERROR)
		c->sums.errors++;
	rc = spec_record(c->spec, rec, size, &c->why);
	if (rc == -1) {
		c->failed = true;
		return -ECANCELED;
	}
	return ++c->batch % BATCH_MAX == 0 ? -EAGAIN : 0;
}

/* Reads what is in the ring, at most one batch; its number of records. */
static size_t
take_batch(struct consumer *c)
{
	c->batch = 0;
	ring_buffer__consume(c->ring);
	if (c->batch > 0 && !c->failed &&
	    print_flush(c->t, &c->why) == -1)
		c->failed = true;
	return c->batch;
}

static void
take_all(struct consumer *c)
{
	while (!c->failed && take_batch(c) >= BATCH_MAX)
		;
}

static int
watch(struct consumer *c, int fd, enum source src, size_t i, struct msg *m)
{
	/* the ring is ready as long as it holds anything: only its wake-ups
	 * count */
	struct epoll_event ev = {
	    .events = EPOLLIN | (src == SRC_RING ? EPOLLET : 0),
	    .data.u64 = (uint64_t)src << 32 | i };

	if (epoll_ctl(c->ep, EPOLL_CTL_ADD, fd, &ev) == -1)
		return msg_set_errno(m, "run", NULL, "epoll_ctl");
	return 0;
}

static int
timer_make(uint64_t ns, struct msg *m)
{
	struct timespec ts = { .tv_sec = (time_t)(ns / NS_PER_S),
	    .tv_nsec = (long)(ns % NS_PER_S) };
	struct itimerspec it = { .it_interval = ts, .it_value = ts };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd >= 0 && timerfd_settime(fd, 0, &it, NULL) == 0)
		return fd;
	msg_set_errno(m, "run", NULL, "timerfd");
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Ticks begin with the tracing, not with the load. */
static int
ticks_start(struct consumer *c, struct msg *m)
{
	struct event *ev;

	for (ev = provider_events(c->t); ev != NULL; ev = ev->next) {
		struct tick *k;

		if (ev->type != EV_TIMER || !ev->one_cpu || ev->nec == 0)
			continue;
		k = reallocarray(c->tick, c->ntick + 1, sizeof(*k));
		if (k == NULL)
			return msg_set_nomem(m);
		c->tick = k;
		k = &c->tick[c->ntick];
		k->ev = ev;
		k->fd = timer_make(ev->period_ns, m);
		if (k->fd == -1)
			return -1;
		c->ntick++;
		if (watch(c, k->fd, SRC_TICK, c->ntick - 1, m) == -1)
			return -1;
	}
	return 0;
}

/* ns; 0 is as often as possible. */
static uint64_t
rate_of(const struct consumer *c, enum opt o)
{
	int64_t rate = opt_num(&c->t->opt, o);

	return rate < MIN_RATE_NS ? MIN_RATE_NS : (uint64_t)rate;
}

static int
watch_all(struct consumer *c, struct msg *m)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &set, &c->oldmask) == -1)
		return msg_set_errno(m, "run", NULL, "sigprocmask");
	c->sigfd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (c->sigfd == -1)
		return msg_set_errno(m, "run", NULL, "signalfd");
	c->statusfd = timer_make(rate_of(c, O_STATUSRATE), m);
	if (c->statusfd == -1 ||
	    watch(c, c->sigfd, SRC_SIGNAL, 0, m) == -1 ||
	    watch(c, c->statusfd, SRC_STATUS, 0, m) == -1)
		return -1;
	for (size_t i = 0; i < c->vs->n; i++)
		if (watch(c, c->vs->v[i].pidfd, SRC_VICTIM, i, m) == -1)
			return -1;
	if (c->t->sym != NULL && sym_events_fd(c->t->sym) >= 0 &&
	    watch(c, sym_events_fd(c->t->sym), SRC_SYM, 0, m) == -1)
		return -1;
	return watch(c, c->t->prog->map[MAP_RING].fd, SRC_RING, 0, m);
}

int
consume_new(struct trace *t, struct victims *vs, FILE *err, struct msg *m)
{
	struct consumer *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return msg_set_nomem(m);
	t->con = c;
	c->t = t;
	c->vs = vs;
	c->err = err;
	c->sigfd = c->statusfd = -1;
	sigemptyset(&c->oldmask);
	c->ep = epoll_create1(EPOLL_CLOEXEC);
	if (c->ep == -1)
		return msg_set_errno(m, "run", NULL, "epoll_create1");
	c->ring = ring_buffer__new(t->prog->map[MAP_RING].fd, take_record, c,
	    NULL);
	if (c->ring == NULL)
		return msg_set_errno(m, "run", NULL, "cannot map the ring");
	c->drops = drops_new(t, err, m);
	c->spec = spec_new(t, err, m);
	if (c->drops == NULL || c->spec == NULL)
		return -1;
	return watch_all(c, m);
}

void
consume_free(struct trace *t)
{
	struct consumer *c = t->con;

	if (c == NULL)
		return;
	for (size_t i = 0; i < c->ntick; i++)
		close(c->tick[i].fd);
	free(c->tick);
	ring_buffer__free(c->ring);
	drops_free(c->drops);
	spec_free(c->spec);
	if (c->sigfd >= 0) {
		close(c->sigfd);
		sigprocmask(SIG_SETMASK, &c->oldmask, NULL);
	}
	if (c->statusfd >= 0)
		close(c->statusfd);
	if (c->ep >= 0)
		close(c->ep);
	free(c);
	t->con = NULL;
}

const struct runsums *
consume_sums(const struct trace *t)
{
	struct consumer *c = t->con;

	c->sums.drop = drops_spans(c->drops, &c->sums.ndrop);
	return &c->sums;
}

static uint64_t
timer_read(int fd)
{
	uint64_t n = 0;

	return read(fd, &n, sizeof(n)) == sizeof(n) ? n : 0;
}

/* A tick that is late by whole periods fires once for each of them. */
static int
fire_tick(struct consumer *c, const struct tick *k, struct msg *m)
{
	for (uint64_t n = timer_read(k->fd); n > 0 && !exiting(c->t); n--)
		if (load_run(c->t, k->ev, m) == -1)
			return -1;
	return 0;
}

static void
take_signal(struct consumer *c)
{
	struct signalfd_siginfo si;

	while (read(c->sigfd, &si, sizeof(si)) == sizeof(si)) {
		c->sums.impatient = c->sums.signal != 0;
		c->sums.signal = (int)si.ssi_signo;
	}
}

/* One source that is ready; 1: the ring is. */
static int
take_event(struct consumer *c, uint64_t what, struct msg *m)
{
	size_t i = (uint32_t)what;

	switch ((enum source)(what >> 32)) {
	case SRC_RING:
		return 1;
	case SRC_SIGNAL:
		take_signal(c);
		break;
	case SRC_STATUS:
		timer_read(c->statusfd);
		set_wall(c->t);
		return count_drops(c, m);
	case SRC_TICK:
		return fire_tick(c, &c->tick[i], m);
	case SRC_SYM:
		sym_events(c->t->sym);
		break;
	case SRC_VICTIM:
		victim_ended(&c->vs->v[i]);
		epoll_ctl(c->ep, EPOLL_CTL_DEL, c->vs->v[i].pidfd, NULL);
		break;
	}
	return 0;
}

static bool
over(struct consumer *c)
{
	return c->failed || c->sums.signal != 0 || exiting(c->t) ||
	    victim_all_gone(c->vs);
}

/* Until the next look at the ring, in ms rounded up. */
static int
rest(uint64_t next)
{
	uint64_t now = clock_now();

	return next <= now ? 0 : (int)((next - now) / 1000000) + 1;
}

/* The ring is looked at once per switchrate, and when programs wake us: when
 * a quarter of it has filled, and at exit(). */
static int
loop(struct consumer *c, struct msg *m)
{
	uint64_t rate = rate_of(c, O_SWITCHRATE), next;
	struct epoll_event ev[NEVENT];
	int n, rc;

	next = clock_now() + rate;
	while (!over(c)) {
		n = epoll_wait(c->ep, ev, NEVENT, rest(next));
		if (n == -1 && errno != EINTR)
			return msg_set_errno(m, "run", NULL, "epoll_wait");
		bool ready = clock_now() >= next;
		for (int i = 0; i < n; i++) {
			rc = take_event(c, ev[i].data.u64, m);
			if (rc == -1)
				return -1;
			ready |= rc == 1;
		}
		if (!ready)
			continue;
		next = clock_now() + (take_batch(c) >= BATCH_MAX ? 0 : rate);
	}
	return 0;
}

/* Waits until no program that began before is still running. */
static void
quiesce(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) == -1)
		usleep(20000);
}

static int
run_manual(struct consumer *c, const char *name, struct msg *m)
{
	struct event *ev;

	for (ev = provider_events(c->t); ev != NULL; ev = ev->next)
		if (ev->type == EV_MANUAL && ev->nec > 0 &&
		    strcmp(ev->name, name) == 0)
			return load_run(c->t, ev, m);
	return 0;
}

static int
finish(struct consumer *c, struct msg *m)
{
	set_activity(c->t, AC_DRAINING);
	quiesce();
	take_all(c);
	if (c->sums.impatient || c->failed)
		return 0;
	set_activity(c->t, AC_END);
	if (run_manual(c, "END", m) == -1)
		return -1;
	set_activity(c->t, AC_STOPPED);
	take_all(c);
	return count_drops(c, m);
}

/* What walltimestamp adds to timestamp. */
static uint64_t
wall_offset(void)
{
	struct timespec ts = { 0 };

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec -
	    clock_now();
}

int
consume_run(struct trace *t, struct msg *m)
{
	struct consumer *c = t->con;
	struct state *st = state_of(t);
	int rc;

	set_wall(t);
	st->target = (int32_t)t->target;
	c->sums.begin_ns = clock_now();
	drops_begin(c->drops, c->sums.begin_ns);
	st->boot_wall_ns = wall_offset();
	set_activity(t, AC_BEGIN);
	if (run_manual(c, "BEGIN", m) == -1)
		return -1;
	/* a command that BEGIN runs is seen by the probes */
	if (!exiting(t))
		set_activity(t, AC_ACTIVE);
	take_all(c);
	if (!exiting(t)) {
		if (ticks_start(c, m) == -1 ||
		    victim_release(c->vs, m) == -1 || loop(c, m) == -1)
			return -1;
	}
	rc = finish(c, m);
	c->sums.end_ns = clock_now();
	t->exit_status = st->exiting != 0 ? st->exit_status & 0xff : 0;
	if (rc == 0 && c->failed) {
		if (m != NULL)
			*m = c->why;
		rc = -1;
	}
	return rc;
}
