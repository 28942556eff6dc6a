/*
 * The frame of the tools that work on one bundle after another: options,
 * operands, findings and progress on standard error.
 *
 * Ownership: a struct tool owns nothing; it borrows argv and the struct cli.
 */
#ifndef LIBDT_TOOL_H
#define LIBDT_TOOL_H

#include <stdbool.h>

#include "libdt/cli.h"
#include "libdt/msg.h"
#include "libdt/operands.h"

struct tool {
	const struct cli *cli;
	struct operands operands;
	struct progress progress;	/* on standard error */
	const char *path;	/* of the operand at work, NULL between them */
	cli_option_fn *option;	/* the tool's own, and its arg */
	void *arg;
};

/*
 * Begins a tool, as cli_start() does; -0 and -C are taken here where the
 * tool's letters have them, all others go to fn.
 */
bool tool_start(struct tool *t, const struct cli *c, int argc, char **argv,
    cli_option_fn *fn, void *arg, enum dt_exit *status);

/* Calls fn with arg for each operand, as operands_each() does. */
enum dt_exit tool_each(struct tool *t, operand_fn *fn, void *arg);

/* Ends the progress line and prints m on standard error. */
void tool_tell(struct tool *t, const struct msg *m);

/* The same with the path of the operand at work, if any, before m's own. */
void tool_tell_within(struct tool *t, const struct msg *m);

/* The two as sinks; t must outlive them. */
struct msg_sink tool_sink(struct tool *t);
struct msg_sink tool_sink_within(struct tool *t);

/* As tool_tell(); DT_CANNOT. */
enum dt_exit tool_cannot(struct tool *t, const struct msg *m);

#endif
