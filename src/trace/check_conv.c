/* check_conv.c - types of values, conversions between them. */
#include <string.h>

#include "trace/check_impl.h"
#include "trace/ident.h"
#include "trace/type_decl.h"

/* Sets a node's type, and of a string the bound of its length. */
void
check_settype(struct checker *c, struct node *n, const struct dtype *t)
{
	n->type = t;
	if (type_is_string(t) && n->maxlen == 0)
		n->maxlen = c->u->strmax;
}

int64_t
check_normal(int64_t v, const struct dtype *t)
{
	bool sign;

	t = type_base(t);
	sign = t->kind == DK_INT && t->sign;
	switch (t->size) {
	case 1: return sign ? (int8_t)v : (int64_t)(uint8_t)v;
	case 2: return sign ? (int16_t)v : (int64_t)(uint16_t)v;
	case 4: return sign ? (int32_t)v : (int64_t)(uint32_t)v;
	default: return v;
	}
}

bool
check_is_null(const struct node *n)
{
	return n->kind == N_INT && n->ival == 0 && type_is_integer(n->type);
}

bool
check_is_ptr(const struct dtype *t)
{
	t = type_base(t);
	return t->kind == DK_PTR || t->kind == DK_ARRAY;
}

static bool
is_char(const struct dtype *t)
{
	t = type_base(t);
	return t->kind == DK_INT && t->size == 1 && t->sign;
}

bool
check_is_strcompat(const struct node *n)
{
	const struct dtype *t = type_base(n->type);

	return t->kind == DK_STRING ||
	    (check_is_ptr(t) && is_char(t->ref));
}

bool
check_is_scalar(const struct node *n)
{
	const struct dtype *t = type_base(n->type);

	return t->kind == DK_INT || t->kind == DK_ENUM || t->kind == DK_PTR;
}

static const struct dtype *
pointee(const struct dtype *t)
{
	t = type_base(t);
	return t->kind == DK_PTR || t->kind == DK_ARRAY ||
	    t->kind == DK_STRING ? type_base(t->ref) : NULL;
}

bool
check_ptrcompat(struct checker *c, const struct node *a, const struct node *b,
    const struct dtype **type)
{
	const struct dtype *pa = pointee(a->type), *pb = pointee(b->type);

	(void)c;
	if (pa == NULL && pb == NULL)
		return false;
	if ((pa == NULL && !check_is_null(a)) ||
	    (pb == NULL && !check_is_null(b)))
		return false;
	if (type != NULL)
		*type = pa == NULL ? b->type : pb == NULL ? a->type :
		    pb->kind == DK_VOID ? a->type : b->type;
	return pa == NULL || pb == NULL || pa->kind == DK_VOID ||
	    pb->kind == DK_VOID || type_same(pa, pb);
}

bool
check_argcompat(struct checker *c, const struct dtype *want,
    const struct node *b)
{
	struct node a = { .kind = N_TYPE, .type = want };
	const struct dtype *t = type_base(want);

	if (type_is_integer(want) && type_is_integer(b->type))
		return true;
	if (check_is_strcompat(&a) && check_is_strcompat(b))
		return true;
	if (t->kind == DK_STRUCT || t->kind == DK_UNION)
		return type_same(want, b->type);
	if (t->kind == DK_DYN)
		return type_base(b->type)->kind == DK_DYN;
	return check_ptrcompat(c, &a, b, NULL);
}

/* The type of higher rank: bits, and unsigned above signed (no promotion to
 * int: the reference port's cases arith_promote, arith_sizeof). */
const struct dtype *
check_promote(struct checker *c, const struct dtype *a, const struct dtype *b)
{
	const struct dtype *x = type_base(a), *y = type_base(b);
	unsigned ra, rb;

	if (x->kind == DK_ENUM)
		x = a = type_int(c->u->types, 4, true);
	if (y->kind == DK_ENUM)
		y = b = type_int(c->u->types, 4, true);
	ra = (unsigned)x->size * 8 + !x->sign;
	rb = (unsigned)y->size * 8 + !y->sign;
	return ra >= rb ? a : b;
}

/* Decimal constants go up int, long; others through the unsigned too. */
const struct dtype *
check_int_type(struct unit *u, uint64_t v, bool decimal, int nu, int nl)
{
	static const struct {
		uint64_t max;
		unsigned size;
		bool sign;
	} cand[] = {
		{ INT32_MAX, 4, true }, { UINT32_MAX, 4, false },
		{ INT64_MAX, 8, true }, { UINT64_MAX, 8, false },
		{ INT64_MAX, 8, true }, { UINT64_MAX, 8, false },
	};
	size_t step = decimal ? 2 : 1, i = (size_t)(nu + nl * 2);

	if (nu > 0)
		step = 2;
	for (; i < sizeof(cand) / sizeof(*cand); i += step) {
		if (v > cand[i].max)
			continue;
		if (i < 4)
			return type_int(u->types, cand[i].size, cand[i].sign);
		return type_known(u->types, i == 4 ? "long long" :
		    "unsigned long long");
	}
	return NULL;
}

