/* parse_expr.c - expressions, by precedence. */
#include <string.h>

#include "trace/arena.h"
#include "trace/check_impl.h"
#include "trace/ident.h"
#include "trace/parse_impl.h"
#include "trace/type_decl.h"

struct binop { enum tok tok; int prec; enum oper op; };

static const struct binop binop[] = {
	{ T_LOR, 1, OP_LOR }, { T_LXOR, 2, OP_LXOR }, { T_LAND, 3, OP_LAND },
	{ T_OR, 4, OP_OR }, { T_XOR, 5, OP_XOR }, { T_AND, 6, OP_AND },
	{ T_EQ, 7, OP_EQ }, { T_NE, 7, OP_NE },
	{ T_LT, 8, OP_LT }, { T_LE, 8, OP_LE }, { T_GT, 8, OP_GT },
	{ T_GE, 8, OP_GE },
	{ T_SHL, 9, OP_SHL }, { T_SHR, 9, OP_SHR },
	{ T_ADD, 10, OP_ADD }, { T_SUB, 10, OP_SUB },
	{ T_MUL, 11, OP_MUL }, { T_DIV, 11, OP_DIV }, { T_MOD, 11, OP_MOD },
};

static const struct { enum tok tok; enum oper op; } assignop[] = {
	{ T_ASSIGN, OP_NONE }, { T_ADDEQ, OP_ADD }, { T_SUBEQ, OP_SUB },
	{ T_MULEQ, OP_MUL }, { T_DIVEQ, OP_DIV }, { T_MODEQ, OP_MOD },
	{ T_SHLEQ, OP_SHL }, { T_SHREQ, OP_SHR }, { T_ANDEQ, OP_AND },
	{ T_XOREQ, OP_XOR }, { T_OREQ, OP_OR },
};

static const struct { enum tok tok; enum oper op; } unop[] = {
	{ T_AND, OP_ADDR }, { T_MUL, OP_DEREF }, { T_ADD, OP_PLUS },
	{ T_SUB, OP_NEG }, { T_BNOT, OP_NOT }, { T_LNOT, OP_LNOT },
};

static struct node *unary(struct parser *);

static struct node *
new_node(struct parser *p, enum nkind kind, int line)
{
	struct node *n = node_new(p->u, kind, line);

	if (n == NULL)
		return parse_nomem(p);
	if (++p->chain > PARSE_CHAIN) {
		diag_error(p->d, D_NEST, line, "expression has too many "
		    "operators (more than %d)", PARSE_CHAIN);
		return NULL;
	}
	return n;
}

static struct node *
integer(struct parser *p, const struct token *t)
{
	struct node *n = new_node(p, N_INT, t->line), *neg;

	if (n == NULL)
		return NULL;
	n->ival = (int64_t)t->num;
	n->type = check_int_type(p->u, t->num, t->decimal, t->nu, t->nl);
	if (n->type == NULL) {
		diag_error(p->d, D_INT_OFLOW, t->line, "integer constant "
		    "0x%llx cannot be represented in any built-in integral "
		    "type", (unsigned long long)t->num);
		if (t->decimal && t->nu == 0)
			diag_hint(p->d, "add a U: %lluU",
			    (unsigned long long)t->num);
		return NULL;
	}
	if (t->sign == '\0')
		return n;
	if ((neg = new_node(p, N_UNARY, t->line)) == NULL)
		return NULL;
	neg->op = t->sign == '-' ? OP_NEG : OP_PLUS;
	neg->a = n;
	return neg;
}

static int
list(struct parser *p, enum tok close, struct node *n)
{
	struct node **tail = &n->list;

	for (;;) {
		if ((*tail = parse_assignment(p)) == NULL)
			return -1;
		tail = &(*tail)->next;
		n->nlist++;
		if (!parse_accept(p, T_COMMA))
			break;
	}
	return parse_expect(p, close);
}

