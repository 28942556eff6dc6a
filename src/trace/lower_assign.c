/*
 * lower_assign.c - assignments to integers and pointers, ++ and --.
 */
#include "trace/lower_impl.h"

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

/* A value that is read and stored again, with what follows if it is there. */
struct update {
	struct place pl;
	const struct dtype *type;
	vreg r;			/* its value, 0: it is not there */
	label done;
};

/* False: there is no such place, and an error. */
static bool
update_begin(struct lower *l, const struct node *at, struct update *u)
{
	if (!low_place(l, at, &u->pl))
		return false;
	u->type = at->type;
	u->r = ir_new(l->g);
	u->done = ir_newlabel(l->g);
	ir_set(l->g, u->r, 0);
	low_ref(l, &u->pl, u->done);
	l->cond++;
	return true;
}

static vreg
update_end(struct lower *l, struct update *u, vreg stored, vreg value)
{
	low_store(l, &u->pl, u->type, stored);
	ir_mov(l->g, u->r, value);
	l->cond--;
	ir_label(l->g, u->done);
	return u->r;
}

/* a = b, a op= b; the value is what was stored. */
vreg
low_assign(struct lower *l, const struct node *n)
{
	const struct dtype *t = n->a->type;
	struct update u;
	struct place pl;
	vreg v;

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
	if (!update_begin(l, n->a, &u))
		return ir_imm(l->g, 0);
	v = operate(l, n, low_load(l, &u.pl, t));
	return update_end(l, &u, v, v);
}

vreg
low_incdec(struct lower *l, const struct node *n)
{
	const struct dtype *t = n->a->type;
	int64_t step = n->ival != 0 ? n->ival : 1;
	struct update u;
	vreg old, v;

	if (!update_begin(l, n->a, &u))
		return ir_imm(l->g, 0);
	old = ir_new(l->g);
	ir_mov(l->g, old, low_load(l, &u.pl, t));
	v = low_norm(l, ir_alui(l->g, A_ADD, old,
	    n->op == OP_ADD ? step : -step), t);
	return update_end(l, &u, v, n->post ? old : v);
}
