/*
 * lex_const.h - constants: numbers, escapes, characters. Text made here lives
 * in the given arena.
 */
#ifndef TRACE_LEX_CONST_H
#define TRACE_LEX_CONST_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct diag;
struct token;

/* Escapes replaced; *outlen: bytes without the NUL that is added. */
const char *lex_unescape(struct arena *, const char *s, size_t len,
	    size_t *outlen);
/* Fills t from t->s ("12", "0x1fUL"); what: names it in messages. */
int	lex_number(struct token *t, const char *what, struct diag *);
/* Are these digits and a suffix, and nothing else? */
bool	lex_is_number(const char *s);
/* Fills t from a character constant's inside. */
int	lex_charconst(struct arena *, const char *s, size_t len,
	    struct token *t, struct diag *);

#endif
