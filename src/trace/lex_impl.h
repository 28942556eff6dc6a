/*
 * lex_impl.h - what the lexer's files share; see lex.h for who owns what.
 */
#ifndef TRACE_LEX_IMPL_H
#define TRACE_LEX_IMPL_H

#include "trace/lex.h"

/* An error has been told: t is a bad token. Returns -1. */
int	lex_bad(struct lexer *, struct token *t);
/* A name from the text or from a macro argument; T_EOF: no memory. */
void	lex_name(struct lexer *, struct token *t, const char *s, size_t len);

/* lex_macro.c */
/* At a $: the token that the macro stands for; -1: it is a bad one. */
int	lex_macro(struct lexer *, struct token *t);
/* Length of the macro reference at s: $1, $$1, $pid, $$pid; 0: none. */
size_t	lex_macro_len(const char *s, size_t left, size_t *prefix);
/* The text a macro reference stands for, NULL after an error. */
const char *lex_macro_text(struct lexer *, const char *s, size_t len,
	    size_t prefix);

#endif
