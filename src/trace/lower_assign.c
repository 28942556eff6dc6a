/*
 * lower_assign.c - assignments to integers and pointers, ++ and --.
 */
#include "trace/lowint.h"

static vreg
operate(struct lower *l, const struct node *n, vreg old)
{
	const struct dtype *t = n->b->type;
	vreg b = low_int(l, n->b);

	if (n->op == OP_SHL || n->op == OP_SHR)
		return low_arith(l, n->op, old, b, n->a->type);
	if (type_base(n->a->type)->kind == DK_PTR)
		t = n->a->type;
	else
		old = low_norm(l, old, t);
	return low_norm(l, low_arith(l, n->op, old, b, t), n->a->type);
}

/* a = b, a op= b; the value is what was stored. */
vreg
low_assign(struct lower *l, const struct node *n)
{
	const struct dtype *t = n->a->type;
	struct place pl;
	label done;
	vreg v, r;

	if (low_isstr(n->a)) {
		low_strassign(l, n);
		return ir_imm(l->g, 0);
	}
	if (n->op == OP_NONE) {
		if (!type_is_scalar(type_base(t))) {
			low_copyassign(l, n);
			return ir_imm(l->g, 0);
		}
		v = low_int(l, n->b);
		if (low_place(l, n->a, &pl))
			low_store(l, &pl, t, v);
		return v;
	}
	if (!low_place(l, n->a, &pl))
		return ir_imm(l->g, 0);
	r = ir_new(l->g);
	done = ir_newlabel(l->g);
	ir_set(l->g, r, 0);
	low_ref(l, &pl, done);
	l->cond++;
	v = operate(l, n, low_load(l, &pl, t));
	low_store(l, &pl, t, v);
	ir_mov(l->g, r, v);
	l->cond--;
	ir_label(l->g, done);
	return r;
}

vreg
low_incdec(struct lower *l, const struct node *n)
{
	const struct dtype *t = n->a->type;
	int64_t step = n->ival != 0 ? n->ival : 1;
	struct place pl;
	label done;
	vreg old, v, r;

	if (!low_place(l, n->a, &pl))
		return ir_imm(l->g, 0);
	r = ir_new(l->g);
	done = ir_newlabel(l->g);
	ir_set(l->g, r, 0);
	low_ref(l, &pl, done);
	l->cond++;
	old = ir_new(l->g);
	ir_mov(l->g, old, low_load(l, &pl, t));
	v = low_norm(l, ir_alui(l->g, A_ADD, old,
	    n->op == OP_ADD ? step : -step), t);
	low_store(l, &pl, t, v);
	ir_mov(l->g, r, n->post ? old : v);
	l->cond--;
	ir_label(l->g, done);
	return r;
}
