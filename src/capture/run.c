/* Attaching, the window and the stop: collectors watched against the limits. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/capture.h"

#define TICK_MS		100
#define TICK_NS		(NS_PER_S / 1000 * TICK_MS)
#define EXEC_NS		(2 * NS_PER_S)
#define TARGET_END_NS	(10 * NS_PER_S)

int
run_interrupted(struct capture *c, struct msg *m)
{
	return msg_set(m, "interrupted", "ended by signal %d (%s) before the "
	    "window began", c->signal, strsignal(c->signal));
}

/* Why a collector that has gone went, for people. */
static void
collector_fate(const struct collector *c, char *buf, size_t cap)
{
	const char *said = c->errors > 0 ? c->error[c->errors - 1] : "";
	const char *sep = said[0] != '\0' ? ": " : "";

	if (c->signal != 0)
		snprintf(buf, cap, "killed by signal %d (%s)%s%s", c->signal,
		    strsignal(c->signal), sep, said);
	else
		snprintf(buf, cap, "exit status %d%s%s", c->exit_code, sep,
		    said);
}

/* One that fails: if it is required, that is the end of the capture. */
static int
collector_lost(struct capture *c, struct collector *col, const char *what,
    struct msg *m)
{
	char buf[400];

	snprintf(buf, sizeof(buf), "%s", what);
	staging_log(&c->st, "collector %s: %s", family_name(col->family), buf);
	if (col->required)
		return msg_set(m, "collector", "collector %s: %s",
		    family_name(col->family), buf);
	return 0;
}

uint64_t
run_bytes(struct capture *c)
{
	struct stat st;
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < c->ncol; i++)
		sum += collector_bytes(&c->col[i]);
	if (c->maps.open && fstat(fileno(c->maps.out.fp), &st) == 0)
		sum += (uint64_t)st.st_size;
	if (c->own_stdout && fstat(c->out, &st) == 0)
		sum += (uint64_t)st.st_size;
	return sum;
}

/* Room on the disk, and below --max-bytes. */
static int
limits_check(struct capture *c, struct msg *m)
{
	if (staging_check(&c->st, m) == -1)
		return -1;
	if (run_bytes(c) > c->set->max_bytes)
		return msg_set(m, "max-bytes", "more than --max-bytes %" PRIu64
		    " were written", c->set->max_bytes);
	return 0;
}

/* until, or the next moment to look at everything */
static uint64_t
soon(uint64_t until)
{
	uint64_t next = clock_now() + TICK_NS;

	return until < next ? until : next;
}

/*
 * Waits for a collector to end after a signal: in vain when the time is over,
 * and, but for SIGKILL, which is answered as soon as can be, when the user
 * hastens or there is no more room for what it writes.
 */
static void
stop_wait(struct capture *c, struct collector *col, int sig, uint64_t until)
{
	unsigned seen = c->interrupts;

	while (collector_alive(col) && clock_now() < until &&
	    (sig == SIGKILL || (c->interrupts == seen &&
	    limits_check(c, NULL) == 0)))
		loop_wait(c, soon(until), NULL);
}

/* Ends one collector alone: INT, TERM, KILL, each in its time. */
static void
collector_stop(struct capture *c, struct collector *col, int from)
{
	static const int how[] = { SIGINT, SIGTERM, SIGKILL };
	int i;

	for (i = from; i < 3 && collector_alive(col); i++) {
		collector_signal(col, how[i]);
		stop_wait(c, col, how[i], clock_now() + c->set->stop_ns[i]);
	}
	if (collector_alive(col))
		collector_error(col, "it outlived SIGKILL");
	staging_log(&c->st, "collector %s: stopped by %u signals",
	    family_name(col->family), col->stops);
}

static int
attach_wait(struct capture *c, struct collector *col, struct msg *m)
{
	uint64_t until = clock_now() + c->ack_ns;
	char fate[300], what[400];

	for (;;) {
		loop_wait(c, soon(until), col);
		if (limits_check(c, m) == -1)
			return -1;
		if (collector_alive(col) || col->state == COLLECTOR_STARTED) {
			int rc = collector_ready(col, m);

			if (rc == 1)
				return c->interrupts == 0 ? 0 :
				    run_interrupted(c, m);
			if (rc == -1) {
				collector_error(col, "%s", m->text);
				return 1;
			}
		}
		if (!collector_alive(col)) {
			collector_fate(col, fate, sizeof(fate));
			snprintf(what, sizeof(what), "ended before it was "
			    "ready: %s", fate);
			collector_error(col, "%s", what);
			return 1;
		}
		if (c->interrupts > 0)
			return run_interrupted(c, m);
		if (c->target.ended)
			return msg_set(m, "target", "the target ended before "
			    "all collectors were attached");
		if (clock_now() >= until) {
			collector_error(col, "not ready within %.3g s",
			    (double)c->ack_ns / 1e9);
			return 1;
		}
		/* Something else grew or ended; the spool may grow in bits. */
		if (collector_bytes(col) > 0)
			usleep(1000);
	}
}

