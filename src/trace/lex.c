/* lex.c - D text into tokens. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "diag.h"
#include "lex.h"
#include "lex_const.h"
#include "macro.h"

static const char *const toktext[] = {
#define T(id, text) text,
#include "token.def"
#undef T
};

void
lex_init(struct lexer *lx, const char *text, size_t len)
{
	memset(lx, 0, sizeof(*lx));
	lx->p = text;
	lx->end = text + len;
	lx->line = 1;
	lx->bol = true;
}

bool
lex_is_keyword(enum tok t)
{
	return t >= T_AUTO && t <= T_XLATE;
}

const char *
lex_text(const struct token *t)
{
	switch (t->kind) {
	case T_IDENT: case T_AGG: case T_STR: case T_BAD: case T_INT:
		return t->s != NULL ? t->s : toktext[t->kind];
	default:
		return toktext[t->kind];
	}
}

static bool
is_ident(int c)
{
	return isalnum(c) || c == '_' || c == '`';
}

static bool
is_pdesc(int c)
{
	return c != '\0' && (isalnum(c) || strchr("-$:_.?*\\[]!`", c) != NULL);
}

static void
newline(struct lexer *lx)
{
	lx->line++;
	lx->bol = true;
}

/* At a comment's opening. */
static void
skip_comment(struct lexer *lx)
{
	int line = lx->line;

	for (lx->p += 2; lx->end - lx->p >= 2; lx->p++) {
		if (lx->p[0] == '*' && lx->p[1] == '/') {
			lx->p += 2;
			return;
		}
		if (lx->p[0] == '/' && lx->p[1] == '*')
			diag_error(lx->diag, D_SYNTAX, lx->line,
			    "/* encountered inside a comment");
		if (*lx->p == '\n')
			lx->line++;
	}
	for (; lx->p < lx->end; lx->p++)
		if (*lx->p == '\n')
			newline(lx);
	diag_error(lx->diag, D_SYNTAX, lx->line, "end-of-file encountered "
	    "before matching */ (comment begins on line %d)", line);
}

/* At a # that is the first on its line. */
static void
directive(struct lexer *lx)
{
	const char *nl = memchr(lx->p, '\n', (size_t)(lx->end - lx->p));
	const char *text = lx->p, *end = nl != NULL ? nl : lx->end;
	int line = lx->line;

	lx->p = end;
	if (nl != NULL) {
		lx->p++;
		newline(lx);
	}
	if (end - text >= 2 && text[1] == '!')
		return;
	lx->directive(lx->darg, lx, text, (size_t)(end - text), line);
}

/* Blanks, comments, directives and spliced lines. */
static void
skip_blank(struct lexer *lx)
{
	while (lx->p < lx->end) {
		size_t left = (size_t)(lx->end - lx->p);
		int c = (unsigned char)*lx->p;

		if (c == '\n') {
			lx->p++;
			newline(lx);
		} else if (isspace(c)) {
			lx->p++;
		} else if (c == '\\' && left > 1 && lx->p[1] == '\n') {
			lx->p += 2;
			newline(lx);
		} else if (c == '/' && left > 1 && lx->p[1] == '*') {
			skip_comment(lx);
		} else if (c == '#' && lx->bol) {
			directive(lx);
		} else {
			return;
		}
	}
}

int
lex_char(struct lexer *lx)
{
	skip_blank(lx);
	return lx->p < lx->end ? (unsigned char)*lx->p : -1;
}

static int
bad(struct lexer *lx, struct token *t)
{
	(void)lx;
	t->kind = T_BAD;
	t->bad = true;
	return -1;
}

/* A name from the text or from a macro argument. */
static void
name_token(struct lexer *lx, struct token *t, const char *s, size_t len)
{
	t->kind = T_IDENT;
	t->s = arena_strn(lx->arena, s, len);
	t->len = len;
	if (t->s == NULL)
		t->kind = T_EOF;
}

static void
read_name(struct lexer *lx, struct token *t)
{
	const char *s = lx->p;

	while (lx->p < lx->end && is_ident((unsigned char)*lx->p))
		lx->p++;
	name_token(lx, t, s, (size_t)(lx->p - s));
	if (t->kind != T_IDENT || lx->member)
		return;
	for (int k = T_AUTO; k <= T_XLATE; k++)
		if (strcmp(t->s, toktext[k]) == 0)
			t->kind = (enum tok)k;
}

static int
read_string(struct lexer *lx, struct token *t)
{
	const char *s = ++lx->p;

	while (lx->p < lx->end && *lx->p != '"' && *lx->p != '\n')
		lx->p += lx->p[0] == '\\' && lx->end - lx->p > 1 &&
		    lx->p[1] != '\n' ? 2 : 1;
	t->kind = T_STR;
	t->s = lex_unescape(lx->arena, s, (size_t)(lx->p - s), &t->len);
	if (lx->p >= lx->end || *lx->p != '"') {
		diag_error(lx->diag, D_STR_NL, t->line,
		    "newline encountered in string literal");
		return bad(lx, t);
	}
	lx->p++;
	return 0;
}

