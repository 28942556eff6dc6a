/*
 * lower.c - one BPF program per event: the clauses in order, each with its
 * match, predicate, record and faults.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lower.h"
#include "trace/lowint.h"
#include "trace/provider.h"

enum {
	MAX_TASK_SCRATCH = 60000,	/* bytes; the kernel's limit is 64k */
	FEW_THIS = 8,			/* uses of this-> in all */
};

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

/* Sites that jump out of line; growing arrays. */

label
low_fault(struct lower *l, enum fault kind, vreg val)
{
	struct faultsite *f;
	size_t n;

	if (l->nflt == l->fltalloc) {
		n = l->fltalloc ? 2 * l->fltalloc : 32;
		f = realloc(l->flt, n * sizeof(*f));
		if (f == NULL) {
			low_nomem(l);
			return l->skip;
		}
		l->flt = f;
		l->fltalloc = n;
	}
	f = &l->flt[l->nflt++];
	*f = (struct faultsite){ .lab = ir_newlabel(l->g), .kind = kind,
	    .val = val, .line = l->line, .action = l->stmt,
	    .reserved = l->rec >= 0 };
	l->escapes++;
	return f->lab;
}

label
low_drop(struct lower *l, enum dropkind kind, label back)
{
	struct dropsite *s;
	size_t n;

	if (l->ndrop == l->dropalloc) {
		n = l->dropalloc ? 2 * l->dropalloc : 32;
		s = realloc(l->drop, n * sizeof(*s));
		if (s == NULL) {
			low_nomem(l);
			return back;
		}
		l->drop = s;
		l->dropalloc = n;
	}
	s = &l->drop[l->ndrop++];
	*s = (struct dropsite){ .lab = ir_newlabel(l->g), .back = back,
	    .kind = kind };
	return s->lab;
}

/* Values found once. A register is good for what its code dominates: the
 * clause, or all that follows when nothing could jump past it. */

void
low_cache(struct lower *l, int which, vreg r)
{
	if (l->cond > 0)
		return;
	l->fn.ca[which] = (struct cached){ .r = r, .all = l->escapes == 0 };
}

vreg
low_cached(struct lower *l, int which)
{
	return l->fn.ca[which].r;
}

static void
uncache(struct lower *l)
{
	int n;

	for (n = 0; n < CA_N; n++)
		if (!l->fn.ca[n].all)
			l->fn.ca[n].r = -1;
}

int32_t
low_tmp8(struct lower *l)
{
	if (l->fn.tmp8 == 0)
		l->fn.tmp8 = ir_stack(l->g, 8, 8);
	return l->fn.tmp8;
}

int32_t
low_stktemp(struct lower *l, uint32_t size)
{
	struct stkslot *s = l->fn.stk;
	int n;

	size = up8(size);
	for (n = 0; n < l->fn.nstk; n++)
		if (!s[n].busy && s[n].size >= size) {
			s[n].busy = true;
			return s[n].off;
		}
	if (n == (int)(sizeof(l->fn.stk) / sizeof(*l->fn.stk)) ||
	    l->fn.stkbytes + size > STACK_TEMPS)
		return 0;
	l->fn.stkbytes += size;
	s[n] = (struct stkslot){ .off = ir_stack(l->g, size, 8), .size = size,
	    .busy = true };
	l->fn.nstk++;
	return s[n].off;
}

void
low_release(struct lower *l)
{
	int n;

	for (n = 0; n < l->fn.nstk; n++)
		l->fn.stk[n].busy = false;
	l->scrtop = l->scrfix;
}

/*
 * The scratch is an element of an array map for each CPU: no second firing of
 * the same program gets in between there. Only uprobes' programs may be
 * preempted or wait for a page: their scratch is the thread's.
 */
static vreg
scratch_find(struct lower *l)
{
	struct gen *g = l->g;
	int32_t key;
	vreg cpu;

	if (l->scrmap < 0)
		l->scrmap = l->bytask ? map_add(l, "scratch",
		    BPF_MAP_TYPE_TASK_STORAGE, 4, 64, 0, BPF_F_NO_PREALLOC) :
		    map_add(l, "scratch", BPF_MAP_TYPE_ARRAY, 4, 64, 0, 0);
	if (l->bytask) {
		l->p->map[l->scrmap].maxent = 0;
		return ir_call(g, BPF_FUNC_task_storage_get, 4,
		    ir_mapfd(g, l->scrmap), low_task(l), ir_imm(g, 0),
		    ir_imm(g, BPF_LOCAL_STORAGE_GET_F_CREATE));
	}
	cpu = ir_call(g, BPF_FUNC_get_smp_processor_id, 0);
	key = low_tmp8(l);
	ir_store(g, ir_fp(g, key), 0, 4, cpu);
	return ir_call(g, BPF_FUNC_map_lookup_elem, 2,
	    ir_mapfd(g, l->scrmap), ir_fp(g, key));
}

