/*
 * lower_stk.c - stacks and symbols as data: return addresses, to be named by
 * the consumer.
 */
#include <string.h>

#include "trace/lower_impl.h"
#include "trace/regs.h"

enum {
	USER_STACK = 1 << 8,
	RAW_CHUNK = 1024,	/* bytes of stack copied at a time */
	RAW_HEAD = 16 + 8 * REGS_N,
};

static uint64_t
constarg(struct lower *l, const struct node *n, enum opt dflt)
{
	if (n == NULL)
		return (uint64_t)opt_num(&l->t->opt, dflt);
	if (n->kind == N_INT && n->ival >= 0)
		return (uint64_t)n->ival;
	(void)low_error(l, D_UNSUP, n->line,
	    "a stack's size must be a constant");
	return 1;
}

static void
frames(struct lower *l, const struct node *n, struct datum *d, enum opt dflt)
{
	uint64_t k = constarg(l, n->list, dflt);
	uint64_t most = (uint64_t)opt_num(&l->t->opt, O_MAXFRAMES);

	if (k > most)
		k = most;
	if (k < 1)
		k = 1;
	d->arg = k;
	d->size = 8 * (uint32_t)k;
}

/* unwind=dwarf: registers and stack are copied, the consumer unwinds. */
static void
raw_shape(struct lower *l, const struct node *n, struct datum *d)
{
	uint64_t size = (uint64_t)opt_num(&l->t->opt, O_UNWINDSIZE);

	if (!kernel_has(l->t, KF_TASK_REGS)) {
		(void)low_error(l, D_UNSUP, n->line, "unwind=dwarf needs a "
		    "kernel of at least 5.15");
		return;
	}
	d->rawstack = true;
	d->size = RAW_HEAD + (uint32_t)(size - size % RAW_CHUNK);
}

/* As much of the stack as is there: it ends at its mapping's end. */
static void
raw_into(struct lower *l, const struct datum *d, vreg dst, int32_t off)
{
	struct gen *g = l->g;
	int32_t at = off + RAW_HEAD;
	vreg task, regs, sp, n = ir_new(g);
	label done = ir_newlabel(g);

	task = ir_call(g, BPF_FUNC_get_current_task_btf, 0);
	regs = ir_call(g, BPF_FUNC_task_pt_regs, 1, task);
	(void)ir_call(g, BPF_FUNC_probe_read_kernel, 3,
	    ir_alui(g, A_ADD, dst, off + 16), ir_imm(g, 8 * REGS_N), regs);
	sp = ir_load(g, dst, off + 16 + REGS_SP, 8);
	ir_set(g, n, 0);
	for (; at < off + (int32_t)d->size; at += RAW_CHUNK) {
		ir_bri(g, CC_NE, ir_call(g, BPF_FUNC_probe_read_user, 3,
		    ir_alui(g, A_ADD, dst, at), ir_imm(g, RAW_CHUNK), sp), 0,
		    done);
		ir_mov(g, sp, ir_alui(g, A_ADD, sp, RAW_CHUNK));
		ir_mov(g, n, ir_alui(g, A_ADD, n, RAW_CHUNK));
	}
	ir_label(g, done);
	ir_store(g, dst, off + 8, 8, n);
}

void
dyn_shape(struct lower *l, const struct node *n, struct datum *d)
{
	d->type = n->type;
	d->what = ACT_TRACE;
	d->size = 8;
	d->rawstack = false;
	if (n->kind != N_CALL)
		return;
	switch (n->func->id) {
	case F_STACK:
		d->what = ACT_STACK;
		frames(l, n, d, O_STACKFRAMES);
		d->size += 8 * STACK_OURS;
		break;
	case F_USTACK:
	case F_JSTACK:
		d->what = ACT_USTACK;
		frames(l, n, d, n->func->id == F_USTACK ? O_USTACKFRAMES :
		    O_JSTACKFRAMES);
		d->size += 8;
		if (n->list != NULL && n->list->next != NULL)
			d->arg |= constarg(l, n->list->next,
			    O_JSTACKSTRSIZE) << 32;
		if (opt_num(&l->t->opt, O_UNWIND) != 0)
			raw_shape(l, n, d);
		break;
	case F_SYM:
	case F_FUNC:
		d->what = ACT_SYM;
		break;
	case F_MOD:
		d->what = ACT_MOD;
		break;
	case F_USYM:
	case F_UFUNC:
		d->what = ACT_USYM;
		d->size = 16;
		break;
	case F_UMOD:
		d->what = ACT_UMOD;
		d->size = 16;
		break;
	case F_UADDR:
		d->what = ACT_UADDR;
		d->size = 16;
		break;
	default:
		break;
	}
}

void
dyn_into(struct lower *l, const struct node *n, const struct datum *d,
    vreg dst, int32_t off)
{
	struct gen *g = l->g;
	bool user = d->what != ACT_STACK && d->what != ACT_SYM &&
	    d->what != ACT_MOD;
	struct datum own;

	/* a key's room may be that of a larger use */
	dyn_shape(l, n, &own);
	if (own.size > d->size)
		own.size = d->size;
	if (user) {
		ir_store(g, dst, off, 8, ir_alui(g, A_SHR, low_pidtgid(l),
		    32));
		if (own.rawstack) {
			raw_into(l, &own, dst, off);
			return;
		}
		off += 8;
		own.size -= 8;
	}
	if (d->what == ACT_STACK || d->what == ACT_USTACK)
		/* what it cannot fill, the helper clears */
		(void)ir_call(g, BPF_FUNC_get_stack, 4, ir_ctx(g),
		    ir_alui(g, A_ADD, dst, off), ir_imm(g, own.size),
		    ir_imm(g, user ? USER_STACK : 0));
	else
		ir_store(g, dst, off, 8, n->kind == N_CALL && n->list != NULL ?
		    low_int(l, n->list) : ir_imm(g, 0));
}
