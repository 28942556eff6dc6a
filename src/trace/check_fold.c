/* check_fold.c - constant folding, in the types of D. */
#include "trace/check_impl.h"
#include "trace/ident.h"
#include "trace/type_decl.h"

static bool
is_signed(const struct dtype *t)
{
	t = type_base(t);
	return t->kind == DK_INT && t->sign;
}

static int64_t
divide(int64_t a, int64_t b, bool sign, bool mod)
{
	if (!sign)
		return (int64_t)(mod ? (uint64_t)a % (uint64_t)b :
		    (uint64_t)a / (uint64_t)b);
	if (b == -1)			/* INT64_MIN / -1 does not trap in D */
		return mod ? 0 : (int64_t)(0 - (uint64_t)a);
	return mod ? a % b : a / b;
}

static int64_t
compare(enum oper op, int64_t a, int64_t b, bool sign)
{
	bool lt = sign ? a < b : (uint64_t)a < (uint64_t)b;

	switch (op) {
	case OP_EQ: return a == b;
	case OP_NE: return a != b;
	case OP_LT: return lt;
	case OP_GE: return !lt;
	case OP_GT: return !lt && a != b;
	default: return lt || a == b;
	}
}

/* BPF shifts by the low six bits, and so does D here. */
static int64_t
shift(int64_t a, int64_t b, bool left, bool sign)
{
	unsigned n = (unsigned)b & 63;

	if (left)
		return (int64_t)((uint64_t)a << n);
	return sign ? a >> n : (int64_t)((uint64_t)a >> n);
}

static int64_t
compute(const struct node *n)
{
	int64_t a = n->a->ival, b = n->b->ival;
	uint64_t x = (uint64_t)a, y = (uint64_t)b;
	bool sign = is_signed(n->a->type);

	switch (n->op) {
	case OP_ADD: return (int64_t)(x + y);
	case OP_SUB: return (int64_t)(x - y);
	case OP_MUL: return (int64_t)(x * y);
	case OP_DIV: return divide(a, b, sign, false);
	case OP_MOD: return divide(a, b, sign, true);
	case OP_AND: return a & b;
	case OP_OR: return a | b;
	case OP_XOR: return a ^ b;
	case OP_SHL: return shift(a, b, true, sign);
	case OP_SHR: return shift(a, b, false, sign);
	case OP_LAND: return a && b;
	case OP_LOR: return a || b;
	case OP_LXOR: return !a != !b;
	default: return compare(n->op, a, b, sign);
	}
}

/*
 * Plain integer constants are folded in 64 bits, and keep what does not fit an
 * int until they are stored in one: 10 * 1000000000 is that many nanoseconds,
 * as in DTrace.
 */
static struct node *
constant(struct checker *c, const struct node *n, int64_t v)
{
	const struct dtype *t = n->type;

	if (t->kind != DK_INT || !t->sign || t->size != 4)
		v = check_normal(v, n->type);
	return node_int(c->u, v, n->type, n->line);
}

bool
fold_divzero(struct checker *c, const struct node *n)
{
	if (n->b->kind != N_INT || n->b->ival != 0 ||
	    (n->op != OP_DIV && n->op != OP_MOD))
		return false;
	diag_error(c->d, D_DIV_ZERO, n->line,
	    "expression contains division by zero");
	return true;
}

struct node *
fold_binary(struct checker *c, struct node *n)
{
	if (fold_divzero(c, n))
		return NULL;
	if (n->a->kind != N_INT || n->b->kind != N_INT)
		return n;
	return constant(c, n, compute(n));
}

struct node *
fold_unary(struct checker *c, struct node *n)
{
	int64_t v;

	if (n->a->kind != N_INT)
		return n;
	v = n->a->ival;
	switch (n->op) {
	case OP_NEG: return constant(c, n, (int64_t)(0 - (uint64_t)v));
	case OP_PLUS: return constant(c, n, v);
	case OP_NOT: return constant(c, n, ~v);
	case OP_LNOT: return constant(c, n, !v);
	default: return n;
	}
}

struct node *
fold_cast(struct checker *c, struct node *n)
{
	if (n->a->kind != N_INT || !type_is_scalar(n->type))
		return n;
	return constant(c, n, n->a->ival);
}

struct node *
fold_cond(struct checker *c, struct node *n)
{
	(void)c;
	if (n->a->kind != N_INT)
		return n;
	return n->a->ival != 0 ? n->b : n->c;
}