vreg
low_scratch(struct lower *l)
{
	vreg r = low_cached(l, CA_SCRATCH);
	label ok;

	if (r >= 0)
		return r;
	r = scratch_find(l);
	ok = ir_newlabel(l->g);
	ir_bri(l->g, CC_NE, r, 0, ok);
	if (l->rec >= 0)
		(void)ir_call(l->g, BPF_FUNC_ringbuf_discard, 2, l->rec,
		    ir_imm(l->g, 0));
	if (l->bytask)
		(void)ir_callsub(l->g, low_dropfn(l), 1,
		    ir_imm(l->g, DROP_DYNVAR));
	ir_exit(l->g, 0);
	ir_label(l->g, ok);
	low_cache(l, CA_SCRATCH, r);
	return r;
}

uint32_t
low_temp(struct lower *l, uint32_t size)
{
	uint32_t off = l->scrtop;

	l->scrtop += up8(size);
	if (l->scrtop > l->scrmax)
		l->scrmax = l->scrtop;
	if (l->scrtop > 4U << 20 && !l->failed)
		(void)low_error(l, D_UNKNOWN, l->line,
		    "the clause needs more than 4 MB of scratch space");
	return off;
}

vreg
low_tempaddr(struct lower *l, uint32_t off)
{
	return ir_alui(l->g, A_ADD, low_scratch(l), off);
}

vreg
low_scalar(struct lower *l, vreg ptr)
{
	vreg s = low_scratch(l);

	/* the verifier forgets what goes through a map's memory; the first
	 * word of the scratch is kept for that */
	ir_store(l->g, s, 0, 8, ptr);
	return ir_load(l->g, s, 0, 8);
}

vreg
low_opaque(struct lower *l, vreg v)
{
	vreg z = ir_load(l->g, ir_mapval(l->g, MAP_STATE, 0),
	    offsetof(struct state, zero), 8);

	return ir_alu(l->g, A_ADD, z, v);
}

static bool
isthis(const struct node *n)
{
	return n->kind == N_VAR && n->id != NULL &&
	    n->id->kind == ID_SCALAR && n->id->scope == SC_THIS &&
	    n->id->type != NULL;
}

static bool
count_this(const struct node *n, void *arg)
{
	unsigned *uses = arg;

	*uses += isthis(n);
	return true;
}

/* Which this-> variables of an event's clauses are in the scratch. */
static bool
this_room(const struct node *n, void *arg)
{
	struct lower *l = arg;
	const struct ident *id = n->id;
	const struct dtype *t;
	uint32_t size;

	if (!isthis(n))
		return true;
	t = type_base(id->type);
	if (type_is_scalar(t) && l->fewthis)
		return true;
	size = type_is_string(t) ? l->strsize : t->kind == DK_PTR ? 8 :
	    up8((uint32_t)t->size);
	if (l->thisoff[id->seq] == 0) {
		l->thisoff[id->seq] = l->scrfix;
		l->scrfix += size;
		if (type_is_scalar(t))
			ir_storei(l->g, low_scratch(l),
			    (int32_t)l->thisoff[id->seq], 8, 0);
	}
	return true;
}

/*
 * A few scalars are best in registers. More, that many clauses test, belong
 * in memory, about whose contents the verifier knows nothing: else it would go
 * through the program once for every combination of their values.
 */
void
low_thisroom(struct lower *l, const struct event *ev)
{
	unsigned n = 0;
	size_t k;

	for (k = 0; k < ev->nec; k++)
		(void)clause_walk(ev->ec[k].cl, count_this, &n);
	l->fewthis = n <= FEW_THIS || l->fn.error;
	for (k = 0; k < ev->nec; k++)
		(void)clause_walk(ev->ec[k].cl, this_room, l);
}

void
fn_enter(struct lower *l, struct fnctx *save)
{
	size_t n;
	int k;

	*save = l->fn;
	memset(&l->fn, 0, sizeof(l->fn));
	for (k = 0; k < CA_N; k++)
		l->fn.ca[k] = (struct cached){ .r = -1 };
	l->fn.exited = -1;
	l->fn.thisv = calloc(l->nthis + 1, sizeof(*l->fn.thisv));
	if (l->fn.thisv == NULL) {
		low_nomem(l);
		return;
	}
	for (n = 0; n < l->nthis; n++) {
		l->fn.thisv[n] = ir_new(l->g);
		ir_set(l->g, l->fn.thisv[n], 0);
	}
}

void
fn_leave(struct lower *l, const struct fnctx *save)
{
	free(l->fn.thisv);
	l->fn = *save;
}

