/*
 * lower_spec.c - speculations, and the actions that touch the process.
 *
 * A speculation's number is taken by speculation() and given back by commit()
 * or discard(); the consumer keeps the records in between, see prog.h.
 */
#include <signal.h>
#include <string.h>

#include "trace/lower_impl.h"

static int
specmap(struct lower *l)
{
	if (l->specmap < 0) {
		l->specmap = map_add(l, "spec", BPF_MAP_TYPE_ARRAY, 4,
		    (uint32_t)sizeof(struct specstate) * l->p->nspec, 1, 0);
		l->p->specmap = l->specmap;
	}
	return l->specmap;
}

/* The number of a speculation that was idle; 0: none is. */
vreg
low_speculation(struct lower *l)
{
	struct gen *g = l->g;
	vreg base = ir_mapval(g, specmap(l), 0), r = ir_new(g), old, p;
	vreg one = ir_imm(g, 1);
	label top = ir_newlabel(g), got = ir_newlabel(g);
	label end = ir_newlabel(g);

	if (!kernel_has(l->t, KF_CMPXCHG))
		(void)low_error(l, D_UNSUP, l->line, "speculations need "
		    "Linux 5.12 or later");
	ir_set(g, r, 0);
	ir_label(g, top);
	p = ir_alu(g, A_ADD, base, ir_alui(g, A_SHL, r, 3));
	old = ir_cmpxchg(g, p, 0, 4, 0, one);
	ir_aluito(g, r, A_ADD, r, 1);
	ir_bri(g, CC_EQ, ir_ext(g, old, 4, false), 0, got);
	ir_bri(g, CC_ULT, r, (int64_t)l->p->nspec, top);
	ir_set(g, r, 0);
	ir_jmp(g, low_drop(l, DROP_SPECUNAVAIL, end));
	ir_label(g, got);
	/* whoever has it is alone: nobody knows the number yet */
	ir_store(g, p, 4, 4, ir_alui(g, A_ADD, ir_load(g, p, 4, 4), 1));
	ir_label(g, end);
	return low_opaque(l, r);
}

/* Jumps to no unless id is an active speculation; the pointer to its state. */
static vreg
active(struct lower *l, vreg id, label no)
{
	struct gen *g = l->g;
	vreg i = ir_new(g), p;

	ir_mov(g, i, ir_alui(g, A_SUB, id, 1));
	ir_bri(g, CC_UGE, i, (int64_t)l->p->nspec, no);
	p = ir_alu(g, A_ADD, ir_mapval(g, specmap(l), 0),
	    ir_alui(g, A_SHL, i, 3));
	ir_bri(g, CC_EQ, ir_load(g, p, 0, 4), 0, no);
	return p;
}

static vreg
tag(struct lower *l, vreg id, vreg p)
{
	struct gen *g = l->g;

	return ir_alu(g, A_OR, id, ir_alui(g, A_SHL, ir_load(g, p, 4, 4),
	    16));
}

/* What the clause records from here on is the speculation's. */
static void
speculate(struct lower *l, vreg id)
{
	struct gen *g = l->g;
	label no = ir_newlabel(g), end = ir_newlabel(g);
	vreg p;

	if (l->rec < 0)
		return;
	p = active(l, id, no);
	ir_store(g, l->rec, offsetof(struct rechead, spec), 4,
	    tag(l, id, p));
	ir_jmp(g, end);
	ir_label(g, no);
	ir_set(g, l->unwanted, 2);
	ir_bri(g, CC_NE, id, 0, end);
	/* there was none: nothing more of the clause happens */
	(void)ir_call(g, BPF_FUNC_ringbuf_discard, 2, l->rec, ir_imm(g, 0));
	l->escapes++;
	ir_jmp(g, l->skip);
	ir_label(g, end);
}

/* A record for the consumer; the ring keeps the order, so the number is free
 * from now on. */
static void
finish(struct lower *l, enum act act, vreg id)
{
	struct gen *g = l->g;
	struct action *a = low_newaction(l, act, 1);
	label no = ir_newlabel(g);
	vreg p, n = ir_new(g), t, old;

	if (a == NULL || l->rec < 0)
		return;
	ir_set(g, n, 0);
	p = active(l, id, no);
	t = tag(l, id, p);
	old = ir_cmpxchg(g, p, 0, 4, 1, ir_imm(g, 0));
	ir_bri(g, CC_NE, ir_ext(g, old, 4, false), 1, no);
	ir_mov(g, n, t);
	ir_label(g, no);
	a->datum[0] = (struct datum){ .off = low_room(l, 4), .size = 4,
	    .type = type_int(l->u->types, 4, false), .what = ACT_TRACE };
	a->ndatum = 1;
	ir_store(g, l->rec, (int32_t)a->datum[0].off, 4, n);
}

void
low_speculative(struct lower *l, const struct node *n)
{
	vreg id = ir_new(l->g);

	(void)specmap(l);
	ir_mov(l->g, id, low_int(l, n->list));
	/* 0 is that there was none; above what there are, it was never one */
	ir_bri(l->g, CC_UGT, id, (int64_t)l->p->nspec,
	    low_fault(l, FLT_ILLOP, id));
	if (n->func->id == F_SPECULATE)
		speculate(l, id);
	else
		finish(l, n->func->id == F_COMMIT ? ACT_COMMIT : ACT_DISCARD,
		    id);
}

/* raise(), stop(): signals to the current process. copyout(): its memory. */
void
low_destructive(struct lower *l, const struct node *n)
{
	struct gen *g = l->g;

	switch (n->func->id) {
	case F_RAISE:
		(void)ir_call(g, BPF_FUNC_send_signal, 1,
		    low_int(l, n->list));
		break;
	case F_STOP:
		(void)ir_call(g, BPF_FUNC_send_signal, 1,
		    ir_imm(g, SIGSTOP));
		break;
	default:
		low_copyout(l, n);
		break;
	}
}
