/* parse_type.c - type specifiers, declarators and type names. */
#include <string.h>

#include "trace/arena.h"
#include "trace/ident.h"
#include "trace/parse_impl.h"
#include "trace/type_decl.h"

struct specs {
	int nchar, nshort, nint, nlong, nsigned, nunsigned;
	int nvoid, nfloat, ndouble;
	const struct dtype *type;	/* named or tagged */
	bool any;
	int line;
};

static bool
starts_type(enum tok t)
{
	switch (t) {
	case T_VOID: case T_CHAR: case T_SHORT: case T_INTKW: case T_LONG:
	case T_FLOAT: case T_DOUBLE: case T_SIGNED: case T_UNSIGNED:
	case T_STRING: case T_STRUCT: case T_UNION: case T_ENUM: case T_CONST:
	case T_VOLATILE: case T_RESTRICT:
		return true;
	default:
		return false;
	}
}

/* (name) or (name *…): anything else after a name is an expression. */
static bool
closes_like_type(struct parser *p, unsigned ahead)
{
	unsigned n = ahead + 1;

	while (n < LEX_AHEAD - 1 && lex_peek(&p->lx, n)->kind == T_MUL)
		n++;
	switch (lex_peek(&p->lx, n)->kind) {
	case T_RPAR: case T_GT:
		return true;
	case T_COMMA:			/* a list of key or parameter types */
		return true;
	case T_LBRACK:
		return n > ahead + 1;
	default:
		return false;
	}
}

/* (name) or (name *) before an operand can be a cast only. */
static bool
must_be_type(struct parser *p, unsigned ahead)
{
	unsigned n = ahead + 1;

	while (n < LEX_AHEAD - 2 && lex_peek(&p->lx, n)->kind == T_MUL)
		n++;
	if (ahead == 0 || lex_peek(&p->lx, ahead - 1)->kind != T_LPAR ||
	    lex_peek(&p->lx, n)->kind != T_RPAR)
		return false;
	if (n > ahead + 1)
		return true;
	switch (lex_peek(&p->lx, n + 1)->kind) {
	case T_IDENT: case T_INT: case T_STR: case T_SELF: case T_THIS:
		return true;
	default:
		return false;
	}
}

bool
parse_is_type(struct parser *p, unsigned ahead)
{
	const struct token *t = lex_peek(&p->lx, ahead);
	const char *name;

	if (starts_type(t->kind))
		return true;
	if (t->kind != T_IDENT)
		return false;
	name = t->s;
	if (ident_known(p->u, name) || !closes_like_type(p, ahead))
		return false;
	return type_lookup(p->u->types, name) != NULL ||
	    must_be_type(p, ahead);
}

static int
unknown_type(struct parser *p, const char *name, int line)
{
	const char *near = type_near(p->u->types, DK_TYPEDEF, name);

	diag_error(p->d, D_TYPE_ERR, line, "failed to resolve type %s: "
	    "no such type in the program or the kernel's BTF", name);
	if (near != NULL)
		diag_hint(p->d, "did you mean %s?", near);
	return -1;
}

static int
set_type(struct parser *p, struct specs *s, const struct dtype *t, int line)
{
	if (t == NULL)
		return -1;
	if (s->type != NULL)
		return diag_error(p->d, D_DECL_COMBO, line,
		    "invalid type combination");
	s->type = t;
	return 0;
}

/* One specifier. 0: consumed; 1: not one; -1: error. */
static int
specifier(struct parser *p, struct specs *s)
{
	const struct token *t = lex_peek(&p->lx, 0);
	int line = t->line;
	const struct dtype *type;

	switch (t->kind) {
	case T_VOID: s->nvoid++; break;
	case T_CHAR: s->nchar++; break;
	case T_SHORT: s->nshort++; break;
	case T_INTKW: s->nint++; break;
	case T_LONG: s->nlong++; break;
	case T_FLOAT: s->nfloat++; break;
	case T_DOUBLE: s->ndouble++; break;
	case T_SIGNED: s->nsigned++; break;
	case T_UNSIGNED: s->nunsigned++; break;
	case T_CONST: case T_VOLATILE: case T_RESTRICT:
		lex_next(&p->lx);
		return 0;
	case T_STRING:
		lex_next(&p->lx);
		s->any = true;
		return set_type(p, s, type_string(p->u->types), line);
	case T_STRUCT: case T_UNION: case T_ENUM:
		s->any = true;
		return set_type(p, s, parse_tagged(p), line);
	case T_IDENT:
		if (s->any)
			return 1;
		type = type_lookup(p->u->types, t->s);
		if (type == NULL)
			return unknown_type(p, t->s, line);
		lex_next(&p->lx);
		s->any = true;
		return set_type(p, s, type, line);
	default:
		return 1;
	}
	s->any = true;
	lex_next(&p->lx);
	return 0;
}

