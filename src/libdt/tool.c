/* What tools do with each operand and each message. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "libdt/tool.h"

static int
take(void *arg, int opt, const char *value, struct msg *m)
{
	struct tool *t = arg;

	switch (opt) {
	case '0':
		t->operands.nul = true;
		return 0;
	case 'C':
		t->operands.dir = value;
		return 0;
	default:
		return t->option(t->arg, opt, value, m);
	}
}

bool
tool_start(struct tool *t, const struct cli *c, int argc, char **argv,
    cli_option_fn *fn, void *arg, enum dt_exit *status)
{
	memset(t, 0, sizeof(*t));
	t->cli = c;
	t->option = fn;
	t->arg = arg;
	if (!cli_start(c, argc, argv, take, t, status))
		return false;
	t->operands.argv = argv + optind;
	t->operands.argc = argc - optind;
	progress_start(&t->progress, c, stderr);
	return true;
}

/* A tool's operand_fn and its argument. */
struct call {
	struct tool *t;
	operand_fn *fn;
	void *arg;
};

static enum dt_exit
call(void *arg, const struct operand *o)
{
	const struct call *c = arg;
	enum dt_exit status;

	c->t->path = o->path;
	status = c->fn(c->arg, o);
	c->t->path = NULL;
	return status;
}

enum dt_exit
tool_each(struct tool *t, operand_fn *fn, void *arg)
{
	struct call c = { t, fn, arg };
	const struct msg_sink sink = tool_sink(t);

	return operands_each(&t->operands, call, &c, &sink);
}

void
tool_tell(struct tool *t, const struct msg *m)
{
	progress_end(&t->progress);
	cli_msg(t->cli, stderr, m);
}

void
tool_tell_within(struct tool *t, const struct msg *m)
{
	struct msg whole = *m;

	if (t->path != NULL)
		msg_within(&whole, t->path);
	tool_tell(t, &whole);
}

static int
on_msg(void *arg, const struct msg *m)
{
	tool_tell(arg, m);
	return 0;
}

static int
on_msg_within(void *arg, const struct msg *m)
{
	tool_tell_within(arg, m);
	return 0;
}

struct msg_sink
tool_sink(struct tool *t)
{
	return (struct msg_sink){ on_msg, t };
}

struct msg_sink
tool_sink_within(struct tool *t)
{
	return (struct msg_sink){ on_msg_within, t };
}

enum dt_exit
tool_cannot(struct tool *t, const struct msg *m)
{
	tool_tell(t, m);
	return DT_CANNOT;
}
