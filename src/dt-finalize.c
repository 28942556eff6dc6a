/* dt-finalize: staging directories become published bundles; dt-finalize(1). */
#include <getopt.h>

#include "libdt/cli.h"
#include "libdt/out.h"
#include "libdt/publish.h"
#include "libdt/tool.h"

enum { OPT_ID = 0x2000 };

static const struct option words[] = {
	{ "null", no_argument, NULL, '0' },
	{ "id", no_argument, NULL, OPT_ID },
	{ "keep", no_argument, NULL, 'k' },
	{ "output", required_argument, NULL, 'o' },
	CLI_LONGOPTS,
	{ NULL, 0, NULL, 0 },
};

static const struct cli cli = {
	.prog = "dt-finalize",
	.synopsis = "[-0hk] [--id] [-o BUNDLE] [--version] [STAGING ...]",
	.help =
	    "  -0, --null         names on standard input end in NUL\n"
	    "  -h, --help         this help\n"
	    "      --id           print the bundle's id instead of its path\n"
	    "  -k, --keep         keep the staging directory\n"
	    "  -o, --output PATH  publish as PATH, on the same file system\n"
	    "      --version      name and version\n",
	.letters = ":0hko:",
	.words = words,
};

struct run {
	struct tool tool;
	const char *dest;
	bool id, keep;
	struct out out;		/* standard output */
};

static int
option(void *arg, int opt, const char *value, struct msg *m)
{
	struct run *r = arg;

	(void)m;
	switch (opt) {
	case OPT_ID:
		r->id = true;
		return 0;
	case 'k':
		r->keep = true;
		return 0;
	case 'o':
		r->dest = value;
		return 0;
	default:
		return 1;
	}
}

static void
on_step(void *arg, const char *what)
{
	struct tool *t = arg;

	progress_tell(&t->progress, "%s: %s", t->path, what);
}

/* The bundle is there: it is told, and what is left of staging goes. */
static enum dt_exit
published(struct run *r, struct publish *p)
{
	struct msg m;

	(void)out_printf(&r->out, "%s\n", r->id ? p->id : p->path);
	if (out_flush(&r->out, &m) == -1)
		return tool_cannot(&r->tool, &m);
	progress_end(&r->tool.progress);
	(void)fprintf(stderr, "%s: %s: %s\n", cli.prog, p->path,
	    verdict_name(p->verdict));
	if (r->keep || publish_clean(p, &m) == 0)
		return DT_OK;
	m.level = MSG_WARNING;
	tool_tell(&r->tool, &m);
	return DT_OK;
}

static enum dt_exit
on_operand(void *arg, const struct operand *o)
{
	struct run *r = arg;
	const struct msg_sink sink = tool_sink(&r->tool);
	struct publish p = { .dest = r->dest, .sink = &sink, .step = on_step,
		.step_arg = &r->tool,
		.staging = -1, .beside = -1, .parent = -1, .tree = -1 };
	enum dt_exit status;
	struct msg m;
	int rc;

	msg_clear(&m);
	rc = publish(&p, o->path, &m);
	if (rc == 0) {
		status = published(r, &p);
	} else {
		(void)msg_at(&m, o->path, 0);
		tool_tell(&r->tool, &m);
		status = rc == 1 ? DT_NO : DT_CANNOT;
	}
	publish_close(&p);
	return status;
}

int
main(int argc, char **argv)
{
	struct run r = { 0 };
	enum dt_exit status;

	if (!tool_start(&r.tool, &cli, argc, argv, option, &r, &status))
		return status;
	if (r.dest != NULL && r.tool.operands.argc != 1)
		return cli_usage_error(&cli, stderr,
		    "-o goes with one staging directory");
	r.tool.operands.no_manifest = "a manifest on standard input names a "
	    "bundle, not a staging directory";
	out_stdout(&r.out);
	status = tool_each(&r.tool, on_operand, &r);
	/* a path that could not be written was told with its bundle */
	return r.out.err != 0 ? status : cli_finish(&cli, stderr, status);
}
