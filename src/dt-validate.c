/* dt-validate: complete, degraded or invalid, fail-closed; dt-validate(1). */
#include "config.h"

#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "libdt/cli.h"
#include "libdt/json.h"
#include "libdt/out.h"
#include "libdt/schema.h"
#include "libdt/tool.h"
#include "libdt/validate.h"
#include "libdt/validate_jobs.h"

enum { OPT_ACCEPT = 0x100, OPT_EXPECT, OPT_EXPLAIN, OPT_ID, OPT_JSON,
	OPT_QUICK, OPT_SCHEMA };

static const struct option words[] = {
	{ "null", no_argument, NULL, '0' },
	{ "dir", required_argument, NULL, 'C' },
	{ "jobs", required_argument, NULL, 'j' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "accept", required_argument, NULL, OPT_ACCEPT },
	{ "expect", required_argument, NULL, OPT_EXPECT },
	{ "explain", required_argument, NULL, OPT_EXPLAIN },
	{ "id", no_argument, NULL, OPT_ID },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "quick", no_argument, NULL, OPT_QUICK },
	{ "schema", no_argument, NULL, OPT_SCHEMA },
	CLI_LONGOPTS,
	{ NULL, 0, NULL, 0 },
};

static const struct cli cli = {
	.prog = "dt-validate",
	.synopsis =
	    "[-0hq] [-C DIR] [-j N] [--accept VERDICT] [--expect ID] [--id] "
	    "[--json] [--quick] [--version] [BUNDLE ...]\n"
	    "--explain ID\n"
	    "--schema",
	.help =
	    "  -0, --null            names on standard input end in NUL\n"
	    "  -C, --dir DIR         bundle of the manifest on standard input\n"
	    "  -h, --help            this help\n"
	    "  -j, --jobs N          bundles that are validated at once\n"
	    "  -q, --quiet           print no findings\n"
	    "      --accept VERDICT  complete (as without it) or degraded\n"
	    "      --expect ID       the id the bundle must have\n"
	    "      --explain ID      what a finding means and what to do\n"
	    "      --id              print ids instead of paths\n"
	    "      --json            print verdict and findings as JSON\n"
	    "      --quick           XXH3SUMS and structure, no records\n"
	    "      --schema          print the contract as JSON\n"
	    "      --version         name and version\n",
	.letters = ":0C:hj:q",
	.words = words,
};

struct run {
	struct tool tool;
	struct validate_opt opt;
	struct validate_jobs *at_work;
	struct out out;
	enum verdict accept;	/* the worst that passes */
	bool quiet, json, id, schema;
	const char *explain;	/* the id of a finding */
	unsigned jobs;
	enum dt_exit worst;
};

static int
set_accept(struct run *r, const char *arg, struct msg *m)
{
	if (strcmp(arg, verdict_name(VERDICT_DEGRADED)) == 0)
		r->accept = VERDICT_DEGRADED;
	else if (strcmp(arg, verdict_name(VERDICT_COMPLETE)) != 0)
		return msg_set(m, "usage", "\"%s\" is neither complete nor "
		    "degraded", arg);
	return 0;
}

static int
set_jobs(struct run *r, const char *arg, struct msg *m)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t n;

	if (cli_u64(arg, 1, VALIDATE_JOBS_MAX, &n, m) == -1)
		return -1;
	r->jobs = (unsigned)n;
	r->opt.threads = cpus > (long)n ? (unsigned)(cpus / (long)n) : 1;
	return 0;
}

/* What an option of no argument sets, or NULL. */
static bool *
flag(struct run *r, int opt)
{
	switch (opt) {
	case 'q':
		return &r->quiet;
	case OPT_ID:
		return &r->id;
	case OPT_JSON:
		return &r->json;
	case OPT_QUICK:
		return &r->opt.quick;
	case OPT_SCHEMA:
		return &r->schema;
	default:
		return NULL;
	}
}

static bool
is_id(const char *s)
{
	return strncmp(s, "sha256:", 7) == 0 && strlen(s) == DIGEST_REF - 1 &&
	    strspn(s + 7, "0123456789abcdef") == DIGEST_REF - 8;
}

static int
set_expect(struct run *r, const char *arg, struct msg *m)
{
	if (!is_id(arg))
		return msg_set(m, "usage", "\"%s\" is not sha256: and 64 "
		    "hex digits", arg);
	r->opt.expect = arg;
	return 0;
}

