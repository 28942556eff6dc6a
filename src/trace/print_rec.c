/*
 * print_rec.c - one record of a clause as text.
 *
 * Source of the layouts: the chapters on data recording actions and on options
 * of the DTrace guide, the reference vectors trace_*, lex_emptyaction.
 */
#include <stdlib.h>
#include <string.h>

#include "libdt/msg.h"
#include "trace/agg.h"
#include "trace/ast.h"
#include "trace/opt.h"
#include "trace/print.h"
#include "trace/print_fmt.h"
#include "trace/print_type.h"
#include "trace/printer.h"
#include "trace/probe.h"
#include "trace/prog.h"
#include "trace/sym.h"
#include "trace/trace.h"
#include "trace/value.h"
#include "trace/victim.h"

static bool
is_user_code(const struct datum *d, size_t n)
{
	for (; n > 0; d++, n--)
		if (d->what == ACT_USTACK || d->what == ACT_USYM ||
		    d->what == ACT_UMOD || d->what == ACT_UADDR)
			return true;
	return false;
}

/* Something in the program names user code. */
static bool
names_user_code(const struct prog *pg)
{
	size_t i, j;

	for (i = 0; i < pg->nagg; i++)
		if (is_user_code(pg->agg[i]->key, pg->agg[i]->nkey))
			return true;
	for (i = 0; i < pg->nlayout; i++)
		for (j = 0; j < pg->layout[i].naction; j++)
			if (is_user_code(pg->layout[i].action[j].datum,
			    pg->layout[i].action[j].ndatum))
				return true;
	return false;
}

int
print_open(struct trace *t, struct msg *m)
{
	size_t i;

	if ((t->print = calloc(1, sizeof(*t->print))) == NULL ||
	    flow_init(&t->print->flow, t->kern.ncpu) == -1)
		return msg_set_nomem(m);
	if (t->sym == NULL && (t->sym = sym_new()) == NULL)
		return msg_set_nomem(m);
	if (names_user_code(t->prog) && !opt_flag(&t->opt, O_NORESOLVE)) {
		/* where that is refused, processes are looked at */
		(void)sym_events_open(t->sym, NULL);
		if (opt_num(&t->opt, O_UNWIND) != 0)
			sym_will_unwind(t->sym);
		for (i = 0; t->victims != NULL && i < t->victims->n; i++)
			sym_note_pid(t->sym, t->victims->v[i].pid);
	}
	return t->agg != NULL ? 0 : agg_open(t, m);
}

void
print_close(struct trace *t)
{
	if (t->print != NULL)
		flow_free(&t->print->flow);
	free(t->print);
	t->print = NULL;
	agg_close(t);
	sym_free(t->sym);
	t->sym = NULL;
}

static void
print_header(struct trace *t, bool flow)
{
	if (t->print->header)
		return;
	t->print->header = true;
	if (flow)
		fprintf(t->out, "%3s %-41s\n", "CPU", "FUNCTION");
	else if (!opt_flag(&t->opt, O_QUIET))
		fprintf(t->out, "%3s %6s %32s\n", "CPU", "ID",
		    "FUNCTION:NAME");
}

/* What stands before a record's data. */
static void
print_prefix(struct trace *t, const struct rechead *h, const struct probe *p,
    bool more)
{
	char name[1024];

	if (opt_flag(&t->opt, O_FLOWINDENT)) {
		print_header(t, true);
		flow_text(&t->print->flow, h, p, more, name, sizeof(name));
		fprintf(t->out, "%3u %-41s ", h->cpu, name);
		return;
	}
	print_header(t, false);
	if (opt_flag(&t->opt, O_QUIET))
		return;
	snprintf(name, sizeof(name), "%s:%s", p->func, p->name);
	fprintf(t->out, "%3u %6u %32s ", h->cpu, p->id, name);
}

static int
print_args(struct trace *t, const struct action *a, const uint8_t *rec)
{
	struct fmtin in = { .arg = a->datum, .narg = a->ndatum, .base = rec };

	return print_fmt(t, t->out, a->fmt, &in);
}

static int
print_values(struct trace *t, const struct action *a, const uint8_t *rec)
{
	bool quiet = opt_flag(&t->opt, O_QUIET);
	size_t i;

	for (i = 0; i < a->ndatum; i++)
		if (value_trace(t, t->out, &a->datum[i], rec, quiet) == -1)
			return -1;
	return 0;
}

/* tracemem(addr, size, [len]): len may cut the dump short. */
static int
print_mem(struct trace *t, const struct action *a, const uint8_t *rec)
{
	size_t n;
	int64_t len;

	if (a->ndatum == 0)
		return 0;
	n = a->datum[0].size;
	if (a->ndatum > 1) {
		len = value_int(rec + a->datum[1].off, a->datum[1].size);
		if (len >= 0 && (uint64_t)len < n)
			n = (size_t)len;
	}
	return value_dump(t->out, rec + a->datum[0].off, n);
}

