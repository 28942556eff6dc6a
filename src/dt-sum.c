/* dt-sum: make or check the checksum lists of a directory; dt-sum(1). */
#include <getopt.h>

#include "libdt/cli.h"
#include "libdt/sums.h"
#include "libdt/tool.h"

static const struct option words[] = {
	{ "null", no_argument, NULL, '0' },
	{ "dir", required_argument, NULL, 'C' },
	{ "check", no_argument, NULL, 'c' },
	{ "quick", no_argument, NULL, 'q' },
	CLI_LONGOPTS,
	{ NULL, 0, NULL, 0 },
};

static const struct cli cli = {
	.prog = "dt-sum",
	.synopsis = "[-0chq] [-C DIR] [--version] [DIR ...]",
	.help =
	    "  -0, --null       names on standard input end in NUL\n"
	    "  -C, --dir DIR    bundle of the manifest on standard input\n"
	    "  -c, --check      check the lists instead of making them\n"
	    "  -h, --help       this help\n"
	    "  -q, --quick      with -c: XXH3SUMS only\n"
	    "      --version    name and version\n",
	.letters = ":0C:chq",
	.words = words,
};

struct run {
	struct tool tool;
	struct sums_options sums;
	bool check;
};

static int
option(void *arg, int opt, const char *value, struct msg *m)
{
	struct run *r = arg;

	(void)value;
	(void)m;
	switch (opt) {
	case 'c':
		r->check = true;
		return 0;
	case 'q':
		r->sums.quick = true;
		return 0;
	default:
		return 1;
	}
}

static void
on_progress(void *arg, uint64_t files, uint64_t bytes)
{
	struct tool *t = arg;

	progress_tell(&t->progress, "%s: %ju files, %ju MiB", t->path,
	    (uintmax_t)files, (uintmax_t)(bytes >> 20));
}

static enum dt_exit
on_operand(void *arg, const struct operand *op)
{
	struct run *r = arg;
	const struct msg_sink sink = tool_sink_within(&r->tool);
	struct msg m;
	int rc;

	if (r->check)
		rc = sums_check(op->fd, &r->sums, &sink, NULL, &m);
	else
		rc = sums_make(op->fd, &r->sums, &sink, NULL, &m);
	if (rc == -1)
		tool_tell_within(&r->tool, &m);
	progress_end(&r->tool.progress);
	return rc == -1 ? DT_CANNOT : rc == 1 ? DT_NO : DT_OK;
}

int
main(int argc, char **argv)
{
	struct run r = { .sums.progress = on_progress };
	enum dt_exit status;

	if (!tool_start(&r.tool, &cli, argc, argv, option, &r, &status))
		return status;
	if (r.sums.quick && !r.check)
		return cli_usage_error(&cli, stderr, "-q goes with -c");
	r.sums.progress_arg = &r.tool;
	return cli_finish(&cli, stderr, tool_each(&r.tool, on_operand, &r));
}
