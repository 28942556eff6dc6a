/*
 * lower_expr.c - integers and pointers: operators, conditions, casts.
 */
#include <string.h>

#include "trace/lowint.h"

/* Cuts and extends a register to its type, as every value is kept. */
vreg
low_norm(struct lower *l, vreg v, const struct dtype *t)
{
	t = type_base(t);
	if (t->kind == DK_PTR || t->size == 0 || t->size >= 8)
		return v;
	return ir_ext(l->g, v, (unsigned)t->size, t->sign);
}

static bool
issigned(const struct dtype *t)
{
	t = type_base(t);
	return t->kind != DK_PTR && t->sign;
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
isstring(const struct node *n)
{
	return n->type != NULL && type_is_string(type_base(n->type));
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
	enum cc cc = compare(n->op, issigned(n->a->type));
	const struct node *s;
	vreg a, b;

	if (isstring(n->a) || isstring(n->b)) {
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
		v = isstring(n) ? low_str(l, n).r : low_int(l, n);
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
	bool sign = issigned(n->a->type);
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
static vreg
truth(struct lower *l, const struct node *n)
{
	vreg r;
	label no, end;

	if (iscompare(n) && !isstring(n->a) && !isstring(n->b))
		return compared(l, n);
	if (n->kind == N_UNARY && n->op == OP_LNOT)
		return ir_alui(l->g, A_XOR, truth(l, n->a), 1);
	if (!isstring(n) && !(n->kind == N_BINARY && (n->op == OP_LAND ||
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

static vreg
arith(struct lower *l, enum oper op, vreg a, vreg b, const struct dtype *t)
{
	static const enum alu table[] = { [OP_ADD] = A_ADD, [OP_SUB] = A_SUB,
	    [OP_MUL] = A_MUL, [OP_AND] = A_AND, [OP_OR] = A_OR,
	    [OP_XOR] = A_XOR, [OP_SHL] = A_SHL };
	struct gen *g = l->g;
	bool sign = issigned(t);

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
		return truth(l, n);
	case OP_LXOR:
		a = truth(l, n->a);
		return ir_alu(l->g, A_XOR, a, truth(l, n->b));
	default:
		a = low_int(l, n->a);
		b = low_int(l, n->b);
		return arith(l, n->op, a, b, n->type);
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
		return truth(l, n);
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

	if (isstring(n->a))
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

static vreg
operate(struct lower *l, const struct node *n, vreg old)
{
	const struct dtype *t = n->b->type;
	vreg b = low_int(l, n->b);

	if (n->op == OP_SHL || n->op == OP_SHR)
		return arith(l, n->op, old, b, n->a->type);
	if (type_base(n->a->type)->kind == DK_PTR)
		t = n->a->type;
	else
		old = low_norm(l, old, t);
	return low_norm(l, arith(l, n->op, old, b, t), n->a->type);
}

/* a = b, a op= b; the value is what was stored. */
vreg
low_assign(struct lower *l, const struct node *n)
{
	const struct dtype *t = n->a->type;
	struct place pl;
	label done;
	vreg v, r;

	if (isstring(n->a)) {
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
		else if (isstring(n))
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
		if (isstring(n))
			(void)low_str(l, n);
		else
			(void)low_int(l, n);
		break;
	}
}
