/*
 * parse.h - D programs into the abstract syntax tree.
 *
 * The unit is owned by its struct trace and lives until unit_free; a diag's
 * messages point into it, so diag_free comes first.
 */
#ifndef TRACE_PARSE_H
#define TRACE_PARSE_H

#include <stddef.h>
#include <stdio.h>

#include "trace/ast.h"

struct diag;
struct trace;

/* How a text's probe descriptions are read: the field a lone name means, as
 * -P -m -f -n -i want it; a script needs bodies. */
enum pspec { PS_SCRIPT, PS_PROV, PS_MOD, PS_FUNC, PS_NAME, PS_ID };

/* Makes t->types and t->unit. -1: no memory. */
int	unit_new(struct trace *t);
void	unit_free(struct trace *t);

/*
 * Parses a program and adds its clauses to t->unit. text is borrowed only
 * during the call; source ("script x.d") is copied. argv are the macro
 * arguments, argv[0] is $0; which of them are used is checked here. Pragma
 * options are set in t->opt. -1: errors are in the diag.
 */
int	parse_program(struct trace *t, const char *text, size_t len,
	    const char *source, enum pspec spec, int argc, char *const *argv,
	    struct diag *d);
/* The same of a description alone, as -P -m -f -n -l use it: fills *desc. */
int	parse_pdesc(struct trace *t, const char *text, enum pspec spec,
	    struct pdesc *desc, struct diag *d);

#endif