static int
check_combo(struct parser *p, const struct specs *s)
{
	int sign = s->nsigned + s->nunsigned, len = s->nshort + s->nlong;
	int base = s->nchar + s->nint + s->nvoid + s->nfloat + s->ndouble;

	if (s->nvoid && (sign || len))
		return diag_error(p->d, D_DECL_VOIDATTR, s->line,
		    "invalid attributes for void");
	if (s->nchar && len)
		return diag_error(p->d, D_DECL_CHARATTR, s->line,
		    "invalid type declaration: long or short char");
	if (sign && (s->type != NULL || s->nfloat || s->ndouble))
		return diag_error(p->d, D_DECL_SIGNINT, s->line, "signed and "
		    "unsigned may only be used with integer types");
	if (len && (s->type != NULL || s->nfloat ||
	    (s->ndouble && (s->nshort || s->nlong > 1))))
		return diag_error(p->d, D_DECL_LONGINT, s->line, "long and "
		    "short may only be used with integer types");
	if (base > 1 || (base && s->type != NULL) || s->nlong > 2 ||
	    s->nshort > 1 || (s->nshort && s->nlong) || sign > 1)
		return diag_error(p->d, D_DECL_COMBO, s->line,
		    "invalid type combination");
	return 0;
}

static const struct dtype *
base_type(struct parser *p, const struct specs *s)
{
	struct typeset *ts = p->u->types;

	if (check_combo(p, s) < 0)
		return NULL;
	if (s->type != NULL)
		return s->type;
	if (s->nvoid)
		return type_void(ts);
	if (s->nfloat)
		return type_known(ts, "float");
	if (s->ndouble)
		return type_known(ts, s->nlong ? "long double" : "double");
	if (s->nchar)
		return s->nsigned ? type_known(ts, "signed char") :
		    type_int(ts, 1, !s->nunsigned);
	if (s->nshort)
		return type_int(ts, 2, !s->nunsigned);
	if (s->nlong == 2)
		return type_known(ts, s->nunsigned ? "unsigned long long" :
		    "long long");
	return type_int(ts, s->nlong ? 8 : 4, !s->nunsigned);
}

static bool
class_of(enum tok t, enum sclass *cl)
{
	switch (t) {
	case T_AUTO: *cl = CL_AUTO; break;
	case T_REGISTER: *cl = CL_REGISTER; break;
	case T_STATIC: *cl = CL_STATIC; break;
	case T_EXTERN: *cl = CL_EXTERN; break;
	case T_TYPEDEF: *cl = CL_TYPEDEF; break;
	case T_SELF: *cl = CL_SELF; break;
	case T_THIS: *cl = CL_THIS; break;
	default: return false;
	}
	return true;
}

/* A name after a storage class that no type is before: an int. */
static bool
is_untyped(struct parser *p)
{
	const struct token *t = lex_peek(&p->lx, 0);
	enum tok next = lex_peek(&p->lx, 1)->kind;

	return t->kind == T_IDENT && type_lookup(p->u->types, t->s) == NULL &&
	    (next == T_SEMI || next == T_COMMA);
}

const struct dtype *
parse_specifiers(struct parser *p, enum sclass *cl)
{
	struct specs s = { .line = lex_peek(&p->lx, 0)->line };
	bool classed = false;
	int rc;

	for (;;) {
		struct token t = *lex_peek(&p->lx, 0);
		enum sclass c;

		if (cl != NULL && class_of(t.kind, &c)) {
			lex_next(&p->lx);
			if (classed) {
				diag_error(p->d, D_DECL_CLASS, t.line,
				    "only one storage class allowed in a "
				    "declaration");
				return NULL;
			}
			*cl = c;
			classed = true;
			continue;
		}
		if (classed && !s.any && is_untyped(p))
			return base_type(p, &s);
		if ((rc = specifier(p, &s)) != 0)
			break;
	}
	if (rc < 0)
		return NULL;
	if (!s.any)
		return parse_syntax(p, lex_peek(&p->lx, 0));
	return base_type(p, &s);
}

