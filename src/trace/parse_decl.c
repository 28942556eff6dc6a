/* parse_decl.c - declarations: variables, types, inlines. */
#include <stdio.h>
#include <string.h>

#include "trace/arena.h"
#include "trace/check_impl.h"
#include "trace/func.h"
#include "trace/ident.h"
#include "trace/parse_impl.h"
#include "trace/type_decl.h"

static bool
complete(const struct dtype *t)
{
	t = type_base(t);
	return t->kind != DK_VOID && t->kind != DK_FUNC &&
	    t->kind != DK_FORWARD && t->kind != DK_DYN &&
	    (t->size > 0 || t->nmem > 0);
}

static int
bit_field(struct parser *p, struct dmember *m)
{
	const struct dtype *t = type_base(m->type);
	int line = lex_peek(&p->lx, 0)->line;
	int64_t bits;

	if (parse_const_int(p, "bit-field size", D_DECL_BFCONST, &bits) < 0)
		return -1;
	if (t->kind != DK_INT && t->kind != DK_ENUM)
		return diag_error(p->d, D_DECL_BFTYPE, line,
		    "invalid type for bit-field");
	if (bits < 0 || (uint64_t)bits > t->size * 8 ||
	    (bits == 0 && m->name != NULL))
		return diag_error(p->d, D_DECL_BFSIZE, line,
		    "bit-field size is out of range for its type");
	m->bit_size = (uint32_t)bits;
	return 0;
}

static int
member_of(struct parser *p, const struct dtype *base, struct dmember *m)
{
	struct declarator d = { 0 };
	const struct dtype *t;

	if (parse_declarator(p, base, &d) < 0)
		return -1;
	m->name = d.name;
	m->type = d.type;
	m->bit_off = LAYOUT;
	if (d.assoc)
		return diag_error(p->d, D_DECL_COMBO, d.line,
		    "a member cannot be an associative array");
	if (parse_accept(p, T_COLON))
		return bit_field(p, m);
	t = type_base(d.type);
	if (d.name == NULL && t->kind != DK_STRUCT && t->kind != DK_UNION)
		return diag_error(p->d, D_DECL_MNAME, d.line,
		    "member declarator requires a name");
	if (!complete(d.type) && !(t->kind == DK_ARRAY && t->nelem == 0))
		return diag_error(p->d, D_DECL_INCOMPLETE, d.line,
		    "incomplete struct/union/enum member: %s",
		    d.name != NULL ? d.name : "anonymous");
	return 0;
}

static int
dup_member(struct parser *p, const struct dmember *m, size_t n, int line)
{
	for (size_t i = 0; m[n].name != NULL && i < n; i++)
		if (m[i].name != NULL && strcmp(m[i].name, m[n].name) == 0)
			return diag_error(p->d, D_DECL_IDRED, line,
			    "member redeclared: %s", m[n].name);
	return 0;
}

enum { MAXMEMBER = 1024 };

/* Members up to the }; the { is consumed. */
static int
members(struct parser *p, struct dtype *t)
{
	size_t n = 0, cap = 8;
	struct dmember *m = arena_calloc(type_arena(p->u->types), cap,
	    sizeof(*m));

	while (m != NULL && !parse_accept(p, T_RBRACE)) {
		const struct dtype *base = parse_specifiers(p, NULL);

		if (base == NULL)
			return -1;
		do {
			int line = lex_peek(&p->lx, 0)->line;

			if (n == MAXMEMBER)
				return diag_error(p->d, D_NEST, line,
				    "more than %d members", MAXMEMBER);
			if (n == cap) {
				struct dmember *old = m;

				m = arena_calloc(type_arena(p->u->types),
				    cap *= 2, sizeof(*m));
				if (m == NULL)
					return parse_nomem(p), -1;
				memcpy(m, old, n * sizeof(*m));
			}
			if (member_of(p, base, &m[n]) < 0 ||
			    dup_member(p, m, n, line) < 0)
				return -1;
			n++;
		} while (parse_accept(p, T_COMMA));
		if (parse_expect(p, T_SEMI) < 0)
			return -1;
	}
	if (m == NULL)
		return parse_nomem(p), -1;
	if (n == 0)
		return diag_error(p->d, D_SYNTAX, lex_peek(&p->lx, 0)->line,
		    "a struct or union needs a member");
	type_close(t, m, n);
	if (t->size > INT32_MAX)
		return diag_error(p->d, D_DECL_ARRBIG,
		    lex_peek(&p->lx, 0)->line, "type is too large");
	return 0;
}

