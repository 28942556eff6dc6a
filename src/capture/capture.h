/*
 * One capture from identity to drain: the state that its steps share.
 *
 * Ownership: a struct capture owns all its parts from capture_begin() to
 * capture_end(); set is the caller's.
 */
#ifndef CAPTURE_CAPTURE_H
#define CAPTURE_CAPTURE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/capabilities.h"
#include "capture/collector.h"
#include "capture/host.h"
#include "capture/maps.h"
#include "capture/members.h"
#include "capture/settings.h"
#include "capture/staging.h"
#include "capture/target.h"
#include "capture/tracer.h"
#include "libdt/clock.h"

enum ended { BY_EXIT, BY_DURATION, BY_SIGNAL };

struct window {			/* ns on the bundle's clock, 0 = not reached */
	uint64_t ready, attached, warmup_done;
	uint64_t workload_start, workload_done, drained;
};

/* Told from time to time: bytes so far, and ns since the window began. */
struct capture_watch {
	void (*tick)(void *arg, enum phase p, uint64_t bytes, uint64_t ns);
	void *arg;
};

struct capture {
	const struct settings *set;
	const struct capture_watch *watch;
	struct capabilities can;
	struct tracer tracer;
	uint64_t ack_ns;
	struct staging st;
	struct target target;
	struct collector col[FAMILY_N];
	unsigned ncol;
	struct maps maps;
	char maps_error[256];
	uint64_t inflight_at;	/* ns, 0 = not taken */
	char inflight_error[256];
	struct members members;
	int guard;
	int out;		/* the target's stdout, -1 = stderr */
	cJSON *host;
	struct clock_pair clock_start, clock_end;
	int64_t suspended_start, suspended_end;
	struct window window;
	enum ended ended;
	enum phase phase;
	char reason[512];	/* of an abort */
	bool own_stdout;	/* target.out is a log of the bundle */
	/* signals */
	sigset_t mask;		/* as it was: what children run with */
	struct sigaction xfsz, pipe;	/* as they were */
	mode_t umask;
	int sigfd;
	unsigned interrupts;	/* INT, TERM and HUP so far */
	int signal;		/* the last of them */
};

/* How a capture ended. */
enum capture_end {
	CAPTURE_DONE,
	CAPTURE_ABORTED,	/* what was gathered is in staging */
	CAPTURE_CANNOT,		/* nothing had begun */
	CAPTURE_NO_TRACER,
};

/*
 * Runs a capture; m says what went wrong, and path gets the staging
 * directory's path ("" if there is none); notes are told through sink; watch
 * may be NULL.
 */
enum capture_end capture_run(const struct settings *set,
    const struct msg_sink *sink, const struct capture_watch *watch,
    char *path, size_t cap, struct msg *m);

/* capture.c's steps, in files of their own */

/* loop.c: signals into a descriptor; and back as they were */
int loop_open(struct capture *c, struct msg *m);
void loop_close(struct capture *c);
/*
 * Waits until something happens or `until` (ns) has come: takes signals,
 * ended children and mappings. watch is one more collector whose spool is
 * expected to grow, or NULL.
 */
void loop_wait(struct capture *c, uint64_t until, struct collector *watch);

/* run.c: each 0, or -1 with m: abort */
int run_attach(struct capture *c, struct collector *col, struct msg *m);
int run_release(struct capture *c, struct msg *m);	/* a launched one */
int run_window(struct capture *c, struct msg *m);
/* A signal came before the window began: -1 with m. */
int run_interrupted(struct capture *c, struct msg *m);
/* Everything this capture has written so far, in bytes. */
uint64_t run_bytes(struct capture *c);
/*
 * Stops procs, or all other collectors that live, whatever happens; one that
 * outlives SIGKILL, optional or not: abort.
 */
int run_stop(struct capture *c, bool procs, struct msg *m);
/* Ends a launched target that still runs, as perf record does. */
void run_end_target(struct capture *c);

/* stage.c: stage.json as things stand */
int stage_write(struct capture *c, struct msg *m);

#endif
