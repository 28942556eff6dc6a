/*
 * parse_impl.h - what the parts of the parser share. Nodes belong to the
 * unit's arena; a NULL node or type means that an error has been reported.
 */
#ifndef TRACE_PARSE_IMPL_H
#define TRACE_PARSE_IMPL_H

#include "trace/ast.h"
#include "trace/diag.h"
#include "trace/lex.h"
#include "trace/parse.h"

enum {
	PARSE_DEPTH = 200,	/* nested parentheses, blocks, types */
	PARSE_CHAIN = 1000,	/* operators of one expression */
};

struct parser {
	struct lexer lx;
	struct unit *u;
	struct trace *t;
	struct diag *d;
	enum pspec spec;
	const char *source;
	const char *topfile;		/* the name cpp gives the program */
	int depth, chain;
};

/* "syntax error near …" at a token, unless the lexer has reported it. */
void	*parse_syntax(struct parser *, const struct token *);
/* Consumes a token of this kind, else reports. */
int	parse_expect(struct parser *, enum tok);
bool	parse_accept(struct parser *, enum tok);
/* Counts nesting; -1: too deep, reported. parse_leave undoes it. */
int	parse_enter(struct parser *);
void	parse_leave(struct parser *);
void	*parse_nomem(struct parser *);

/* parse_expr.c */
struct node *parse_expression(struct parser *);		/* with commas */
struct node *parse_assignment(struct parser *);		/* without */
struct node *parse_constant(struct parser *);		/* conditional */
/* An integer constant expression, its value folded. */
int	parse_const_int(struct parser *, const char *what, enum errtag,
	    int64_t *value);

/* The expression that a text of the compiler's own holds. */
struct node *parse_text(struct trace *, const char *text, int line,
	    struct diag *);

/* parse_decl.c, parse_type.c */
bool	parse_is_type(struct parser *, unsigned ahead);
const struct dtype *parse_type_name(struct parser *);
int	parse_declaration(struct parser *);
int	parse_inline(struct parser *);

/* What a declarator adds to the base type. */
struct declarator {
	const char *name;		/* NULL: abstract */
	int line;
	const struct dtype *type;
	bool assoc;			/* name[type, type]: key, nkey */
	const struct dtype **key;
	const char **keyname;
	size_t nkey;
};
enum sclass { CL_NONE, CL_AUTO, CL_REGISTER, CL_STATIC, CL_EXTERN, CL_TYPEDEF,
	      CL_SELF, CL_THIS };
/* Declaration specifiers: a base type, and a class unless cl is NULL. */
const struct dtype *parse_specifiers(struct parser *, enum sclass *cl);
int	parse_declarator(struct parser *, const struct dtype *base,
	    struct declarator *);
/* struct, union or enum at the next token. */
const struct dtype *parse_tagged(struct parser *);

/* parse_xlate.c: translator and provider declarations */
int	parse_translator(struct parser *);
int	parse_provider(struct parser *);

/* pragma.c */
void	pragma_line(void *parser, struct lexer *, const char *text,
	    size_t len, int line);

#endif
