/*
 * prov_sched.c - scheduling, over the kernel's sched tracepoints.
 *
 * off-cpu, preempt, sleep and surrender fire in the thread that leaves the
 * CPU; on-cpu fires at the same moment for the one that gets it, and pid, tid,
 * execname, curthread and self-> are that one's. A thread is enqueued when it
 * wakes, is new, or leaves the CPU though it could go on; dequeued when it is
 * chosen to run.
 */
#include "trace/ast.h"
#include "trace/attach.h"
#include "trace/prov.h"
#include "trace/prov_tp.h"
#include "trace/provider.h"
#include "trace/stability.h"

#define LWP(from)	{ "lwpsinfo_t *", "struct task_struct *", from }
#define PS(from)	{ "psinfo_t *", "struct task_struct *", from }
#define CPU		{ "cpuinfo_t *", "int", TPA_CPU }
#define NOARG		{ NULL, NULL, TPA_NONE }

static const struct tpdesc sched_table[] = {
	{ "on-cpu", { { .tp = "sched_switch", .cond = TPC_ALWAYS } },
	    "task_struct", { NOARG }, true },
	{ "off-cpu", { { .tp = "sched_switch", .cond = TPC_ALWAYS } },
	    "task_struct", { LWP(TPA_NEXT), PS(TPA_NEXT) }, false },
	{ "sleep", { { .tp = "sched_switch", .cond = TPC_PREV_SLEEPS } },
	    "task_struct", { NOARG }, false },
	{ "preempt", { { .tp = "sched_switch", .cond = TPC_PREV_PREEMPTED } },
	    "task_struct", { NOARG }, false },
	{ "surrender", { { .tp = "sched_switch", .cond = TPC_PREV_YIELDS } },
	    "task_struct", { LWP(TPA_PARAM), PS(TPA_PARAM) }, false },
	{ "wakeup", { { .tp = "sched_waking", .cond = TPC_ALWAYS } },
	    "task_struct", { LWP(TPA_PARAM), PS(TPA_PARAM) }, false },
	{ "enqueue", { { .tp = "sched_wakeup", .cond = TPC_ALWAYS },
	    { .tp = "sched_wakeup_new", .cond = TPC_ALWAYS },
	    { .tp = "sched_switch", .cond = TPC_PREV_RUNS } },
	    "task_struct", { LWP(TPA_PARAM), PS(TPA_PARAM), CPU }, false },
	{ "dequeue", { { .tp = "sched_switch", .cond = TPC_NEXT_REAL } },
	    "task_struct", { LWP(TPA_PARAM), PS(TPA_PARAM), CPU }, false },
	{ .name = NULL },
};

static bool
sched_claims(const struct pdesc *pd)
{
	return pdesc_match(pd->prov, "sched");
}

static int
sched_match(struct trace *t, const struct pdesc *pd,
    int (*cb)(struct probe *, void *), void *arg, struct msg *m)
{
	return tp_match(t, &prov_sched, sched_table, PID_SCHED, pd, cb, arg,
	    m);
}

const struct provider prov_sched = {
	.name = "sched",
	.attr = &stability_isa,
	.claims = sched_claims,
	.match = sched_match,
	.arg = tp_arg,
	.enable = tp_enable,
	.gen_enter = tp_gen_enter,
	.gen_probe = gen_probe_const,
	.gen_arg = tp_gen_arg,
	.gen_builtin = tp_builtin,
	.attach = attach_rawtp,
};
