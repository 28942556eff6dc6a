/*
 * lower_builtin.c - the built-in variables that are numbers.
 */
#include <stdio.h>

#include "trace/kernel.h"
#include "trace/lower_impl.h"
#include "trace/prov.h"

enum { USER_STACK = 1 << 8 };

/* Read once in a firing: kept on the stack where several uses may come. */
static vreg
clock_once(struct lower *l, int which, int32_t slot,
    vreg (*get)(struct lower *))
{
	struct gen *g = l->g;
	vreg r = low_cached(l, which);
	label have;

	if (r >= 0)
		return r;
	r = ir_new(g);
	if (slot == 0) {
		ir_mov(g, r, get(l));
	} else {
		have = ir_newlabel(g);
		ir_loadto(g, r, ir_fp(g, slot), 0, 8);
		ir_bri(g, CC_NE, r, 0, have);
		l->cond++;
		ir_mov(g, r, get(l));
		l->cond--;
		ir_store(g, ir_fp(g, slot), 0, 8, r);
		ir_label(g, have);
	}
	low_cache(l, which, r);
	return r;
}

static vreg
monotonic(struct lower *l)
{
	return ir_call(l->g, BPF_FUNC_ktime_get_ns, 0);
}

vreg
low_time(struct lower *l)
{
	return clock_once(l, CA_TIME, l->fn.timeslot, monotonic);
}

static vreg
wall(struct lower *l)
{
	vreg off = ir_load(l->g, ir_mapval(l->g, MAP_STATE, 0),
	    offsetof(struct state, boot_wall_ns), 8);

	return ir_alu(l->g, A_ADD, low_time(l), off);
}

/* arg1 to arg5 of ERROR: the clause, the statement, the line in it, the kind
 * of fault and the bad value. */
static vreg
error_arg(struct lower *l, unsigned n)
{
	struct gen *g = l->g;

	switch (n) {
	case 1:
		return ir_alui(g, A_ADD, ir_arg(g, 2), 1);
	case 2:
		return ir_alui(g, A_AND, ir_alui(g, A_SHR, ir_arg(g, 3), 8),
		    0xffff);
	case 3:
		return ir_alui(g, A_SHR, ir_arg(g, 3), 32);
	case 4:
		return ir_alui(g, A_AND, ir_arg(g, 3), 0xff);
	case 5:
		return ir_arg(g, 4);
	default:
		return ir_imm(g, 0);
	}
}

static vreg
argument(struct lower *l, unsigned n)
{
	if (l->fn.error)
		return error_arg(l, n);
	if (l->ev->pv->gen_arg == NULL)
		return ir_imm(l->g, 0);
	return l->ev->pv->gen_arg(l->g, l->ev, n);
}

/* The second frame of the kernel's or the user's stack. */
static vreg
caller(struct lower *l, const char *name, int flags)
{
	struct gen *g = l->g;
	vreg r = low_provided(l, name), rc;
	int32_t at;
	label none;

	if (r >= 0)
		return r;
	r = ir_new(g);
	at = low_stktemp(l, 16);
	if (at == 0)
		at = ir_stack(g, 16, 8);
	none = ir_newlabel(g);
	ir_set(g, r, 0);
	ir_storei(g, ir_fp(g, at), 8, 8, 0);
	rc = ir_call(g, BPF_FUNC_get_stack, 4, ir_ctx(g), ir_fp(g, at),
	    ir_imm(g, 16), ir_imm(g, flags));
	ir_bri(g, CC_SLT, rc, 16, none);
	ir_loadto(g, r, ir_fp(g, at), 8, 8);
	ir_label(g, none);
	return r;
}

static vreg
depth(struct lower *l, int flags)
{
	struct gen *g = l->g;
	uint32_t size = 8 * (uint32_t)opt_num(&l->t->opt, O_MAXFRAMES);
	label ok = ir_newlabel(g);
	vreg r = ir_new(g);

	ir_mov(g, r, ir_call(g, BPF_FUNC_get_stack, 4, ir_ctx(g),
	    low_tempaddr(l, low_temp(l, size)), ir_imm(g, size),
	    ir_imm(g, flags)));
	ir_bri(g, CC_SGE, r, 0, ok);
	ir_set(g, r, 0);
	ir_label(g, ok);
	return ir_alui(g, A_SHR, r, 3);
}

static vreg
probe_index(struct lower *l)
{
	if (l->fn.error || l->ev->pv->gen_probe == NULL)
		return ir_imm(l->g, l->ec->probe[0]->idx);
	return l->ev->pv->gen_probe(l->g, l->ev, l->ec);
}

