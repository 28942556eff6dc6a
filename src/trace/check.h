/*
 * check.h - typing: annotates the tree that parse.c built (see ast.h).
 */
#ifndef TRACE_CHECK_H
#define TRACE_CHECK_H

#include "trace/ast.h"

struct diag;
struct trace;

/*
 * Types all clauses of t->unit. The probes of each clause must have been
 * matched (clause.probe); a clause without probes gets int64_t for args[].
 * -1: errors are in the diag, with their own source.
 */
int	check_unit(struct trace *t, struct unit *u, struct diag *d);

#endif
