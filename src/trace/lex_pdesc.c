/* lex_pdesc.c - the text of probe descriptions. */
#include <ctype.h>
#include <string.h>

#include "trace/arena.h"
#include "trace/diag.h"
#include "trace/lex_impl.h"

static bool
is_pdesc(int c)
{
	return c != '\0' && (isalnum(c) || strchr("-$:_.?*\\[]!`", c) != NULL);
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

static size_t
pdesc_len(const char *s, const char *end)
{
	const char *p = s, *path = NULL;

	/* a module may be a path: "shop:/usr/bin/shop::sold" */
	for (; p < end; p++) {
		if (*p == '/' && p > s && p[-1] == ':' && path == NULL &&
		    memchr(s, ':', (size_t)(p - s)) == p - 1 &&
		    is_path(p, end))
			path = p;
		if (!is_pdesc((unsigned char)*p) &&
		    (*p != '/' || path == NULL ||
		    memchr(path, ':', (size_t)(p - path)) != NULL))
			break;
	}
	return (size_t)(p - s);
}

size_t
lex_pdesc_len(const struct lexer *lx)
{
	return pdesc_len(lx->p, lx->end);
}

size_t
lex_probes_len(const char *text)
{
	const char *p = text, *end = text + strlen(text);
	size_t n;

	while (p < end && strchr("{/;", *p) == NULL) {
		n = pdesc_len(p, end);
		p += n > 0 ? n : 1;
	}
	return (size_t)(p - text);
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
		n = lex_macro_len(s + i, len - i, &prefix);
		if (n == 0) {
			diag_error(lx->diag, D_PDESC_INVAL, lx->line,
			    "invalid macro reference in probe description "
			    "%.*s", (int)len, s);
			out = NULL;
			break;
		}
		v = lex_macro_text(lx, s + i, n, prefix);
		out = v == NULL ? NULL :
		    arena_printf(lx->arena, "%s%s", out, v);
		i += n;
	}
	lx->p += len;
	return out;
}
