/*
 * prov_proc.c - births, execs, deaths and signals of processes and threads.
 *
 * Carried by the scheduler's and signals' raw tracepoints, and by the classic
 * tracepoints of the few system calls where those say nothing (exec's attempt
 * and failure; a child's first return to user mode is its start).
 * Arguments are DTrace's, psinfo_t and lwpsinfo_t being views of task_struct.
 * Through the kernel's 32-bit entry, exec, exec-failure, start and lwp-start
 * are not seen.
 */
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>
#include <linux/bpf.h>

#include "libdt/msg.h"
#include "trace/ast.h"
#include "trace/attach.h"
#include "trace/ir.h"
#include "trace/kernel.h"
#include "trace/lower.h"
#include "trace/prov.h"
#include "trace/provider.h"
#include "trace/stability.h"
#include "trace/trace.h"
#include "trace/type.h"

/* What a probe tells from its event's context. */
enum kind {
	K_CREATE, K_LWPCREATE, K_START, K_LWPSTART, K_EXEC, K_EXECSUCCESS,
	K_EXECFAILURE, K_EXIT, K_LWPEXIT, K_SEND, K_DISCARD, K_HANDLE, K_CLEAR,
	K_N
};

enum { MAXEV = 4, EXITED = 1, KILLED = 2, DUMPED = 3, SIG_RESULT_IGNORED = 1 };
/* syscalls:sys_enter_* and sys_exit_*: where the context has them */
enum { TP_ARG0 = 16, TP_ARG1 = 24, TP_RET = 16 };

#define CLONES(side) { side "clone", side "clone3", side "fork", side "vfork" }

static const struct procdesc {
	const char *name;
	enum evtype type;
	const char *tp[MAXEV];
	const char *arg[3];		/* types of args[] */
} proc_table[K_N] = {
	[K_CREATE] = { "create", EV_RAWTP, { "sched_process_fork" },
	    { "psinfo_t *" } },
	[K_LWPCREATE] = { "lwp-create", EV_RAWTP, { "sched_process_fork" },
	    { "lwpsinfo_t *", "psinfo_t *" } },
	[K_START] = { "start", EV_TP, CLONES("syscalls:sys_exit_"), { NULL } },
	[K_LWPSTART] = { "lwp-start", EV_TP, { "syscalls:sys_exit_clone",
	    "syscalls:sys_exit_clone3" }, { NULL } },
	[K_EXEC] = { "exec", EV_TP, { "syscalls:sys_enter_execve",
	    "syscalls:sys_enter_execveat" }, { "string" } },
	[K_EXECSUCCESS] = { "exec-success", EV_RAWTP, { "sched_process_exec" },
	    { NULL } },
	[K_EXECFAILURE] = { "exec-failure", EV_TP,
	    { "syscalls:sys_exit_execve", "syscalls:sys_exit_execveat" },
	    { "int" } },
	[K_EXIT] = { "exit", EV_RAWTP, { "sched_process_exit" }, { "int" } },
	[K_LWPEXIT] = { "lwp-exit", EV_RAWTP, { "sched_process_exit" },
	    { NULL } },
	[K_SEND] = { "signal-send", EV_RAWTP, { "signal_generate" },
	    { "lwpsinfo_t *", "psinfo_t *", "int" } },
	[K_DISCARD] = { "signal-discard", EV_RAWTP, { "signal_generate" },
	    { "lwpsinfo_t *", "psinfo_t *", "int" } },
	[K_HANDLE] = { "signal-handle", EV_RAWTP, { "signal_deliver" },
	    { "int", "siginfo_t *", "void *" } },
	[K_CLEAR] = { "signal-clear", EV_TP,
	    { "syscalls:sys_exit_rt_sigtimedwait" }, { "int" } },
};

/* event->priv. Kinds of one event exclude each other: those that do not (exit
 * and lwp-exit) have an event each. */
struct procev {
	uint32_t kinds;			/* a bit each */
	/* offsets of members */
	int32_t pid, tgid, exit_code, signal, live, leader, start;
	bool group_dead;		/* the tracepoint says so itself */
	bool at;			/* execveat: the path is the second */
	vreg thread;			/* 1: the new task is a thread */
	vreg task, val;			/* by kind */
};

static bool
proc_claims(const struct pdesc *pd)
{
	return pdesc_match(pd->prov, "proc");
}

