/*
 * prov_tp.h - providers that are a table of raw tracepoints: sched and io. The
 * tables are const; probes and events are the provtab's.
 */
#ifndef TRACE_PROV_TP_H
#define TRACE_PROV_TP_H

#include "libdt/msg.h"
#include "trace/ir.h"
#include "trace/probe.h"

struct pdesc;
struct trace;

enum { TP_MAXEV = 3, TP_MAXARG = 3 };

/* What a probe's argument is made of. */
enum tparg {
	TPA_NONE,
	TPA_PARAM,		/* the tracepoint's parameter `ptype` */
	TPA_NEXT,		/* sched_switch: the next thread */
	TPA_CPU,		/* this CPU's number */
};

/* When a firing of the tracepoint is one of the probe. */
enum tpcond {
	TPC_ALWAYS,
	TPC_PREV_RUNS,		/* sched_switch: previous could go on, */
	TPC_PREV_SLEEPS,	/* or not */
	TPC_PREV_PREEMPTED,	/* and was made to stop */
	TPC_PREV_YIELDS,	/* or stopped by itself */
	TPC_NEXT_REAL,		/* next is not the idle thread */
	TPC_WHOLE,		/* block_rq_complete: nothing is left to do */
};

struct tpdesc {
	const char *name;
	struct tpevent {
		const char *tp;
		enum tpcond cond;
		bool fexit;		/* a function, by fentry or fexit */
		const char *old;	/* tracepoint of kernels without tp */
	} ev[TP_MAXEV];
	const char *ptype;	/* the parameter's struct: "task_struct" */
	struct { const char *type, *native; enum tparg from; } arg[TP_MAXARG];
	bool next;		/* curthread is the next thread */
};

/* The provider's operations on its table, which ends in a NULL name. */
int	tp_match(struct trace *, const struct provider *,
	    const struct tpdesc *, uint32_t id, const struct pdesc *,
	    int (*cb)(struct probe *, void *), void *arg, struct msg *);
int	tp_enable(struct trace *, struct probe *, struct msg *);
int	tp_arg(struct trace *, const struct probe *, unsigned n,
	    struct probearg *, struct msg *);
int	tp_gen_enter(struct gen *, struct event *);
vreg	tp_gen_arg(struct gen *, struct event *, unsigned n);
vreg	tp_builtin(struct gen *, struct event *, const char *name);

#endif
