/*
 * lower_clause.c - one clause: its match, predicate, record, statements, and
 * the code out of line for its drops and faults.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/lower_impl.h"

/* Counts an execution that records, or whose record is dropped. */
static void
count_fired(struct lower *l)
{
	struct gen *g = l->g;
	int32_t key = low_tmp8(l), at = (int32_t)l->cl->seq * 8;
	label none = ir_newlabel(g);
	vreg p;

	ir_storei(g, ir_fp(g, key), 0, 4, 0);
	p = ir_call(g, BPF_FUNC_map_lookup_elem, 2, ir_mapfd(g, MAP_FIRED),
	    ir_fp(g, key));
	ir_bri(g, CC_EQ, p, 0, none);
	ir_store(g, p, at, 8, ir_alui(g, A_ADD, ir_load(g, p, at, 8), 1));
	ir_label(g, none);
}

static void
reserve(struct lower *l, vreg *size)
{
	struct gen *g = l->g;

	*size = ir_imm(g, 0);
	l->rec = ir_call(g, BPF_FUNC_ringbuf_reserve, 3,
	    ir_mapfd(g, MAP_RING), *size, ir_imm(g, 0));
	l->escapes++;
	ir_bri(g, CC_EQ, l->rec, 0, low_drop(l, DROP_PRINCIPAL, l->skip));
}

static vreg
probe_index(struct lower *l)
{
	vreg r = low_cached(l, CA_PROBE);

	if (r >= 0)
		return r;
	if (l->ev->pv->gen_probe != NULL)
		r = l->ev->pv->gen_probe(l->g, l->ev, l->ec);
	else
		r = ir_imm(l->g, l->ec->probe[0]->idx);
	return r;
}

static void
header(struct lower *l)
{
	struct gen *g = l->g;
	bool ts = opt_flag(&l->t->opt, O_TEMPORAL) || l->cl->speculates;

	ir_storei(g, l->rec, 0, 4, (int32_t)l->cl->seq);
	ir_store(g, l->rec, 4, 4, probe_index(l));
	ir_store(g, l->rec, 8, 4,
	    ir_call(g, BPF_FUNC_get_smp_processor_id, 0));
	ir_storei(g, l->rec, 12, 4, 0);
	if (ts)
		ir_store(g, l->rec, 16, 8, low_time(l));
	else
		ir_storei(g, l->rec, 16, 8, 0);
	l->recoff = sizeof(struct rechead);
}

static uint32_t
count_arms(const struct stmt *s)
{
	uint32_t n = 0;

	for (; s != NULL; s = s->next)
		if (s->isif)
			n += 1 + (s->other != NULL) + count_arms(s->then) +
			    count_arms(s->other);
	return n;
}

/* A word for each arm of an if, set when it runs; all are 0 before. */
static void
arms(struct lower *l)
{
	uint32_t n = count_arms(l->cl->body);

	l->narm = n;
	l->nextran = l->recoff;
	l->unwanted = ir_new(l->g);
	ir_set(l->g, l->unwanted, n > 0);
	for (; n > 0; n--) {
		ir_storei(l->g, l->rec, (int32_t)l->recoff, 8, 0);
		l->recoff += 8;
	}
}

static void statements(struct lower *, const struct stmt *);

static void
arm(struct lower *l, const struct stmt *s)
{
	uint32_t ran = l->ran;

	if (l->rec >= 0) {
		l->ran = l->nextran;
		l->nextran += 8;
		ir_storei(l->g, l->rec, (int32_t)l->ran, 8, 1);
	}
	statements(l, s);
	l->ran = ran;
}

static void
conditional(struct lower *l, const struct stmt *s)
{
	struct gen *g = l->g;
	label other = ir_newlabel(g), end = ir_newlabel(g);

	low_jump(l, s->expr, false, other);
	low_release(l);
	l->cond++;
	arm(l, s->then);
	ir_jmp(g, end);
	ir_label(g, other);
	if (s->other != NULL)
		arm(l, s->other);
	ir_label(g, end);
	l->cond--;
}

static void
statements(struct lower *l, const struct stmt *s)
{
	for (; s != NULL; s = s->next) {
		l->line = s->line;
		l->stmt++;
		ir_line(l->g, (int)l->cl->seq, s->line);
		if (s->isif)
			conditional(l, s);
		else
			low_effect(l, s->expr);
		low_release(l);
	}
}

/* The clause's code that runs rarely: drops and faults. */
static void
stubs(struct lower *l)
{
	struct gen *g = l->g;
	size_t k;

	ir_jmp(g, l->skip);
	for (k = 0; k < l->ndrop; k++) {
		ir_label(g, l->drop[k].lab);
		if (l->drop[k].kind == DROP_PRINCIPAL)
			count_fired(l);
		(void)ir_callsub(g, low_dropfn(l), 1,
		    ir_imm(g, l->drop[k].kind));
		ir_jmp(g, l->drop[k].back);
	}
	low_faultcode(l);
	if (l->nflt == 0)
		return;
	ir_label(g, l->fltpost);
	if (l->fltrec)
		(void)ir_call(g, BPF_FUNC_ringbuf_discard, 2, l->rec,
		    ir_imm(g, 0));
	ir_label(g, l->fltpre);
	if (!l->fn.error)
		(void)ir_callsub(g, low_errfn(l), 5, ir_ctx(g),
		    probe_index(l), ir_imm(g, l->cl->seq), l->fltwhat,
		    l->fltval);
	ir_jmp(g, l->skip);
}

