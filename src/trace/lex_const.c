/* lex_const.c - numbers, escapes, characters. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/arena.h"
#include "trace/diag.h"
#include "trace/lex.h"
#include "trace/lex_const.h"

static int
hexval(int c)
{
	return isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
}

/* One escape at s (after the backslash); returns bytes used, 0: unknown. */
static size_t
escape(const char *s, size_t len, char *out)
{
	static const char from[] = "abfnrtv\"'?\\";
	static const char to[] = "\a\b\f\n\r\t\v\"'?\\";
	const char *p = len > 0 && s[0] != '\0' ? strchr(from, s[0]) : NULL;
	unsigned v = 0;
	size_t n = 0;

	if (p != NULL) {
		*out = to[p - from];
		return 1;
	}
	while (n < len && n < 3 && s[n] >= '0' && s[n] <= '7')
		v = v * 8 + (unsigned)(s[n++] - '0');
	if (n == 0 && len > 1 && s[0] == 'x' && isxdigit((unsigned char)s[1]))
		for (n = 1; n < len && isxdigit((unsigned char)s[n]); n++)
			v = v * 16 + (unsigned)hexval((unsigned char)s[n]);
	*out = (char)(v & 0xff);
	return n;
}

const char *
lex_unescape(struct arena *a, const char *s, size_t len, size_t *outlen)
{
	char *out = arena_alloc(a, len + 1);
	size_t n = 0;

	*outlen = 0;
	if (out == NULL)
		return "";
	for (size_t i = 0; i < len;) {
		size_t used;

		if (s[i] != '\\') {
			out[n++] = s[i++];
			continue;
		}
		used = escape(s + i + 1, len - i - 1, &out[n]);
		if (used == 0)
			out[n] = s[i];	/* unknown: both bytes stay */
		n++;
		i += 1 + used;
	}
	*outlen = n;
	return out;
}

bool
lex_is_number(const char *s)
{
	char *end;

	(void)strtoull(s, &end, 0);
	return end != s && end[strspn(end, "uUlL")] == '\0';
}

/* u, l, ul, lu, ll, ull, llu in any case */
static int
suffix(struct token *t, const char *s)
{
	for (; *s != '\0'; s++) {
		if ((*s == 'u' || *s == 'U') && t->nu == 0)
			t->nu++;
		else if ((*s == 'l' || *s == 'L') && t->nl < 2)
			t->nl++;
		else
			return -1;
	}
	return 0;
}

int
lex_number(struct token *t, const char *what, struct diag *d)
{
	char *end;

	t->kind = T_INT;
	t->len = strlen(t->s);
	t->decimal = t->s[0] != '0';
	errno = 0;
	t->num = strtoull(t->s, &end, 0);
	if (errno == ERANGE) {
		if (what[0] == '$')
			return diag_error(d, D_MACRO_OFLOW, t->line,
			    "macro argument %s constant %s results in "
			    "integer overflow", what, t->s);
		return diag_error(d, D_INT_OFLOW, t->line,
		    "constant %s results in integer overflow", t->s);
	}
	if (suffix(t, end) < 0)
		return diag_error(d, D_INT_DIGIT, t->line,
		    "constant %s contains invalid digit %c", t->s, *end);
	return 0;
}

int
lex_charconst(struct arena *a, const char *s, size_t len, struct token *t,
    struct diag *d)
{
	const char *p = lex_unescape(a, s, len, &len);

	t->kind = T_INT;
	if (len == 0)
		return diag_error(d, D_CHR_NULL, t->line,
		    "empty character constant");
	if (len > sizeof(t->num))
		return diag_error(d, D_CHR_OFLOW, t->line,
		    "character constant is too long (at most 8 bytes)");
	for (size_t i = 0; i < len; i++)
		t->num = t->num << 8 | (unsigned char)p[i];
	return 0;
}