/* self->name and this->name; the keyword is consumed. */
static struct node *
scoped(struct parser *p, const struct token *kw)
{
	struct token t;
	struct node *n;

	if (parse_expect(p, T_ARROW) < 0)
		return NULL;
	t = lex_next(&p->lx);
	if (t.kind != T_IDENT)
		return parse_syntax(p, &t);
	if ((n = new_node(p, N_VAR, t.line)) == NULL)
		return NULL;
	n->str = t.s;
	n->ival = kw->kind == T_SELF ? SP_SELF : SP_THIS;
	return n;
}

static struct node *
parenthesised(struct parser *p)
{
	struct node *n;

	if (parse_enter(p) < 0)
		return NULL;
	n = parse_expression(p);
	parse_leave(p);
	if (n == NULL || parse_expect(p, T_RPAR) < 0)
		return NULL;
	return n;
}

static struct node *
offset_of(struct parser *p, int line)
{
	struct node *n = new_node(p, N_OFFSETOF, line);
	struct token t;

	if (n == NULL || parse_expect(p, T_LPAR) < 0 ||
	    (n->type = parse_type_name(p)) == NULL ||
	    parse_expect(p, T_COMMA) < 0)
		return NULL;
	t = lex_next(&p->lx);
	if (t.kind != T_IDENT)
		return parse_syntax(p, &t);
	n->str = t.s;
	return parse_expect(p, T_RPAR) < 0 ? NULL : n;
}

static struct node *
xlate(struct parser *p, int line)
{
	struct node *n = new_node(p, N_XLATE, line);

	if (n == NULL || parse_expect(p, T_LT) < 0 ||
	    (n->type = parse_type_name(p)) == NULL ||
	    parse_expect(p, T_GT) < 0 || parse_expect(p, T_LPAR) < 0)
		return NULL;
	n->a = parenthesised(p);
	return n->a == NULL ? NULL : n;
}

static struct node *
string(struct parser *p, const struct token *t)
{
	struct node *n = new_node(p, N_STR, t->line);

	if (n == NULL)
		return NULL;
	n->str = t->s;
	n->slen = strlen(t->s);		/* a NUL inside ends it */
	return n;
}

static struct node *
primary(struct parser *p)
{
	struct token t = lex_next(&p->lx);
	struct node *n;

	switch (t.kind) {
	case T_INT:
		return integer(p, &t);
	case T_STR:
		return string(p, &t);
	case T_IDENT: case T_AGG:
		n = new_node(p, t.kind == T_AGG ? N_AGG : N_VAR, t.line);
		if (n != NULL)
			n->str = t.s;
		return n;
	case T_SELF: case T_THIS:
		return scoped(p, &t);
	case T_LPAR:
		return parenthesised(p);
	case T_OFFSETOF:
		return offset_of(p, t.line);
	case T_XLATE:
		return xlate(p, t.line);
	default:
		return parse_syntax(p, &t);
	}
}

static struct node *
call(struct parser *p, struct node *fn)
{
	struct node *n = new_node(p, N_CALL, fn->line);

	if (n == NULL)
		return NULL;
	if (fn->kind != N_VAR || fn->ival != SP_GLOBAL) {
		diag_error(p->d, D_FUNC_IDENT, fn->line,
		    "function designator is not of function type");
		return NULL;
	}
	n->str = fn->str;
	if (parse_accept(p, T_RPAR))
		return n;
	return list(p, T_RPAR, n) < 0 ? NULL : n;
}

static struct node *
subscript(struct parser *p, struct node *a)
{
	struct node *n = a;

	if (a->kind == N_AGG && a->nlist > 0) {
		diag_error(p->d, D_AGG_MDIM, a->line, "improper attempt to "
		    "reference @%s as a multi-dimensional array", a->str);
		return NULL;
	}
	if (a->kind != N_AGG) {
		if ((n = new_node(p, N_ARRAYREF, a->line)) == NULL)
			return NULL;
		n->a = a;
	}
	return list(p, T_RBRACK, n) < 0 ? NULL : n;
}

