/* dt-validate: complete, degraded or invalid, fail-closed; dt-validate(1). */
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "libdt/cli.h"
#include "libdt/json.h"
#include "libdt/operands.h"
#include "libdt/out.h"
#include "libdt/schema.h"
#include "libdt/validate.h"

#define JOBS_MAX	64

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
	    "  -q, --quiet           no findings, the exit status only\n"
	    "      --accept VERDICT  complete (as without it) or degraded\n"
	    "      --expect ID       the id the bundle must have\n"
	    "      --explain ID      what a finding means and what to do\n"
	    "      --id              print ids instead of paths\n"
	    "      --json            print verdict and findings as JSON\n"
	    "      --quick           XXH3SUMS and structure, no records\n"
	    "      --schema          print the contract as JSON\n"
	    "      --version         name and version\n",
};

enum { OPT_ACCEPT = 0x100, OPT_EXPECT, OPT_EXPLAIN, OPT_ID, OPT_JSON,
	OPT_QUICK, OPT_SCHEMA };

static const struct option longopts[] = {
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

/* One bundle at work. */
struct job {
	struct run *run;
	pthread_t thread;
	char *path;
	int fd;
	int rc;
	struct validate_result result;
	struct msg m;
};

struct run {
	struct validate_opt opt;
	struct progress progress;
	struct out out;
	enum verdict accept;	/* the worst that passes */
	bool quiet, json, id;
	unsigned jobs;
	struct job job[JOBS_MAX];	/* a ring: first is the oldest */
	unsigned first, n;
	enum dt_exit worst;
};

static int
tell(void *arg, const struct msg *m)
{
	struct run *r = arg;

	progress_end(&r->progress);
	cli_msg(&cli, stderr, m);
	return 0;
}

static void
on_progress(void *arg, const char *what, uint64_t bytes)
{
	struct job *j = arg;

	progress_tell(&j->run->progress, "%s/%s: %ju MiB", j->path, what,
	    (uintmax_t)(bytes >> 20));
}

static int
print_json(struct run *r, const struct job *j, struct msg *m)
{
	cJSON *tree = validate_json(&j->result, cli.prog, PACKAGE_VERSION, m);
	char *text = NULL;
	int rc = -1;

	if (tree == NULL)
		return -1;
	if (json_add_bytes(tree, "bundle", j->path, strlen(j->path)) == 0 &&
	    json_add_str(tree, "id", j->result.id) == 0)
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
print(struct run *r, struct job *j)
{
	const struct msg_sink sink = { tell, r };
	bool passes;

	if (j->rc == 0 && r->json)
		j->rc = print_json(r, j, &j->m);
	if (j->rc == -1) {
		msg_within(&j->m, j->path);
		(void)tell(r, &j->m);
		return DT_CANNOT;
	}
	passes = j->result.verdict <= r->accept;
	if (!r->quiet && !r->json)
		(void)validate_tell(&j->result, j->path, &sink);
	if (passes && !r->json)
		out_printf(&r->out, "%s\n", r->id ? j->result.id : j->path);
	return passes ? DT_OK : DT_NO;
}

static void *
work(void *arg)
{
	struct job *j = arg;
	struct validate_opt opt = j->run->opt;

	if (j->run->jobs == 1) {
		opt.progress = on_progress;
		opt.progress_arg = j;
	}
	msg_clear(&j->m);
	j->rc = validate_bundle(j->fd, j->path, &opt, &j->result, &j->m);
	return NULL;
}

/* Waits for the oldest job and prints what it found. */
static void
reap(struct run *r)
{
	struct job *j = &r->job[r->first];

	pthread_join(j->thread, NULL);
	progress_end(&r->progress);
	r->worst = cli_worst(r->worst, print(r, j));
	validate_free(&j->result);
	close(j->fd);
	free(j->path);
	r->first = (r->first + 1) % JOBS_MAX;
	r->n--;
}

static enum dt_exit
start(struct run *r, struct job *j, struct msg *m)
{
	int e;

	if (j->path == NULL || j->fd == -1)
		e = msg_set_errno(m, "open", NULL, "cannot start");
	else if ((e = pthread_create(&j->thread, NULL, work, j)) != 0)
		e = msg_set(m, "no-thread", "cannot start: error %d", e);
	if (e == 0) {
		r->n++;
		return DT_OK;
	}
	(void)tell(r, m);
	if (j->fd != -1)
		close(j->fd);
	free(j->path);
	return DT_CANNOT;
}

static enum dt_exit
on_operand(void *arg, const struct operand *op)
{
	struct run *r = arg;
	struct job *j;
	struct msg m;

	if (r->n == r->jobs)
		reap(r);
	j = &r->job[(r->first + r->n) % JOBS_MAX];
	memset(j, 0, sizeof(*j));
	j->run = r;
	j->path = strdup(op->path);
	j->fd = fcntl(op->fd, F_DUPFD_CLOEXEC, 3);
	return start(r, j, &m);
}

static enum dt_exit
validate(struct run *r, const struct operands *o)
{
	const struct msg_sink sink = { tell, r };
	enum dt_exit worst;

	out_stdout(&r->out);
	progress_start(&r->progress, &cli, stderr);
	worst = operands_each(o, on_operand, r, &sink);
	while (r->n > 0)
		reap(r);
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

static int
set_accept(struct run *r, const char *arg)
{
	if (strcmp(arg, verdict_name(VERDICT_DEGRADED)) == 0)
		r->accept = VERDICT_DEGRADED;
	else if (strcmp(arg, verdict_name(VERDICT_COMPLETE)) != 0)
		return -1;
	return 0;
}

static int
set_jobs(struct run *r, const char *arg, struct msg *m)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t n;

	if (cli_u64(arg, 1, JOBS_MAX, &n, m) == -1)
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

int
main(int argc, char **argv)
{
	struct operands o = { 0 };
	static const struct run init = { .jobs = 1 };
	struct run *r = malloc(sizeof(*r));
	struct msg m;
	enum dt_exit rc;
	int opt;

	if (out_init(&m) == -1 || (r == NULL && msg_set_nomem(&m) == -1)) {
		cli_msg(&cli, stderr, &m);
		return DT_CANNOT;
	}
	*r = init;
	while ((opt = getopt_long(argc, argv, ":0C:hj:q", longopts, NULL)) !=
	    -1) {
		if (flag(r, opt) != NULL)
			*flag(r, opt) = true;
		else if (opt == '0')
			o.nul = true;
		else if (opt == 'C')
			o.dir = optarg;
		else if (opt == 'j' && set_jobs(r, optarg, &m) == -1)
			return cli_usage_error(&cli, stderr, "-j: %s", m.text);
		else if (opt == OPT_ACCEPT && set_accept(r, optarg) == -1)
			return cli_usage_error(&cli, stderr,
			    "--accept takes complete or degraded");
		else if (opt == OPT_EXPECT && !is_id(optarg))
			return cli_usage_error(&cli, stderr,
			    "--expect takes sha256: and 64 hex digits");
		else if (opt == OPT_EXPECT)
			r->opt.expect = optarg;
		else if (opt == OPT_EXPLAIN)
			return explain(optarg);
		else if (opt == OPT_SCHEMA)
			return schema();
		else if (opt != 'j' && opt != OPT_ACCEPT)
			return cli_option(&cli, opt, argv, stderr);
	}
	o.argv = argv + optind;
	o.argc = argc - optind;
	rc = validate(r, &o);
	free(r);
	return rc;
}
