/*
 * astdump.h - the -S dump of the syntax tree. Owns nothing.
 */
#ifndef TRACE_ASTDUMP_H
#define TRACE_ASTDUMP_H

#include <stdio.h>

#include "trace/ast.h"

/* Prints all identifiers and clauses, one node a line, types included where
 * check_unit has set them. The form is stable: tests compare it. */
void	ast_dump(FILE *, const struct unit *);

#endif