int
run_attach(struct capture *c, struct collector *col, struct msg *m)
{
	unsigned why;
	int rc;

	if (collector_start(col, &c->st, &c->tracer, c->set, c->target.pid,
	    c->guard, &c->mask, m) == -1) {
		collector_error(col, "%s", m->text);
		return collector_lost(c, col, m->text, m);
	}
	rc = attach_wait(c, col, m);
	if (rc == 0) {
		staging_log(&c->st, "collector %s: ready after %.1f ms",
		    family_name(col->family),
		    (double)(col->ack - col->started) / 1e6);
		return 0;
	}
	if (rc == -1)
		return -1;
	why = col->errors - 1;
	if (collector_alive(col))
		collector_stop(c, col, 0);
	/* what it said when it went, if it did */
	if (!collector_alive(col))
		why = col->errors - 1;
	col->state = COLLECTOR_FAILED;
	return collector_lost(c, col, col->error[why], m);
}

/*
 * An exec takes any time: who is to do it may be stopped, or be traced. One
 * that only just begins is waited for: then there is a window.
 */
int
run_release(struct capture *c, struct msg *m)
{
	uint64_t until = clock_now() + EXEC_NS;

	if (target_go(&c->target, m) == -1)
		return -1;
	while (!target_answers(&c->target, TICK_MS)) {
		loop_wait(c, 0, NULL);
		if (c->interrupts > 0 && clock_now() >= until)
			return run_interrupted(c, m);
		if (limits_check(c, m) == -1)
			return -1;
	}
	return target_released(&c->target, m);
}

static int
window_check(struct capture *c, struct msg *m)
{
	char fate[300], what[400];
	unsigned i;

	/* First: a full disk also ends the tracers that write there. */
	if (limits_check(c, m) == -1 || staging_logged(&c->st, m) == -1)
		return -1;
	for (i = 0; i < c->ncol; i++) {
		struct collector *col = &c->col[i];

		if (col->state != COLLECTOR_ENDED || col->told)
			continue;
		collector_fate(col, fate, sizeof(fate));
		snprintf(what, sizeof(what), "ended within the window: %s",
		    fate);
		collector_error(col, "%s", what);
		col->told = true;
		if (collector_lost(c, col, what, m) == -1)
			return -1;
	}
	return 0;
}

int
run_window(struct capture *c, struct msg *m)
{
	uint64_t end = c->set->duration_ns == 0 ? UINT64_MAX :
	    c->window.workload_start + c->set->duration_ns, until;

	for (;;) {
		/* Ctrl-C may have ended the target, too. */
		if (c->interrupts > 0) {
			c->ended = BY_SIGNAL;
			break;
		}
		if (c->target.ended) {
			c->ended = BY_EXIT;
			break;
		}
		if (clock_now() >= end) {
			c->ended = BY_DURATION;
			break;
		}
		until = soon(end);
		if (c->maps.perf == NULL && c->maps.next < until)
			until = c->maps.next;
		loop_wait(c, until, NULL);
		if (c->maps.perf == NULL)
			members_read(&c->members, c->col[0].spool);
		if (window_check(c, m) == -1)
			return -1;
	}
	c->window.workload_done = clock_now();
	staging_log(&c->st, "window ends: %s", c->ended == BY_EXIT ?
	    "the target has ended" : c->ended == BY_DURATION ?
	    "its duration has passed" : "interrupted");
	return 0;
}

/* Whoever lives still may write and holds his probes: there is no end yet. */
static int
ends_check(const struct capture *c, unsigned from, unsigned to, struct msg *m)
{
	unsigned i;

	for (i = from; i < to; i++)
		if (collector_alive(&c->col[i]))
			return msg_set(m, "collector", "collector %s cannot "
			    "be ended: it outlived SIGKILL",
			    family_name(c->col[i].family));
	return 0;
}

/* Together, so that their waits overlap; once, also if it is called again. */
int
run_stop(struct capture *c, bool procs, struct msg *m)
{
	unsigned i, from = procs ? 0 : 1, to = procs ? 1 : c->ncol;

	for (i = from; i < to; i++)
		if (collector_alive(&c->col[i]) && c->col[i].stops == 0)
			collector_signal(&c->col[i], SIGINT);
	for (i = from; i < to; i++) {
		struct collector *col = &c->col[i];

		if (!collector_alive(col) || col->stops > 1)
			continue;
		stop_wait(c, col, SIGINT,
		    col->stop[0].at + c->set->stop_ns[0]);
		if (collector_alive(col))
			collector_stop(c, col, 1);
	}
	return limits_check(c, m) == -1 ? -1 : ends_check(c, from, to, m);
}

void
run_end_target(struct capture *c)
{
	uint64_t until = clock_now() + TARGET_END_NS;
	unsigned seen = c->interrupts;

	if (!c->target.launched || !c->target.released || c->target.ended)
		return;
	staging_log(&c->st, "the target still runs: SIGTERM");
	kill(c->target.pid, SIGTERM);
	while (!c->target.ended && clock_now() < until &&
	    c->interrupts == seen)
		loop_wait(c, until, NULL);
	if (!c->target.ended)
		staging_log(&c->st, "the target goes on in spite of SIGTERM");
}