static int
enumerator(struct parser *p, struct dtype *t, struct dmember *m,
    int64_t *value)
{
	struct token name = lex_next(&p->lx);
	struct ident *id;

	if (name.kind != T_IDENT)
		return parse_syntax(p, &name), -1;
	if (parse_accept(p, T_ASSIGN) &&
	    parse_const_int(p, "enumerator value", D_DECL_ENCONST, value) < 0)
		return -1;
	if (*value < INT32_MIN || *value > INT32_MAX)
		return diag_error(p->d, D_DECL_ENOFLOW, name.line,
		    "enumerator %s value overflows an int", name.s);
	if (ident_known(p->u, name.s))
		return diag_error(p->d, D_DECL_IDRED, name.line,
		    "identifier redeclared: %s", name.s);
	id = ident_add(p->u, SP_GLOBAL, ID_ENUMCONST, name.s, name.line);
	if (id == NULL ||
	    (m->name = arena_str(type_arena(p->u->types), name.s)) == NULL)
		return parse_nomem(p), -1;
	id->type = t;
	id->enumval = m->value = (*value)++;
	id->declared = true;
	return 0;
}

static int
enumerators(struct parser *p, struct dtype *t)
{
	struct dmember *m = arena_calloc(type_arena(p->u->types), MAXMEMBER,
	    sizeof(*m));
	int64_t value = 0;
	size_t n = 0;

	if (m == NULL)
		return parse_nomem(p), -1;
	t->size = t->align = 4;
	do {
		if (lex_peek(&p->lx, 0)->kind == T_RBRACE && n > 0)
			break;
		if (n == MAXMEMBER)
			return diag_error(p->d, D_NEST,
			    lex_peek(&p->lx, 0)->line,
			    "more than %d enumerators", MAXMEMBER);
		if (enumerator(p, t, &m[n], &value) < 0)
			return -1;
		n++;
	} while (parse_accept(p, T_COMMA));
	if (parse_expect(p, T_RBRACE) < 0)
		return -1;
	type_close(t, m, n);
	return 0;
}

static const struct dtype *
define(struct parser *p, enum dkind kind, const char *key, const char *tag,
    int line)
{
	const struct dtype *old = key != NULL ?
	    type_known(p->u->types, key) : NULL;
	struct dtype *t;
	int rc;

	if (old != NULL && old->btf_id == 0 && old->nmem > 0) {
		diag_error(p->d, D_DECL_TYPERED, line,
		    "type redeclared: %s", key);
		return NULL;
	}
	if ((t = type_open(p->u->types, kind, tag)) == NULL)
		return parse_nomem(p);
	if (parse_enter(p) < 0)
		return NULL;
	rc = kind == DK_ENUM ? enumerators(p, t) : members(p, t);
	parse_leave(p);
	return rc < 0 ? NULL : t;
}

const struct dtype *
parse_tagged(struct parser *p)
{
	struct token kw = lex_next(&p->lx), t = *lex_peek(&p->lx, 0);
	enum dkind kind = kw.kind == T_STRUCT ? DK_STRUCT :
	    kw.kind == T_UNION ? DK_UNION : DK_ENUM;
	const char *tag = NULL, *key = NULL, *tick;
	const struct dtype *type;

	if (t.kind == T_IDENT) {
		lex_next(&p->lx);
		tick = strrchr(t.s, '`');
		tag = tick != NULL ? tick + 1 : t.s;
		key = arena_printf(p->u->arena, "%s %s", lex_text(&kw), tag);
		if (key == NULL)
			return parse_nomem(p);
	}
	if (parse_accept(p, T_LBRACE))
		return define(p, kind, key, tag, t.line);
	if (tag == NULL)
		return parse_syntax(p, &t);
	if ((type = type_lookup(p->u->types, key)) != NULL)
		return type;
	if ((type = type_open(p->u->types, kind, tag)) == NULL)
		return parse_nomem(p);
	return type;
}

