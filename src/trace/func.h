/*
 * func.h - what D provides: actions, subroutines, aggregating functions and
 * built-in variables, as const tables (func.def, builtin.def), which live as
 * long as the program.
 */
#ifndef TRACE_FUNC_H
#define TRACE_FUNC_H

#include <stdbool.h>
#include <stddef.h>

enum fkind { FN_ACTION, FN_SUBR, FN_AGG };

enum fid {
#define F(id, name, kind, proto, flags) F_##id,
#include "trace/func.def"
#undef F
	F_N
};

enum {				/* flags */
	FF_DESTRUCTIVE = 1,	/* needs -w */
	FF_RECORD = 2,		/* puts data in the trace record */
	FF_FORMAT = 4,		/* printf-like: first argument is a format */
	FF_NOSPEC = 8,		/* not allowed in a speculating clause */
	FF_UNSUPPORTED = 16,	/* named, but this host can't: error says so */
};

/* proto is a D prototype: "string (string, string)"; optional arguments in
 * [], @ for an aggregation, `...` for any. check.c reads it. */
struct funcdesc {
	enum fid id;
	const char *name;
	enum fkind kind;
	const char *proto;
	unsigned flags;
};
/* By name, NULL if there is none. */
const struct funcdesc *func_lookup(const char *name);
/* The i-th of the table, NULL past its end. */
const struct funcdesc *func_at(unsigned i);

enum bid {
#define B(id, name, type, flags) B_##id,
#include "trace/builtin.def"
#undef B
	B_N
};
enum {
	BF_ARRAY = 1,		/* args[], uregs[] */
	BF_PROBE = 2,		/* the provider's */
	BF_XLATE = 4,		/* a translated value of another (check.c) */
};
struct builtindesc {
	enum bid id;
	const char *name, *type;	/* type as D text */
	unsigned flags;
};
/* The same of built-in variables. */
const struct builtindesc *builtin_lookup(const char *name);
const struct builtindesc *builtin_at(unsigned i);

#endif