/* The string that n's value amounts to. */
struct node *
check_tostring(struct checker *c, struct node *n)
{
	struct node *s;

	if (type_is_string(n->type))
		return n;
	if (n->kind == N_INT && n->ival == 0) {
		if ((s = node_new(c->u, N_STR, n->line)) == NULL)
			return NULL;
		s->maxlen = 1;
	} else {
		const struct dtype *t = type_base(n->type);

		if ((s = node_new(c->u, N_STRINGOF, n->line)) == NULL)
			return NULL;
		s->a = n;
		s->implicit = true;
		s->maxlen = c->u->strmax;
		if (t->kind == DK_ARRAY && t->nelem + 1 < s->maxlen)
			s->maxlen = (uint32_t)t->nelem + 1;
	}
	check_settype(c, s, type_string(c->u->types));
	return s;
}

/* n as a value of type t: an implicit cast, if it makes a difference. */
struct node *
check_conv(struct checker *c, struct node *n, const struct dtype *t)
{
	const struct dtype *from = type_base(n->type), *to = type_base(t);
	struct node *cast;

	if (to->kind == DK_STRING)
		return check_tostring(c, n);
	if (to->kind == DK_DYN || to->kind == DK_VOID || from == to)
		return n;
	if (type_is_integer(t) && type_is_integer(n->type) &&
	    from->size == to->size && from->sign == to->sign) {
		if (n->kind == N_INT)
			n->type = t;
		return n;
	}
	if (!type_is_scalar(t))
		return n;
	if (to->kind == DK_PTR && from->kind == DK_PTR)
		return n;
	if ((cast = node_new(c->u, N_CAST, n->line)) == NULL)
		return NULL;
	cast->a = n;
	cast->implicit = true;
	check_settype(c, cast, t);
	return fold_cast(c, cast);
}

const char *
check_opname(enum oper op, bool assign)
{
	static const char *const name[][2] = {
		[OP_NONE] = { "=", "=" },
		[OP_ADD] = { "+", "+=" }, [OP_SUB] = { "-", "-=" },
		[OP_MUL] = { "*", "*=" }, [OP_DIV] = { "/", "/=" },
		[OP_MOD] = { "%", "%=" }, [OP_AND] = { "&", "&=" },
		[OP_OR] = { "|", "|=" }, [OP_XOR] = { "^", "^=" },
		[OP_SHL] = { "<<", "<<=" }, [OP_SHR] = { ">>", ">>=" },
		[OP_LAND] = { "&&", "&&" }, [OP_LOR] = { "||", "||" },
		[OP_LXOR] = { "^^", "^^" }, [OP_EQ] = { "==", "==" },
		[OP_NE] = { "!=", "!=" }, [OP_LT] = { "<", "<" },
		[OP_LE] = { "<=", "<=" }, [OP_GT] = { ">", ">" },
		[OP_GE] = { ">=", ">=" }, [OP_NEG] = { "-", "-" },
		[OP_PLUS] = { "+", "+" }, [OP_NOT] = { "~", "~" },
		[OP_LNOT] = { "!", "!" }, [OP_DEREF] = { "*", "*" },
		[OP_ADDR] = { "&", "&" },
	};

	return name[op][assign];
}

void
check_names(struct tnames *t, const struct node *a, const struct node *b)
{
	type_name(a->type, t->a, sizeof(t->a));
	if (b != NULL)
		type_name(b->type, t->b, sizeof(t->b));
}

void *
check_nomem(struct checker *c, int line)
{
	diag_error(c->d, D_UNKNOWN, line,
	    "out of memory, or the program is too large");
	return NULL;
}

bool
check_is_int(const struct node *n)
{
	return type_is_integer(n->type);
}

void *
check_incompat(struct checker *c, const struct node *n, const struct node *a,
    const struct node *b)
{
	struct tnames t;

	check_names(&t, a, b);
	diag_error(c->d, D_OP_INCOMPAT, n->line,
	    "operands have incompatible types: \"%s\" %s \"%s\"", t.a,
	    check_opname(n->op, n->kind == N_ASSIGN), t.b);
	return NULL;
}
