/*
 * lower_expr.c - integers and pointers: operators, casts; statements that are
 * expressions.
 */
#include "trace/lower_impl.h"

/* Cuts and extends a register to its type, as every value is kept. */
vreg
low_norm(struct lower *l, vreg v, const struct dtype *t)
{
	t = type_base(t);
	if (t->kind == DK_PTR || t->size == 0 || t->size >= 8)
		return v;
	return ir_ext(l->g, v, (unsigned)t->size, t->sign);
}

bool
low_signed(const struct dtype *t)
{
	t = type_base(t);
	return t->kind != DK_PTR && t->sign;
}

bool
low_isstr(const struct node *n)
{
	return n->type != NULL && type_is_string(type_base(n->type));
}

/* (x ^ s) - s with s = x >> 63: |x|, which holds for INT64_MIN unsigned */
static vreg
magnitude(struct gen *g, vreg x, vreg s)
{
	return ir_alu(g, A_SUB, ir_alu(g, A_XOR, x, s), s);
}

/* BPF divides unsigned. By zero: a fault where signed (check), else 0, and
 * the dividend as remainder, as DTrace's port has it. */
vreg
low_div(struct lower *l, vreg a, vreg b, bool sign, bool mod, bool check)
{
	struct gen *g = l->g;
	vreg sa, sb, ua, ub, q;

	if (!sign)
		return ir_alu(g, mod ? A_UMOD : A_UDIV, a, b);
	if (check)
		ir_bri(g, CC_EQ, b, 0, low_fault(l, FLT_DIVZERO, -1));
	sa = ir_alui(g, A_SAR, a, 63);
	sb = ir_alui(g, A_SAR, b, 63);
	ua = magnitude(g, a, sa);
	ub = magnitude(g, b, sb);
	q = ir_alu(g, mod ? A_UMOD : A_UDIV, ua, ub);
	if (!mod)
		sa = ir_alu(g, A_XOR, sa, sb);
	return ir_alu(g, A_SUB, ir_alu(g, A_XOR, q, sa), sa);
}

vreg
low_arith(struct lower *l, enum oper op, vreg a, vreg b, const struct dtype *t)
{
	static const enum alu table[] = { [OP_ADD] = A_ADD, [OP_SUB] = A_SUB,
	    [OP_MUL] = A_MUL, [OP_AND] = A_AND, [OP_OR] = A_OR,
	    [OP_XOR] = A_XOR, [OP_SHL] = A_SHL };
	struct gen *g = l->g;
	bool sign = low_signed(t);

	switch (op) {
	case OP_DIV:
		return low_norm(l, low_div(l, a, b, sign, false, true), t);
	case OP_MOD:
		return low_norm(l, low_div(l, a, b, sign, true, true), t);
	case OP_SHR:
		return ir_alu(g, sign ? A_SAR : A_SHR, a,
		    ir_alui(g, A_AND, b, 63));
	case OP_SHL:
		return low_norm(l, ir_alu(g, A_SHL, a,
		    ir_alui(g, A_AND, b, 63)), t);
	case OP_AND:
	case OP_OR:
	case OP_XOR:
		return ir_alu(g, table[op], a, b);
	default:
		return low_norm(l, ir_alu(g, table[op], a, b), t);
	}
}

static vreg
binary(struct lower *l, const struct node *n)
{
	vreg a, b;

	switch (n->op) {
	case OP_LAND:
	case OP_LOR:
	case OP_EQ:
	case OP_NE:
	case OP_LT:
	case OP_LE:
	case OP_GT:
	case OP_GE:
		return low_truth(l, n);
	case OP_LXOR:
		a = low_truth(l, n->a);
		return ir_alu(l->g, A_XOR, a, low_truth(l, n->b));
	default:
		a = low_int(l, n->a);
		b = low_int(l, n->b);
		return low_arith(l, n->op, a, b, n->type);
	}
}

/* A value that is known by its address. */
static bool
is_aggregate(const struct dtype *t)
{
	t = type_base(t);
	return t->kind == DK_ARRAY || t->kind == DK_STRUCT ||
	    t->kind == DK_UNION;
}

