/*
 * lower_cond.c - comparisons and conditions, as jumps and as values.
 */
#include "trace/lower_impl.h"

static enum cc
compare(enum oper op, bool sign)
{
	switch (op) {
	case OP_EQ: return CC_EQ;
	case OP_NE: return CC_NE;
	case OP_LT: return sign ? CC_SLT : CC_ULT;
	case OP_LE: return sign ? CC_SLE : CC_ULE;
	case OP_GT: return sign ? CC_SGT : CC_UGT;
	default: return sign ? CC_SGE : CC_UGE;
	}
}

static enum cc
opposite(enum cc cc)
{
	switch (cc) {
	case CC_EQ: return CC_NE;
	case CC_NE: return CC_EQ;
	case CC_ULT: return CC_UGE;
	case CC_ULE: return CC_UGT;
	case CC_UGT: return CC_ULE;
	case CC_UGE: return CC_ULT;
	case CC_SLT: return CC_SGE;
	case CC_SLE: return CC_SGT;
	case CC_SGT: return CC_SLE;
	case CC_SGE: return CC_SLT;
	default: return cc;
	}
}

static bool
iscompare(const struct node *n)
{
	return n->kind == N_BINARY && n->op >= OP_EQ && n->op <= OP_GE;
}

static bool
isnull(const struct node *n)
{
	return n->kind == N_STR && n->str == NULL;
}

/* Jumps when the comparison holds (or does not). */
static void
jump_compare(struct lower *l, const struct node *n, bool iftrue, label to)
{
	struct gen *g = l->g;
	enum cc cc = compare(n->op, low_signed(n->a->type));
	const struct node *s;
	vreg a, b;

	if (low_isstr(n->a) || low_isstr(n->b)) {
		if (isnull(n->a) || isnull(n->b)) {
			s = isnull(n->a) ? n->b : n->a;
			a = isnull(s) ? ir_imm(g, 0) : low_str(l, s).r;
			cc = compare(n->op, false);
		} else {
			a = low_strcmp(l, n);
			cc = compare(n->op, true);
		}
		b = -1;
	} else {
		a = low_int(l, n->a);
		if (n->b->kind == N_INT) {
			ir_bri(g, iftrue ? cc : opposite(cc), a, n->b->ival,
			    to);
			return;
		}
		b = low_int(l, n->b);
	}
	if (!iftrue)
		cc = opposite(cc);
	if (b < 0)
		ir_bri(g, cc, a, 0, to);
	else
		ir_br(g, cc, a, b, to);
}

static void
jump_logical(struct lower *l, const struct node *n, bool iftrue, label to)
{
	bool and = n->op == OP_LAND;
	label past;

	if (and != iftrue) {
		/* one operand is enough to jump */
		low_jump(l, n->a, iftrue, to);
		/* past the clause: what follows is not less certain */
		if (to == l->skip)
			l->escapes++;
		else
			l->cond++;
		low_jump(l, n->b, iftrue, to);
		if (to != l->skip)
			l->cond--;
		return;
	}
	past = ir_newlabel(l->g);
	low_jump(l, n->a, !iftrue, past);
	l->cond++;
	low_jump(l, n->b, iftrue, to);
	l->cond--;
	ir_label(l->g, past);
}

void
low_jump(struct lower *l, const struct node *n, bool iftrue, label to)
{
	vreg v;

	if (n->kind == N_UNARY && n->op == OP_LNOT) {
		low_jump(l, n->a, !iftrue, to);
	} else if (n->kind == N_BINARY && (n->op == OP_LAND ||
	    n->op == OP_LOR)) {
		jump_logical(l, n, iftrue, to);
	} else if (iscompare(n)) {
		jump_compare(l, n, iftrue, to);
	} else {
		v = low_isstr(n) ? low_str(l, n).r : low_int(l, n);
		ir_bri(l->g, iftrue ? CC_NE : CC_EQ, v, 0, to);
	}
}

/*
 * 1 or 0 without a branch: what a branch leaves are constants, which the
 * verifier follows through all later code, each on its own.
 */
static vreg
notzero(struct gen *g, vreg x)
{
	return ir_alui(g, A_SHR, ir_alu(g, A_OR, x, ir_neg(g, x)), 63);
}

static vreg
below(struct gen *g, vreg a, vreg b, bool sign, bool narrow)
{
	vreg d = ir_alu(g, A_SUB, a, b), x, y;

	if (!narrow && sign) {
		/* the difference's sign, but where it overflowed */
		x = ir_alu(g, A_AND, ir_alu(g, A_XOR, a, b),
		    ir_alu(g, A_XOR, d, a));
		d = ir_alu(g, A_XOR, d, x);
	} else if (!narrow) {
		/* the borrow */
		x = ir_alui(g, A_XOR, a, -1);
		y = ir_alu(g, A_AND, ir_alu(g, A_OR, x, b), d);
		d = ir_alu(g, A_OR, ir_alu(g, A_AND, x, b), y);
	}
	return ir_alui(g, A_SHR, d, 63);
}

/* A value that was less than 64 bits before it was converted for comparing. */
static bool
narrow(const struct node *n)
{
	if (n->kind == N_INT)
		return n->ival == (int32_t)n->ival;
	while (n->kind == N_CAST && n->a->type != NULL &&
	    type_is_integer(type_base(n->a->type)) &&
	    type_base(n->type)->size == 8)
		n = n->a;
	return type_is_integer(type_base(n->type)) &&
	    type_base(n->type)->size < 8;
}

static vreg
compared(struct lower *l, const struct node *n)
{
	bool sign = low_signed(n->a->type);
	bool small = sign && narrow(n->a) && narrow(n->b);
	struct gen *g = l->g;
	vreg a = low_int(l, n->a), b = low_int(l, n->b);

	switch (n->op) {
	case OP_NE:
		return notzero(g, ir_alu(g, A_SUB, a, b));
	case OP_LT:
		return below(g, a, b, sign, small);
	case OP_GT:
		return below(g, b, a, sign, small);
	case OP_GE:
		return ir_alui(g, A_XOR, below(g, a, b, sign, small), 1);
	case OP_LE:
		return ir_alui(g, A_XOR, below(g, b, a, sign, small), 1);
	default:
		return ir_alui(g, A_XOR,
		    notzero(g, ir_alu(g, A_SUB, a, b)), 1);
	}
}

/* 1 or 0 */
vreg
low_truth(struct lower *l, const struct node *n)
{
	vreg r;
	label no, end;

	if (iscompare(n) && !low_isstr(n->a) && !low_isstr(n->b))
		return compared(l, n);
	if (n->kind == N_UNARY && n->op == OP_LNOT)
		return ir_alui(l->g, A_XOR, low_truth(l, n->a), 1);
	if (!low_isstr(n) && !(n->kind == N_BINARY && (n->op == OP_LAND ||
	    n->op == OP_LOR)) && !iscompare(n))
		return notzero(l->g, low_int(l, n));
	r = ir_new(l->g);
	no = ir_newlabel(l->g);
	end = ir_newlabel(l->g);
	low_jump(l, n, false, no);
	ir_set(l->g, r, 1);
	ir_jmp(l->g, end);
	ir_label(l->g, no);
	ir_set(l->g, r, 0);
	ir_label(l->g, end);
	return low_opaque(l, r);
}
