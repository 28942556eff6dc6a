/* parse_xlate.c - translator and provider declarations. */
#include <ctype.h>
#include <string.h>

#include "trace/arena.h"
#include "trace/ident.h"
#include "trace/parse_impl.h"
#include "trace/probe.h"
#include "trace/type_decl.h"
#include "trace/xlate.h"

static int
xmembers(struct parser *p, struct xlator *x)
{
	struct xmember **tail = &x->mem;
	uint64_t bit;
	char buf[128];

	while (!parse_accept(p, T_RBRACE)) {
		struct token t = lex_next(&p->lx);
		struct xmember *m = arena_alloc(p->u->arena, sizeof(*m));

		if (t.kind != T_IDENT)
			return parse_syntax(p, &t), -1;
		if (m == NULL)
			return parse_nomem(p), -1;
		if (type_member(x->out, t.s, &bit) == NULL)
			return diag_error(p->d, D_XLATE_MEMB, t.line,
			    "translator member %s is not a member of %s", t.s,
			    type_name(x->out, buf, sizeof(buf)));
		m->name = t.s;
		p->chain = 0;
		if (parse_expect(p, T_ASSIGN) < 0 ||
		    (m->expr = parse_assignment(p)) == NULL ||
		    parse_expect(p, T_SEMI) < 0)
			return -1;
		*tail = m;
		tail = &m->next;
	}
	return 0;
}

/* translator output < input name > { member = expr; … }; */
int
parse_translator(struct parser *p)
{
	struct xlator *x = arena_alloc(p->u->arena, sizeof(*x)), old;
	struct declarator d = { 0 };
	int line = lex_next(&p->lx).line;
	const struct dtype *base;

	if (x == NULL)
		return parse_nomem(p), -1;
	if ((x->out = parse_type_name(p)) == NULL)
		return -1;
	x->out = type_complete(p->u->types, x->out);
	if (x->out->kind != DK_STRUCT && x->out->kind != DK_UNION)
		return diag_error(p->d, D_XLATE_SOU, line, "translator output "
		    "type must be a struct or union");
	if (parse_expect(p, T_LT) < 0 ||
	    (base = parse_specifiers(p, NULL)) == NULL ||
	    parse_declarator(p, base, &d) < 0)
		return -1;
	if (d.name == NULL || d.assoc)
		return parse_syntax(p, lex_peek(&p->lx, 0)), -1;
	x->in = d.type;
	x->param = d.name;
	if (xlate_find(p->u, x->out, x->in, &old) && old.tag == NULL)
		return diag_error(p->d, D_XLATE_REDECL, line,
		    "translator from this type to this type redeclared");
	if (parse_expect(p, T_GT) < 0 || parse_expect(p, T_LBRACE) < 0 ||
	    xmembers(p, x) < 0)
		return -1;
	x->next = p->u->xlator;
	p->u->xlator = x;
	return parse_expect(p, T_SEMI);
}

static bool
bad_provider(const char *name)
{
	size_t len = strlen(name);

	return len == 0 || len > 63 || isdigit((unsigned char)name[len - 1]);
}

/* Two underscores in a declared probe's name are a hyphen in D. */
static void
hyphens(char *s)
{
	char *out = s;

	for (; *s != '\0'; s++) {
		if (s[0] == '_' && s[1] == '_') {
			*out++ = '-';
			s++;
		} else
			*out++ = *s;
	}
	*out = '\0';
}

static int
probe(struct parser *p, struct provdecl *pv)
{
	struct probedecl *pd = arena_alloc(p->u->arena, sizeof(*pd)), *o;
	struct declarator d = { 0 };
	struct token t;
	char *name;

	if (parse_expect(p, T_PROBE) < 0)
		return -1;
	t = *lex_peek(&p->lx, 0);
	if (t.kind != T_IDENT)
		return parse_syntax(p, &t), -1;
	if (pd == NULL || (name = arena_str(p->u->arena, t.s)) == NULL)
		return parse_nomem(p), -1;
	if (parse_declarator(p, type_void(p->u->types), &d) < 0)
		return -1;
	if (d.type->kind != DK_FUNC)
		return parse_syntax(p, lex_peek(&p->lx, 0)), -1;
	if (d.type->nmem > PROBE_MAXARG)
		return diag_error(p->d, D_PROV_PRARGLEN, t.line, "probe %s has "
		    "more than %d arguments", t.s, PROBE_MAXARG);
	hyphens(name);
	for (o = pv->probe; o != NULL; o = o->next)
		if (strcmp(o->name, name) == 0)
			return diag_error(p->d, D_PROV_PRDUP, t.line,
			    "probe redeclared: %s:::%s", pv->name, name);
	pd->name = name;
	pd->native = pd->args = d.type;
	if (parse_accept(p, T_COLON)) {
		if (parse_expect(p, T_LPAR) < 0)
			return -1;
		return diag_error(p->d, D_UNSUP, t.line, "translated probe "
		    "arguments are not supported in provider declarations");
	}
	pd->next = pv->probe;
	pv->probe = pd;
	return parse_expect(p, T_SEMI);
}

/* provider name { probe name(types); … }; types args[] of USDT probes */
int
parse_provider(struct parser *p)
{
	struct provdecl *pv = arena_alloc(p->u->arena, sizeof(*pv));
	struct token t;

	lex_next(&p->lx);
	t = lex_next(&p->lx);
	if (t.kind != T_IDENT)
		return parse_syntax(p, &t), -1;
	if (pv == NULL)
		return parse_nomem(p), -1;
	if (bad_provider(t.s))
		return diag_error(p->d, D_PROV_BADNAME, t.line, "invalid "
		    "provider name %s: it may not end in a digit", t.s);
	pv->name = t.s;
	if (parse_expect(p, T_LBRACE) < 0)
		return -1;
	while (!parse_accept(p, T_RBRACE))
		if (probe(p, pv) < 0)
			return -1;
	pv->next = p->u->provider;
	p->u->provider = pv;
	return parse_expect(p, T_SEMI);
}
