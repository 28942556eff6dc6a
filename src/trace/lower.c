/*
 * lower.c - a unit to its programs, one per event: the clauses in order.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lower.h"
#include "trace/lower_impl.h"
#include "trace/provider.h"

int
low_error(struct lower *l, enum errtag tag, int line, const char *fmt, ...)
{
	char buf[512];
	va_list ap;

	l->failed = true;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (l->cl != NULL)
		l->d->source = l->cl->source;
	return diag_error(l->d, tag, line, "%s", buf);
}

void
low_nomem(struct lower *l)
{
	if (!l->failed)
		(void)low_error(l, D_UNKNOWN, 0, "out of memory");
}

static enum activity
wanted(const struct event *ev)
{
	if (ev->type == EV_MANUAL)
		return strcmp(ev->name, "BEGIN") == 0 ? AC_BEGIN : AC_END;
	return AC_ACTIVE;
}

static void
program(struct lower *l, struct event *ev)
{
	struct gen *g = l->g;
	label on = ir_newlabel(g);
	struct fnctx save;
	size_t k;

	l->ev = ev;
	l->end = ir_newlabel(g);
	l->cl = NULL;
	l->skip = l->end;
	l->rec = -1;
	l->escapes = l->cond = 0;
	ir_bri(g, CC_EQ, ir_load(g, ir_mapval(g, MAP_STATE, 0), 0, 4),
	    wanted(ev), on);
	/* no jump to the end: that may be too far */
	ir_exit(g, 0);
	ir_label(g, on);
	if (ev->pv->gen_enter != NULL && ev->pv->gen_enter(g, ev) < 0)
		(void)low_error(l, D_UNKNOWN, 0, "no code for event %s",
		    ev->name);
	fn_enter(l, &save);
	low_thisroom(l, ev);
	low_prologue(l, ev);
	for (k = 0; k < ev->nec && !l->failed; k++)
		low_clause(l, &ev->ec[k]);
	fn_leave(l, &save);
	ir_label(g, l->end);
	ir_exit(g, 0);
}

static bool
isuprobe(const struct event *ev)
{
	return ev->type == EV_UPROBE || ev->type == EV_URETPROBE;
}

static void
begin_program(struct lower *l)
{
	size_t k;

	l->scrmap = -1;
	l->scrfix = l->scrmax = 64;
	l->errfn = l->dropfn = -1;
	l->ncmp = 0;
	for (k = 0; k < sizeof(l->rt) / sizeof(*l->rt); k++)
		l->rt[k] = -1;
	memset(l->thisoff, 0, (l->nthis + 1) * sizeof(*l->thisoff));
}

static int
generate(struct lower *l, struct event *ev)
{
	gen_free(l->g);
	l->g = gen_new();
	if (l->g == NULL) {
		low_nomem(l);
		return -1;
	}
	gen_setuser(l->g, l);
	begin_program(l);
	program(l, ev);
	if (l->scrmap >= 0) {
		if (l->scrmax < l->scrfix)
			l->scrmax = l->scrfix;
		l->p->map[l->scrmap].valsize = (l->scrmax + 127) & ~63U;
	}
	return l->failed ? -1 : 0;
}

static int
event_program(struct lower *l, struct event *ev, FILE *ir, FILE *bpf)
{
	struct bpfprog *bp = &l->p->bpf[l->p->nbpf];
	struct msg m;
	int rv = -1;

	l->bytask = isuprobe(ev) && kernel_has(l->t, KF_TASK_STORAGE) &&
	    kernel_has(l->t, KF_TASK_BTF);
	l->sleepable = l->bytask && kernel_has(l->t, KF_SLEEP);
	if (generate(l, ev) < 0)
		return -1;
	if (l->bytask && l->scrmax > MAX_TASK_VALUE) {
		/* too much for each thread */
		l->p->map[l->scrmap].valsize = 64;
		l->bytask = l->sleepable = false;
		if (generate(l, ev) < 0)
			return -1;
	}
	if (ir != NULL) {
		fprintf(ir, "event %s\n", ev->name);
		gen_dump(l->g, ir);
	}
	l->p->nbpf++;
	bp->ev = ev;
	bp->sleepable = l->sleepable;
	if (gen_finish(l->g, bp, &m) < 0)
		(void)low_error(l, D_UNKNOWN, l->line, "%s: %s", ev->name,
		    m.text);
	else
		rv = 0;
	if (rv == 0 && bpf != NULL) {
		fprintf(bpf, "event %s: %zu instructions\n", ev->name,
		    bp->ninsn);
		bpf_dump(bp, bpf);
	}
	return rv;
}

static int
all_events(struct lower *l, FILE *ir, FILE *bpf)
{
	struct event *ev;
	size_t n = 0;

	for (ev = provider_events(l->t); ev != NULL; ev = ev->next)
		n++;
	l->p->bpf = arena_calloc(l->ar, n + 1, sizeof(*l->p->bpf));
	l->thisoff = calloc(l->nthis + 1, sizeof(*l->thisoff));
	if (l->p->bpf == NULL || l->thisoff == NULL) {
		low_nomem(l);
		return -1;
	}
	for (ev = provider_events(l->t); ev != NULL; ev = ev->next)
		if (ev->type != EV_SUBPROG && ev->nec > 0 &&
		    event_program(l, ev, ir, bpf) < 0)
			return -1;
	return 0;
}

void
prog_free(struct prog *p)
{
	size_t k;

	if (p == NULL)
		return;
	for (k = 0; p->bpf != NULL && k < p->nbpf; k++) {
		free(p->bpf[k].insn);
		free(p->bpf[k].rel);
		free(p->bpf[k].sub);
		free(p->bpf[k].linemap);
	}
	arena_free(p->arena);
	free(p);
}

/* Read-only data grows until the last program is done. */
static int
finish(struct lower *l)
{
	struct mapdesc *m = &l->p->map[MAP_RODATA];
	void *init;

	init = arena_alloc(l->ar, l->nro);
	if (init == NULL || arena_failed(l->ar)) {
		low_nomem(l);
		return -1;
	}
	memcpy(init, l->ro, l->nro);
	m->init = init;
	m->valsize = (uint32_t)l->nro;
	return l->failed ? -1 : 0;
}

int
lower_unit(struct trace *t, struct unit *u, struct prog **out, struct diag *d,
    FILE *ir, FILE *bpf)
{
	struct lower l = { .t = t, .u = u, .d = d };
	int rv = -1;

	*out = NULL;
	l.p = calloc(1, sizeof(*l.p));
	if (l.p == NULL || (l.p->arena = arena_new(0)) == NULL) {
		free(l.p);
		return diag_error(d, D_UNKNOWN, 0, "out of memory");
	}
	l.ar = l.p->arena;
	l.p->unit = u;
	if (layout_unit(&l) == 0 && all_events(&l, ir, bpf) == 0)
		rv = finish(&l);
	gen_free(l.g);
	free(l.flt);
	free(l.drop);
	free(l.ro);
	free(l.rostr);
	free(l.strhash);
	free(l.ident);
	free(l.var);
	free(l.thisoff);
	if (rv < 0)
		prog_free(l.p);
	else
		*out = l.p;
	return rv;
}