static struct node *
member(struct parser *p, struct node *a, const struct token *op)
{
	struct node *n = new_node(p, N_MEMBER, op->line);
	struct token t = lex_next(&p->lx);

	if (n == NULL)
		return NULL;
	if (t.kind != T_IDENT)
		return parse_syntax(p, &t);
	n->a = a;
	n->str = t.s;
	n->arrow = op->kind == T_ARROW;
	return n;
}

static struct node *
incdec(struct parser *p, struct node *a, const struct token *op, bool post)
{
	struct node *n = new_node(p, N_INCDEC, op->line);

	if (n == NULL)
		return NULL;
	n->op = op->kind == T_INC ? OP_ADD : OP_SUB;
	n->post = post;
	n->a = a;
	return n;
}

static struct node *
postfix(struct parser *p)
{
	struct node *n = primary(p);

	while (n != NULL) {
		struct token t = *lex_peek(&p->lx, 0);

		switch (t.kind) {
		case T_LBRACK:
			lex_next(&p->lx);
			n = subscript(p, n);
			break;
		case T_LPAR:
			lex_next(&p->lx);
			n = call(p, n);
			break;
		case T_ARROW: case T_DOT:
			lex_next(&p->lx);
			n = member(p, n, &t);
			break;
		case T_INC: case T_DEC:
			lex_next(&p->lx);
			n = incdec(p, n, &t, true);
			break;
		default:
			return n;
		}
	}
	return NULL;
}

static struct node *
cast(struct parser *p)
{
	struct token t = lex_next(&p->lx);
	struct node *n = new_node(p, N_CAST, t.line);

	if (n == NULL || (n->type = parse_type_name(p)) == NULL ||
	    parse_expect(p, T_RPAR) < 0 || (n->a = unary(p)) == NULL)
		return NULL;
	return n;
}

static struct node *
size_of(struct parser *p, int line)
{
	struct node *n = new_node(p, N_SIZEOF, line);

	if (n == NULL)
		return NULL;
	if (lex_peek(&p->lx, 0)->kind == T_LPAR && parse_is_type(p, 1)) {
		lex_next(&p->lx);
		if ((n->a = new_node(p, N_TYPE, line)) == NULL ||
		    (n->a->type = parse_type_name(p)) == NULL ||
		    parse_expect(p, T_RPAR) < 0)
			return NULL;
		return n;
	}
	n->a = unary(p);
	return n->a == NULL ? NULL : n;
}

static struct node *
prefix(struct parser *p)
{
	struct token t = *lex_peek(&p->lx, 0);
	struct node *n;

	if (t.kind == T_LPAR && parse_is_type(p, 1))
		return cast(p);
	if (t.kind == T_SIZEOF) {
		lex_next(&p->lx);
		return size_of(p, t.line);
	}
	if (t.kind == T_INC || t.kind == T_DEC) {
		lex_next(&p->lx);
		n = unary(p);
		return n == NULL ? NULL : incdec(p, n, &t, false);
	}
	if (t.kind == T_STRINGOF) {
		lex_next(&p->lx);
		if ((n = new_node(p, N_STRINGOF, t.line)) == NULL)
			return NULL;
		return (n->a = unary(p)) == NULL ? NULL : n;
	}
	for (size_t i = 0; i < sizeof(unop) / sizeof(*unop); i++) {
		if (unop[i].tok != t.kind)
			continue;
		lex_next(&p->lx);
		if ((n = new_node(p, N_UNARY, t.line)) == NULL)
			return NULL;
		n->op = unop[i].op;
		return (n->a = unary(p)) == NULL ? NULL : n;
	}
	return postfix(p);
}

