/*
 * source.h - the D programs of a command line: from where, and what is said
 * about them.
 *
 * A struct source borrows its argument and owns its label.
 */
#ifndef TRACE_SOURCE_H
#define TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "libdt/msg.h"
#include "trace/parse.h"

struct diag;
struct trace;

struct source {
	enum pspec spec;
	const char *arg;		/* text, or the file's path (-s) */
	char *label;			/* "script 'x.d'", "description 'BEGIN '";
					   several may have the same */
	uint32_t clause, end;		/* its clauses' seq: the first, beyond */
};

/* Fills label. -1 with m: no memory. */
int	source_label(struct source *, struct msg *);
/*
 * Reads (through the preprocessor with -x cpp) and parses it into t->unit.
 * args are the macro arguments $1 and on. -1 with m for a file that cannot be
 * read, or with errors in the diag.
 */
int	source_parse(struct trace *, struct source *, int nargs,
	    char *const *args, struct diag *, struct msg *);
/* Probes that its clauses matched; none before it was parsed. */
size_t	source_nprobe(const struct trace *, const struct source *);
/* Prints the diag's messages as "PROG: failed to compile script x.d: …". */
void	source_tell(const struct trace *, FILE *, const struct diag *);

#endif
