/*
 * prov_tp.c - table-driven probes over raw tracepoints, one event each.
 *
 * Which parameter of a tracepoint holds a struct differs among kernels: it is
 * found by its type. sched_switch's are known by it, too: previous and next
 * thread follow the preemption flag.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>
#include <linux/bpf.h>

#include "trace/ast.h"
#include "trace/attach.h"
#include "trace/btfarg.h"
#include "trace/kernel.h"
#include "trace/prov.h"
#include "trace/prov_tp.h"
#include "trace/provider.h"
#include "trace/trace.h"

struct tpev {
	const struct tpdesc *td;
	const struct tpevent *te;
	int param;			/* of ptype */
	int32_t pid, tgid, state, comm;	/* task_struct's members */
	int32_t data_len;		/* request's */
	uint8_t state_size;
	bool has_state;			/* a parameter of sched_switch */
	vreg next;
};

/* sched_switch(preempt, prev, next[, prev_state]) */
enum { SW_PREEMPT, SW_PREV, SW_NEXT, SW_STATE };

int
tp_match(struct trace *t, const struct provider *pv, const struct tpdesc *td,
    uint32_t id, const struct pdesc *pd, int (*cb)(struct probe *, void *),
    void *arg, struct msg *m)
{
	if (!pdesc_match(pd->mod, "vmlinux") || !pdesc_match(pd->func, ""))
		return 0;
	for (; td->name != NULL; td++, id++) {
		struct probe *p;
		int rc;

		if (!pdesc_match(pd->name, td->name) ||
		    (td->ev[0].fexit && !t->offline &&
		    kernel_no_fentry(t) != NULL))
			continue;
		p = probe_make(t, pv, pv->name, "vmlinux", "", td->name, id,
		    NULL);
		if (p == NULL)
			return msg_set_nomem(m);
		p->key = (int64_t)(intptr_t)td;
		rc = cb(p, arg);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static const struct tpdesc *
desc_of(const struct probe *p)
{
	return (const struct tpdesc *)(intptr_t)p->key;
}

/* The first parameter that points to the struct, counted without the
 * tracepoint's own; -1: none does. */
static int
find_param(struct trace *t, uint32_t id, const char *name, unsigned first)
{
	const struct btf_param *par;

	for (unsigned n = first; (par = btfarg_param(t, id, n)) != NULL; n++) {
		const struct btf_type *ty = btf__type_by_id(t->kern.vmlinux,
		    par->type);
		const char *s;

		if (ty == NULL || !btf_is_ptr(ty))
			continue;
		ty = btf__type_by_id(t->kern.vmlinux, ty->type);
		s = ty == NULL ? NULL : btf__name_by_offset(t->kern.vmlinux,
		    ty->name_off);
		if (s != NULL && btf_is_struct(ty) && strcmp(s, name) == 0)
			return (int)(n - first);
	}
	return -1;
}

static int
tp_resolve(struct trace *t, struct event *ev, struct tpev *tv, struct msg *m)
{
	const char *ptype = tv->td->ptype;

	if (t->offline)
		return 0;
	if (tv->te->fexit) {
		if (kernel_btf(t, m) == NULL)
			return -1;
		ev->btf_id = kernel_btf_id(t, ev->tpname, BTF_KIND_FUNC);
		if (ev->btf_id == 0)
			return msg_set(m, "no-match", "the kernel has no "
			    "function %s", ev->tpname);
		tv->param = find_param(t, ev->btf_id, ptype, 0);
		return 0;
	}
	if (attach_rawtp_id(t, ev, m) == -1) {
		if (tv->te->old == NULL)
			return -1;
		free((char *)ev->tpname);
		ev->tpname = strdup(tv->te->old);
		if (ev->tpname == NULL)
			return msg_set_nomem(m);
		if (attach_rawtp_id(t, ev, m) == -1)
			return -1;
	}
	tv->param = find_param(t, ev->btf_id, ptype, 1);
	tv->has_state = btfarg_param(t, ev->btf_id, 1 + SW_STATE) != NULL;
	tv->pid = kernel_offset(t, "task_struct", "pid");
	tv->tgid = kernel_offset(t, "task_struct", "tgid");
	tv->comm = kernel_offset(t, "task_struct", "comm");
	tv->data_len = kernel_offset(t, "request", "__data_len");
	tv->state = kernel_offset(t, "task_struct", "__state");
	tv->state_size = 4;
	if (tv->state < 0) {		/* before Linux 5.14 */
		tv->state = kernel_offset(t, "task_struct", "state");
		tv->state_size = 8;
	}
	if (tv->param < 0 || tv->pid < 0 || tv->state < 0)
		return msg_set(m, "btf", "tracepoint %s has not the arguments "
		    "this provider knows", ev->tpname);
	return 0;
}

int
tp_enable(struct trace *t, struct probe *p, struct msg *m)
{
	const struct tpdesc *td = desc_of(p);

	for (int i = 0; i < TP_MAXEV && td->ev[i].tp != NULL; i++) {
		const struct tpevent *te = &td->ev[i];
		struct event *ev;
		struct tpev *tv;

		if (i > 0)
			p = probe_also(p);
		if (p == NULL)
			return msg_set_nomem(m);
		ev = event_make(t, p->pv, !te->fexit ? EV_RAWTP
		    : strstr(td->name, "done") != NULL ? EV_FEXIT : EV_FENTRY,
		    td->name);
		if (ev == NULL)
			return msg_set_nomem(m);
		p->ev = ev;
		ev->tpname = strdup(te->tp);
		ev->priv = tv = calloc(1, sizeof(*tv));
		if (ev->tpname == NULL || tv == NULL)
			return msg_set_nomem(m);
		tv->td = td;
		tv->te = te;
		if (tp_resolve(t, ev, tv, m) == -1)
			return -1;
	}
	return 0;
}

int
tp_arg(struct trace *t, const struct probe *p, unsigned n,
    struct probearg *a, struct msg *m)
{
	const struct tpdesc *td = desc_of(p);

	if (n >= TP_MAXARG || td->arg[n].type == NULL)
		return 0;
	a->type = prov_ctype(t, td->arg[n].type);
	a->native = td->arg[n].native;
	return a->type == NULL ? msg_set_nomem(m) : 0;
}

static vreg
param(struct gen *g, int n)
{
	return ir_load(g, ir_ctx(g), n * 8, 8);
}

/* The previous thread's state as it was: 0 if it could run on. */
static vreg
prev_state(struct gen *g, const struct tpev *tv)
{
	if (tv->has_state)
		return ir_ext(g, param(g, SW_STATE), 4, false);
	return ir_load(g, param(g, SW_PREV), tv->state, tv->state_size);
}

/* A preempted thread keeps its state, whatever that is. */
static void
gen_prev(struct gen *g, const struct tpev *tv, bool runs)
{
	vreg preempt = ir_alui(g, A_AND, param(g, SW_PREEMPT), 0xff);
	label runnable = ir_newlabel(g), done = ir_newlabel(g);

	ir_bri(g, CC_NE, preempt, 0, runnable);
	ir_bri(g, CC_EQ, prev_state(g, tv), 0, runnable);
	if (runs)
		ir_exit(g, 0);
	else
		ir_jmp(g, done);
	ir_label(g, runnable);
	if (!runs)
		ir_exit(g, 0);
	ir_label(g, done);
	/* the idle thread (0) neither sleeps nor waits */
	gen_unless(g, CC_NE, ir_load(g, param(g, SW_PREV), tv->pid, 4), 0);
}

/* block_rq_complete(rq, error, nr_bytes): the last part of the request. */
static void
gen_whole(struct gen *g, const struct tpev *tv)
{
	label ok = ir_newlabel(g);
	vreg bytes = ir_ext(g, param(g, tv->param + 2), 4, false);

	ir_br(g, CC_UGE, bytes, ir_load(g, param(g, tv->param), tv->data_len,
	    4), ok);
	ir_exit(g, 0);
	ir_label(g, ok);
}

int
tp_gen_enter(struct gen *g, struct event *ev)
{
	struct tpev *tv = ev->priv;

	switch (tv->te->cond) {
	case TPC_ALWAYS:
		break;
	case TPC_PREV_RUNS:
	case TPC_PREV_SLEEPS:
		gen_prev(g, tv, tv->te->cond == TPC_PREV_RUNS);
		break;
	case TPC_PREV_PREEMPTED:
		gen_prev(g, tv, true);
		gen_unless(g, CC_NE, ir_alui(g, A_AND, param(g, SW_PREEMPT),
		    0xff), 0);
		break;
	case TPC_PREV_YIELDS:
		gen_prev(g, tv, true);
		gen_unless(g, CC_EQ, ir_alui(g, A_AND, param(g, SW_PREEMPT),
		    0xff), 0);
		break;
	case TPC_WHOLE:
		gen_whole(g, tv);
		break;
	case TPC_NEXT_REAL:
		gen_unless(g, CC_NE, ir_load(g, param(g, SW_NEXT), tv->pid, 4),
		    0);
		break;
	}
	tv->next = tv->td->next ? param(g, SW_NEXT) : -1;
	return 0;
}

vreg
tp_gen_arg(struct gen *g, struct event *ev, unsigned n)
{
	const struct tpev *tv = ev->priv;

	if (n >= TP_MAXARG)
		return ir_imm(g, 0);
	switch (tv->td->arg[n].from) {
	case TPA_NONE:
		break;
	case TPA_PARAM:
		if (tv->te->cond == TPC_NEXT_REAL)
			return param(g, SW_NEXT);
		return tv->param < 0 ? ir_imm(g, 0) : param(g, tv->param);
	case TPA_NEXT:
		return param(g, SW_NEXT);
	case TPA_CPU:
		return ir_call(g, BPF_FUNC_get_smp_processor_id, 0);
	}
	return ir_imm(g, 0);
}

/* on-cpu fires just before the switch, in the name of the next thread. */
vreg
tp_builtin(struct gen *g, struct event *ev, const char *name)
{
	const struct tpev *tv = ev->priv;
	vreg tgid;

	if (tv->next < 0 || !tv->td->next)
		return -1;
	if (strcmp(name, "curthread") == 0)
		return tv->next;
	if (strcmp(name, "execname") == 0)
		return ir_alui(g, A_ADD, param(g, SW_NEXT), tv->comm);
	if (strcmp(name, "pidtgid") != 0)
		return -1;
	tgid = ir_load(g, tv->next, tv->tgid, 4);
	return ir_alu(g, A_OR, ir_alui(g, A_SHL, tgid, 32),
	    ir_load(g, tv->next, tv->pid, 4));
}