/* 0; -1 with *m; 1: the output failed and errno tells. */
static int
print_action(struct trace *t, const struct action *a, const uint8_t *rec,
    struct msg *m)
{
	switch (a->act) {
	case ACT_PRINTF:
		return print_args(t, a, rec) == -1;
	case ACT_TRACE: case ACT_STACK: case ACT_USTACK: case ACT_SYM:
	case ACT_MOD: case ACT_USYM: case ACT_UMOD: case ACT_UADDR:
		return print_values(t, a, rec) == -1;
	case ACT_TRACEMEM:
		return print_mem(t, a, rec) == -1;
	case ACT_PRINT:
		return print_type(t, t->out, a, rec) == -1;
	case ACT_PRINTA:
		return agg_printa(t, t->out, a, rec, m);
	case ACT_CLEAR: case ACT_TRUNC: case ACT_NORMALIZE:
	case ACT_DENORMALIZE: case ACT_SETOPT: case ACT_SYSTEM:
	case ACT_FREOPEN: case ACT_FTRUNCATE:
		return conaction_run(t, a, rec, m);
	case ACT_EXIT: case ACT_SPECULATE: case ACT_COMMIT: case ACT_DISCARD:
	case ACT_RAISE: case ACT_STOP: case ACT_DEFAULT: case ACT_STRID:
		break;
	}
	return 0;
}

/* The action's data lie inside the record. */
static bool
fits(const struct action *a, size_t len)
{
	size_t i;

	if (a->ran_off >= len)
		return false;
	for (i = 0; i < a->ndatum; i++)
		if (a->datum[i].off > len ||
		    a->datum[i].size > len - a->datum[i].off)
			return false;
	return true;
}

static int
bad_record(const struct rechead *h, size_t len, struct msg *m)
{
	return msg_set(m, "record", "a record of clause %u with %zu bytes does "
	    "not have the layout of that clause", h->clause, len);
}

/* A clause that only commits or discards has nothing to show. */
static bool
only_commits(const struct reclayout *rl)
{
	size_t i;

	for (i = 0; i < rl->naction; i++)
		if (rl->action[i].act != ACT_COMMIT &&
		    rl->action[i].act != ACT_DISCARD)
			return false;
	return rl->naction != 0;
}

/* A whole record that was found to be one of its clause. */
static int
print_now(struct trace *t, const struct rechead *h, size_t len, bool more,
    struct msg *m)
{
	const struct reclayout *rl = &t->prog->layout[h->clause];
	const uint8_t *rec = (const uint8_t *)h;
	const struct action *a;
	size_t i;
	int r;

	print_prefix(t, h, t->prog->probe[h->probe], more);
	for (i = 0; i < rl->naction; i++) {
		a = &rl->action[i];
		if (!fits(a, len))
			return bad_record(h, len, m);
		if (a->ran_off != 0 && rec[a->ran_off] == 0)
			continue;
		if ((r = print_action(t, a, rec, m)) == -1)
			return -1;
		if (r == 1)
			return msg_set_errno(m, "write", NULL, "cannot write");
	}
	if (!opt_flag(&t->opt, O_QUIET))
		putc('\n', t->out);
	return ferror(t->out) ?
	    msg_set_errno(m, "write", NULL, "cannot write") : 0;
}

static int
release(struct trace *t, struct flowcpu *fc, bool more, struct msg *m)
{
	size_t len = fc->heldlen;

	if (len == 0)
		return 0;
	fc->heldlen = 0;
	return print_now(t, (const struct rechead *)(void *)fc->held, len,
	    more, m);
}

/* With -F a return's record waits for the next one of its CPU. */
static int
print_flow(struct trace *t, const struct rechead *h, size_t len,
    struct msg *m)
{
	struct flow *f = &t->print->flow;
	struct flowcpu *fc = &f->cpu[h->cpu < f->ncpu ? h->cpu : 0];

	if (fc->heldlen != 0 && release(t, fc, flow_same(
	    (const struct rechead *)(void *)fc->held, h), m) == -1)
		return -1;
	if (flow_holds(t->prog->probe[h->probe]))
		return flow_hold(f, h, len) == -1 ? msg_set_nomem(m) : 0;
	return print_now(t, h, len, false, m);
}

int
print_record(struct trace *t, const void *rec, size_t len, struct msg *m)
{
	const struct rechead *h = rec;

	if (len < sizeof(*h))
		return msg_set(m, "record", "a record of %zu bytes is too "
		    "short", len);
	if (h->clause >= t->prog->nlayout || h->probe >= t->prog->nprobe ||
	    len < t->prog->layout[h->clause].size)
		return bad_record(h, len, m);
	if (only_commits(&t->prog->layout[h->clause]))
		return 0;
	if (opt_flag(&t->opt, O_FLOWINDENT))
		return print_flow(t, h, len, m);
	return print_now(t, h, len, false, m);
}

int
print_flush(struct trace *t, struct msg *m)
{
	struct flow *f = &t->print->flow;
	uint32_t i;

	for (i = 0; i < f->ncpu; i++)
		if (release(t, &f->cpu[i], false, m) == -1)
			return -1;
	if (fflush(t->out) == EOF)
		return msg_set_errno(m, "write", NULL, "cannot write");
	return 0;
}

int
print_end(struct trace *t, struct msg *m)
{
	if (print_flush(t, m) == -1 || conaction_restore(t, m) == -1)
		return -1;
	putc('\n', t->out);
	if (agg_print_rest(t, t->out, m) == -1)
		return -1;
	if (fflush(t->out) == EOF)
		return msg_set_errno(m, "write", NULL, "cannot write");
	return 0;
}