static int
proc_match(struct trace *t, const struct pdesc *pd,
    int (*cb)(struct probe *, void *), void *arg, struct msg *m)
{
	if (!pdesc_match(pd->mod, "vmlinux") || !pdesc_match(pd->func, ""))
		return 0;
	for (uint32_t k = 0; k < K_N; k++) {
		struct probe *p;
		int rc;

		if (!pdesc_match(pd->name, proc_table[k].name))
			continue;
		p = probe_make(t, &prov_proc, "proc", "vmlinux", "",
		    proc_table[k].name, PID_PROC + k, NULL);
		if (p == NULL)
			return msg_set_nomem(m);
		p->key = k;
		rc = cb(p, arg);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
proc_arg(struct trace *t, const struct probe *p, unsigned n,
    struct probearg *a, struct msg *m)
{
	const char *text;

	if (n >= sizeof(proc_table[0].arg) / sizeof(proc_table[0].arg[0]))
		return 0;
	text = proc_table[p->key].arg[n];
	if (text == NULL)
		return 0;
	a->type = prov_ctype(t, text);
	if (strstr(text, "psinfo_t") != NULL)
		a->native = "struct task_struct *";
	return a->type == NULL ? msg_set_nomem(m) : 0;
}

/* Offsets in the kernel's structs that the programs read at. */
static int
proc_offsets(struct trace *t, struct procev *pe, struct msg *m)
{
	const struct btf_type *ty;
	uint32_t id;

	if (t->offline)
		return 0;
	pe->pid = kernel_offset(t, "task_struct", "pid");
	pe->tgid = kernel_offset(t, "task_struct", "tgid");
	pe->exit_code = kernel_offset(t, "task_struct", "exit_code");
	pe->signal = kernel_offset(t, "task_struct", "signal");
	pe->live = kernel_offset(t, "signal_struct", "live");
	pe->leader = kernel_offset(t, "task_struct", "group_leader");
	pe->start = kernel_offset(t, "task_struct", "start_time");
	if (pe->leader < 0 || pe->start < 0 || pe->pid < 0 || pe->tgid < 0 ||
	    pe->exit_code < 0 || pe->signal < 0 || pe->live < 0)
		return msg_set(m, "btf", "the kernel's BTF does not describe "
		    "task_struct and signal_struct");
	/* since Linux 6.16: (void *, struct task_struct *, bool) */
	id = kernel_btf_id(t, "btf_trace_sched_process_exit",
	    BTF_KIND_TYPEDEF);
	for (ty = btf__type_by_id(t->kern.vmlinux, id); ty != NULL &&
	    !btf_is_func_proto(ty);
	    ty = btf__type_by_id(t->kern.vmlinux, ty->type))
		if (!btf_is_ptr(ty) && !btf_is_typedef(ty))
			return 0;
	pe->group_dead = ty != NULL && btf_vlen(ty) == 3;
	return 0;
}

/* The event of a tracepoint, shared by kinds that exclude each other. */
static struct event *
proc_event(struct trace *t, enum kind k, const char *tp, struct msg *m)
{
	bool alone = k == K_LWPEXIT || k == K_DISCARD;
	const struct procdesc *pd = &proc_table[k];
	struct event *ev;
	struct procev *pe;

	for (ev = provider_events(t); ev != NULL && !alone; ev = ev->next)
		if (ev->pv == &prov_proc && strcmp(ev->tpname, tp) == 0 &&
		    ((struct procev *)ev->priv)->kinds !=
		    (UINT32_C(1) << K_LWPEXIT) &&
		    ((struct procev *)ev->priv)->kinds !=
		    (UINT32_C(1) << K_DISCARD))
			break;
	if (ev == NULL || alone) {
		ev = event_make(t, &prov_proc, pd->type, pd->name);
		if (ev == NULL)
			return NULL;
		ev->priv = calloc(1, sizeof(*pe));
		ev->tpname = strdup(tp);
		if (ev->priv == NULL || ev->tpname == NULL) {
			msg_set_nomem(m);
			return NULL;
		}
		if (pd->type == EV_RAWTP && attach_rawtp_id(t, ev, m) == -1)
			return NULL;
		if (proc_offsets(t, ev->priv, m) == -1)
			return NULL;
	}
	pe = ev->priv;
	pe->kinds |= UINT32_C(1) << k;
	pe->at = strstr(tp, "execveat") != NULL;
	return ev;
}

static int
proc_enable(struct trace *t, struct probe *p, struct msg *m)
{
	const struct procdesc *pd = &proc_table[p->key];
	enum kind k = (enum kind)p->key;

	for (int i = 0; i < MAXEV && pd->tp[i] != NULL; i++) {
		if (i > 0) {
			p = probe_also(p);
			if (p == NULL)
				return msg_set_nomem(m);
		}
		msg_set_nomem(m);
		p->ev = proc_event(t, k, pd->tp[i], m);
		if (p->ev == NULL)
			return -1;
	}
	return 0;
}

static bool
has(const struct procev *pe, enum kind k)
{
	return (pe->kinds & UINT32_C(1) << k) != 0;
}

/* 1 (exited), 2 (killed) or 3 (dumped core), of task_struct.exit_code. */
static vreg
gen_exit_reason(struct gen *g, const struct procev *pe)
{
	vreg code = ir_load(g, pe->task, pe->exit_code, 4), v = ir_new(g);
	label done = ir_newlabel(g);

	ir_set(g, v, EXITED);
	ir_bri(g, CC_EQ, ir_alui(g, A_AND, code, 0x7f), 0, done);
	ir_set(g, v, KILLED);
	ir_bri(g, CC_EQ, ir_alui(g, A_AND, code, 0x80), 0, done);
	ir_set(g, v, DUMPED);
	ir_label(g, done);
	return v;
}

/*
 * Of the threads that come here when none is left alive, several if they exit
 * at one time, only the first goes on: it enters the process, known by its id
 * and its leader's start, in a map.
 */
static void
gen_once(struct gen *g, const struct procev *pe)
{
	vreg leader = ir_load(g, pe->task, pe->leader, 8);
	int32_t slot = ir_stack(g, 16, 8);
	vreg key = ir_fp(g, slot);
	int map = gen_map(g, "exits", BPF_MAP_TYPE_LRU_HASH, 16, 8, 4096);

	ir_store(g, key, 0, 8, ir_load(g, leader, pe->start, 8));
	ir_store(g, key, 8, 8, ir_load(g, pe->task, pe->tgid, 4));
	gen_unless(g, CC_EQ, ir_call(g, BPF_FUNC_map_update_elem, 4,
	    ir_mapfd(g, map), key, key, ir_imm(g, BPF_NOEXIST)), 0);
}

/* Ends the program unless the last thread of the process exits. */
static void
gen_last_thread(struct gen *g, const struct procev *pe)
{
	vreg v;

	if (pe->group_dead) {
		v = ir_load(g, ir_ctx(g), 8, 8);
		gen_unless(g, CC_NE, ir_alui(g, A_AND, v, 0xff), 0);
		return;
	}
	v = ir_load(g, pe->task, pe->signal, 8);
	gen_unless(g, CC_EQ, ir_load(g, v, pe->live, 4), 0);
	gen_once(g, pe);
}

static void
gen_enter_start(struct gen *g, struct procev *pe)
{
	vreg ids;

	gen_unless(g, CC_EQ, ir_load(g, ir_ctx(g), TP_RET, 8), 0);
	ids = ir_call(g, BPF_FUNC_get_current_pid_tgid, 0);
	pe->thread = gen_differ(g, ir_ext(g, ids, 4, false),
	    ir_alui(g, A_SHR, ids, 32));
}

static void
gen_enter_signal(struct gen *g, struct procev *pe)
{
	if (has(pe, K_HANDLE)) {
		vreg ka = ir_load(g, ir_ctx(g), 16, 8);

		/* k_sigaction begins with the handler; SIG_DFL 0, SIG_IGN 1 */
		pe->val = ir_load(g, ka, 0, 8);
		gen_unless(g, CC_UGT, pe->val, 1);
		return;
	}
	pe->task = ir_load(g, ir_ctx(g), 16, 8);
	if (has(pe, K_DISCARD))
		gen_unless(g, CC_EQ, ir_ext(g, ir_load(g, ir_ctx(g), 32, 8),
		    4, false), SIG_RESULT_IGNORED);
}

static int
proc_gen_enter(struct gen *g, struct event *ev)
{
	struct procev *pe = ev->priv;

	if (has(pe, K_CREATE) || has(pe, K_LWPCREATE)) {
		pe->task = ir_load(g, ir_ctx(g), 8, 8);
		pe->thread = gen_differ(g, ir_load(g, pe->task, pe->pid, 4),
		    ir_load(g, pe->task, pe->tgid, 4));
	} else if (has(pe, K_START) || has(pe, K_LWPSTART)) {
		gen_enter_start(g, pe);
	} else if (has(pe, K_EXIT)) {
		pe->task = ir_load(g, ir_ctx(g), 0, 8);
		gen_last_thread(g, pe);
	} else if (has(pe, K_EXECFAILURE)) {
		pe->val = ir_load(g, ir_ctx(g), TP_RET, 8);
		gen_unless(g, CC_SLT, pe->val, 0);
	} else if (has(pe, K_CLEAR)) {
		pe->val = ir_load(g, ir_ctx(g), TP_RET, 8);
		gen_unless(g, CC_SGT, pe->val, 0);
	} else if (has(pe, K_SEND) || has(pe, K_DISCARD) ||
	    has(pe, K_HANDLE)) {
		gen_enter_signal(g, pe);
	}
	return 0;
}

/* Which of a pair of kinds ec wants: the process's, the thread's, both. */
static void
wanted(const struct evclause *ec, bool *process, bool *thread)
{
	*process = *thread = false;
	for (size_t i = 0; i < ec->nprobe; i++)
		switch ((enum kind)ec->probe[i]->key) {
		case K_LWPCREATE:
		case K_LWPSTART:
			*thread = true;
			break;
		default:
			*process = true;
		}
}

static bool
paired(const struct procev *pe)
{
	return has(pe, K_CREATE) || has(pe, K_LWPCREATE) ||
	    has(pe, K_START) || has(pe, K_LWPSTART);
}

static int
proc_gen_match(struct gen *g, struct event *ev, const struct evclause *ec,
    int skip)
{
	struct procev *pe = ev->priv;
	bool process, thread;

	if (!paired(pe))
		return 0;
	wanted(ec, &process, &thread);
	if (process != thread)
		ir_bri(g, CC_NE, pe->thread, thread, skip);
	return 0;
}

static vreg
proc_gen_probe(struct gen *g, struct event *ev, const struct evclause *ec)
{
	struct procev *pe = ev->priv;
	label done;
	vreg v;

	if (ec->nprobe == 1)
		return gen_probe_const(g, ev, ec);
	done = ir_newlabel(g);
	v = ir_new(g);
	for (size_t i = 0; i < ec->nprobe; i++) {
		enum kind k = (enum kind)ec->probe[i]->key;

		ir_set(g, v, ec->probe[i]->idx);
		ir_bri(g, CC_EQ, pe->thread,
		    k == K_LWPCREATE || k == K_LWPSTART, done);
	}
	ir_label(g, done);
	return v;
}

static vreg
arg_signal(struct gen *g, const struct procev *pe, unsigned n)
{
	if (n < 2)
		return pe->task;
	return n == 2 ? ir_ext(g, ir_load(g, ir_ctx(g), 0, 8), 4, true)
	    : ir_imm(g, 0);
}

static vreg
arg_handle(struct gen *g, const struct procev *pe, unsigned n)
{
	if (n == 0)
		return ir_ext(g, ir_load(g, ir_ctx(g), 0, 8), 4, true);
	if (n == 1)
		return ir_load(g, ir_ctx(g), 8, 8);
	return n == 2 ? pe->val : ir_imm(g, 0);
}

static vreg
proc_gen_arg(struct gen *g, struct event *ev, unsigned n)
{
	struct procev *pe = ev->priv;

	if (has(pe, K_SEND) || has(pe, K_DISCARD))
		return arg_signal(g, pe, n);
	if (has(pe, K_HANDLE))
		return arg_handle(g, pe, n);
	if (has(pe, K_CREATE) || has(pe, K_LWPCREATE))
		return n < 2 ? pe->task : ir_imm(g, 0);
	if (n != 0)
		return ir_imm(g, 0);
	if (has(pe, K_EXIT))
		return gen_exit_reason(g, pe);
	if (has(pe, K_EXEC))
		return ir_load(g, ir_ctx(g), pe->at ? TP_ARG1 : TP_ARG0, 8);
	if (has(pe, K_EXECFAILURE))
		return ir_alu(g, A_SUB, ir_imm(g, 0), pe->val);
	if (has(pe, K_CLEAR))
		return pe->val;
	return ir_imm(g, 0);
}

static int
proc_attach(struct trace *t, struct event *ev, struct msg *m)
{
	return ev->type == EV_TP ? attach_tp(t, ev, m)
	    : attach_rawtp(t, ev, m);
}

const struct provider prov_proc = {
	.name = "proc",
	.attr = &stability_isa,
	.claims = proc_claims,
	.match = proc_match,
	.arg = proc_arg,
	.enable = proc_enable,
	.gen_enter = proc_gen_enter,
	.gen_match = proc_gen_match,
	.gen_probe = proc_gen_probe,
	.gen_arg = proc_gen_arg,
	.attach = proc_attach,
};
