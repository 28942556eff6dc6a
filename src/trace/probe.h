/*
 * probe.h - probes, providers and the kernel events that carry them.
 *
 * A provider owns its probes and events; both live until provider close.
 *
 * A *probe* is what D names (provider:module:function:name). An *event* is one
 * kernel attachment (a raw tracepoint, a perf timer, a uprobe …): one BPF
 * program, however many probes and clauses it serves.
 */
#ifndef TRACE_PROBE_H
#define TRACE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/type.h"

struct gen;			/* ir.h: the IR under construction */
struct clause;
struct pdesc;
struct trace;			/* trace.h: one dt-trace run */
struct msg;
typedef int vreg;

enum { PROBE_MAXARG = 10 };

struct probe {
	uint32_t id;			/* unique in the run; listed by -l */
	const struct provider *pv;
	const char *prov, *mod, *func, *name;
	struct event *ev;		/* set by provider's enable */
	int64_t key;			/* provider's own: syscall nr, offset … */
	void *priv;
	uint32_t idx;			/* dense among enabled probes */
	struct probe *also;		/* enabled: the same probe as another */
					/* event carries it, or NULL */
};

/* How the BPF program of an event is loaded and reached. */
enum evtype {
	EV_RAWTP,		/* raw tracepoint, tpname */
	EV_TP,			/* classic tracepoint, "category:name" */
	EV_TIMER,		/* perf cpu-clock event, every CPU or one */
	EV_UPROBE, EV_URETPROBE,
	EV_FENTRY, EV_FEXIT, EV_KPROBE, EV_KRETPROBE,
	EV_MANUAL,		/* run by dt-trace itself: BEGIN, END */
	EV_SUBPROG,		/* ERROR: called from other programs */
};

struct event {
	struct event *next;
	const struct provider *pv;
	enum evtype type;
	const char *name;		/* for messages and -S */
	const char *tpname;
	uint32_t btf_id;		/* FENTRY, FEXIT */
	uint64_t period_ns;		/* TIMER */
	bool one_cpu;			/* tick: one firing per period in all */
	bool self_run;			/* run by us, without test runs */
	const char *path;		/* UPROBE: file */
	uint64_t offset;		/* UPROBE: file offset */
	uint64_t sema;			/* USDT semaphore file offset or 0 */
	int pid;			/* UPROBE: -1 every process */
	bool multi;			/* UPROBE: many places by one link */
	void *priv;
	/* what it serves; clauses in program order */
	struct evclause {
		struct clause *cl;
		struct probe **probe;	/* those of cl's that this event carries */
		size_t nprobe;
	} *ec;
	size_t nec;
	/* after load */
	int prog_fd;
	int *link_fd;
	size_t nlink;
};

/* The type of one probe argument. */
struct probearg {
	const struct dtype *type;	/* args[n]; NULL: no such argument */
	const char *native;		/* of a translated type: the text of the */
					/* type it is made from, else NULL */
};

/* Stability triple, printed by -v (names of DTrace's dtrace_attribute_t). */
struct stability { uint8_t name, data, class; };
struct pvattr { struct stability prov, mod, func, name, args; };

/*
 * Provider operations. Each returns 0, or -1 with *m filled. One file each,
 * one row each in the const table of provider.c.
 */
struct provider {
	const char *name;		/* as in the probe description; */
					/* usdt and pid match by pattern */
	const struct pvattr *attr;
	/* Could a description with this provider field (may be a glob) mean
	 * this provider? Cheap, no system access. */
	bool (*claims)(const struct pdesc *);
	/* Calls cb for each probe that matches; the same probe is the same
	 * pointer every time. Creates on demand (profile-997, pid123). */
	int (*match)(struct trace *, const struct pdesc *,
	    int (*cb)(struct probe *, void *), void *arg, struct msg *);
	/* Type of args[n] for one probe; type NULL past the last. */
	int (*arg)(struct trace *, const struct probe *, unsigned n,
	    struct probearg *, struct msg *);
	/* Groups enabled probes into events: finds or makes the event of p
	 * and sets p->ev. */
	int (*enable)(struct trace *, struct probe *p, struct msg *);
	/* Code at the start of the event's program, before any clause: loads
	 * what all clauses share (the system call's number, a regs pointer). */
	int (*gen_enter)(struct gen *, struct event *);
	/* Jumps to `skip` unless this firing is one of ec's probes. Nothing to
	 * emit when the event carries only them. */
	int (*gen_match)(struct gen *, struct event *, const struct evclause *,
	    int skip);
	/* Index (struct probe.idx) of the firing probe. */
	vreg (*gen_probe)(struct gen *, struct event *, const struct evclause *);
	/* argN as a 64-bit value. */
	vreg (*gen_arg)(struct gen *, struct event *, unsigned n);
	/* uregs[], caller, ucaller, errno … where they depend on the event:
	 * NULL or a vreg < 0 where there is none (generic code then decides). */
	vreg (*gen_builtin)(struct gen *, struct event *, const char *name);
	int (*attach)(struct trace *, struct event *, struct msg *);
	void (*detach)(struct trace *, struct event *);
};

#endif
