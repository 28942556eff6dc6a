/* lex.c - D text into tokens. */
#include <ctype.h>
#include <string.h>

#include "trace/arena.h"
#include "trace/diag.h"
#include "trace/lex_const.h"
#include "trace/lex_impl.h"

static const char *const toktext[] = {
#define T(id, text) text,
#include "trace/token.def"
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

int
lex_bad(struct lexer *lx, struct token *t)
{
	(void)lx;
	t->kind = T_BAD;
	t->bad = true;
	return -1;
}

void
lex_name(struct lexer *lx, struct token *t, const char *s, size_t len)
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
	lex_name(lx, t, s, (size_t)(lx->p - s));
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
		return lex_bad(lx, t);
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
		return lex_bad(lx, t);
	}
	lx->p++;
	t->decimal = true;
	if (lex_charconst(lx->arena, s, (size_t)(lx->p - 1 - s), t,
	    lx->diag) < 0)
		return lex_bad(lx, t);
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
		return lex_bad(lx, t);
	}
	t->s = arena_strn(lx->arena, s, len);
	if (t->s == NULL || lex_number(t, "constant", lx->diag) < 0)
		return lex_bad(lx, t);
	return 0;
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
		lex_name(lx, t, "", 0);
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
		lex_macro(lx, t);
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