/*
 * The consumer looks at the ring by itself; it is woken as often as another
 * quarter has filled, and when it is to end. To wake it for every record costs
 * more than all the rest.
 */
static vreg
wakeup(struct lower *l)
{
	uint32_t quarter = l->p->map[MAP_RING].maxent / 4;
	struct gen *g = l->g;
	vreg n, r = ir_new(g);
	label end = ir_newlabel(g);

	ir_set(g, r, BPF_RB_FORCE_WAKEUP);
	if (clause_walk(l->cl, low_noexit, NULL)) {
		n = ir_call(g, BPF_FUNC_ringbuf_query, 2,
		    ir_mapfd(g, MAP_RING), ir_imm(g, BPF_RB_AVAIL_DATA));
		n = ir_alui(g, A_AND, n, quarter - 1);
		/* this record is the one that went over a quarter's edge */
		ir_bri(g, CC_ULT, n, up8(l->recoff) + 8, end);
		ir_set(g, r, BPF_RB_NO_WAKEUP);
		ir_label(g, end);
	}
	return r;
}

static void
body(struct lower *l)
{
	struct gen *g = l->g;
	bool rec = clause_records(l->cl);
	vreg size = -1;
	label keep;

	if (rec) {
		reserve(l, &size);
		header(l);
		arms(l);
	}
	statements(l, l->cl->body);
	if (l->cl->body == NULL && !l->relayout && rec) {
		l->lay->action = arena_calloc(l->ar, 1, sizeof(struct action));
		if (l->lay->action != NULL) {
			l->lay->naction = 1;
			l->lay->action->act = ACT_DEFAULT;
			l->lay->action->line = l->cl->line;
		}
	}
	if (!rec)
		return;
	ir_patch(g, size, up8(l->recoff));
	l->lay->size = up8(l->recoff);
	if (l->narm > 0 || l->cl->speculates) {
		keep = ir_newlabel(g);
		ir_bri(g, CC_EQ, l->unwanted, 0, keep);
		(void)ir_call(g, BPF_FUNC_ringbuf_discard, 2, l->rec,
		    ir_imm(g, 0));
		ir_jmp(g, l->skip);
		ir_label(g, keep);
	}
	count_fired(l);
	(void)ir_call(g, BPF_FUNC_ringbuf_submit, 2, l->rec, wakeup(l));
}

/* After exit() the later clauses do not run. */
static void
leave(struct lower *l)
{
	label on = ir_newlabel(l->g);

	ir_bri(l->g, CC_EQ, l->fn.exited, 0, on);
	ir_exit(l->g, 0);
	ir_label(l->g, on);
}

void
low_clause(struct lower *l, const struct evclause *ec)
{
	struct gen *g = l->g;
	const struct provider *pv = l->ev->pv;
	size_t at;

	l->ec = ec;
	l->cl = ec->cl;
	l->lay = &l->p->layout[ec->cl->seq];
	l->relayout = l->lay->cl != NULL;
	l->lay->cl = ec->cl;
	l->nact = 0;
	l->rec = -1;
	l->ran = 0;
	l->stmt = 0;
	l->nflt = l->fltdone = l->ndrop = 0;
	l->fltpost = ir_newlabel(g);
	l->fltpre = ir_newlabel(g);
	l->fltwhat = ir_new(g);
	l->fltval = ir_new(g);
	l->fltrec = false;
	l->escapes = l->cond = 0;
	l->line = ec->cl->line;
	l->scrtop = l->scrfix;
	l->skip = ir_newlabel(g);
	ir_line(g, (int)ec->cl->seq, ec->cl->line);
	at = ir_count(g);
	if (pv->gen_match != NULL &&
	    pv->gen_match(g, l->ev, ec, l->skip) < 0)
		(void)low_error(l, D_UNKNOWN, l->line,
		    "no code for the probes of %s", l->ev->name);
	if (ir_count(g) != at)
		l->escapes++;
	if (l->cl->pred != NULL) {
		l->line = l->cl->pred->line;
		ir_line(g, (int)ec->cl->seq, l->line);
		low_jump(l, l->cl->pred, false, l->skip);
		l->escapes++;
		low_release(l);
	}
	body(l);
	stubs(l);
	ir_label(g, l->skip);
	l->rec = -1;
	l->fn.ca[CA_PROBE].all = false;
	low_uncache(l);
	if (l->fn.exited >= 0 &&
	    !clause_walk(l->cl, low_noexit, NULL))
		leave(l);
}
