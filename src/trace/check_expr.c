/* check_expr.c - typing of operators. */
#include <string.h>

#include "trace/check_impl.h"
#include "trace/ident.h"
#include "trace/type_decl.h"

static const struct dtype *
int_type(struct checker *c)
{
	return type_int(c->u->types, 4, true);
}

/* Both operands to the promoted type, which is the result's. */
struct node *
check_arithmetic(struct checker *c, struct node *n, enum errtag tag)
{
	const struct dtype *t;

	if (!check_is_int(n->a) || !check_is_int(n->b)) {
		diag_error(c->d, tag, n->line, "operator %s requires operands "
		    "of %s type", check_opname(n->op, false),
		    tag == D_OP_INT ? "integral" : "arithmetic");
		return NULL;
	}
	t = check_promote(c, n->a->type, n->b->type);
	if ((n->a = check_conv(c, n->a, t)) == NULL ||
	    (n->b = check_conv(c, n->b, t)) == NULL)
		return NULL;
	check_settype(c, n, t);
	return fold_binary(c, n);
}

static struct node *
shift(struct checker *c, struct node *n)
{
	if (!check_is_int(n->a) || !check_is_int(n->b)) {
		diag_error(c->d, D_OP_INT, n->line, "operator %s requires "
		    "operands of integral type", check_opname(n->op, false));
		return NULL;
	}
	check_settype(c, n, n->a->type);
	return fold_binary(c, n);
}

static struct node *
logical(struct checker *c, struct node *n)
{
	if (!check_is_scalar(n->a) || !check_is_scalar(n->b)) {
		diag_error(c->d, D_OP_SCALAR, n->line, "operator %s requires "
		    "operands of scalar type", check_opname(n->op, false));
		return NULL;
	}
	check_settype(c, n, int_type(c));
	return fold_binary(c, n);
}

/* Integers are compared as they are, in 64 bits: only the sign comes from
 * the promoted type (reference case arith_promote). */
static struct node *
compare(struct checker *c, struct node *n)
{
	bool str = type_is_string(n->a->type) || type_is_string(n->b->type);
	const struct dtype *t;

	if (check_is_int(n->a) && check_is_int(n->b)) {
		t = check_promote(c, n->a->type, n->b->type);
		t = type_int(c->u->types, 8, type_base(t)->sign);
		n->a = check_conv(c, n->a, t);
		n->b = check_conv(c, n->b, t);
	} else if (str && (check_is_strcompat(n->a) || check_is_null(n->a)) &&
	    (check_is_strcompat(n->b) || check_is_null(n->b))) {
		n->a = check_tostring(c, n->a);
		n->b = check_tostring(c, n->b);
	} else if (check_ptrcompat(c, n->a, n->b, &t) && !str) {
		n->a = check_conv(c, check_decay(c, n->a), t);
		n->b = check_conv(c, check_decay(c, n->b), t);
	} else {
		return check_incompat(c, n, n->a, n->b);
	}
	if (n->a == NULL || n->b == NULL)
		return NULL;
	check_settype(c, n, int_type(c));
	return fold_binary(c, n);
}

/* A comparison's right side may name an enumerator of the left side's type,
 * which need not be known otherwise (kernel types). */
static struct node *
enumerator(struct checker *c, const struct node *n, const struct node *a,
    struct node *b)
{
	const struct dtype *t;
	char buf[128];

	if (n->op < OP_EQ || n->op > OP_GE || b->kind != N_VAR ||
	    b->ival != SP_GLOBAL || a == NULL ||
	    (t = type_complete(c->u->types, a->type))->kind != DK_ENUM)
		return b;
	for (size_t i = 0; i < t->nmem; i++) {
		struct ident *id;

		if (strcmp(t->mem[i].name, b->str) != 0)
			continue;
		id = ident_find(c->u, SP_GLOBAL, b->str);
		if (id != NULL && id->kind != ID_ENUMCONST) {
			diag_error(c->d, D_IDENT_AMBIG, n->line, "ambiguous "
			    "use of operator %s: %s is both a %s enum tag and "
			    "a global variable", check_opname(n->op, false),
			    b->str, type_name(t, buf, sizeof(buf)));
			return NULL;
		}
		return node_int(c->u, check_normal(t->mem[i].value, t), t,
		    b->line);
	}
	return b;
}

