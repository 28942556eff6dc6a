/* dt-sum: make or check the checksum lists of a directory; dt-sum(1). */
#include <getopt.h>
#include <string.h>

#include "libdt/cli.h"
#include "libdt/operands.h"
#include "libdt/out.h"
#include "libdt/sums.h"

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
};

static const struct option longopts[] = {
	{ "null", no_argument, NULL, '0' },
	{ "dir", required_argument, NULL, 'C' },
	{ "check", no_argument, NULL, 'c' },
	{ "quick", no_argument, NULL, 'q' },
	CLI_LONGOPTS,
	{ NULL, 0, NULL, 0 },
};

struct run {
	struct sums_options sums;
	bool check;
	const char *dir;	/* that is worked on */
	struct progress progress;
};

/* Findings name a file within the directory: put that before it. */
static int
on_finding(void *arg, const struct msg *m)
{
	struct run *r = arg;
	struct msg full = *m;

	if (r->dir != NULL)
		msg_within(&full, r->dir);
	progress_end(&r->progress);
	cli_msg(&cli, stderr, &full);
	return 0;
}

static void
on_progress(void *arg, uint64_t files, uint64_t bytes)
{
	struct run *r = arg;

	progress_tell(&r->progress, "%s: %ju files, %ju MiB", r->dir,
	    (uintmax_t)files, (uintmax_t)(bytes >> 20));
}

static enum dt_exit
on_operand(void *arg, const struct operand *op)
{
	struct run *r = arg;
	const struct msg_sink sink = { on_finding, r };
	struct msg m;
	int rc;

	r->dir = op->path;
	if (r->check)
		rc = sums_check(op->fd, &r->sums, &sink, NULL, &m);
	else
		rc = sums_make(op->fd, &r->sums, &sink, NULL, &m);
	if (rc == -1)
		(void)on_finding(r, &m);
	progress_end(&r->progress);
	r->dir = NULL;
	return rc == -1 ? DT_CANNOT : rc == 1 ? DT_NO : DT_OK;
}

static enum dt_exit
run(struct run *r, const struct operands *o)
{
	const struct msg_sink sink = { on_finding, r };

	r->sums.progress = on_progress;
	r->sums.progress_arg = r;
	progress_start(&r->progress, &cli, stderr);
	return operands_each(o, on_operand, r, &sink);
}

int
main(int argc, char **argv)
{
	struct operands o = { 0 };
	struct run r = { 0 };
	struct msg m;
	int opt;

	if (out_init(&m) == -1) {
		cli_msg(&cli, stderr, &m);
		return DT_CANNOT;
	}
	while ((opt = getopt_long(argc, argv, ":0C:chq", longopts, NULL)) !=
	    -1) {
		switch (opt) {
		case '0':
			o.nul = true;
			break;
		case 'C':
			o.dir = optarg;
			break;
		case 'c':
			r.check = true;
			break;
		case 'q':
			r.sums.quick = true;
			break;
		default:
			return cli_option(&cli, opt, argv, stderr);
		}
	}
	if (r.sums.quick && !r.check)
		return cli_usage_error(&cli, stderr, "-q goes with -c");
	o.argv = argv + optind;
	o.argc = argc - optind;
	return cli_finish(&cli, stderr, run(&r, &o));
}