static bool
has_exit(const struct node *n, void *arg)
{
	(void)arg;
	return n->kind != N_CALL || n->func == NULL || n->func->id != F_EXIT;
}

struct uses { unsigned bid; unsigned n; };

static bool
count_builtin(const struct node *n, void *arg)
{
	struct uses *u = arg;

	if (n->kind == N_VAR && n->id != NULL && n->id->kind == ID_BUILTIN &&
	    n->id->builtin->id == (enum bid)u->bid)
		u->n++;
	return true;
}

static unsigned
uses(const struct event *ev, enum bid bid)
{
	struct uses u = { .bid = bid };
	size_t k;

	for (k = 0; k < ev->nec; k++)
		(void)clause_walk(ev->ec[k].cl, count_builtin, &u);
	return u.n;
}

/* What takes or may write alloca()'s part of the scratch. */
static bool
no_alloca(const struct node *n, void *arg)
{
	(void)arg;
	if (n->kind == N_CALL && n->func != NULL)
		switch (n->func->id) {
		case F_ALLOCA:
		case F_BCOPY:
		case F_COPYIN:
		case F_COPYINTO:
		case F_COPYOUT:
		case F_COPYOUTSTR:
			return false;
		default:
			return true;
		}
	return true;
}

static bool
no_strtok(const struct node *n, void *arg)
{
	(void)arg;
	return n->kind != N_CALL || n->func == NULL ||
	    n->func->id != F_STRTOK;
}

/* strtok() goes on where it was, within one firing. */
static void
strtok_room(struct lower *l, const struct event *ev)
{
	size_t k;

	for (k = 0; k < ev->nec; k++)
		if (!clause_walk(ev->ec[k].cl, no_strtok, NULL))
			break;
	if (k == ev->nec)
		return;
	l->tokoff = l->scrfix;
	l->scrfix += 16 + l->strsize;
	ir_storei(l->g, low_scratch(l), (int32_t)l->tokoff, 8, -1);
}

static void
alloca_room(struct lower *l, const struct event *ev)
{
	int64_t n = opt_num(&l->t->opt, O_SCRATCHSIZE);
	size_t k;

	l->alllen = 0;
	for (k = 0; k < ev->nec; k++)
		if (!clause_walk(ev->ec[k].cl, no_alloca, NULL))
			break;
	if (k == ev->nec)
		return;
	n = n < 256 ? 256 : n > 1 << 20 ? 1 << 20 : n;
	l->alllen = up8((uint32_t)n);
	l->alloff = l->scrfix;
	/* room for an offset and a size, each as large as can be */
	l->scrfix += 2 * l->alllen;
	ir_storei(l->g, low_scratch(l), 16, 8, 0);
}

/* What several clauses want is found before the first. */
static void
prologue(struct lower *l, const struct event *ev)
{
	size_t k;

	alloca_room(l, ev);
	strtok_room(l, ev);

	if (uses(ev, B_TIMESTAMP) > 1) {
		l->fn.timeslot = ir_stack(l->g, 8, 8);
		ir_storei(l->g, ir_fp(l->g, l->fn.timeslot), 0, 8, 0);
	}
	if (uses(ev, B_WALLTIMESTAMP) > 1) {
		l->fn.wallslot = ir_stack(l->g, 8, 8);
		ir_storei(l->g, ir_fp(l->g, l->fn.wallslot), 0, 8, 0);
	}
	if (ev->nec > 1 && uses(ev, B_PID) + uses(ev, B_TID) > 1)
		(void)low_pidtgid(l);
	for (k = 0; k + 1 < ev->nec; k++)
		if (!clause_walk(ev->ec[k].cl, has_exit, NULL) &&
		    l->fn.exited < 0) {
			l->fn.exited = ir_new(l->g);
			ir_set(l->g, l->fn.exited, 0);
		}
}

