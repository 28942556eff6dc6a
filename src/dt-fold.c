/* dt-fold: fold stacks into lines for flamegraph.pl; dt-fold(1). */
#include <getopt.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdt/cli.h"
#include "libdt/fold.h"
#include "libdt/out.h"
#include "libdt/peek.h"
#include "libdt/tool.h"

enum {
	OPT_ADDRS = 0x2000, OPT_BY, OPT_FROM, OPT_NO_MODULES, OPT_SPAN, OPT_TO,
};

static const struct option words[] = {
	{ "null", no_argument, NULL, '0' },
	{ "bytes", no_argument, NULL, 'b' },
	{ "dir", required_argument, NULL, 'C' },
	{ "family", required_argument, NULL, 'f' },
	{ "input", required_argument, NULL, 'i' },
	{ "kernel", no_argument, NULL, 'k' },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "addrs", no_argument, NULL, OPT_ADDRS },
	{ "by", required_argument, NULL, OPT_BY },
	{ "from", required_argument, NULL, OPT_FROM },
	{ "no-modules", no_argument, NULL, OPT_NO_MODULES },
	{ "span", required_argument, NULL, OPT_SPAN },
	{ "to", required_argument, NULL, OPT_TO },
	CLI_LONGOPTS,
	{ NULL, 0, NULL, 0 },
};

static const struct cli cli = {
	.prog = "dt-fold",
	.synopsis =
	    "[-0bhk] [-C DIR] [-f FAMILY] [-i FORMAT] [-p PID] [-t TID] "
	    "[--addrs] [--by pid|tid|exe|span] [--from NS] [--no-modules] "
	    "[--span ID] [--to NS] [--version] [BUNDLE ...]",
	.help =
	    "  -0, --null         names on standard input end in NUL\n"
	    "  -b, --bytes        allocations: weigh by bytes, not by number\n"
	    "  -C, --dir DIR      bundle of the manifest on standard input\n"
	    "  -f, --family NAME  cpu (as it is) or allocations\n"
	    "  -h, --help         this help\n"
	    "  -i, --input FORMAT dtrace, perf, bpftrace, folded or auto\n"
	    "  -k, --kernel       mark the kernel's frames with _[k]\n"
	    "  -p, --pid PID      samples of one process\n"
	    "  -t, --tid TID      samples of one thread\n"
	    "      --addrs        keep +0xOFFSET of each frame\n"
	    "      --by WHAT      a first frame: pid, tid, exe or span\n"
	    "      --from NS, --to NS  samples within these times\n"
	    "      --no-modules   symbols without their modules\n"
	    "      --span ID      samples within one span\n"
	    "      --version      name and version\n",
	.letters = ":0bC:f:hi:kp:t:",
	.words = words,
};

struct run {
	struct tool tool;
	struct fold_opt opt;
	enum fold_format format;
	struct fold *fold;
	uint64_t malformed;
	struct peek peek;
};

static int
set_by(struct fold_opt *o, const char *arg)
{
	static const char *const word[] = { "", "pid", "tid", "exe", "span" };
	size_t i;

	for (i = 1; i < sizeof(word) / sizeof(word[0]); i++)
		if (strcmp(word[i], arg) == 0) {
			o->by = (enum fold_by)i;
			return 0;
		}
	return -1;
}

static int
set_family(struct fold_opt *o, const char *arg)
{
	int f = schema_family_find(arg, strlen(arg));

	if (f != FAMILY_CPU && f != FAMILY_ALLOCATIONS)
		return -1;
	o->family = (enum schema_family)f;
	return 0;
}

static int
option(void *arg, int opt, const char *value, struct msg *m)
{
	struct run *r = arg;
	struct fold_opt *f = &r->opt;
	int format;

	switch (opt) {
	case 'b':
		f->weight = FOLD_BYTES;
		return 0;
	case 'f':
		if (set_family(f, value) == 0)
			return 0;
		return msg_set(m, "usage", "family %s has no stacks", value);
	case 'i':
		if ((format = fold_format_find(value)) == -1)
			return msg_set(m, "usage", "no format %s", value);
		r->format = (enum fold_format)format;
		return 0;
	case 'k':
		f->kernel = true;
		return 0;
	case 'p':
		return cli_u64(value, 1, SCHEMA_PID_MAX, &f->pid, m);
	case 't':
		return cli_u64(value, 1, INT64_MAX, &f->tid, m);
	case OPT_ADDRS:
		f->addrs = true;
		return 0;
	case OPT_BY:
		if (set_by(f, value) == 0)
			return 0;
		return msg_set(m, "usage", "no grouping %s", value);
	case OPT_FROM:
		return cli_u64(value, 0, INT64_MAX, &f->from, m);
	case OPT_NO_MODULES:
		f->nomodules = true;
		return 0;
	case OPT_SPAN:
		return cli_u64(value, 1, UINT64_MAX, &f->span, m);
	case OPT_TO:
		return cli_u64(value, 1, INT64_MAX, &f->to, m);
	default:
		return 1;
	}
}

static void
on_progress(void *arg, uint64_t bytes)
{
	struct tool *t = arg;

	progress_tell(&t->progress, "%s: %ju MiB", t->path,
	    (uintmax_t)(bytes >> 20));
}

