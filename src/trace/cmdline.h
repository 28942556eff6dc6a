/*
 * cmdline.h - dt-trace's command line.
 *
 * A struct cmdline borrows argv and owns its lists until cmdline_free().
 */
#ifndef TRACE_CMDLINE_H
#define TRACE_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "libdt/cli.h"
#include "libdt/msg.h"

struct source;
struct trace;

struct cmdline {
	struct source *src;
	size_t nsrc;
	char **args;			/* $1 and on */
	int nargs;
	bool list, compile, dump, version;
	const char *out, *stats;
	const char **command, **pid;	/* -c, -p */
	size_t ncommand, npid;
};

extern const struct cli cmdline_cli;

/*
 * Reads the options; those of -x go to t->opt. dtrace(1)'s may follow its
 * operands: what is left of a permuted command line are the macro arguments.
 * -1 with m: one is wrong; 1: *status is the exit status, and all is said.
 */
int	cmdline_take(struct cmdline *, struct trace *, int argc, char **argv,
	    enum dt_exit *status, struct msg *);
void	cmdline_free(struct cmdline *);

#endif