static struct node *
binary(struct checker *c, struct node *n)
{
	struct node *a = check_read(c, n->a), *b;

	if ((b = enumerator(c, n, a, n->b)) != NULL)
		b = check_read(c, b);
	if (a == NULL || b == NULL)
		return NULL;
	n->a = a;
	n->b = b;
	switch (n->op) {
	case OP_ADD: case OP_SUB:
		return check_additive(c, n);
	case OP_MUL: case OP_DIV:
		return check_arithmetic(c, n, D_OP_ARITH);
	case OP_MOD: case OP_AND: case OP_OR: case OP_XOR:
		return check_arithmetic(c, n, D_OP_INT);
	case OP_SHL: case OP_SHR:
		return shift(c, n);
	case OP_LAND: case OP_LOR: case OP_LXOR:
		return logical(c, n);
	default:
		return compare(c, n);
	}
}

static struct node *
deref(struct checker *c, struct node *n)
{
	const struct dtype *t = type_base(n->a->type), *of;

	if (!check_is_ptr(t)) {
		diag_error(c->d, D_DEREF_NONPTR, n->line,
		    "cannot dereference non-pointer type");
		return NULL;
	}
	of = type_base(t->ref);
	if (of->kind == DK_VOID || of->kind == DK_FUNC) {
		diag_error(c->d, of->kind == DK_VOID ? D_DEREF_VOID :
		    D_DEREF_FUNC, n->line, "cannot dereference pointer to %s",
		    of->kind == DK_VOID ? "void" : "function");
		return NULL;
	}
	if (check_translated(c, n->a, of)) {
		diag_error(c->d, D_OP_DYN, n->line, "a translated struct has "
		    "no value of its own: name one of its members");
		return NULL;
	}
	if ((n->a = check_decay(c, n->a)) == NULL)
		return NULL;
	n->lval = true;
	check_settype(c, n, t->ref);
	return n;
}

struct node *
check_pointer_index(struct checker *c, struct node *n)
{
	if ((n->a = check_additive(c, n->a)) == NULL)
		return NULL;
	return deref(c, n);
}

static struct node *
address(struct checker *c, struct node *n)
{
	enum nkind k = n->a->kind;

	if (k == N_VAR || k == N_INDEX || k == N_AGG || k == N_ARGS) {
		diag_error(c->d, D_ADDROF_VAR, n->line,
		    "cannot take address of dynamic variable");
		return NULL;
	}
	if (!n->a->lval) {
		diag_error(c->d, D_ADDROF_LVAL, n->line,
		    "unacceptable operand for unary & operator");
		return NULL;
	}
	if (k == N_MEMBER && n->a->mem_bits != 0) {
		diag_error(c->d, D_ADDROF_BITFIELD, n->line,
		    "cannot take address of bit-field");
		return NULL;
	}
	check_settype(c, n, type_ptr(c->u->types, n->a->type));
	return n;
}

static struct node *
unary(struct checker *c, struct node *n)
{
	bool ok;

	if (n->op == OP_ADDR && n->a->kind == N_VAR && c->t != NULL &&
	    strchr(n->a->str, '`') != NULL)
		return check_symbol(c, n);
	if ((n->a = check_read(c, n->a)) == NULL)
		return NULL;
	if (n->op == OP_DEREF)
		return deref(c, n);
	if (n->op == OP_ADDR)
		return address(c, n);
	ok = n->op == OP_LNOT ? check_is_scalar(n->a) : check_is_int(n->a);
	if (!ok) {
		diag_error(c->d, n->op == OP_LNOT ? D_OP_SCALAR :
		    n->op == OP_NOT ? D_OP_INT : D_OP_ARITH, n->line,
		    "operator %s requires an operand of %s type",
		    check_opname(n->op, false), n->op == OP_LNOT ? "scalar" :
		    n->op == OP_NOT ? "integral" : "arithmetic");
		return NULL;
	}
	check_settype(c, n, n->op == OP_LNOT ? int_type(c) : n->a->type);
	if (n->op == OP_PLUS)
		return n->a;
	return fold_unary(c, n);
}

/* Both arms to one type. */
static struct node *
arms(struct checker *c, struct node *n)
{
	bool str = type_is_string(n->b->type) || type_is_string(n->c->type);
	const struct dtype *t;

	if (str && check_is_strcompat(n->b) && check_is_strcompat(n->c))
		t = type_string(c->u->types);
	else if (check_is_int(n->b) && check_is_int(n->c))
		t = type_same(n->b->type, n->c->type) ? n->b->type :
		    check_promote(c, n->b->type, n->c->type);
	else if (type_same(n->b->type, n->c->type))
		t = n->b->type;
	else if (!check_ptrcompat(c, n->b, n->c, &t)) {
		diag_error(c->d, D_OP_INCOMPAT, n->line,
		    "operator ?: operands must have compatible types");
		return NULL;
	}
	if (!str) {
		n->b = check_decay(c, n->b);
		n->c = check_decay(c, n->c);
		if (check_is_ptr(t))
			t = n->b != NULL && check_is_int(n->b) ? n->c->type :
			    n->b->type;
	}
	if (n->b == NULL || n->c == NULL ||
	    (n->b = check_conv(c, n->b, t)) == NULL ||
	    (n->c = check_conv(c, n->c, t)) == NULL)
		return NULL;
	n->maxlen = n->b->maxlen > n->c->maxlen ? n->b->maxlen :
	    n->c->maxlen;
	check_settype(c, n, t);
	return fold_cond(c, n);
}