static struct node *
unary(struct parser *p)
{
	struct node *n;

	if (parse_enter(p) < 0)
		return NULL;
	n = prefix(p);
	parse_leave(p);
	return n;
}

static const struct binop *
binary_op(enum tok t)
{
	for (size_t i = 0; i < sizeof(binop) / sizeof(*binop); i++)
		if (binop[i].tok == t)
			return &binop[i];
	return NULL;
}

static struct node *
binary(struct parser *p, struct node *a, int min)
{
	const struct binop *o;

	while (a != NULL &&
	    (o = binary_op(lex_peek(&p->lx, 0)->kind)) != NULL &&
	    o->prec >= min) {
		int line = lex_next(&p->lx).line;
		struct node *n = new_node(p, N_BINARY, line), *b = unary(p);
		const struct binop *next;

		while (b != NULL &&
		    (next = binary_op(lex_peek(&p->lx, 0)->kind)) != NULL &&
		    next->prec > o->prec)
			b = binary(p, b, o->prec + 1);
		if (n == NULL || b == NULL)
			return NULL;
		n->op = o->op;
		n->a = a;
		n->b = b;
		a = n;
	}
	return a;
}

/* The rest of a conditional whose first operand is read. */
static struct node *
conditional(struct parser *p, struct node *a)
{
	struct node *n;
	int line;

	if (a == NULL || (a = binary(p, a, 1)) == NULL ||
	    lex_peek(&p->lx, 0)->kind != T_QUESTION)
		return a;
	line = lex_next(&p->lx).line;
	if ((n = new_node(p, N_COND, line)) == NULL || parse_enter(p) < 0)
		return NULL;
	n->a = a;
	if ((n->b = parse_expression(p)) == NULL ||
	    parse_expect(p, T_COLON) < 0)
		n = NULL;
	else if ((n->c = conditional(p, unary(p))) == NULL)
		n = NULL;
	parse_leave(p);
	return n;
}

struct node *
parse_constant(struct parser *p)
{
	return conditional(p, unary(p));
}

static struct node *
assign(struct parser *p, struct node *a, enum oper op)
{
	int line = lex_next(&p->lx).line;
	struct node *n = new_node(p, N_ASSIGN, line);

	if (n == NULL || parse_enter(p) < 0)
		return NULL;
	n->op = op;
	n->a = a;
	n->b = parse_assignment(p);
	parse_leave(p);
	if (n->b == NULL)
		return NULL;
	if (a->kind == N_AGG)
		n->kind = N_AGGASSIGN;
	return n;
}

struct node *
parse_assignment(struct parser *p)
{
	struct node *a = unary(p);
	enum tok t;

	if (a == NULL)
		return NULL;
	t = lex_peek(&p->lx, 0)->kind;
	for (size_t i = 0; i < sizeof(assignop) / sizeof(*assignop); i++)
		if (assignop[i].tok == t)
			return assign(p, a, assignop[i].op);
	return conditional(p, a);
}

struct node *
parse_expression(struct parser *p)
{
	struct node *a = parse_assignment(p);

	while (a != NULL && lex_peek(&p->lx, 0)->kind == T_COMMA) {
		int line = lex_next(&p->lx).line;
		struct node *n = new_node(p, N_COMMA, line);

		if (n == NULL || (n->b = parse_assignment(p)) == NULL)
			return NULL;
		n->a = a;
		a = n;
	}
	return a;
}

int
parse_const_int(struct parser *p, const char *what, enum errtag tag,
    int64_t *value)
{
	int line = lex_peek(&p->lx, 0)->line, chain = p->chain;
	struct node *n;

	p->chain = 0;
	n = parse_constant(p);
	p->chain = chain;
	if (n == NULL)
		return -1;
	switch (check_const(p->u, n, value, p->d)) {
	case 0:
		return 0;
	case 1:
		return diag_error(p->d, tag, line,
		    "%s must be an integer constant", what);
	default:
		return -1;
	}
}