static int
declare_type(struct parser *p, const struct declarator *d)
{
	struct typeset *ts = p->u->types;
	const struct dtype *old;

	if (d->assoc)
		return diag_error(p->d, D_DECL_COMBO, d->line,
		    "a typedef cannot be an associative array");
	old = type_known(ts, d->name);
	if (old != NULL && old->btf_id == 0 && !type_predefined(ts, old) &&
	    !type_same(old, d->type))
		return diag_error(p->d, D_DECL_TYPERED, d->line,
		    "type redeclared: %s", d->name);
	if (type_typedef(ts, d->name, d->type) == NULL)
		return parse_nomem(p), -1;
	return 0;
}

static int
redeclared(struct parser *p, const struct ident *old,
    const struct declarator *d)
{
	char now[128], was[128];

	return diag_error(p->d, D_DECL_IDRED, d->line,
	    "identifier redeclared: %s\n\t current: %s %s\n\tprevious: %s %s",
	    d->name, d->assoc ? "array of" : "scalar",
	    type_name(d->type, now, sizeof(now)),
	    old->kind == ID_ASSOC ? "array of" : "scalar",
	    type_name(old->type, was, sizeof(was)));
}

static bool
same_decl(const struct ident *id, const struct declarator *d)
{
	if (id->type == NULL || !type_same(id->type, d->type) ||
	    (id->kind == ID_ASSOC) != d->assoc || id->nkey != d->nkey)
		return false;
	for (size_t i = 0; i < d->nkey; i++)
		if (!type_same(id->key[i], d->key[i]))
			return false;
	return id->kind == ID_SCALAR || id->kind == ID_ASSOC;
}

static int
check_object(struct parser *p, enum sclass cl, const struct declarator *d)
{
	enum dkind k = type_base(d->type)->kind;
	char buf[128];

	if (d->assoc && cl == CL_THIS)
		return diag_error(p->d, D_DECL_LOCASSC, d->line,
		    "this->%s: clause-local associative arrays are not "
		    "allowed", d->name);
	if (k == DK_VOID)
		return diag_error(p->d, D_DECL_VOIDOBJ, d->line,
		    "cannot declare void variable: %s", d->name);
	if (k == DK_FUNC)
		return diag_error(p->d, D_UNSUP, d->line,
		    "functions cannot be declared in D: %s", d->name);
	if (k == DK_FLOAT)
		return diag_error(p->d, D_UNSUP, d->line,
		    "floating-point variables are not supported: %s", d->name);
	if (!complete(d->type)) {
		diag_error(p->d, k == DK_ARRAY ? D_DECL_ARRNULL :
		    D_DECL_INCOMPLETE, d->line, "incomplete type in the "
		    "declaration of %s: %s", d->name,
		    type_name(d->type, buf, sizeof(buf)));
		ident_hint_type(p->u, p->d, d->type);
		return -1;
	}
	for (size_t i = 0; i < d->nkey; i++)
		if (!complete(d->key[i]) ||
		    type_base(d->key[i])->kind == DK_FLOAT)
			return diag_error(p->d, D_DECL_PROTO_TYPE, d->line,
			    "key #%zu of %s cannot be of type %s", i + 1,
			    d->name, type_name(d->key[i], buf, sizeof(buf)));
	return 0;
}

