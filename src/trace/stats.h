/*
 * stats.h - what a run did, lost and cost, as JSON (--stats FILE).
 *
 * A struct runinfo is its caller's and borrows its strings; times are ns of
 * CLOCK_MONOTONIC.
 */
#ifndef TRACE_STATS_H
#define TRACE_STATS_H

#include <stdint.h>

#include "libdt/msg.h"

struct trace;

struct runinfo {			/* what dt-trace itself knows */
	const char *version;
	const char *script;		/* NULL: from the command line */
	uint64_t start_ns, load_ns, attach_ns, attached_ns, detached_ns;
	bool counted;			/* run times: the kernel had it on */
	int exit_status;
	const char *error;		/* of the run, or NULL */
};

/* Asks the kernel to count the programs' run time; the descriptor keeps it
 * on, -1: it cannot. */
int	stats_enable(void);
/*
 * Writes the file: a regular one appears whole or not at all, others are
 * written through. To be called after the run, before the programs are unloaded
 * and the consumer is freed.
 */
int	stats_write(struct trace *, const struct runinfo *, const char *path,
	    struct msg *);

#endif
