/*
 * consume.h - the run: BEGIN, records as they come, END.
 *
 * A struct consumer owns its descriptors and buffers; it is made after the
 * programs are loaded and freed before they are unloaded.
 */
#ifndef TRACE_CONSUME_H
#define TRACE_CONSUME_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "libdt/msg.h"

struct trace;
struct victims;

/* Opens what the run waits on. Blocks INT and TERM, which then end the run. */
int	consume_new(struct trace *, struct victims *, FILE *err, struct msg *);
/*
 * Runs BEGIN, lets held commands go, prints records until the program exits,
 * the processes end, or INT or TERM comes; then END, with everything drained
 * before and after it. 0, or -1 with m. t->exit_status is exit()'s.
 */
int	consume_run(struct trace *, struct msg *);
void	consume_free(struct trace *);

/* One time in which records of a kind were lost on a CPU, for --stats. */
struct dropspan {
	int kind;			/* enum dropkind */
	int cpu;
	uint64_t count, from, to;	/* ns, CLOCK_MONOTONIC */
};

/* The sums of a run; its own until consume_free(). */
struct runsums {
	uint64_t records;		/* read from the ring */
	uint64_t bytes;
	uint64_t errors;		/* faults reported */
	uint64_t begin_ns, end_ns;	/* BEGIN started, END done */
	int signal;			/* that ended the run, 0: none */
	bool impatient;			/* a second signal: no END */
	const struct dropspan *drop;
	size_t ndrop;
};
/* What the run came to; the consumer's. */
const struct runsums *consume_sums(const struct trace *);

#endif