static int
declare_object(struct parser *p, enum sclass cl, const struct declarator *d)
{
	enum space sp = cl == CL_SELF ? SP_SELF : cl == CL_THIS ? SP_THIS :
	    SP_GLOBAL;
	struct ident *id = ident_find(p->u, sp, d->name);

	if (check_object(p, cl, d) < 0)
		return -1;
	if (cl == CL_EXTERN && id == NULL)
		return 0;
	if (id != NULL)
		return same_decl(id, d) ? 0 : redeclared(p, id, d);
	if (sp == SP_GLOBAL && ident_known(p->u, d->name))
		return diag_error(p->d, D_DECL_IDRED, d->line,
		    "identifier redeclared: %s is built in", d->name);
	if (strchr(d->name, '`') != NULL)
		return diag_error(p->d, D_DECL_SCOPE, d->line,
		    "scoping operator may not be used in a declaration");
	id = ident_add(p->u, sp, d->assoc ? ID_ASSOC : ID_SCALAR, d->name,
	    d->line);
	if (id == NULL)
		return parse_nomem(p), -1;
	id->type = d->type;
	id->declared = true;
	return check_keys_declared(p->u, id, d->key, d->nkey);
}

int
parse_declaration(struct parser *p)
{
	enum sclass cl = CL_NONE;
	int line = lex_peek(&p->lx, 0)->line;
	const struct dtype *base = parse_specifiers(p, &cl);

	if (base == NULL)
		return -1;
	if (cl == CL_AUTO || cl == CL_REGISTER || cl == CL_STATIC)
		return diag_error(p->d, D_DECL_BADCLASS, line,
		    "specified storage class not appropriate in D");
	if (lex_peek(&p->lx, 0)->kind == T_SEMI) {
		lex_next(&p->lx);
		if ((base->kind != DK_STRUCT && base->kind != DK_UNION &&
		    base->kind != DK_ENUM) ||
		    (base->kind == DK_ENUM ? 0 : base->name == NULL))
			return diag_error(p->d, D_DECL_USELESS, line,
			    "useless declaration: it names no variable");
		return 0;
	}
	do {
		struct declarator d = { 0 };
		int rc;

		if (parse_declarator(p, base, &d) < 0)
			return -1;
		if (d.name == NULL)
			return parse_syntax(p, lex_peek(&p->lx, 0)), -1;
		rc = cl == CL_TYPEDEF ? declare_type(p, &d) :
		    declare_object(p, cl, &d);
		if (rc < 0)
			return -1;
	} while (parse_accept(p, T_COMMA));
	if (lex_peek(&p->lx, 0)->kind == T_ASSIGN) {
		parse_syntax(p, lex_peek(&p->lx, 0));
		diag_hint(p->d, "a variable gets its value in a clause, as "
		    "BEGIN { ... }");
		return -1;
	}
	return parse_expect(p, T_SEMI);
}

/* inline type name = expr;  inline type name[type key, …] = expr; */
int
parse_inline(struct parser *p)
{
	struct declarator d = { 0 };
	const struct dtype *base;
	struct ident *id;
	struct node *n;

	lex_next(&p->lx);
	if ((base = parse_specifiers(p, NULL)) == NULL ||
	    parse_declarator(p, base, &d) < 0)
		return -1;
	if (d.name == NULL)
		return parse_syntax(p, lex_peek(&p->lx, 0)), -1;
	for (size_t i = 0; i < d.nkey; i++)
		if (d.keyname[i] == NULL)
			return diag_error(p->d, D_DECL_PROTO_FORM, d.line,
			    "inline %s needs a name for parameter #%zu",
			    d.name, i + 1);
	p->chain = 0;
	if (parse_expect(p, T_ASSIGN) < 0 ||
	    (n = parse_assignment(p)) == NULL || parse_expect(p, T_SEMI) < 0)
		return -1;
	if (ident_known(p->u, d.name))
		return diag_error(p->d, D_DECL_IDRED, d.line,
		    "identifier redeclared: %s", d.name);
	id = ident_add(p->u, SP_GLOBAL, ID_INLINE, d.name, d.line);
	if (id == NULL)
		return parse_nomem(p), -1;
	id->type = d.type;
	id->key = d.key;
	id->nkey = d.nkey;
	id->param = d.keyname;
	id->inl = n;
	id->declared = true;
	return 0;
}