static struct node *
cond(struct checker *c, struct node *n)
{
	n->a = check_read(c, n->a);
	n->b = check_read(c, n->b);
	n->c = check_read(c, n->c);
	if (n->a == NULL || n->b == NULL || n->c == NULL)
		return NULL;
	if (!check_is_scalar(n->a)) {
		diag_error(c->d, D_OP_SCALAR, n->line,
		    "operator ?: expression must be of scalar type");
		return NULL;
	}
	return arms(c, n);
}

static struct node *
stringof(struct checker *c, struct node *n, struct node *a)
{
	struct tnames t;

	if (!check_is_scalar(a) && !check_is_ptr(a->type) &&
	    !check_is_strcompat(a)) {
		check_names(&t, a, NULL);
		diag_error(c->d, D_STRINGOF_TYPE, n->line,
		    "cannot apply stringof to a value of type %s", t.a);
		return NULL;
	}
	return check_tostring(c, a);
}

static struct node *
cast(struct checker *c, struct node *n)
{
	const struct dtype *to = type_base(n->type);
	const struct dtype *from;
	struct tnames t;

	if ((n->a = check_read(c, n->a)) == NULL)
		return NULL;
	from = type_base(n->a->type);
	if (to->kind == DK_STRING && (check_is_scalar(n->a) ||
	    check_is_ptr(from) || from->kind == DK_STRING))
		return check_tostring(c, n->a);
	if (to->kind == DK_VOID)
		return n;
	if (type_same(to, from) && to->kind != DK_ARRAY) {
		/* a typedef's name matters to sizes of none, to print() */
		return fold_cast(c, n);
	}
	if (from->kind == DK_ARRAY && to->kind == DK_PTR) {
		if ((n->a = check_decay(c, n->a)) == NULL)
			return NULL;
		return n;
	}
	if (type_is_scalar(to) && type_is_scalar(from))
		return fold_cast(c, n);
	check_names(&t, n->a, n);
	diag_error(c->d, D_CAST_INVAL, n->line,
	    "invalid cast expression: \"%s\" to \"%s\"", t.a, t.b);
	return NULL;
}

static struct node *
size_of(struct checker *c, struct node *n)
{
	const struct dtype *st = type_known(c->u->types, "size_t"), *t;
	char buf[128];

	if (n->a->kind != N_TYPE && (n->a = check_read(c, n->a)) == NULL)
		return NULL;
	if (n->a->kind == N_MEMBER && n->a->mem_bits != 0) {
		diag_error(c->d, D_SIZEOF_BITFIELD, n->line,
		    "cannot apply sizeof to a bit-field");
		return NULL;
	}
	t = type_base(n->a->type);
	if (t->size == 0 || t->kind == DK_DYN) {
		diag_error(c->d, D_SIZEOF_TYPE, n->line, "cannot apply sizeof "
		    "to an operand of unknown size: %s",
		    type_name(n->a->type, buf, sizeof(buf)));
		ident_hint_type(c->u, c->d, t);
		return NULL;
	}
	return node_int(c->u, (int64_t)t->size, st, n->line);
}

static struct node *
offset_of(struct checker *c, struct node *n)
{
	const struct dtype *t = type_complete(c->u->types, n->type);
	const struct dmember *m;
	char buf[128];
	uint64_t bit;

	if (t->kind != DK_STRUCT && t->kind != DK_UNION) {
		diag_error(c->d, D_OFFSETOF_TYPE, n->line, "offsetof operand "
		    "must be a struct or union type");
		return NULL;
	}
	if (t->size == 0) {
		diag_error(c->d, D_OFFSETOF_TYPE, n->line, "offsetof cannot "
		    "be applied to a forward declaration: no %s definition "
		    "is available", type_name(t, buf, sizeof(buf)));
		ident_hint_type(c->u, c->d, t);
		return NULL;
	}
	if ((m = type_member(t, n->str, &bit)) == NULL) {
		diag_error(c->d, D_TYPE_MEMBER, n->line,
		    "%s is not a member of %s", n->str,
		    type_name(t, buf, sizeof(buf)));
		return NULL;
	}
	if (m->bit_size != 0) {
		diag_error(c->d, D_OFFSETOF_BITFIELD, n->line,
		    "cannot take offset of a bit-field: %s", n->str);
		return NULL;
	}
	return node_int(c->u, (int64_t)(bit / 8),
	    type_known(c->u->types, "size_t"), n->line);
}