/* What stands around a declared name, nearest first. */
enum { MAXOPS = 32 };
struct dop {
	enum { DOP_PTR, DOP_ARRAY, DOP_FUNC } kind;
	uint64_t nelem;
	const struct dmember *param;
	size_t nparam;
};
struct dops {
	struct dop op[MAXOPS];
	int n;
};

static int
add_op(struct parser *p, struct dops *o, struct dop op)
{
	if (o->n == MAXOPS)
		return diag_error(p->d, D_NEST, lex_peek(&p->lx, 0)->line,
		    "type nested too deeply");
	o->op[o->n++] = op;
	return 0;
}

/* Types between ( ) or [ ], the opening one consumed; fills arrays. */
static int
type_list(struct parser *p, enum tok close, const struct dtype ***types,
    const char ***names, size_t *n)
{
	enum { MAXPARAM = 64 };
	const struct dtype *t[MAXPARAM];
	const char *nm[MAXPARAM];

	for (*n = 0;;) {
		struct declarator d = { 0 };
		const struct dtype *base;

		if (*n == MAXPARAM)
			return diag_error(p->d, D_PROTO_LEN,
			    lex_peek(&p->lx, 0)->line,
			    "more than %d parameters", MAXPARAM);
		if (lex_peek(&p->lx, 0)->kind == T_ELLIPSIS)
			return diag_error(p->d, D_DECL_PROTO_VARARGS,
			    lex_peek(&p->lx, 0)->line,
			    "\"...\" may not be used here");
		if ((base = parse_specifiers(p, NULL)) == NULL ||
		    parse_declarator(p, base, &d) < 0)
			return -1;
		t[*n] = d.type;
		nm[(*n)++] = d.name;
		if (!parse_accept(p, T_COMMA))
			break;
	}
	*types = arena_calloc(p->u->arena, *n, sizeof(**types));
	*names = arena_calloc(p->u->arena, *n, sizeof(**names));
	if (*types == NULL || *names == NULL)
		return parse_nomem(p), -1;
	memcpy(*types, t, *n * sizeof(*t));
	memcpy(*names, nm, *n * sizeof(*nm));
	return parse_expect(p, close);
}

static int
array(struct parser *p, struct dops *o, struct declarator *d)
{
	int line = lex_next(&p->lx).line;
	int64_t n = 0;

	if (parse_accept(p, T_RBRACK))
		return add_op(p, o, (struct dop){ .kind = DOP_ARRAY });
	if (parse_is_type(p, 0) || (d->name != NULL &&
	    lex_peek(&p->lx, 0)->kind == T_IDENT &&
	    lex_peek(&p->lx, 1)->kind != T_RBRACK &&
	    !ident_known(p->u, lex_peek(&p->lx, 0)->s)) ||
	    (lex_peek(&p->lx, 0)->kind == T_IDENT &&
	    lex_peek(&p->lx, 1)->kind == T_RBRACK &&
	    !ident_known(p->u, lex_peek(&p->lx, 0)->s))) {
		if (d->assoc)
			return diag_error(p->d, D_DECL_ARRSUB, line,
			    "an associative array of associative arrays "
			    "cannot be declared");
		d->assoc = true;
		return type_list(p, T_RBRACK, &d->key, &d->keyname, &d->nkey);
	}
	if (parse_const_int(p, "array size", D_DECL_ARRSUB, &n) < 0)
		return -1;
	if (n <= 0 || n > INT32_MAX)
		return diag_error(p->d, n <= 0 ? D_DECL_ARRSUB :
		    D_DECL_ARRBIG, line, "array size is %s",
		    n <= 0 ? "not positive" : "too large");
	if (add_op(p, o, (struct dop){ .kind = DOP_ARRAY,
	    .nelem = (uint64_t)n }) < 0)
		return -1;
	return parse_expect(p, T_RBRACK);
}

