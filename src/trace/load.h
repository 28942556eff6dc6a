/*
 * load.h - a compiled program into the kernel.
 *
 * The maps' descriptors and mappings belong to t->prog's mapdescs, the
 * programs' to their events, until load_unload().
 */
#ifndef TRACE_LOAD_H
#define TRACE_LOAD_H

#include <stdint.h>
#include <stdio.h>

#include "libdt/msg.h"

struct event;
struct trace;

/*
 * Makes the maps and loads the programs of t->prog. -1 with m; where the
 * verifier refuses a program, m names clause and line, and the verifier's log
 * goes to log unless that is NULL.
 */
int	load_prog(struct trace *, FILE *log, struct msg *);
void	load_unload(struct trace *);
/* Runs the program of a BEGIN, END or tick here and now. */
int	load_run(struct trace *, struct event *, struct msg *);

/* What the kernel counted of an event's program. */
struct runstat {
	uint64_t run_ns, run_cnt;	/* 0 unless BPF statistics are on */
	uint64_t missed;		/* firings while it already ran */
	uint32_t id, insns;
};
int	load_runstat(const struct event *, struct runstat *, struct msg *);

#endif