static vreg
unary(struct lower *l, const struct node *n)
{
	struct place pl;
	vreg a;

	switch (n->op) {
	case OP_NEG:
		a = low_int(l, n->a);
		return low_norm(l, ir_neg(l->g, a), n->type);
	case OP_NOT:
		a = low_int(l, n->a);
		return low_norm(l, ir_alui(l->g, A_XOR, a, -1), n->type);
	case OP_LNOT:
		return low_truth(l, n);
	case OP_DEREF:
		if (!low_place(l, n, &pl))
			break;
		return is_aggregate(n->type) ? low_addr(l, &pl) :
		    low_load(l, &pl, n->type);
	case OP_ADDR:
		if (!low_place(l, n->a, &pl))
			break;
		return low_addr(l, &pl);
	default:
		return low_int(l, n->a);
	}
	return ir_imm(l->g, 0);
}

static vreg
cond(struct lower *l, const struct node *n)
{
	vreg r = ir_new(l->g);
	label no = ir_newlabel(l->g), end = ir_newlabel(l->g);

	low_jump(l, n->a, false, no);
	l->cond++;
	ir_mov(l->g, r, low_int(l, n->b));
	ir_jmp(l->g, end);
	ir_label(l->g, no);
	ir_mov(l->g, r, low_int(l, n->c));
	ir_label(l->g, end);
	l->cond--;
	return r;
}

static vreg
cast(struct lower *l, const struct node *n)
{
	struct place pl;

	if (low_isstr(n->a))
		return low_scalar(l, low_str(l, n->a).r);
	if (is_aggregate(n->a->type)) {
		/* an array where a pointer is wanted */
		if (!low_place(l, n->a, &pl))
			return ir_imm(l->g, 0);
		return low_addr(l, &pl);
	}
	return low_norm(l, low_int(l, n->a), n->type);
}

/* An integer or pointer; every other kind of expression is an error of the
 * front end's. */
vreg
low_int(struct lower *l, const struct node *n)
{
	struct place pl;

	switch (n->kind) {
	case N_INT:
		return ir_imm(l->g, n->ival);
	case N_VAR:
	case N_INDEX:
		if (n->id->kind == ID_BUILTIN)
			return low_builtin(l, n);
		/* FALLTHROUGH */
	case N_ARRAYREF:
	case N_MEMBER:
		if (n->kind == N_ARRAYREF &&
		    type_is_string(type_base(n->a->type)))
			return low_char(l, n);
		if (!low_place(l, n, &pl))
			return ir_imm(l->g, 0);
		if (is_aggregate(n->type))
			return low_addr(l, &pl);
		return low_load(l, &pl, n->type);
	case N_ARGS:
		return low_builtin(l, n);
	case N_UNARY:
		return unary(l, n);
	case N_BINARY:
		return binary(l, n);
	case N_ASSIGN:
		return low_assign(l, n);
	case N_INCDEC:
		return low_incdec(l, n);
	case N_COND:
		return cond(l, n);
	case N_COMMA:
		low_effect(l, n->a);
		return low_int(l, n->b);
	case N_CAST:
		return cast(l, n);
	case N_CALL:
		return low_subr(l, n);
	case N_STR:
	case N_STRINGOF:
		return low_scalar(l, low_str(l, n).r);
	default:
		(void)low_error(l, D_UNSUP, n->line,
		    "this expression has no code");
		return ir_imm(l->g, 0);
	}
}

void
low_effect(struct lower *l, const struct node *n)
{
	switch (n->kind) {
	case N_AGGASSIGN:
		low_aggregate(l, n);
		break;
	case N_CALL:
		if (n->func->kind == FN_ACTION || n->func->id == F_COPYOUT ||
		    n->func->id == F_COPYOUTSTR)
			low_action(l, n);
		else if (low_isstr(n))
			(void)low_str(l, n);
		else
			(void)low_subr(l, n);
		break;
	case N_COMMA:
		low_effect(l, n->a);
		low_effect(l, n->b);
		break;
	case N_COND:
		if (type_base(n->type)->kind == DK_VOID) {
			label no = ir_newlabel(l->g), end = ir_newlabel(l->g);

			low_jump(l, n->a, false, no);
			l->cond++;
			low_effect(l, n->b);
			ir_jmp(l->g, end);
			ir_label(l->g, no);
			low_effect(l, n->c);
			ir_label(l->g, end);
			l->cond--;
			break;
		}
		/* FALLTHROUGH */
	default:
		if (low_isstr(n))
			(void)low_str(l, n);
		else
			(void)low_int(l, n);
		break;
	}
}
