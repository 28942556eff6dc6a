/* check_assign.c - typing of assignments. */
#include "trace/check_impl.h"
#include "trace/ident.h"
#include "trace/type_decl.h"

static int
modifiable(struct checker *c, const struct node *n, const struct node *a)
{
	const char *op = n->kind == N_INCDEC ?
	    (n->op == OP_ADD ? "++" : "--") : check_opname(n->op, true);

	if (!a->lval)
		return diag_error(c->d, D_OP_LVAL, n->line, "operator %s "
		    "requires modifiable lvalue as an operand", op);
	if (!check_writable(a))
		return diag_error(c->d, D_OP_WRITE, n->line, "operator %s can "
		    "only be applied to a writable variable", op);
	while (a->kind == N_MEMBER || a->kind == N_ARRAYREF)
		a = a->a;
	if (a->kind == N_VAR)
		a->id->written = true;
	return 0;
}

/* A pointer's step, or 1; 0: reported. */
static uint64_t
step_of(struct checker *c, const struct node *n, const char *op)
{
	if (check_is_int(n))
		return 1;
	if (check_is_sized(n))
		return check_elem_size(n);
	diag_error(c->d, D_OP_VFPTR, n->line,
	    "operator %s requires an operand of known size", op);
	return 0;
}

struct node *
check_incdec(struct checker *c, struct node *n)
{
	const char *op = n->op == OP_ADD ? "++" : "--";

	if ((n->a = check_expr(c, n->a, USE_BOTH)) == NULL)
		return NULL;
	if (n->a->type == NULL)
		check_settled(c, n->a, type_int(c->u->types, 8, true));
	if (!check_is_scalar(n->a)) {
		diag_error(c->d, D_OP_SCALAR, n->line,
		    "operator %s requires operand of scalar type", op);
		return NULL;
	}
	if ((n->ival = (int64_t)step_of(c, n->a, op)) == 0 ||
	    modifiable(c, n, n->a) < 0)
		return NULL;
	check_settype(c, n, n->a->type);
	return n;
}

static struct node *
assign_op(struct checker *c, struct node *n)
{
	const struct dtype *t;

	if (n->a->type == NULL)
		check_settled(c, n->a, type_int(c->u->types, 8, true));
	if ((n->op == OP_ADD || n->op == OP_SUB) &&
	    !type_is_string(n->a->type) && !check_is_int(n->a)) {
		uint64_t size = step_of(c, n->a, check_opname(n->op, true));

		if (size == 0)
			return NULL;
		if (!check_is_int(n->b))
			return check_incompat(c, n, n->a, n->b);
		if ((n->b = check_scaled(c, n->b, size)) == NULL)
			return NULL;
	} else if (!check_is_int(n->a) || !check_is_int(n->b)) {
		if (n->op == OP_ADD || n->op == OP_SUB)
			return check_incompat(c, n, n->a, n->b);
		diag_error(c->d, n->op == OP_MUL || n->op == OP_DIV ?
		    D_OP_ARITH : D_OP_INT, n->line, "operator %s requires "
		    "operands of %s type", check_opname(n->op, true),
		    n->op == OP_MUL || n->op == OP_DIV ? "arithmetic" :
		    "integral");
		return NULL;
	} else if (n->op != OP_SHL && n->op != OP_SHR) {
		t = check_promote(c, n->a->type, n->b->type);
		if ((n->b = check_conv(c, n->b, t)) == NULL)
			return NULL;
	}
	if (fold_divzero(c, n))
		return NULL;
	return modifiable(c, n, n->a) < 0 ? NULL : n;
}

/* Storing 0 frees a dynamic variable, whatever its type. */
static bool
frees(const struct node *a, const struct node *b)
{
	bool dynamic = a->kind == N_INDEX ||
	    (a->kind == N_VAR && a->id->scope == SC_SELF);

	return dynamic && check_is_null(b);
}

static struct node *
assign_plain(struct checker *c, struct node *n)
{
	enum dkind k;
	struct tnames t;

	if (n->a->type == NULL)
		check_settled(c, n->a, n->b->type);
	k = type_base(n->a->type)->kind;
	if (k == DK_ARRAY || k == DK_FUNC) {
		check_names(&t, n->a, NULL);
		diag_error(c->d, D_OP_ARRFUN, n->line, "operator = may not be "
		    "applied to operand of type \"%s\"", t.a);
		if (check_is_strcompat(n->b))
			diag_hint(c->d, "stringof() makes a string of it");
		return NULL;
	}
	if (k == DK_VOID || k == DK_DYN || (!frees(n->a, n->b) &&
	    !check_argcompat(c, n->a->type, n->b)))
		return check_incompat(c, n, n->a, n->b);
	if (check_is_ptr(n->b->type) && k == DK_PTR &&
	    (n->b = check_decay(c, n->b)) == NULL)
		return NULL;
	if ((n->b = check_conv(c, n->b, n->a->type)) == NULL)
		return NULL;
	return modifiable(c, n, n->a) < 0 ? NULL : n;
}

/* A failed assignment still names its variable: give it a type, so that
 * later uses do not add errors. */
static void
poison(struct checker *c, struct node *a)
{
	if (a != NULL && a->type == NULL)
		check_settled(c, a, type_int(c->u->types, 8, true));
}

struct node *
check_assign(struct checker *c, struct node *n)
{
	enum use use = n->op == OP_NONE ? USE_WRITE : USE_BOTH;
	struct node *a, *b;

	a = check_expr(c, n->a, use);
	b = check_read(c, n->b);
	if (a == NULL || b == NULL) {
		poison(c, a);
		return NULL;
	}
	n->a = a;
	n->b = b;
	n = n->op == OP_NONE ? assign_plain(c, n) : assign_op(c, n);
	if (n == NULL)
		return NULL;
	n->maxlen = n->b->maxlen;
	check_settype(c, n, n->a->type);
	return n;
}
