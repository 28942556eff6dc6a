/* dt-trace: runs D programs; dt-trace(1). */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "config.h"
#include "libdt/cli.h"
#include "libdt/clock.h"
#include "libdt/out.h"
#include "trace/ast.h"
#include "trace/astdump.h"
#include "trace/attach.h"
#include "trace/check.h"
#include "trace/cmdline.h"
#include "trace/consume.h"
#include "trace/diag.h"
#include "trace/feature.h"
#include "trace/kernel.h"
#include "trace/list.h"
#include "trace/load.h"
#include "trace/lower.h"
#include "trace/minattr.h"
#include "trace/module.h"
#include "trace/opt.h"
#include "trace/print.h"
#include "trace/prog.h"
#include "trace/provider.h"
#include "trace/source.h"
#include "trace/stats.h"
#include "trace/trace.h"
#include "trace/type.h"
#include "trace/victim.h"

struct run {
	struct trace t;
	struct cmdline c;
	struct victims victims;
	struct runinfo info;
	struct diag d;
};

static void
tell(const struct run *r, const struct msg *m)
{
	fprintf(stderr, "%s: ", r->t.progname);
	if (m->path[0] != '\0')
		fprintf(stderr, "%s: ", m->path);
	fprintf(stderr, "%s\n", m->text);
}

static int
open_output(struct run *r, struct msg *m)
{
	r->t.out = stdout;
	if (r->c.out == NULL)
		return 0;
	r->t.out = fopen(r->c.out, "ae");
	if (r->t.out != NULL)
		return 0;
	r->t.out = stdout;
	return msg_set_errno(m, "open", NULL, "failed to open output file %s",
	    r->c.out);
}

/* Each place of a user function takes a descriptor. To be called when the
 * commands have been started, whose limit is their own. */
static void
raise_nofile(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) == 0 && rl.rlim_cur < rl.rlim_max) {
		rl.rlim_cur = rl.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &rl);
	}
}

/* $target is the last of them. */
static int
take_victims(struct run *r, struct msg *m)
{
	struct victims *vs = &r->victims;

	for (size_t i = 0; i < r->c.npid; i++)
		if (victim_grab(vs, r->c.pid[i], m) == -1)
			return -1;
	for (size_t i = 0; i < r->c.ncommand; i++)
		if (victim_create(vs, r->c.command[i], m) == -1)
			return -1;
	raise_nofile();
	r->t.victims = vs;
	if (vs->n > 0)
		r->t.target = vs->v[vs->n - 1].pid;
	return 0;
}

/* With -l: a description and no program, which need not be compiled. */
static bool
lists_only(const struct run *r, const struct source *s)
{
	return r->c.list && s->spec != PS_SCRIPT &&
	    strpbrk(s->arg, "{/;,") == NULL;
}

/* -S prints the passes that -x disasm names, all of them without it. */
static bool
dumps(const struct run *r, const char *pass)
{
	const char *list = opt_str(&r->t.opt, O_DISASM), *p;
	size_t len = strlen(pass);

	if (!r->c.dump || list == NULL)
		return r->c.dump;
	for (p = strstr(list, pass); p != NULL; p = strstr(p + 1, pass))
		if ((p == list || p[-1] == ',') &&
		    (p[len] == '\0' || p[len] == ','))
			return true;
	return false;
}

/* Values that DTrace knows and this system cannot do. */
static int
check_options(const struct run *r, struct msg *m)
{
	const char *when = opt_str(&r->t.opt, O_EVALTIME);

	if (opt_num(&r->t.opt, O_BUFPOLICY) != 0)
		return msg_set(m, "usage", "failed to set -x bufpolicy: only "
		    "switch is supported on this system");
	if (when != NULL && strcmp(when, "exec") != 0)
		return msg_set(m, "usage", "failed to set -x evaltime: only "
		    "exec is supported on this system");
	return 0;
}

