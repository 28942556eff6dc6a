/* dt-finalize: staging directories become published bundles; dt-finalize(1). */
#include "config.h"

#include <getopt.h>
#include <string.h>

#include "libdt/cli.h"
#include "libdt/operands.h"
#include "libdt/out.h"
#include "libdt/publish.h"

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
};

enum { OPT_ID = 0x2000 };

static const struct option longopts[] = {
	{ "null", no_argument, NULL, '0' },
	{ "id", no_argument, NULL, OPT_ID },
	{ "keep", no_argument, NULL, 'k' },
	{ "output", required_argument, NULL, 'o' },
	CLI_LONGOPTS,
	{ NULL, 0, NULL, 0 },
};

struct run {
	const char *dest;
	bool id, keep;
	struct out out;		/* standard output */
	struct progress progress;
	const char *operand;
};

static int
on_finding(void *arg, const struct msg *m)
{
	struct run *r = arg;

	progress_end(&r->progress);
	cli_msg(&cli, stderr, m);
	return 0;
}

static void
on_step(void *arg, const char *what)
{
	struct run *r = arg;

	progress_tell(&r->progress, "%s: %s", r->operand, what);
}

/* The bundle is there: it is told, and what is left of staging goes. */
static enum dt_exit
published(struct run *r, struct publish *p)
{
	struct msg m;

	(void)out_printf(&r->out, "%s\n", r->id ? p->id : p->path);
	if (out_flush(&r->out, &m) == -1) {
		(void)on_finding(r, &m);
		return DT_CANNOT;
	}
	progress_end(&r->progress);
	(void)fprintf(stderr, "%s: %s: %s\n", cli.prog, p->path,
	    verdict_name(p->verdict));
	if (r->keep || publish_clean(p, &m) == 0)
		return DT_OK;
	m.level = MSG_WARNING;
	(void)on_finding(r, &m);
	return DT_OK;
}

static enum dt_exit
on_operand(void *arg, const struct operand *o)
{
	struct run *r = arg;
	const struct msg_sink sink = { on_finding, r };
	struct publish p = { .dest = r->dest, .sink = &sink, .step = on_step,
		.step_arg = r,
		.staging = -1, .beside = -1, .parent = -1, .tree = -1 };
	enum dt_exit status;
	struct msg m;
	int rc;

	r->operand = o->path;
	msg_clear(&m);
	if (o->manifest != NULL)
		rc = msg_set(&m, "usage", "a manifest on standard input "
		    "names a bundle, not a staging directory");
	else
		rc = publish(&p, o->path, &m);
	if (rc == 0) {
		status = published(r, &p);
	} else {
		(void)msg_at(&m, o->path, 0);
		(void)on_finding(r, &m);
		status = rc == 1 ? DT_NO : DT_CANNOT;
	}
	publish_close(&p);
	return status;
}

static enum dt_exit
run(struct run *r, const struct operands *o)
{
	const struct msg_sink sink = { on_finding, r };

	out_stdout(&r->out);
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
	while ((opt = getopt_long(argc, argv, ":0hko:", longopts, NULL)) !=
	    -1) {
		switch (opt) {
		case '0':
			o.nul = true;
			break;
		case OPT_ID:
			r.id = true;
			break;
		case 'k':
			r.keep = true;
			break;
		case 'o':
			r.dest = optarg;
			break;
		default:
			return cli_option(&cli, opt, argv, stderr);
		}
	}
	if (r.dest != NULL && argc - optind != 1)
		return cli_usage_error(&cli, stderr,
		    "-o goes with one staging directory");
	o.argv = argv + optind;
	o.argc = argc - optind;
	return cli_finish(&cli, stderr, run(&r, &o));
}
