/* dt-report: say what a bundle shows; dt-report(1). */
#include "config.h"

#include <getopt.h>
#include <string.h>

#include "libdt/cli.h"
#include "libdt/esc.h"
#include "libdt/out.h"
#include "libdt/report.h"
#include "libdt/tool.h"
#include "libdt/validate.h"

static const struct option words[] = {
	{ "null", no_argument, NULL, '0' },
	{ "dir", required_argument, NULL, 'C' },
	{ "family", required_argument, NULL, 'F' },
	{ "format", required_argument, NULL, 'f' },
	{ "quick", no_argument, NULL, 'q' },
	CLI_LONGOPTS,
	{ NULL, 0, NULL, 0 },
};

static const struct cli cli = {
	.prog = "dt-report",
	.synopsis =
	    "[-0hq] [-C DIR] [-F FAMILY] [-f json|md|html|csv] [--version] "
	    "[BUNDLE ...]",
	.help =
	    "  -0, --null         names on standard input end in NUL\n"
	    "  -C, --dir DIR      bundle of the manifest on standard input\n"
	    "  -F, --family NAME  whose table -f csv prints (syscalls)\n"
	    "  -f, --format NAME  json, md (as it is), html or csv\n"
	    "  -h, --help         this help\n"
	    "  -q, --quick        check XXH3SUMS only, not SHA256SUMS\n"
	    "      --version      name and version\n",
	.letters = ":0C:F:f:hq",
	.words = words,
};

struct run {
	struct tool tool;
	enum report_format format;
	enum schema_family family;
	bool quick, table;	/* table: -F was given */
	struct out out;
};

static int
option(void *arg, int opt, const char *value, struct msg *m)
{
	struct run *r = arg;
	int v;

	switch (opt) {
	case 'F':
		if ((v = schema_family_find(value, strlen(value))) == -1)
			return msg_set(m, "usage", "no family %s", value);
		r->family = (enum schema_family)v;
		r->table = true;
		return 0;
	case 'f':
		if ((v = report_format_find(value)) == -1)
			return msg_set(m, "usage", "no format %s", value);
		r->format = (enum report_format)v;
		return 0;
	case 'q':
		r->quick = true;
		return 0;
	default:
		return 1;
	}
}

static void
on_progress(void *arg, const char *what, uint64_t bytes)
{
	struct tool *t = arg;

	progress_tell(&t->progress, "%s/%s: %ju MiB", t->path, what,
	    (uintmax_t)(bytes >> 20));
}

/* The first finding of the worst level. */
static const char *
worst(const struct validate_result *v)
{
	enum msg_level level = v->count[MSG_ERROR] > 0 ? MSG_ERROR : MSG_LOSS;
	size_t i;

	for (i = 0; i < v->n; i++)
		if (v->list[i].level == level)
			return v->list[i].id;
	return "?";
}

/* One line: the verdict, the worst reason, the id. */
static void
tell(const struct operand *op, const struct validate_result *v,
    uint64_t malformed)
{
	char path[ESC_GROWTH * MSG_PATH_SIZE];

	esc_encode(path, sizeof(path), op->path, strlen(op->path));
	(void)fprintf(stderr, "dt-report: %s: %s", path,
	    verdict_name(v->verdict));
	if (v->count[MSG_ERROR] + v->count[MSG_LOSS] > 0)
		(void)fprintf(stderr, ", %ju error%s, %ju loss%s (%s)",
		    (uintmax_t)v->count[MSG_ERROR],
		    v->count[MSG_ERROR] == 1 ? "" : "s",
		    (uintmax_t)v->count[MSG_LOSS],
		    v->count[MSG_LOSS] == 1 ? "" : "es", worst(v));
	if (malformed > 0)
		(void)fprintf(stderr, ", %ju malformed line%s",
		    (uintmax_t)malformed, malformed == 1 ? "" : "s");
	if (v->id[0] != '\0')
		(void)fprintf(stderr, ", %s", v->id);
	(void)fputc('\n', stderr);
}

/* Tells what cannot be done: the bundle's fault is an answer. */
static enum dt_exit
failed(struct run *r, const struct msg *m)
{
	tool_tell_within(&r->tool, m);
	return bundle_at_fault(m) ? DT_NO : DT_CANNOT;
}

/* No report: a verdict that nothing contradicts would mislead. */
static enum dt_exit
stop(struct run *r, const struct operand *op, const struct validate_result *v,
    const struct msg *m)
{
	enum dt_exit status = failed(r, m);

	if (v->verdict != VERDICT_INVALID)
		return status;
	tell(op, v, 0);
	return cli_worst(status, DT_NO);
}

static enum dt_exit
report(struct run *r, struct bundle *b, const struct operand *op,
    const struct validate_result *v, struct msg *m)
{
	enum dt_exit status = v->verdict == VERDICT_COMPLETE ? DT_OK : DT_NO;
	struct report *rep;

	if (bundle_open(b, op->fd, op->path, false, m) == -1)
		return stop(r, op, v, m);
	/* what it says of itself gives way to what was found just now */
	if (bundle_take(b, BUNDLE_VALIDATION, validate_json(v, "dt-report",
	    PACKAGE_VERSION, m), m) == -1 || (rep = report_new(b, m)) == NULL)
		return stop(r, op, v, m);
	/* what was read must be what the verdict is on */
	if (v->verdict != VERDICT_INVALID &&
	    validate_still(op->fd, v, m) == -1) {
		report_free(rep);
		return stop(r, op, v, m);
	}
	if (report_print(rep, r->format, r->family, &r->out, m) == -1)
		status = cli_worst(status, failed(r, m));
	if (report_malformed(rep) > 0)
		status = cli_worst(status, DT_NO);
	tell(op, v, report_malformed(rep));
	report_free(rep);
	return status;
}

static enum dt_exit
on_operand(void *arg, const struct operand *op)
{
	struct validate_opt opt = { 0 };
	struct validate_result v;
	struct run *r = arg;
	enum dt_exit status;
	struct bundle b;
	struct msg m;

	opt.quick = r->quick;
	opt.progress = on_progress;
	opt.progress_arg = &r->tool;
	if (validate_bundle(op->fd, op->path, &opt, &v, &m) == -1) {
		(void)failed(r, &m);
		return DT_CANNOT;
	}
	progress_end(&r->tool.progress);
	bundle_init(&b, op->fd, op->path);
	status = report(r, &b, op, &v, &m);
	bundle_close(&b);
	validate_free(&v);
	return status;
}

int
main(int argc, char **argv)
{
	struct run r = { .format = REPORT_MD, .family = FAMILY_SYSCALLS };
	enum dt_exit status;
	struct msg m;

	if (!tool_start(&r.tool, &cli, argc, argv, option, &r, &status))
		return status;
	if (r.table && r.format != REPORT_CSV)
		return cli_usage_error(&cli, stderr, "-F goes with -f csv");
	out_stdout(&r.out);
	status = tool_each(&r.tool, on_operand, &r);
	if (out_close(&r.out, &m) == -1)
		status = tool_cannot(&r.tool, &m);
	return status;
}
