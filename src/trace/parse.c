/* parse.c - programs, clauses, statements. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "trace/arena.h"
#include "trace/ident.h"
#include "trace/macro.h"
#include "trace/parse_impl.h"
#include "trace/trace.h"
#include "trace/type_decl.h"

enum { ARENA_MAX = 128 << 20, TEXT_MAX = 16 << 20 };

int
unit_new(struct trace *t)
{
	struct unit *u = calloc(1, sizeof(*u));
	uint32_t strsize = (uint32_t)opt_num(&t->opt, O_STRSIZE);

	if (u == NULL)
		return -1;
	t->unit = u;
	t->types = u->types = type_new(strsize);
	u->arena = arena_new(ARENA_MAX);
	u->clause_tail = &u->clause;
	u->ident_tail = &u->ident;
	u->strmax = strsize + 1;
	if (u->types == NULL || u->arena == NULL || ident_tab_new(u) < 0) {
		unit_free(t);
		return -1;
	}
	if (t->offline)
		type_no_kernel(u->types);
	return 0;
}

void
unit_free(struct trace *t)
{
	if (t->unit != NULL) {
		for (struct clause *cl = t->unit->clause; cl; cl = cl->next)
			free(cl->probe);
		arena_free(t->unit->arena);
		type_free(t->unit->types);
		free(t->unit);
	}
	t->unit = NULL;
	t->types = NULL;
}

void *
parse_nomem(struct parser *p)
{
	diag_error(p->d, D_UNKNOWN, p->lx.line,
	    "out of memory, or the program is too large");
	return NULL;
}

void *
parse_syntax(struct parser *p, const struct token *t)
{
	if (t->bad)
		return NULL;
	if (t->kind == T_EOF)
		diag_error(p->d, D_SYNTAX, t->line,
		    "syntax error near end of input");
	else if (t->kind == T_STR)
		diag_error(p->d, D_SYNTAX, t->line,
		    "syntax error near string \"%s\"", lex_text(t));
	else
		diag_error(p->d, D_SYNTAX, t->line,
		    "syntax error near \"%s\"", lex_text(t));
	if (t->kind == T_WHILE || t->kind == T_FOR || t->kind == T_DO)
		diag_hint(p->d, "D has no loops");
	else if (lex_is_keyword(t->kind))
		diag_hint(p->d, "%s is a reserved word", lex_text(t));
	return NULL;
}

bool
parse_accept(struct parser *p, enum tok kind)
{
	if (lex_peek(&p->lx, 0)->kind != kind)
		return false;
	lex_next(&p->lx);
	return true;
}

int
parse_expect(struct parser *p, enum tok kind)
{
	if (parse_accept(p, kind))
		return 0;
	parse_syntax(p, lex_peek(&p->lx, 0));
	return -1;
}

int
parse_enter(struct parser *p)
{
	if (p->depth < PARSE_DEPTH) {
		p->depth++;
		return 0;
	}
	return diag_error(p->d, D_NEST, p->lx.line,
	    "nested too deeply (more than %d levels)", PARSE_DEPTH);
}

void
parse_leave(struct parser *p)
{
	p->depth--;
}

/* Skips to the end of the clause (its last }) or declaration (its ;) in
 * which an error was found. */
static void
recover(struct parser *p, bool clause)
{
	struct diag quiet = { .max = 1 };
	bool opened = p->lx.brace > 0;

	p->lx.diag = &quiet;
	p->lx.pred = false;
	for (;;) {
		enum tok t = lex_next(&p->lx).kind;

		if (t == T_LBRACE)
			opened = true;
		if (t == T_EOF)
			break;
		if (clause && opened && p->lx.brace <= 0)
			break;
		if (!clause && t == T_SEMI && p->lx.brace <= 0)
			break;
	}
	p->lx.diag = p->d;
	diag_free(&quiet);
}

static int
statements(struct parser *p, struct stmt **tail, bool block);

/* if (expr) then [else other]; then and other are a block or a statement. */
static struct stmt *
branch(struct parser *p)
{
	int line = lex_next(&p->lx).line;
	struct stmt *s = arena_alloc(p->u->arena, sizeof(*s));

	if (s == NULL)
		return parse_nomem(p);
	s->isif = true;
	s->line = line;
	p->chain = 0;
	if (parse_enter(p) < 0 || parse_expect(p, T_LPAR) < 0 ||
	    (s->expr = parse_expression(p)) == NULL ||
	    parse_expect(p, T_RPAR) < 0 ||
	    statements(p, &s->then, parse_accept(p, T_LBRACE)) < 0)
		return NULL;
	if (parse_accept(p, T_ELSE) &&
	    statements(p, &s->other, parse_accept(p, T_LBRACE)) < 0)
		return NULL;
	parse_leave(p);
	return s;
}