/* Parses, matches, types and lowers; messages have been told when it fails. */
static int
compile(struct run *r, struct msg *m)
{
	struct trace *t = &r->t;
	int bad = 0;

	for (size_t i = 0; i < r->c.nsrc; i++) {
		if (lists_only(r, &r->c.src[i]))
			continue;
		r->d.source = r->c.src[i].label;
		msg_clear(m);
		if (source_parse(t, &r->c.src[i], r->c.nargs, r->c.args, &r->d,
		    m) == -1) {
			bad = -1;
			if (r->d.n == 0)
				return -1;
		}
	}
	if (feature_check(t, m) == -1)
		return -1;
	if (bad == 0)
		bad = provider_match_unit(t, t->unit, &r->d);
	if (bad == 0)
		bad = check_unit(t, t->unit, &r->d);
	if (dumps(r, "ast"))
		ast_dump(t->out, t->unit);
	if (bad == 0 && !r->c.list)
		bad = lower_unit(t, t->unit, &t->prog, &r->d,
		    dumps(r, "ir") ? t->out : NULL,
		    dumps(r, "bpf") ? t->out : NULL);
	if (bad == -1 && r->d.n == 0)
		return msg_set_nomem(m);
	return bad == 0 ? check_options(r, m) : bad;
}

struct listing {
	struct run *r;
	size_t n;
	struct msg *m;
};

static int
list_one(struct probe *p, void *arg)
{
	struct listing *l = arg;

	l->n++;
	return list_probe(&l->r->t, l->r->t.out, p,
	    opt_flag(&l->r->t.opt, O_VERBOSE), l->m) == 0 ? 0 : -1;
}

static int
list_desc(struct run *r, const struct source *s, struct msg *m)
{
	struct listing l = { r, 0, m };
	struct pdesc pd = { .prov = "", .mod = "", .func = "", .name = "" };
	int rc;

	if (s != NULL) {
		r->d.source = s->label;
		if (parse_pdesc(&r->t, s->arg, s->spec, &pd, &r->d) == -1)
			return -1;
	}
	rc = provider_match(&r->t, &pd, list_one, &l, m);
	if (rc == -1 && (m->id == NULL || strcmp(m->id, "no-match") != 0))
		return -1;
	if (l.n == 0 && s != NULL) {
		fflush(r->t.out);
		fprintf(stderr, "%s: failed to match %s: %s\n",
		    r->t.progname, s->arg, rc == -1 ? m->text
		    : "No probe matches description");
	}
	return 0;
}

static int
list_all(struct run *r, struct msg *m)
{
	struct listing l = { r, 0, m };

	list_head(r->t.out);
	if (r->c.nsrc == 0)
		return list_desc(r, NULL, m);
	for (size_t i = 0; i < r->c.nsrc; i++)
		if (lists_only(r, &r->c.src[i]) &&
		    list_desc(r, &r->c.src[i], m) == -1)
			return -1;
	for (struct clause *cl = r->t.unit->clause; cl != NULL; cl = cl->next)
		for (size_t i = 0; i < cl->nprobe; i++)
			if (list_one(cl->probe[i], &l) == -1)
				return -1;
	return 0;
}

static void
tell_matched(const struct run *r)
{
	if (opt_flag(&r->t.opt, O_QUIET))
		return;
	for (size_t i = 0; i < r->c.nsrc; i++) {
		size_t n = source_nprobe(&r->t, &r->c.src[i]);

		fprintf(stderr, "%s: %s matched %zu probe%s\n",
		    r->t.progname, r->c.src[i].label, n, n == 1 ? "" : "s");
	}
}

