/*
 * selfrun.h - running the program of BEGIN, END or a tick where the kernel
 * has no test run of it (feature test-run): by a probe on a function of
 * dt-trace itself. Nothing stays attached.
 */
#ifndef TRACE_SELFRUN_H
#define TRACE_SELFRUN_H

#include "libdt/msg.h"

struct event;
struct trace;

/* Attaches the event's program, of type kprobe, calls, and detaches. */
int	selfrun(struct trace *, struct event *, struct msg *);

#endif