vreg
low_byprobe(struct lower *l, uint32_t tab, uint32_t stride)
{
	struct gen *g = l->g;
	vreg i = ir_new(g), p;
	label ok = ir_newlabel(g);

	ir_mov(g, i, probe_index(l));
	ir_bri(g, CC_ULT, i, (int64_t)l->p->nprobe, ok);
	ir_set(g, i, 0);
	ir_label(g, ok);
	p = ir_mapval(g, MAP_RODATA, tab);
	return ir_alu(g, A_ADD, p, ir_alui(g, A_MUL, i, stride));
}

static vreg
probe_id(struct lower *l)
{
	uint32_t *id;
	size_t k;

	if (l->ec->nprobe == 1)
		return ir_imm(l->g, l->ec->probe[0]->id);
	if (l->idtab == 0) {
		id = arena_calloc(l->ar, l->p->nprobe + 1, sizeof(*id));
		if (id == NULL) {
			low_nomem(l);
			return ir_imm(l->g, 0);
		}
		for (k = 0; k < l->p->nprobe; k++)
			id[k] = l->p->probe[k]->id;
		l->idtab = ro_add(l, id, l->p->nprobe * sizeof(*id));
	}
	return ir_load(l->g, low_byprobe(l, l->idtab, 4), 0, 4);
}

static vreg
epid(struct lower *l)
{
	vreg i = probe_index(l);

	i = ir_alui(l->g, A_MUL, i, (int64_t)l->p->nlayout);
	return ir_alui(l->g, A_ADD, i, (int64_t)l->cl->seq + 1);
}

vreg
low_unsupported(struct lower *l, const struct node *n)
{
	(void)low_error(l, D_UNSUP, n->line, "%s cannot be had on this system",
	    n->id->name);
	return ir_imm(l->g, 0);
}

static vreg
uregs(struct lower *l, const struct node *n)
{
	char name[32];
	vreg r;

	if (n->list == NULL || n->list->kind != N_INT) {
		(void)low_error(l, D_UNSUP, n->line,
		    "uregs[] takes a constant subscript");
		return ir_imm(l->g, 0);
	}
	snprintf(name, sizeof(name), "uregs.%d", (int)n->list->ival);
	r = low_provided(l, name);
	if (r < 0)
		return low_unsupported(l, n);
	return r;
}

static vreg
on_stack(struct lower *l, enum bid id)
{
	switch (id) {
	case B_CALLER:
		return caller(l, "caller", 0);
	case B_UCALLER:
		return caller(l, "ucaller", USER_STACK);
	case B_STACKDEPTH:
		return depth(l, 0);
	default:
		return depth(l, USER_STACK);
	}
}

vreg
low_builtin(struct lower *l, const struct node *n)
{
	struct gen *g = l->g;
	enum bid id;
	vreg r;

	if (n->kind == N_ARGS) {
		r = argument(l, (unsigned)n->ival);
		/* a string's is its address */
		return low_isstr(n) ? r : low_norm(l, r, n->type);
	}
	id = n->id->builtin->id;
	if (id >= B_ARG0 && id <= B_ARG9)
		return argument(l, (unsigned)(id - B_ARG0));
	switch (id) {
	case B_TIMESTAMP:
		return low_time(l);
	case B_WALLTIMESTAMP:
		return clock_once(l, CA_WALL, l->fn.wallslot, wall);
	case B_VTIMESTAMP:
		return low_vtime(l);
	case B_PID:
		return ir_alui(g, A_SHR, low_pidtgid(l), 32);
	case B_TID:
		return ir_ext(g, low_pidtgid(l), 4, n->type != NULL &&
		    type_base(n->type)->sign);
	case B_PPID:
		return low_ppid(l);
	case B_UID:
		return ir_ext(g, low_uidgid(l), 4, false);
	case B_GID:
		return ir_alui(g, A_SHR, low_uidgid(l), 32);
	case B_CPU:
		return ir_call(g, BPF_FUNC_get_smp_processor_id, 0);
	case B_CURTHREAD:
		r = low_provided(l, "curthread");
		return r >= 0 ? r : ir_call(g, BPF_FUNC_get_current_task, 0);
	case B_ERRNO:
		r = low_provided(l, "errno");
		return r >= 0 ? r : ir_imm(g, 0);
	case B_ID:
		return probe_id(l);
	case B_EPID:
		return epid(l);
	case B_IPL:
		return ir_imm(g, 0);
	case B_CALLER:
	case B_UCALLER:
	case B_STACKDEPTH:
	case B_USTACKDEPTH:
		/* only of the thread whose stack it is on */
		return low_other(l) ? low_unsupported(l, n) : on_stack(l, id);
	case B_UREGS:
		return uregs(l, n);
	default:
		return low_unsupported(l, n);
	}
}