/* Loads, attaches, runs, detaches; what --stats tells is read on the way. */
static int
trace(struct run *r, struct msg *m)
{
	struct trace *t = &r->t;
	int rc;

	if (t->unit->destructive != 0 && !opt_flag(&t->opt, O_DESTRUCTIVE))
		return msg_set(m, "destructive", "could not enable tracing: "
		    "Destructive actions not allowed (they need -w)");
	if (kernel_privilege(t, m) == -1)
		return -1;
	r->info.load_ns = clock_now();
	if (load_prog(t, stderr, m) == -1)
		return -1;
	if (print_open(t, m) == -1 ||
	    consume_new(t, &r->victims, stderr, m) == -1)
		return -1;
	tell_matched(r);
	r->info.attach_ns = clock_now();
	if (attach_all(t, m) == -1)
		return -1;
	modules_touch(t);
	r->info.attached_ns = clock_now();
	rc = consume_run(t, m);
	/* the programs do nothing any more, but their going may take the
	 * kernel long: what is known is printed before */
	if (rc == 0 && !consume_sums(t)->impatient)
		rc = print_end(t, m);
	(void)fflush(t->out);
	attach_detach(t);
	r->info.detached_ns = clock_now();
	r->info.error = rc == -1 ? m->text : NULL;
	r->info.exit_status = rc == -1 ? DT_NO : t->exit_status;
	return rc;
}

static int
trace_and_tell(struct run *r, struct msg *m)
{
	int fd = r->c.stats != NULL ? stats_enable() : -1, rc;
	struct msg why;

	rc = trace(r, m);
	if (r->c.stats != NULL && r->t.con != NULL) {
		msg_clear(&why);
		if (stats_write(&r->t, &r->info, r->c.stats, &why) == -1) {
			if (rc == -1)
				tell(r, m);
			*m = why;
			rc = -1;
		}
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

/* Exit status, or -1 with m or the diag. */
static int
work(struct run *r, struct msg *m)
{
	struct trace *t = &r->t;

	if (kernel_init(t, m) == -1 || provtab_new(t, m) == -1 ||
	    open_output(r, m) == -1 || take_victims(r, m) == -1)
		return -1;
	t->offline = r->c.compile && r->c.dump && !t->kern.btf;
	if (unit_new(t) == -1)
		return msg_set_nomem(m);
	type_set_btf(t->types, kernel_btf_data, t);
	if (compile(r, m) == -1)
		return -1;
	if (r->c.list)
		return list_all(r, m) == -1 ? -1 : DT_OK;
	for (size_t i = 0; i < r->c.nsrc && opt_flag(&t->opt, O_VERBOSE); i++)
		minattr_tell(t, t->out, &r->c.src[i]);
	if (r->c.compile)
		return DT_OK;
	return trace_and_tell(r, m) == -1 ? -1 : t->exit_status;
}

static void
release(struct run *r)
{
	struct trace *t = &r->t;

	if (t->prov != NULL)
		attach_detach(t);
	victim_free(&r->victims);
	consume_free(t);
	print_close(t);
	load_unload(t);
	prog_free(t->prog);
	provtab_free(t);
	modules_free(t);
	diag_free(&r->d);
	unit_free(t);
	kernel_free(t);
	opt_free(&t->opt);
	cmdline_free(&r->c);
}

int
main(int argc, char **argv)
{
	struct run r = { .t.progname = cmdline_cli.prog, .d.max = 20 };
	enum dt_exit bad = DT_OK;
	struct msg m;
	int rc;

	r.info.start_ns = clock_now();
	r.info.version = PACKAGE_VERSION;
	msg_clear(&m);
	if (out_init(&m) == -1) {
		tell(&r, &m);
		return DT_CANNOT;
	}
	libbpf_set_print(NULL);
	opt_init(&r.t.opt);
	rc = cmdline_take(&r.c, &r.t, argc, argv, &bad, &m);
	if (rc == 0 && r.c.version) {
		printf("%s: dtbundle %s, D 2.0\n", cmdline_cli.prog, PACKAGE_VERSION);
	} else if (rc == 0) {
		rc = work(&r, &m);
	} else if (rc == 1) {
		release(&r);
		return bad;
	}
	if (rc == -1) {
		source_tell(&r.t, stderr, &r.d);
		if (m.text[0] != '\0')
			tell(&r, &m);
		rc = DT_NO;
	}
	if (r.t.out != NULL && r.t.out != stdout && fclose(r.t.out) != 0) {
		fprintf(stderr, "%s: %s: %s\n", cmdline_cli.prog, r.c.out,
		    strerror(errno));
		rc = DT_CANNOT;
	}
	release(&r);
	return cli_finish(&cmdline_cli, stderr, (enum dt_exit)rc);
}

