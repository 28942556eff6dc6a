/*
 * lex.h - D's tokens.
 *
 * The lexer borrows the program text and the parser's arena; a token's text
 * lives in the arena. Two ways of reading are mixed by the parser: probe
 * descriptions (lex_pdesc) and everything else (lex_peek, lex_next).
 */
#ifndef TRACE_LEX_H
#define TRACE_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tok {
#define T(id, text) T_##id,
#include "trace/token.def"
#undef T
	T_N
};

struct token {
	enum tok kind;
	int line;
	const char *s;			/* IDENT, AGG (no @), STR, keywords */
	size_t len;
	uint64_t num;			/* INT */
	bool decimal;			/* not octal, hex or a character */
	uint8_t nu, nl;			/* suffixes U and L */
	char sign;			/* a macro argument's + or - */
	bool bad;			/* an error was reported already */
};

struct arena;
struct diag;
struct macros;
struct lexer;

/* A # line inside of the text; line is its own number. */
typedef void lex_directive(void *arg, struct lexer *, const char *text,
	    size_t len, int line);

enum { LEX_AHEAD = 16 };
struct lexer {
	const char *p, *end;
	int line;
	bool bol;			/* only blanks so far on this line */
	bool pred;			/* inside a predicate: / may close it */
	int brace;			/* { consumed and not closed yet */
	bool member;			/* after -> or . keywords are names */
	struct token ahead[LEX_AHEAD];
	unsigned nahead, first;
	struct arena *arena;
	struct diag *diag;
	struct macros *macros;
	lex_directive *directive;
	void *darg;
};

void	lex_init(struct lexer *, const char *text, size_t len);
/* The n-th token from here, n < LEX_AHEAD, without consuming it. */
const struct token *lex_peek(struct lexer *, unsigned n);
struct token lex_next(struct lexer *);
/* Skips blanks, comments and directives; the next byte, or -1 at the end.
 * Only while no token has been peeked at. */
int	lex_char(struct lexer *);
/* Reads one probe description's text, macros expanded; NULL at an error. */
const char *lex_pdesc(struct lexer *);
/* Length of the run of probe description bytes here. */
size_t	lex_pdesc_len(const struct lexer *);
/* Length of a program's text up to its first predicate or body. */
size_t	lex_probes_len(const char *text);
/* How a token reads in messages. */
const char *lex_text(const struct token *);
bool	lex_is_keyword(enum tok);

#endif