static int
read_char(struct lexer *lx, struct token *t)
{
	const char *s = ++lx->p;

	while (lx->p < lx->end && *lx->p != '\'' && *lx->p != '\n')
		lx->p += lx->p[0] == '\\' && lx->end - lx->p > 1 &&
		    lx->p[1] != '\n' ? 2 : 1;
	if (lx->p >= lx->end || *lx->p != '\'') {
		diag_error(lx->diag, D_CHR_NL, t->line,
		    "newline encountered in character constant");
		return bad(lx, t);
	}
	lx->p++;
	t->decimal = true;
	if (lex_charconst(lx->arena, s, (size_t)(lx->p - 1 - s), t,
	    lx->diag) < 0)
		return bad(lx, t);
	return 0;
}

static int
read_number(struct lexer *lx, struct token *t)
{
	const char *s = lx->p;
	size_t len = 0, left = (size_t)(lx->end - s);

	while (len < left && (isalnum((unsigned char)s[len]) || s[len] == '_'))
		len++;
	/* 0x1000`name is a name with a scope */
	if (len < left && s[len] == '`') {
		read_name(lx, t);
		return 0;
	}
	lx->p += len;
	if (len < left && s[len] == '.' &&
	    !(len + 1 < left && s[len + 1] == '.')) {
		lx->p++;
		diag_error(lx->diag, D_SYNTAX, t->line,
		    "floating-point constants are not permitted");
		return bad(lx, t);
	}
	t->s = arena_strn(lx->arena, s, len);
	if (t->s == NULL || lex_number(t, "constant", lx->diag) < 0)
		return bad(lx, t);
	return 0;
}

/* $n: the argument's text stands for a name, a number or else a string. */
static int
expand_arg(struct lexer *lx, struct token *t, const char *what,
    const char *v, bool str)
{
	size_t len = strlen(v);
	size_t n = strspn(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
	    "qrstuvwxyz_0123456789`");
	bool sign = v[0] == '-' || v[0] == '+';

	if (!str && (isdigit((unsigned char)v[0]) ||
	    (sign && isdigit((unsigned char)v[1])))) {
		t->sign = sign ? *v : '\0';
		t->s = v + sign;
		if (lex_is_number(t->s)) {
			if (lex_number(t, what, lx->diag) < 0)
				return bad(lx, t);
			return 0;
		}
		t->sign = '\0';
	}
	if (!str && n > 0 && n == len && !isdigit((unsigned char)v[0])) {
		name_token(lx, t, v, len);
		return 0;
	}
	if (!str && len > 1 && v[0] == '"' && v[len - 1] == '"') {
		v++;
		len -= 2;
	}
	t->kind = T_STR;
	t->s = lex_unescape(lx->arena, v, len, &t->len);
	return 0;
}

static int
undefined(struct lexer *lx, const char *kind, const char *s, size_t len)
{
	diag_error(lx->diag, D_MACRO_UNDEF, lx->line,
	    "macro %s %.*s is not defined", kind, (int)len, s);
	if (len == 7 && strncmp(s, "$target", 7) == 0)
		diag_hint(lx->diag, "$target needs -c or -p");
	return -1;
}

/* Length of the macro reference at s: $1, $$1, $pid, $$pid; 0: none. */
static size_t
macro_len(const char *s, size_t left, size_t *prefix)
{
	size_t n = left > 1 && s[1] == '$' ? 2 : 1;

	*prefix = n;
	if (n >= left)
		return 0;
	if (isdigit((unsigned char)s[n])) {
		while (n < left && isdigit((unsigned char)s[n]))
			n++;
		return n;
	}
	while (n < left && (isalnum((unsigned char)s[n]) || s[n] == '_'))
		n++;
	return n == *prefix ? 0 : n;
}

/* The text a macro reference stands for, NULL after an error. */
static const char *
macro_text(struct lexer *lx, const char *s, size_t len, size_t prefix)
{
	char *name = arena_strn(lx->arena, s, len);
	const char *v;
	int64_t val;

	if (name == NULL)
		return NULL;
	if (isdigit((unsigned char)name[prefix])) {
		v = macro_arg(lx->macros, strtoul(name + prefix, NULL, 10),
		    prefix == 2);
		if (v == NULL)
			undefined(lx, "argument", s, len);
		return v;
	}
	if (macro_var(lx->macros, name + prefix, &val) < 0) {
		undefined(lx, "variable", s, len);
		return NULL;
	}
	return arena_printf(lx->arena, "%lld", (long long)val);
}

static int
read_macro(struct lexer *lx, struct token *t)
{
	size_t prefix, len;
	const char *s = lx->p, *v;

	len = macro_len(s, (size_t)(lx->end - s), &prefix);
	if (len == 0) {
		lx->p++;
		t->kind = T_BAD;
		t->s = "$";
		return -1;
	}
	lx->p += len;
	if ((v = macro_text(lx, s, len, prefix)) == NULL)
		return bad(lx, t);
	if ((s = arena_strn(lx->arena, s, len)) == NULL)
		return bad(lx, t);
	return expand_arg(lx, t, s, v, prefix == 2);
}