static struct node *
comma(struct checker *c, struct node *n)
{
	n->a = check_read(c, n->a);
	n->b = check_read(c, n->b);
	if (n->a == NULL || n->b == NULL)
		return NULL;
	if (type_base(n->b->type)->kind == DK_DYN) {
		diag_error(c->d, D_OP_DYN, n->line,
		    "operator , operands cannot be of dynamic type");
		return NULL;
	}
	if (n->a->kind == N_INT)
		return n->b;
	n->maxlen = n->b->maxlen;
	check_settype(c, n, n->b->type);
	return n;
}

static struct node *
text(struct checker *c, struct node *n)
{
	uint32_t max = c->u->strmax;

	if (n->slen + 1 > max)
		n->slen = max - 1;
	n->maxlen = (uint32_t)n->slen + 1;
	check_settype(c, n, type_string(c->u->types));
	return n;
}

static struct node *
dispatch(struct checker *c, struct node *n, enum use use)
{
	switch (n->kind) {
	case N_INT:
		n->ival = check_normal(n->ival, n->type);
		return n;
	case N_STR: return text(c, n);
	case N_VAR: return check_var(c, n, use);
	case N_ARRAYREF: return check_index(c, n, use);
	case N_MEMBER: return check_member(c, n, use);
	case N_UNARY: return unary(c, n);
	case N_BINARY: return binary(c, n);
	case N_ASSIGN: return check_assign(c, n);
	case N_INCDEC: return check_incdec(c, n);
	case N_COND: return cond(c, n);
	case N_COMMA: return comma(c, n);
	case N_CAST: return cast(c, n);
	case N_SIZEOF: return size_of(c, n);
	case N_OFFSETOF: return offset_of(c, n);
	case N_STRINGOF:
		if ((n->a = check_read(c, n->a)) == NULL)
			return NULL;
		return stringof(c, n, n->a);
	case N_CALL: return check_call(c, n, false);
	case N_XLATE: return check_xlate(c, n);
	case N_DONE: return node_copy(c->u, n->a);
	case N_AGG: case N_AGGASSIGN:
		diag_error(c->d, n->kind == N_AGG ? D_IDENT_BADREF :
		    D_CG_EXPR, n->line, "aggregation @%s may not be used in "
		    "an expression", n->kind == N_AGG ? n->str : n->a->str);
		return NULL;
	default:
		diag_error(c->d, D_UNKNOWN, n->line,
		    "expression not expected here");
		return NULL;
	}
}

struct node *
check_expr(struct checker *c, struct node *n, enum use use)
{
	struct node *r;

	if (c->depth >= CHECK_DEPTH) {
		diag_error(c->d, D_NEST, n->line,
		    "expression nested too deeply");
		return NULL;
	}
	c->depth++;
	r = dispatch(c, n, use);
	c->depth--;
	if (r == NULL)
		return NULL;
	if (r->type != NULL && check_is_int(r) &&
	    type_base(r->type)->size > 8) {
		diag_error(c->d, D_UNSUP, n->line,
		    "integers of more than 64 bits cannot be used");
		return NULL;
	}
	r->next = NULL;
	return r;
}

/* xlate<> is only good for its members (check_member). */
static struct node *
untranslated(struct checker *c, struct node *n)
{
	if (n == NULL || n->kind != N_XLATE)
		return n;
	diag_error(c->d, D_OP_DYN, n->line, "a translated struct has no value "
	    "of its own: name one of its members");
	return NULL;
}

struct node *
check_read(struct checker *c, struct node *n)
{
	bool dyn = c->dyn;
	struct node *r;

	c->dyn = false;
	r = check_expr(c, n, USE_READ);
	c->dyn = dyn;
	return untranslated(c, r);
}

struct node *
check_dyn(struct checker *c, struct node *n)
{
	bool dyn = c->dyn;
	struct node *r;

	c->dyn = true;
	r = check_expr(c, n, USE_READ);
	c->dyn = dyn;
	return untranslated(c, r);
}
