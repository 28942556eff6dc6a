/*
 * lower_err.c - the subprograms for what goes wrong: a drop counted, a fault
 * reported and ERROR's clauses run.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/lower_impl.h"
#include "trace/provider.h"

/* drop(kind): counts on this CPU, with the first and last time */
int
low_dropfn(struct lower *l)
{
	struct gen *g = l->g;
	label end, later;
	vreg p, t, n;
	int32_t key;

	if (l->dropfn >= 0)
		return l->dropfn;
	l->dropfn = ir_func(g, "drop", 1);
	end = ir_newlabel(g);
	later = ir_newlabel(g);
	key = ir_stack(g, 8, 8);
	ir_store(g, ir_fp(g, key), 0, 4, ir_arg(g, 0));
	p = ir_call(g, BPF_FUNC_map_lookup_elem, 2, ir_mapfd(g, MAP_DROPS),
	    ir_fp(g, key));
	ir_bri(g, CC_EQ, p, 0, end);
	t = ir_call(g, BPF_FUNC_ktime_get_ns, 0);
	n = ir_load(g, p, offsetof(struct dropcount, count), 8);
	ir_bri(g, CC_NE, n, 0, later);
	ir_store(g, p, offsetof(struct dropcount, first_ns), 8, t);
	ir_label(g, later);
	ir_store(g, p, offsetof(struct dropcount, last_ns), 8, t);
	ir_store(g, p, offsetof(struct dropcount, count), 8,
	    ir_alui(g, A_ADD, n, 1));
	ir_label(g, end);
	ir_exit(g, 0);
	ir_endfunc(g);
	return l->dropfn;
}

/* The message's record. */
static void
report(struct lower *l)
{
	struct gen *g = l->g;
	int32_t at = sizeof(struct rechead);
	label none = ir_newlabel(g), done = ir_newlabel(g);
	vreg r, what = ir_arg(g, 3);

	r = ir_call(g, BPF_FUNC_ringbuf_reserve, 3, ir_mapfd(g, MAP_RING),
	    ir_imm(g, at + (int32_t)sizeof(struct recerr)), ir_imm(g, 0));
	ir_bri(g, CC_EQ, r, 0, none);
	ir_storei(g, r, 0, 4, (int32_t)REC_ERROR);
	ir_store(g, r, 4, 4, ir_arg(g, 1));
	ir_store(g, r, 8, 4, ir_call(g, BPF_FUNC_get_smp_processor_id, 0));
	ir_storei(g, r, 12, 4, 0);
	ir_store(g, r, 16, 8, ir_call(g, BPF_FUNC_ktime_get_ns, 0));
	ir_store(g, r, at + (int32_t)offsetof(struct recerr, clause), 4,
	    ir_arg(g, 2));
	ir_store(g, r, at + (int32_t)offsetof(struct recerr, action), 4,
	    ir_alui(g, A_AND, ir_alui(g, A_SHR, what, 8), 0xffff));
	ir_store(g, r, at + (int32_t)offsetof(struct recerr, fault), 4,
	    ir_alui(g, A_AND, what, 0xff));
	ir_store(g, r, at + (int32_t)offsetof(struct recerr, line), 4,
	    ir_alui(g, A_SHR, what, 32));
	ir_store(g, r, at + (int32_t)offsetof(struct recerr, value), 8,
	    ir_arg(g, 4));
	(void)ir_call(g, BPF_FUNC_ringbuf_submit, 2, r,
	    ir_imm(g, BPF_RB_NO_WAKEUP));
	ir_jmp(g, done);
	ir_label(g, none);
	(void)ir_callsub(g, low_dropfn(l), 1, ir_imm(g, DROP_ERROR));
	ir_label(g, done);
}

static void
error_clauses(struct lower *l, struct event *ev)
{
	struct lower save = *l;
	struct fnctx fn;
	size_t k;

	l->ev = ev;
	l->end = ir_newlabel(l->g);
	l->flt = NULL;
	l->drop = NULL;
	l->fltalloc = l->dropalloc = 0;
	l->rec = -1;
	fn_enter(l, &fn);
	l->fn.error = 1;
	low_thisroom(l, ev);
	for (k = 0; k < ev->nec && !l->failed; k++)
		low_clause(l, &ev->ec[k]);
	fn_leave(l, &fn);
	ir_label(l->g, l->end);
	free(l->flt);
	free(l->drop);
	l->ev = save.ev;
	l->end = save.end;
	l->ec = save.ec;
	l->cl = save.cl;
	l->lay = save.lay;
	l->relayout = save.relayout;
	l->nact = save.nact;
	l->recoff = save.recoff;
	l->rec = save.rec;
	l->skip = save.skip;
	l->ran = save.ran;
	l->escapes = save.escapes;
	l->cond = save.cond;
	l->stmt = save.stmt;
	l->line = save.line;
	l->flt = save.flt;
	l->nflt = save.nflt;
	l->fltdone = save.fltdone;
	l->fltpost = save.fltpost;
	l->fltpre = save.fltpre;
	l->fltwhat = save.fltwhat;
	l->fltval = save.fltval;
	l->fltrec = save.fltrec;
	l->fltalloc = save.fltalloc;
	l->drop = save.drop;
	l->ndrop = save.ndrop;
	l->dropalloc = save.dropalloc;
	l->scrtop = save.scrtop;
}

/* error(ctx, probe, clause, kind | statement << 8 | line << 32, value) */
int
low_errfn(struct lower *l)
{
	struct event *ev;

	if (l->errfn >= 0)
		return l->errfn;
	(void)low_dropfn(l);	/* functions do not nest */
	l->errfn = ir_func(l->g, "error", 5);
	report(l);
	for (ev = provider_events(l->t); ev != NULL; ev = ev->next)
		if (ev->type == EV_SUBPROG && ev->nec > 0)
			error_clauses(l, ev);
	ir_exit(l->g, 0);
	ir_endfunc(l->g);
	return l->errfn;
}