static int
option(void *arg, int opt, const char *value, struct msg *m)
{
	struct run *r = arg;

	if (flag(r, opt) != NULL) {
		*flag(r, opt) = true;
		return 0;
	}
	switch (opt) {
	case 'j':
		return set_jobs(r, value, m);
	case OPT_ACCEPT:
		return set_accept(r, value, m);
	case OPT_EXPECT:
		return set_expect(r, value, m);
	case OPT_EXPLAIN:
		r->explain = value;
		return 0;
	default:
		return 1;
	}
}

static int
print_json(struct run *r, const struct validate_done *d, struct msg *m)
{
	cJSON *tree = validate_json(&d->result, cli.prog, PACKAGE_VERSION, m);
	char *text = NULL;
	int rc = -1;

	if (tree == NULL)
		return -1;
	if (json_add_bytes(tree, "bundle", d->path, strlen(d->path)) == 0 &&
	    json_add_str(tree, "id", d->result.id) == 0)
		text = cJSON_PrintUnformatted(tree);
	if (text == NULL)
		msg_set_nomem(m);
	else
		rc = 0;
	if (rc == 0)
		out_printf(&r->out, "%s\n", text);
	cJSON_free(text);
	cJSON_Delete(tree);
	return rc;
}

static enum dt_exit
print(struct run *r, struct validate_done *d)
{
	const struct msg_sink sink = tool_sink(&r->tool);
	bool passes;

	if (d->rc == 0 && r->json)
		d->rc = print_json(r, d, &d->m);
	if (d->rc == -1) {
		msg_within(&d->m, d->path);
		return tool_cannot(&r->tool, &d->m);
	}
	passes = d->result.verdict <= r->accept;
	if (!r->quiet && !r->json)
		(void)validate_tell(&d->result, d->path, &sink);
	if (passes && !r->json)
		out_printf(&r->out, "%s\n", r->id ? d->result.id : d->path);
	return passes ? DT_OK : DT_NO;
}

static void
on_done(void *arg, struct validate_done *d)
{
	struct run *r = arg;

	progress_end(&r->tool.progress);
	r->worst = cli_worst(r->worst, print(r, d));
}

static void
on_progress(void *arg, const char *path, const char *what, uint64_t bytes)
{
	struct run *r = arg;

	progress_tell(&r->tool.progress, "%s/%s: %ju MiB", path, what,
	    (uintmax_t)(bytes >> 20));
}

static enum dt_exit
on_operand(void *arg, const struct operand *op)
{
	struct run *r = arg;
	struct msg m;

	if (validate_jobs_add(r->at_work, op->fd, op->path, &m) == -1)
		return tool_cannot(&r->tool, &m);
	return DT_OK;
}

static enum dt_exit
validate(struct run *r)
{
	const struct validate_watch watch = { on_done, on_progress, r };
	enum dt_exit worst;
	struct msg m;

	out_stdout(&r->out);
	r->at_work = validate_jobs_new(&r->opt, r->jobs, &watch, &m);
	if (r->at_work == NULL)
		return tool_cannot(&r->tool, &m);
	worst = tool_each(&r->tool, on_operand, r);
	validate_jobs_free(r->at_work);
	return cli_finish(&cli, stderr, cli_worst(worst, r->worst));
}

static enum dt_exit
explain(const char *id)
{
	enum finding f = finding_by_id(id);
	struct out o;

	if (f == FINDING_COUNT)
		return cli_usage_error(&cli, stderr, "no finding has the id %s",
		    id);
	out_stdout(&o);
	(void)finding_explain(&o, f);
	return cli_finish(&cli, stderr, DT_OK);
}

static enum dt_exit
schema(void)
{
	struct out o;
	struct msg m;

	out_stdout(&o);
	if (schema_print_json(&o, &m) == -1) {
		cli_msg(&cli, stderr, &m);
		return cli_finish(&cli, stderr, DT_CANNOT);
	}
	return cli_finish(&cli, stderr, DT_OK);
}

int
main(int argc, char **argv)
{
	struct run r = { .jobs = 1 };
	enum dt_exit status;

	if (!tool_start(&r.tool, &cli, argc, argv, option, &r, &status))
		return status;
	if (r.explain != NULL)
		return explain(r.explain);
	return r.schema ? schema() : validate(&r);
}