/* (params); the ( is consumed. */
static int
function(struct parser *p, struct dops *o)
{
	const struct dtype **t = NULL;
	const char **names = NULL;
	struct dmember *mem;
	size_t n = 0;
	int line = lex_peek(&p->lx, 0)->line;

	if (parse_accept(p, T_RPAR))
		return add_op(p, o, (struct dop){ .kind = DOP_FUNC });
	if (parse_enter(p) < 0)
		return -1;
	if (type_list(p, T_RPAR, &t, &names, &n) < 0)
		return -1;
	parse_leave(p);
	for (size_t i = 0; i < n; i++) {
		if (t[i]->kind != DK_VOID)
			continue;
		if (n > 1)
			return diag_error(p->d, D_DECL_PROTO_VOID, line,
			    "void must be the sole parameter");
		if (names[i] != NULL)
			return diag_error(p->d, D_DECL_PROTO_NAME, line,
			    "void parameter may not have a name");
		n = 0;
	}
	if ((mem = arena_calloc(type_arena(p->u->types), n + 1,
	    sizeof(*mem))) == NULL)
		return parse_nomem(p), -1;
	for (size_t i = 0; i < n; i++)
		mem[i].type = t[i];
	return add_op(p, o, (struct dop){ .kind = DOP_FUNC, .param = mem,
	    .nparam = n });
}

/* Is this ( a nested declarator's, or a parameter list's? */
static bool
nests(struct parser *p)
{
	enum tok t = lex_peek(&p->lx, 1)->kind;

	return t == T_MUL || t == T_LPAR ||
	    (t == T_IDENT && !parse_is_type(p, 1)) || t == T_LBRACK;
}

static int
direct(struct parser *p, struct dops *o, struct declarator *d)
{
	int nptr = 0;

	while (lex_peek(&p->lx, 0)->kind == T_MUL) {
		lex_next(&p->lx);
		nptr++;
		while (parse_accept(p, T_CONST) ||
		    parse_accept(p, T_VOLATILE) || parse_accept(p, T_RESTRICT))
			;
	}
	if (lex_peek(&p->lx, 0)->kind == T_LPAR && nests(p)) {
		if (parse_enter(p) < 0)
			return -1;
		lex_next(&p->lx);
		if (direct(p, o, d) < 0 || parse_expect(p, T_RPAR) < 0)
			return -1;
		parse_leave(p);
	} else if (lex_peek(&p->lx, 0)->kind == T_IDENT) {
		struct token t = lex_next(&p->lx);

		d->name = t.s;
		d->line = t.line;
	}
	for (;;) {
		enum tok t = lex_peek(&p->lx, 0)->kind;

		if (t == T_LBRACK) {
			if (array(p, o, d) < 0)
				return -1;
		} else if (t == T_LPAR) {
			lex_next(&p->lx);
			if (function(p, o) < 0)
				return -1;
		} else
			break;
	}
	while (nptr-- > 0)
		if (add_op(p, o, (struct dop){ .kind = DOP_PTR }) < 0)
			return -1;
	return 0;
}

static const struct dtype *
derive(struct parser *p, const struct dtype *t, const struct dop *op, int line)
{
	struct typeset *ts = p->u->types;
	enum dkind k = type_base(t)->kind;

	if (op->kind == DOP_PTR)
		return type_ptr(ts, t);
	if (op->kind == DOP_FUNC)
		return type_func(ts, t, op->param, op->nparam);
	if (k == DK_VOID || k == DK_FUNC || k == DK_DYN) {
		diag_error(p->d, D_DECL_COMBO, line, "an array cannot be made "
		    "of this type");
		return NULL;
	}
	t = type_array(ts, t, op->nelem);
	if (t != NULL && t->size > INT32_MAX) {
		diag_error(p->d, D_DECL_ARRBIG, line, "array is too large");
		return NULL;
	}
	return t;
}

int
parse_declarator(struct parser *p, const struct dtype *base,
    struct declarator *d)
{
	struct dops o = { .n = 0 };

	d->line = lex_peek(&p->lx, 0)->line;
	if (direct(p, &o, d) < 0)
		return -1;
	d->type = base;
	while (o.n > 0)
		if ((d->type = derive(p, d->type, &o.op[--o.n],
		    d->line)) == NULL)
			return -1;
	return 0;
}

const struct dtype *
parse_type_name(struct parser *p)
{
	struct declarator d = { 0 };
	const struct dtype *base;

	if (parse_enter(p) < 0)
		return NULL;
	base = parse_specifiers(p, NULL);
	if (base == NULL || parse_declarator(p, base, &d) < 0)
		return NULL;
	parse_leave(p);
	if (d.assoc || d.name != NULL) {
		diag_error(p->d, D_SYNTAX, d.line, "a type name is expected "
		    "here, without a name or keys");
		return NULL;
	}
	return d.type;
}