static struct stmt *
statement(struct parser *p)
{
	struct stmt *s;

	if (lex_peek(&p->lx, 0)->kind == T_IF)
		return branch(p);
	if ((s = arena_alloc(p->u->arena, sizeof(*s))) == NULL)
		return parse_nomem(p);
	s->line = lex_peek(&p->lx, 0)->line;
	p->chain = 0;
	if ((s->expr = parse_expression(p)) == NULL)
		return NULL;
	if (lex_peek(&p->lx, 0)->kind != T_RBRACE &&
	    parse_expect(p, T_SEMI) < 0)
		return NULL;
	return s;
}

/* Statements up to the }, whose { is consumed, or a single one. */
static int
statements(struct parser *p, struct stmt **tail, bool block)
{
	do {
		if (parse_accept(p, T_SEMI))
			continue;
		if (block && parse_accept(p, T_RBRACE))
			return 0;
		if ((*tail = statement(p)) == NULL)
			return -1;
		tail = &(*tail)->next;
	} while (block);
	return 0;
}

/* Splits "a:b:c" into the fields up to the one that a lone name means. */
static int
split(struct parser *p, struct pdesc *d, const char *text, enum pspec spec)
{
	const char **field[] = { &d->prov, &d->mod, &d->func, &d->name };
	int last = spec == PS_PROV ? 0 : spec == PS_MOD ? 1 :
	    spec == PS_FUNC ? 2 : 3;
	const char *end = text + strlen(text);

	for (int i = 0; i < 4; i++)
		*field[i] = "";
	for (int i = last; ; i--) {
		const char *s = end;

		if (i < 0)
			return diag_error(p->d, D_PDESC_INVAL, d->line,
			    "probe description %s has too many fields", text);
		while (s > text && s[-1] != ':')
			s--;
		*field[i] = arena_strn(p->u->arena, s, (size_t)(end - s));
		if (*field[i] == NULL)
			return parse_nomem(p), -1;
		if (s == text)
			break;
		end = s - 1;
	}
	return 0;
}

static struct pdesc *
pdesc(struct parser *p)
{
	struct pdesc *d = arena_alloc(p->u->arena, sizeof(*d));
	const char *text;
	int c = lex_char(&p->lx);

	if (d == NULL)
		return parse_nomem(p);
	d->line = p->lx.line;
	if (isdigit(c)) {
		struct token t = lex_next(&p->lx);

		if (t.kind != T_INT || t.num == 0 || t.num > UINT32_MAX) {
			if (!t.bad)
				diag_error(p->d, D_PDESC_INVAL, t.line,
				    "invalid probe id %s", lex_text(&t));
			return NULL;
		}
		d->id = (uint32_t)t.num;
		d->prov = d->mod = d->func = d->name = "";
		d->text = t.s;
		return d;
	}
	if (lex_pdesc_len(&p->lx) == 0) {
		struct token t = lex_next(&p->lx);

		parse_syntax(p, &t);
		if (t.kind == T_DIV && p->lx.p < p->lx.end && *p->lx.p == '/')
			diag_hint(p->d, "D's comments are /* ... */ only");
		return NULL;
	}
	if ((text = lex_pdesc(&p->lx)) == NULL)
		return NULL;
	d->text = text;
	return split(p, d, text, p->spec) < 0 ? NULL : d;
}

static int
predicate(struct parser *p, struct clause *cl)
{
	int rc = -1;

	p->lx.p++;
	p->lx.pred = true;
	p->chain = 0;
	cl->pred = parse_expression(p);
	if (cl->pred != NULL)
		rc = parse_expect(p, T_EPRED);
	p->lx.pred = false;
	if (rc < 0)
		return -1;
	if (lex_char(&p->lx) != '{')
		return diag_error(p->d, D_SYNTAX, cl->pred->line, "expected "
		    "actions { } following probe description and predicate");
	return 0;
}

static int
clause(struct parser *p)
{
	struct clause *cl = arena_alloc(p->u->arena, sizeof(*cl));
	struct pdesc **tail;
	int c;

	if (cl == NULL)
		return parse_nomem(p), -1;
	tail = &cl->pdesc;
	do {
		if (cl->pdesc != NULL)
			p->lx.p++;
		if ((*tail = pdesc(p)) == NULL)
			return -1;
		tail = &(*tail)->next;
	} while ((c = lex_char(&p->lx)) == ',');
	cl->line = cl->pdesc->line;
	cl->source = p->source;
	cl->nobody = c != '/' && c != '{';
	if (cl->nobody && p->spec == PS_SCRIPT)
		return diag_error(p->d, D_SYNTAX, cl->line, "expected "
		    "predicate and/or actions following probe description");
	if (c == '/' && predicate(p, cl) < 0)
		return -1;
	if (!cl->nobody) {
		lex_next(&p->lx);
		if (statements(p, &cl->body, true) < 0)
			return -1;
	}
	cl->seq = (uint32_t)p->u->nclause++;
	*p->u->clause_tail = cl;
	p->u->clause_tail = &cl->next;
	return 0;
}

/* Words that begin a declaration at the top level. */
static const char *const declword[] = {
	"auto", "char", "const", "counter", "double", "enum", "extern",
	"float", "import", "inline", "int", "long", "provider", "register",
	"restrict", "self", "short", "signed", "static", "string", "struct",
	"this", "translator", "typedef", "union", "unsigned", "void",
	"volatile",
};