/* Counts the clause's firing and reserves its record. */
static void
reserve(struct lower *l, vreg *size)
{
	struct gen *g = l->g;
	int32_t key = low_tmp8(l);
	label ok = ir_newlabel(g);
	vreg p, n;

	ir_storei(g, ir_fp(g, key), 0, 4, 0);
	p = ir_call(g, BPF_FUNC_map_lookup_elem, 2, ir_mapfd(g, MAP_FIRED),
	    ir_fp(g, key));
	ir_bri(g, CC_EQ, p, 0, ok);
	n = ir_load(g, p, (int32_t)l->cl->seq * 8, 8);
	ir_store(g, p, (int32_t)l->cl->seq * 8, 8, ir_alui(g, A_ADD, n, 1));
	ir_label(g, ok);
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

static void statements(struct lower *, const struct stmt *);

static void
conditional(struct lower *l, const struct stmt *s)
{
	struct gen *g = l->g;
	label other = ir_newlabel(g), end = ir_newlabel(g);
	uint32_t ran = l->ran;

	low_jump(l, s->expr, false, other);
	l->cond++;
	if (l->rec >= 0) {
		l->ran = l->recoff;
		l->recoff += 8;
	}
	statements(l, s->then);
	if (l->rec >= 0)
		ir_storei(g, l->rec, (int32_t)l->ran, 8, 1);
	if (s->other != NULL) {
		uint32_t ran1 = l->ran;

		if (l->rec >= 0)
			l->recoff += 8;
		ir_jmp(g, end);
		ir_label(g, other);
		if (l->rec >= 0) {
			ir_storei(g, l->rec, (int32_t)ran1, 8, 0);
			l->ran = l->recoff - 8;
		}
		statements(l, s->other);
		if (l->rec >= 0)
			ir_storei(g, l->rec, (int32_t)l->ran, 8, 1);
	} else {
		ir_jmp(g, end);
		ir_label(g, other);
		if (l->rec >= 0)
			ir_storei(g, l->rec, (int32_t)l->ran, 8, 0);
	}
	ir_label(g, end);
	l->cond--;
	l->ran = ran;
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
	label post = ir_newlabel(g), pre = ir_newlabel(g);
	vreg what = ir_new(g), val = ir_new(g);
	const struct faultsite *f;
	bool anypost = false;
	size_t k;

	ir_jmp(g, l->skip);
	for (k = 0; k < l->ndrop; k++) {
		ir_label(g, l->drop[k].lab);
		(void)ir_callsub(g, low_dropfn(l), 1,
		    ir_imm(g, l->drop[k].kind));
		ir_jmp(g, l->drop[k].back);
	}
	for (k = 0; k < l->nflt; k++) {
		f = &l->flt[k];
		ir_label(g, f->lab);
		anypost |= f->reserved;
		if (!l->fn.error) {
			ir_set(g, what, (int64_t)((uint64_t)f->kind |
			    (uint64_t)(f->action & 0xffff) << 8 |
			    (uint64_t)f->line << 32));
			if (f->val >= 0)
				ir_mov(g, val, f->val);
			else
				ir_set(g, val, 0);
		}
		ir_jmp(g, f->reserved ? post : pre);
	}
	if (l->nflt == 0)
		return;
	ir_label(g, post);
	if (anypost)
		(void)ir_call(g, BPF_FUNC_ringbuf_discard, 2, l->rec,
		    ir_imm(g, 0));
	ir_label(g, pre);
	if (!l->fn.error)
		(void)ir_callsub(g, low_errfn(l), 5, ir_ctx(g),
		    probe_index(l), ir_imm(g, l->cl->seq), what, val);
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
	if (clause_walk(l->cl, has_exit, NULL)) {
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

	if (rec) {
		reserve(l, &size);
		header(l);
	}
	if (rec && l->cl->speculates) {
		l->specdrop = ir_new(g);
		ir_set(g, l->specdrop, 0);
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
	if (l->specdrop >= 0) {
		label keep = ir_newlabel(g);

		ir_bri(g, CC_EQ, l->specdrop, 0, keep);
		(void)ir_call(g, BPF_FUNC_ringbuf_discard, 2, l->rec,
		    ir_imm(g, 0));
		ir_jmp(g, l->skip);
		ir_label(g, keep);
	}
	(void)ir_call(g, BPF_FUNC_ringbuf_submit, 2, l->rec, wakeup(l));
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
	l->rec = l->specdrop = -1;
	l->ran = 0;
	l->stmt = 0;
	l->nflt = l->ndrop = 0;
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
	uncache(l);
	if (l->fn.exited >= 0 &&
	    !clause_walk(l->cl, has_exit, NULL))
		ir_bri(g, CC_NE, l->fn.exited, 0, l->end);
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
	struct fnctx save;
	size_t k;

	l->ev = ev;
	l->end = ir_newlabel(g);
	l->cl = NULL;
	l->skip = l->end;
	l->rec = -1;
	l->escapes = l->cond = 0;
	ir_bri(g, CC_NE, ir_load(g, ir_mapval(g, MAP_STATE, 0), 0, 4),
	    wanted(ev), l->end);
	if (ev->pv->gen_enter != NULL && ev->pv->gen_enter(g, ev) < 0)
		(void)low_error(l, D_UNKNOWN, 0, "no code for event %s",
		    ev->name);
	fn_enter(l, &save);
	low_thisroom(l, ev);
	prologue(l, ev);
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
	if (l->bytask && l->scrmax > MAX_TASK_SCRATCH) {
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