static enum dt_exit
on_operand(void *arg, const struct operand *op)
{
	struct run *r = arg;
	const struct msg_sink inside = tool_sink_within(&r->tool);
	enum dt_exit status = DT_OK;
	struct bundle b;
	struct msg m;

	if (bundle_open(&b, op->fd, op->path, false, &m) == -1 ||
	    fold_bundle(r->fold, &b, &inside, &r->malformed, &m) == -1) {
		tool_tell_within(&r->tool, &m);
		/* what is wrong inside a bundle is an answer */
		status = bundle_at_fault(&m) ? DT_NO : DT_CANNOT;
	}
	bundle_close(&b);
	return status;
}

/* Standard input begins with a path or a manifest, and not with stacks. */
static bool
names_bundles(const struct peek *p)
{
	static const char suffix[] = ".bundle";
	const char *s = p->head + strspn(p->head, " \t\r\n");
	char first[PEEK_SIZE + 1];
	struct stat st;
	size_t n;

	if (*s == '{')
		return true;
	n = strcspn(s, "\n");
	memcpy(first, s, n);
	first[n] = '\0';
	/* one that is not there is to be told as that */
	return n > 0 && (stat(first, &st) == 0 || (n >= sizeof(suffix) - 1 &&
	    strcmp(first + n - (sizeof(suffix) - 1), suffix) == 0));
}

static enum dt_exit
fold_stdin(struct run *r)
{
	const struct msg_sink sink = tool_sink(&r->tool);
	struct record_reader *rd;
	struct msg m;
	int rv, fd;

	r->tool.path = "standard input";
	if ((fd = dup(0)) == -1) {
		(void)msg_set_errno(&m, "read", "standard input",
		    "cannot read");
		return tool_cannot(&r->tool, &m);
	}
	if (strncmp(r->peek.head, "#dt-records", 11) == 0) {
		rd = record_reader_new(fd, "standard input", r->opt.family,
		    &m);
		rv = rd == NULL ? -1 : fold_records(r->fold, rd, NULL, &sink,
		    &r->malformed, &m);
		record_reader_free(rd);
	} else {
		rv = fold_text(r->fold, r->format, fd, "standard input",
		    &sink, &r->malformed, &m);
	}
	if (rv == -1 || peek_check(&r->peek, &m) == -1)
		return tool_cannot(&r->tool, &m);
	return DT_OK;
}

/* As grep(1): to have found none of what was asked for is a "no". */
static enum dt_exit
check_chosen(struct run *r)
{
	struct msg m;

	if (!fold_chooses(&r->opt) || fold_stacks(r->fold) > 0)
		return DT_OK;
	(void)msg_set(&m, "none-chosen",
	    "no sample is of that process, thread, span and time");
	tool_tell(&r->tool, &m);
	return DT_NO;
}

/* Prints what was folded, once all has been read; the run's status. */
static enum dt_exit
print(struct run *r, enum dt_exit status)
{
	struct out out;
	struct msg m;

	out_stdout(&out);
	if (fold_stacks(r->fold) > 0 && fold_write(r->fold, &out) == -1 &&
	    out.err == 0) {
		(void)msg_set_nomem(&m);
		status = tool_cannot(&r->tool, &m);
	}
	if (out_close(&out, &m) == -1)
		status = tool_cannot(&r->tool, &m);
	return r->malformed > 0 ? cli_worst(status, DT_NO) : status;
}

static enum dt_exit
run(struct run *r)
{
	const struct operands *o = &r->tool.operands;
	enum dt_exit status;
	struct msg m;

	r->opt.progress = on_progress;
	r->opt.progress_arg = &r->tool;
	if ((r->fold = fold_new(&r->opt)) == NULL) {
		(void)msg_set_nomem(&m);
		return tool_cannot(&r->tool, &m);
	}
	if (o->argc == 0 && peek_stdin(&r->peek, &m) == -1)
		status = tool_cannot(&r->tool, &m);
	else if (o->argc > 0 || (r->format == FOLD_AUTO &&
	    (o->dir != NULL || o->nul || names_bundles(&r->peek))))
		status = tool_each(&r->tool, on_operand, r);
	else
		status = fold_stdin(r);
	progress_end(&r->tool.progress);
	if (status == DT_OK)
		status = check_chosen(r);
	status = print(r, status);
	fold_free(r->fold);
	return status;
}

int
main(int argc, char **argv)
{
	struct run r = { .opt = { .family = FAMILY_CPU } };
	const struct operands *o = &r.tool.operands;
	enum dt_exit status;

	if (!tool_start(&r.tool, &cli, argc, argv, option, &r, &status))
		return status;
	if (r.opt.to != 0 && r.opt.from > r.opt.to)
		return cli_usage_error(&cli, stderr, "--from is after --to");
	if (r.format != FOLD_AUTO && (o->dir != NULL || o->nul || o->argc > 0))
		return cli_usage_error(&cli, stderr,
		    "-i is about the text on standard input");
	if (r.opt.weight == FOLD_BYTES && r.opt.family != FAMILY_ALLOCATIONS)
		return cli_usage_error(&cli, stderr,
		    "-b goes with -f allocations");
	return run(&r);
}