/* Does a declaration begin here, rather than a probe description? */
static bool
declares(struct parser *p)
{
	size_t len = lex_pdesc_len(&p->lx), n;
	const char *s = p->lx.p;
	char *name;

	for (size_t i = 0; i < sizeof(declword) / sizeof(*declword); i++)
		if (strlen(declword[i]) == len &&
		    memcmp(declword[i], s, len) == 0)
			return true;
	if (p->spec != PS_SCRIPT || len == 0)
		return false;
	for (n = 0; n < len && s[n] != '*'; n++)
		if (!isalnum((unsigned char)s[n]) && s[n] != '_')
			return false;
	if ((name = arena_strn(p->u->arena, s, n)) == NULL || n == 0)
		return false;
	if (strcmp(name, "BEGIN") == 0 || strcmp(name, "END") == 0 ||
	    strcmp(name, "ERROR") == 0)
		return false;
	for (size_t i = 0; i < sizeof(declword) / sizeof(*declword); i++)
		if (strcmp(declword[i], name) == 0)
			return true;
	return type_lookup(p->u->types, name) != NULL;
}

/* -1: an error; *cl: in a clause. */
static int
external(struct parser *p, bool *cl)
{
	p->depth = 0;
	p->lx.brace = 0;
	*cl = false;
	if (lex_char(&p->lx) == ';') {
		struct token t = lex_next(&p->lx);

		return parse_syntax(p, &t), 1;
	}
	if (!declares(p)) {
		*cl = true;
		return clause(p);
	}
	switch (lex_peek(&p->lx, 0)->kind) {
	case T_INLINE:
		return parse_inline(p);
	case T_TRANSLATOR:
		return parse_translator(p);
	case T_PROVIDER:
		return parse_provider(p);
	default:
		return parse_declaration(p);
	}
}

static void
translation_unit(struct parser *p)
{
	size_t n = 0, nerr = p->d->total;
	bool cl;

	for (; lex_char(&p->lx) >= 0; n++)
		if (external(p, &cl) < 0)
			recover(p, cl);
	if (n == 0 && p->d->total == nerr &&
	    !opt_flag(&p->t->opt, O_EMPTY))
		diag_error(p->d, D_EMPTY, p->lx.line,
		    "empty D program translation unit");
}

static void
init(struct parser *p, struct trace *t, struct macros *m, enum pspec spec,
    struct diag *d)
{
	p->u = t->unit;
	p->t = t;
	p->d = d;
	p->spec = spec == PS_SCRIPT && opt_flag(&t->opt, O_PSPEC) ? PS_NAME :
	    spec;
	p->topfile = "<stdin>";
	p->lx.arena = p->u->arena;
	p->lx.diag = d;
	p->lx.macros = m;
	p->lx.directive = pragma_line;
	p->lx.darg = p;
	m->defaultargs = opt_flag(&t->opt, O_DEFAULTARGS);
	m->has_target = t->target > 0 || t->offline;
	m->target = t->target;
}

int
parse_program(struct trace *t, const char *text, size_t len,
    const char *source, enum pspec spec, int argc, char *const *argv,
    struct diag *d)
{
	struct macros m = { .argc = argc, .argv = argv };
	struct parser p = { 0 };
	size_t nerr = d->total;
	int n;

	lex_init(&p.lx, text, len);
	init(&p, t, &m, spec, d);
	p.source = arena_str(p.u->arena, source);
	d->source = p.source;
	d->file = NULL;
	if (len > TEXT_MAX)
		return diag_error(d, D_SYNTAX, 0, "the program is larger than "
		    "%d MiB", TEXT_MAX >> 20);
	translation_unit(&p);
	if (arena_failed(p.u->arena) && d->total == nerr)
		parse_nomem(&p);
	if (d->total == nerr && !opt_flag(&t->opt, O_ARGREF) &&
	    (n = macro_unused(&m)) != 0)
		diag_error(d, D_MACRO_UNUSED, p.lx.line, "extraneous argument "
		    "'%s' ($%d is not referenced)", argv[n], n);
	return d->total == nerr ? 0 : -1;
}

int
parse_pdesc(struct trace *t, const char *text, enum pspec spec,
    struct pdesc *desc, struct diag *d)
{
	struct macros m = { .defaultargs = false };
	struct parser p = { 0 };
	struct pdesc *pd;

	lex_init(&p.lx, text, strlen(text));
	init(&p, t, &m, spec, d);
	p.source = d->source;
	if ((pd = pdesc(&p)) == NULL)
		return -1;
	if (lex_char(&p.lx) >= 0)
		return diag_error(d, D_PDESC_INVAL, 0,
		    "invalid probe description: %s", text);
	*desc = *pd;
	return 0;
}

struct node *
parse_text(struct trace *t, const char *text, int line, struct diag *d)
{
	struct macros m = { .defaultargs = false };
	struct parser p = { 0 };

	lex_init(&p.lx, text, strlen(text));
	init(&p, t, &m, PS_NAME, d);
	p.lx.line = line;
	return parse_expression(&p);
}