/* Does the / at lx->p close the predicate? */
static bool
closes_pred(const struct lexer *lx)
{
	const char *p = lx->p + 1;

	if (!lx->pred)
		return false;
	while (p < lx->end && isspace((unsigned char)*p))
		p++;
	return p == lx->end || *p == ';' || *p == '{' || *p == '/';
}

static void
read_punct(struct lexer *lx, struct token *t)
{
	size_t left = (size_t)(lx->end - lx->p);

	if (*lx->p == '/' && closes_pred(lx)) {
		t->kind = T_EPRED;
		lx->p++;
		return;
	}
	for (int k = T_SHLEQ; k <= T_RBRACE; k++) {
		size_t n = strlen(toktext[k]);

		if (n <= left && memcmp(lx->p, toktext[k], n) == 0) {
			t->kind = (enum tok)k;
			lx->p += n;
			return;
		}
	}
	t->kind = T_BAD;
	t->s = isprint((unsigned char)*lx->p) ?
	    arena_strn(lx->arena, lx->p, 1) :
	    arena_printf(lx->arena, "\\x%02x", (unsigned char)*lx->p);
	lx->p++;
}

static void
read_agg(struct lexer *lx, struct token *t)
{
	bool named = lx->p < lx->end && (isalpha((unsigned char)*lx->p) ||
	    *lx->p == '_');

	lx->member = true;
	if (named)
		read_name(lx, t);
	else
		name_token(lx, t, "", 0);
	if (t->kind == T_IDENT)
		t->kind = T_AGG;
}

static void
read_token(struct lexer *lx, struct token *t)
{
	int c;

	memset(t, 0, sizeof(*t));
	skip_blank(lx);
	t->line = lx->line;
	lx->bol = false;
	if (lx->p >= lx->end) {
		t->kind = T_EOF;
		return;
	}
	c = (unsigned char)*lx->p;
	if (isdigit(c) || (c == '.' && lx->end - lx->p > 1 &&
	    isdigit((unsigned char)lx->p[1])))
		read_number(lx, t);
	else if (is_ident(c))
		read_name(lx, t);
	else if (c == '"')
		read_string(lx, t);
	else if (c == '\'')
		read_char(lx, t);
	else if (c == '$')
		read_macro(lx, t);
	else if (c == '@') {
		lx->p++;
		read_agg(lx, t);
	} else
		read_punct(lx, t);
	lx->member = t->kind == T_ARROW || t->kind == T_DOT;
}

const struct token *
lex_peek(struct lexer *lx, unsigned n)
{
	while (lx->nahead <= n) {
		unsigned i = (lx->first + lx->nahead) % LEX_AHEAD;

		read_token(lx, &lx->ahead[i]);
		lx->nahead++;
	}
	return &lx->ahead[(lx->first + n) % LEX_AHEAD];
}

struct token
lex_next(struct lexer *lx)
{
	struct token t = *lex_peek(lx, 0);

	if (t.kind == T_LBRACE)
		lx->brace++;
	if (t.kind == T_RBRACE)
		lx->brace--;
	if (lx->nahead > 0) {
		lx->first = (lx->first + 1) % LEX_AHEAD;
		lx->nahead--;
	}
	return t;
}

/* A path up to the colons of the function and the name, without a blank as a
 * predicate would have one. */
static bool
is_path(const char *p, const char *end)
{
	int colons = 0;

	for (; p < end && (is_pdesc((unsigned char)*p) || *p == '/'); p++)
		colons += *p == ':';
	return colons == 2;
}

size_t
lex_pdesc_len(const struct lexer *lx)
{
	const char *p = lx->p, *path = NULL;

	/* a module may be a path: "shop:/usr/bin/shop::sold" */
	for (; p < lx->end; p++) {
		if (*p == '/' && p > lx->p && p[-1] == ':' && path == NULL &&
		    memchr(lx->p, ':', (size_t)(p - lx->p)) == p - 1 &&
		    is_path(p, lx->end))
			path = p;
		if (!is_pdesc((unsigned char)*p) &&
		    (*p != '/' || path == NULL ||
		    memchr(path, ':', (size_t)(p - path)) != NULL))
			break;
	}
	return (size_t)(p - lx->p);
}

const char *
lex_pdesc(struct lexer *lx)
{
	size_t len = lex_pdesc_len(lx), i = 0;
	const char *s = lx->p, *out = "";

	lx->bol = false;
	while (i < len && out != NULL) {
		size_t lit = 0, prefix, n;
		const char *v;

		while (i + lit < len && s[i + lit] != '$')
			lit++;
		if (lit > 0) {
			out = arena_printf(lx->arena, "%s%.*s", out, (int)lit,
			    s + i);
			i += lit;
			continue;
		}
		n = macro_len(s + i, len - i, &prefix);
		if (n == 0) {
			diag_error(lx->diag, D_PDESC_INVAL, lx->line,
			    "invalid macro reference in probe description "
			    "%.*s", (int)len, s);
			out = NULL;
			break;
		}
		v = macro_text(lx, s + i, n, prefix);
		out = v == NULL ? NULL :
		    arena_printf(lx->arena, "%s%s", out, v);
		i += n;
	}
	lx->p += len;
	return out;
}
