/* lex_macro.c - $1, $pid: macro references into tokens. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "trace/arena.h"
#include "trace/diag.h"
#include "trace/lex_const.h"
#include "trace/lex_impl.h"
#include "trace/macro.h"

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
				return lex_bad(lx, t);
			return 0;
		}
		t->sign = '\0';
	}
	if (!str && n > 0 && n == len && !isdigit((unsigned char)v[0])) {
		lex_name(lx, t, v, len);
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

size_t
lex_macro_len(const char *s, size_t left, size_t *prefix)
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

const char *
lex_macro_text(struct lexer *lx, const char *s, size_t len, size_t prefix)
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

int
lex_macro(struct lexer *lx, struct token *t)
{
	size_t prefix, len;
	const char *s = lx->p, *v;

	len = lex_macro_len(s, (size_t)(lx->end - s), &prefix);
	if (len == 0) {
		lx->p++;
		t->kind = T_BAD;
		t->s = "$";
		return -1;
	}
	lx->p += len;
	if ((v = lex_macro_text(lx, s, len, prefix)) == NULL)
		return lex_bad(lx, t);
	if ((s = arena_strn(lx->arena, s, len)) == NULL)
		return lex_bad(lx, t);
	return expand_arg(lx, t, s, v, prefix == 2);
}
