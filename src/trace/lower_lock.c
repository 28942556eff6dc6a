/*
 * lower_lock.c - the functions on locks of the kernel.
 */
#include "trace/lower_impl.h"
#include "trace/prov.h"

/* The 8 bytes at a kernel address. */
static vreg
word(struct lower *l, const struct node *n)
{
	struct gen *g = l->g;
	int32_t tmp = low_tmp8(l);

	low_copyin(l, ir_fp(g, tmp), 0, 8, low_int(l, n), false);
	return ir_load(g, ir_fp(g, tmp), 0, 8);
}

static vreg
equal(struct lower *l, vreg a, vreg b)
{
	return ir_alui(l->g, A_XOR, gen_differ(l->g, a, b), 1);
}

vreg
low_lockfn(struct lower *l, const struct node *n)
{
	const struct node *a = n->list;
	struct gen *g = l->g;
	vreg v = word(l, a);

	switch (n->func->id) {
	case F_MUTEX_OWNED:
		v = ir_alui(g, A_AND, v, ~7);
		return equal(l, v, ir_call(g, BPF_FUNC_get_current_task, 0));
	case F_MUTEX_OWNER:
		/* struct mutex begins with the owner and three flags */
		return ir_alui(g, A_AND, v, ~7);
	case F_MUTEX_TYPE_ADAPTIVE:
		return ir_imm(g, 1);
	case F_RW_ISWRITER:
	case F_RW_WRITE_HELD:
		/* rwlock_t begins with a byte for the writer, readers from
		 * bit 9 on */
		return equal(l, ir_alui(g, A_AND, v, 0xff), ir_imm(g, 0xff));
	case F_RW_READ_HELD:
		return gen_differ(g, ir_alui(g, A_SHR, ir_ext(g, v, 4, false),
		    9), ir_imm(g, 0));
	default:	/* mutex_type_spin() */
		return ir_imm(g, 0);
	}
}
