/*
 * ast.h - the abstract syntax tree of a D program.
 *
 * One arena (struct unit) owns all nodes, strings and identifiers of a
 * translation unit; nothing in it is freed alone.
 *
 * parse.c builds it; check.c annotates it (type, ident, constant folding,
 * explicit N_CAST nodes wherever a value changes type) and leaves it so that
 * lower.c needs no further typing decision:
 * - The operands of an arithmetic operator have the operator's operand type,
 *   which is its own type, or for a comparison the 64-bit integer type whose
 *   sign decides; << and >> work in a's type, b is any integer.
 * - An assignment's right side has the left side's type. With an operator, b
 *   has the operator's operand type (for shifts: any integer): the left value
 *   is converted to b's type (shifts: stays), the result back to a's.
 * - Pointers: + and - take a byte offset (int64_t) as b, elements already
 *   multiplied; so do += and -=, and ival is the step of ++ and --. The
 *   difference of two pointers is N_BINARY DIV of an N_BINARY SUB in int64_t.
 * - p[i] of a pointer is OP_DEREF of OP_ADD; N_ARRAYREF stays for arrays only
 *   (b: int64_t subscript, to be checked against a->type->nelem at run time
 *   unless it is N_INT).
 * - Where a string is wanted, anything else is under an N_STRINGOF. The NULL
 *   string is N_STR with str NULL; comparing with it compares addresses.
 * - A condition is left as it is (true: not 0). Constants are folded, and
 *   N_INT's ival is normalised to its type.
 */
#ifndef TRACE_AST_H
#define TRACE_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/type.h"

enum nkind {
	N_INT,		/* ival */
	N_STR,		/* str, slen: bytes after escapes, NUL not counted */
	N_VAR,		/* id: scalar global, self->, this->, built-in */
	N_INDEX,	/* id + list: associative element name[list] */
	N_ARRAYREF,	/* a[b]: array a, subscript b (parser: b in list too) */
	N_MEMBER,	/* a->name or a.name; mem_off/mem_bits after check */
	N_UNARY,	/* op, a */
	N_BINARY,	/* op, a, b */
	N_ASSIGN,	/* op (OP_NONE for =, else OP_ADD … for +=), a, b */
	N_INCDEC,	/* op OP_ADD/OP_SUB; post; a */
	N_COND,		/* a ? b : c */
	N_COMMA,	/* a, b */
	N_CAST,		/* (type)a; implicit: inserted by check */
	N_SIZEOF,	/* folded to N_INT by check */
	N_OFFSETOF,	/* the same */
	N_STRINGOF,	/* stringof(a) / (string)a: a is char *, array, string */
	N_CALL,		/* func, list: action or subroutine */
	N_AGG,		/* id, list: @name[list] (printa etc. arguments) */
	N_AGGASSIGN,	/* a is N_AGG, b is N_CALL of an aggregating function */
	N_XLATE,	/* xlate <type> (a) */
	N_TYPE,		/* sizeof's operand: type */
	N_ARGS,		/* args[ival]: the probe's typed argument */
	N_DONE,		/* a, which is typed already (inside check only) */
};

enum oper {
	OP_NONE, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_AND, OP_OR, OP_XOR,
	OP_SHL, OP_SHR, OP_LAND, OP_LOR, OP_LXOR, OP_EQ, OP_NE, OP_LT, OP_LE,
	OP_GT, OP_GE, OP_NEG, OP_PLUS, OP_NOT, OP_LNOT, OP_DEREF, OP_ADDR,
};

enum scope { SC_GLOBAL, SC_SELF, SC_THIS };

enum ikind {
	ID_SCALAR, ID_ASSOC, ID_AGG, ID_BUILTIN, ID_FUNC, ID_INLINE, ID_ENUMCONST,
};

struct funcdesc;		/* func.h: const table of actions, subroutines */
struct builtindesc;		/* func.h: const table of built-in variables */

