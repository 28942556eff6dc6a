/*
 * session.c - a command line's work: victims, programs, the run, what is said
 * of it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "libdt/clock.h"
#include "trace/ast.h"
#include "trace/attach.h"
#include "trace/consume.h"
#include "trace/kernel.h"
#include "trace/load.h"
#include "trace/minattr.h"
#include "trace/module.h"
#include "trace/opt.h"
#include "trace/print.h"
#include "trace/printer.h"
#include "trace/probelist.h"
#include "trace/prog.h"
#include "trace/provider.h"
#include "trace/session.h"
#include "trace/type.h"

bool
session_lost(const struct msg *m)
{
	return m->id != NULL && strcmp(m->id, "write") == 0;
}

/* Where output goes now, for messages. */
static const char *
output_name(const struct session *ss)
{
	if (ss->t.print != NULL && ss->t.print->first != NULL)
		return "output of freopen()";
	return ss->c.out != NULL ? ss->c.out : "standard output";
}

void
session_tell(const struct session *ss, const struct msg *m)
{
	const char *path = m->path;

	if (path[0] == '\0' && session_lost(m))
		path = output_name(ss);
	fprintf(stderr, "%s: ", ss->t.progname);
	if (path[0] != '\0')
		fprintf(stderr, "%s: ", path);
	fprintf(stderr, "%s\n", m->text);
}

static int
open_output(struct session *ss, struct msg *m)
{
	ss->t.out = stdout;
	if (ss->c.out == NULL)
		return 0;
	ss->t.out = fopen(ss->c.out, "ae");
	if (ss->t.out != NULL)
		return 0;
	ss->t.out = stdout;
	return msg_set_errno(m, "open", NULL, "failed to open output file %s",
	    ss->c.out);
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
take_victims(struct session *ss, struct msg *m)
{
	struct victims *vs = &ss->victims;

	for (size_t i = 0; i < ss->c.npid; i++)
		if (victim_grab(vs, ss->c.pid[i], m) == -1)
			return -1;
	for (size_t i = 0; i < ss->c.ncommand; i++)
		if (victim_create(vs, ss->c.command[i], m) == -1)
			return -1;
	raise_nofile();
	ss->t.victims = vs;
	if (vs->n > 0)
		ss->t.target = vs->v[vs->n - 1].pid;
	return 0;
}

static void
tell_matched(const struct session *ss)
{
	if (opt_flag(&ss->t.opt, O_QUIET))
		return;
	for (size_t i = 0; i < ss->c.nsrc; i++) {
		size_t n = source_nprobe(&ss->t, &ss->c.src[i]);

		fprintf(stderr, "%s: %s matched %zu probe%s\n",
		    ss->t.progname, ss->c.src[i].label, n, n == 1 ? "" : "s");
	}
}

/* Loads, attaches, runs, detaches; what --stats tells is read on the way. */
static int
trace(struct session *ss, struct msg *m)
{
	struct trace *t = &ss->t;
	int rc;

	if (t->unit->destructive != 0 && !opt_flag(&t->opt, O_DESTRUCTIVE))
		return msg_set(m, "destructive", "could not enable tracing: "
		    "Destructive actions not allowed (they need -w)");
	if (kernel_privilege(t, m) == -1)
		return -1;
	ss->info.load_ns = clock_now();
	if (load_prog(t, stderr, m) == -1)
		return -1;
	if (print_open(t, m) == -1 ||
	    consume_new(t, &ss->victims, stderr, m) == -1)
		return -1;
	tell_matched(ss);
	ss->info.attach_ns = clock_now();
	if (attach_all(t, m) == -1)
		return -1;
	modules_touch(t);
	ss->info.attached_ns = clock_now();
	rc = consume_run(t, m);
	/* the programs do nothing any more, but their going may take the
	 * kernel long: what is known is printed before */
	if (rc == 0 && !consume_sums(t)->impatient)
		rc = print_end(t, m);
	(void)fflush(t->out);
	attach_detach(t);
	ss->info.detached_ns = clock_now();
	ss->info.error = rc == -1 ? m->text : NULL;
	ss->info.exit_status = rc == 0 ? t->exit_status :
	    session_lost(m) ? DT_CANNOT : DT_NO;
	return rc;
}

static int
trace_and_tell(struct session *ss, struct msg *m)
{
	int fd = ss->c.stats != NULL ? stats_enable() : -1, rc;
	struct msg why;

	ss->info.counted = fd >= 0;
	rc = trace(ss, m);
	if (ss->c.stats != NULL && ss->t.con != NULL) {
		msg_clear(&why);
		if (stats_write(&ss->t, &ss->info, ss->c.stats, &why) == -1) {
			if (rc == -1)
				session_tell(ss, m);
			*m = why;
			rc = -1;
		}
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

int
session_work(struct session *ss, struct msg *m)
{
	struct trace *t = &ss->t;

	if (kernel_init(t, m) == -1 || provtab_new(t, m) == -1 ||
	    open_output(ss, m) == -1 || take_victims(ss, m) == -1)
		return -1;
	t->offline = ss->c.compile && ss->c.dump && !t->kern.btf;
	if (unit_new(t) == -1)
		return msg_set_nomem(m);
	type_set_btf(t->types, kernel_btf_data, t);
	if (session_compile(ss, m) == -1)
		return -1;
	if (ss->c.list)
		return probelist_print(ss, m) == -1 ? -1 : DT_OK;
	for (size_t i = 0; i < ss->c.nsrc && opt_flag(&t->opt, O_VERBOSE); i++)
		minattr_tell(t, t->out, &ss->c.src[i]);
	if (ss->c.compile)
		return DT_OK;
	return trace_and_tell(ss, m) == -1 ? -1 : t->exit_status;
}

void
session_free(struct session *ss)
{
	struct trace *t = &ss->t;

	if (t->prov != NULL)
		attach_detach(t);
	victim_free(&ss->victims);
	consume_free(t);
	print_close(t);
	load_unload(t);
	prog_free(t->prog);
	provtab_free(t);
	modules_free(t);
	diag_free(&ss->d);
	unit_free(t);
	kernel_free(t);
	opt_free(&t->opt);
	cmdline_free(&ss->c);
}