struct ident {
	struct ident *next;		/* all identifiers, in order of birth */
	const char *name;
	enum ikind kind;
	enum scope scope;
	const struct dtype *type;	/* value; NULL until first assigned */
	const struct dtype **key;	/* ASSOC, AGG, INLINE: key types */
	uint32_t *keylen;		/* of a string key: the largest bound, in */
					/* bytes with its NUL, of all its uses */
	size_t nkey;
	bool nullable;			/* string scalar/element: unset is NULL */
	bool declared;			/* by a declaration, not a first use */
	bool read, written;
	int line;			/* first declared or used */
	uint32_t seq;			/* dense per (kind, scope) */
	const struct funcdesc *func;	/* AGG: its aggregating function */
	int64_t aggarg[5];		/* AGG: lquantize, llquantize parameters */
	size_t naggarg;
	const struct builtindesc *builtin;
	struct node *inl;		/* INLINE: its expression */
	const char **param;		/* INLINE with keys: their names */
	int64_t enumval;
	uint32_t slot;			/* lower: offset, map index or agg id */
};

struct node {
	enum nkind kind;
	enum oper op;
	bool post, implicit, arrow;
	bool lval;
	int line;
	const struct dtype *type;	/* after check */
	uint32_t maxlen;		/* string value: bound in bytes with NUL */
	int64_t ival;
	const char *str;		/* N_STR bytes, N_MEMBER name */
	size_t slen;
	struct ident *id;
	const struct funcdesc *func;
	struct node *a, *b, *c;
	struct node *list;		/* first argument or key */
	size_t nlist;
	struct node *next;		/* in a list */
	uint64_t mem_bit;		/* N_MEMBER: bit offset in a's struct */
	uint32_t mem_bits;		/* bit-field width, 0: none */
	const struct fmt *fmt;		/* printf-like: parsed format (fmt.h) */
	const struct dtype *native;	/* value of a translated type: what it */
					/* really is (xlate.h) */
};

/* A probe description as written: empty strings where a field was left out.
 * Any field may be a glob; a number alone is a probe id. */
struct pdesc {
	struct pdesc *next;
	const char *prov, *mod, *func, *name;
	const char *text;		/* as written, for messages */
	uint32_t id;			/* 0: by name */
	int line;
};

struct stmt {
	struct stmt *next;
	struct node *expr;
	int line;
	/* control flow, where the statement is no expression */
	struct stmt *then, *other;	/* if (expr) then else other */
	bool isif;
};

struct clause {
	struct clause *next;
	struct pdesc *pdesc;		/* list */
	struct node *pred;		/* NULL: none */
	struct stmt *body;		/* NULL: default action */
	bool nobody;			/* no braces at all (-n, -P, …) */
	int line;
	uint32_t seq;			/* dense, program order over all sources */
	const char *source;		/* "script 'x.d'" or "description 'BEGIN '" */
	struct probe **probe;		/* matched probes (probe.h): provider.c */
					/* allocates, unit_free frees */
	size_t nprobe;
	bool speculates, commits;
};

/* A provider the program declares: the types of USDT probes' arguments. */
struct probedecl {
	struct probedecl *next;
	const char *name;		/* with hyphens */
	const struct dtype *native, *args;	/* DK_FUNC: mem are the types */
};
struct provdecl {
	struct provdecl *next;
	const char *name;		/* without a process id */
	struct probedecl *probe;
};

struct unit {
	struct typeset *types;
	struct clause *clause, **clause_tail;
	size_t nclause;
	struct ident *ident, **ident_tail;
	struct arena *arena;
	struct xlator *xlator;		/* xlate.h: the program's own */
	struct provdecl *provider;
	struct identtab *tab;		/* ident.c: identifiers by name */
	int destructive;		/* line of the first such action, or 0 */
	uint32_t strmax;		/* bytes of a string value, NUL included */
};

#endif
