/*
 * lower_rec.c - actions that record: their data in the record and the
 * description of it.
 */
#include <string.h>

#include "trace/lower_impl.h"

/* Of what records as a statement, stack() and the like may also be a key. */
static bool
stmt_records(const struct stmt *s)
{
	const struct funcdesc *f;

	for (; s != NULL; s = s->next) {
		if (s->isif) {
			if (stmt_records(s->then) || stmt_records(s->other))
				return true;
			continue;
		}
		f = s->expr->kind == N_CALL ? s->expr->func : NULL;
		if (f != NULL && ((f->flags & FF_RECORD) != 0 ||
		    f->id == F_COMMIT || f->id == F_DISCARD ||
		    f->id == F_SPECULATE))
			return true;
	}
	return false;
}

/* Does the clause emit a record? An empty one records its firing. */
bool
clause_records(const struct clause *cl)
{
	return cl->body == NULL || stmt_records(cl->body);
}

/* The next action of the clause. The layout is made for the first event that
 * the clause serves; the others' programs agree with it. */
struct action *
low_newaction(struct lower *l, enum act act, size_t ndatum)
{
	struct reclayout *lay = l->lay;
	struct action *a;
	label no = ir_newlabel(l->g);
	size_t n;

	/* a record without any action that ran is not wanted */
	if (l->rec >= 0 && l->narm > 0) {
		ir_bri(l->g, CC_NE, l->unwanted, 1, no);
		ir_set(l->g, l->unwanted, 0);
		ir_label(l->g, no);
	}
	if (l->relayout && l->nact < lay->naction)
		return &lay->action[l->nact++];
	if ((l->nact & (l->nact - 1)) == 0) {
		n = l->nact ? 2 * l->nact : 1;
		a = arena_calloc(l->ar, n, sizeof(*a));
		if (a == NULL) {
			low_nomem(l);
			return NULL;
		}
		if (l->nact > 0)
			memcpy(a, lay->action, l->nact * sizeof(*a));
		lay->action = a;
	}
	a = &lay->action[l->nact++];
	lay->naction = l->nact;
	a->act = act;
	a->line = l->line;
	a->ran_off = l->ran;
	a->datum = arena_calloc(l->ar, ndatum + 1, sizeof(*a->datum));
	if (a->datum == NULL) {
		low_nomem(l);
		return NULL;
	}
	return a;
}

/* Room in the record, aligned to 8. */
uint32_t
low_room(struct lower *l, uint32_t size)
{
	uint32_t off = l->recoff;

	l->recoff += up8(size);
	if (l->recoff > 1U << 20 && !l->failed)
		(void)low_error(l, D_UNKNOWN, l->line,
		    "the clause's record is larger than 1 MB");
	return off;
}

/* Records a value; the datum's offset is where it went. */
struct datum
low_datum(struct lower *l, const struct node *n)
{
	const struct dtype *t = type_base(n->type);
	struct datum d = { .type = n->type, .what = ACT_TRACE };
	struct gen *g = l->g;
	uint32_t cap;

	if (t->kind == DK_DYN) {
		dyn_shape(l, n, &d);
		d.off = low_room(l, d.size);
		dyn_into(l, n, &d, l->rec, (int32_t)d.off);
	} else if (type_is_string(t) && node_internable(n)) {
		d.what = ACT_STRID;
		d.size = 4;
		d.off = low_room(l, 4);
		ir_store(g, l->rec, (int32_t)d.off, 4, low_strid(l, n));
	} else if (type_is_string(t)) {
		cap = n->maxlen > 0 && n->maxlen < l->strmax ? n->maxlen :
		    l->strmax;
		d.size = up8(cap);
		d.off = low_room(l, d.size);
		low_strinto(l, n, l->rec, (int32_t)d.off, cap);
	} else if (type_is_scalar(t) ||
	    (t->kind == DK_FLOAT && t->size <= 8)) {
		d.size = t->kind == DK_PTR ? 8 : (uint32_t)t->size;
		d.off = low_room(l, d.size);
		ir_store(g, l->rec, (int32_t)d.off, d.size, low_int(l, n));
	} else {
		d.size = (uint32_t)t->size;
		d.off = low_room(l, d.size);
		if (d.size > 0)
			low_copyin(l, l->rec, (int32_t)d.off, d.size,
			    low_int(l, n), false);
	}
	return d;
}

/* All arguments, aggregations apart. */
static void
arguments(struct lower *l, struct action *a, const struct node *list)
{
	const struct node *n;
	struct datum d;
	size_t k = 0, nagg = 0;

	for (n = list; n != NULL; n = n->next)
		nagg += n->kind == N_AGG;
	if (nagg > 0 && a->agg == NULL) {
		a->agg = arena_calloc(l->ar, nagg, sizeof(*a->agg));
		if (a->agg == NULL) {
			low_nomem(l);
			return;
		}
	}
	for (n = list; n != NULL; n = n->next) {
		if (n->kind == N_AGG) {
			if (a->nagg < nagg)
				a->agg[a->nagg++] = var_of(l, n->id)->agg;
			continue;
		}
		d = low_datum(l, n);
		a->datum[k++] = d;
		a->ndatum = k;
	}
}

/* tracemem(addr, size, [len]): the memory's bytes, then len. */
static void
tracemem(struct lower *l, struct action *a, const struct node *list)
{
	const struct node *len = list->next;
	struct datum d = { .type = NULL, .what = ACT_TRACEMEM };

	if (len == NULL || len->kind != N_INT || len->ival <= 0 ||
	    len->ival > 1 << 16) {
		(void)low_error(l, D_TRACEMEM_SIZE, l->line, "tracemem() takes "
		    "a constant size from 1 to 65536");
		return;
	}
	d.type = type_array(l->u->types, type_int(l->u->types, 1, false),
	    (uint64_t)len->ival);
	d.size = (uint32_t)len->ival;
	d.off = low_room(l, d.size);
	low_copyin(l, l->rec, (int32_t)d.off, d.size, low_int(l, list), false);
	a->datum[0] = d;
	a->ndatum = 1;
	if (len->next != NULL) {
		a->datum[1] = low_datum(l, len->next);
		a->ndatum = 2;
	}
}

/* setopt() may raise printsize later: all is recorded, within reason. */
enum { PRINT_MOST = 64 * 1024 };

/* print(p): the pointer and what it points to; print(v): the value. */
static void
print(struct lower *l, struct action *a, const struct node *n)
{
	const struct dtype *t = type_base(n->type), *to;
	uint64_t most = PRINT_MOST;
	struct datum d = { .what = ACT_TRACE };
	vreg p;

	if (t->kind != DK_PTR || type_base(t->ref)->size == 0) {
		a->datum[0] = low_datum(l, n);
		a->ndatum = 1;
		return;
	}
	to = type_base(t->ref);
	p = low_int(l, n);
	d.type = n->type;
	d.size = 8;
	d.off = low_room(l, 8);
	ir_store(l->g, l->rec, (int32_t)d.off, 8, p);
	a->datum[0] = d;
	d.type = t->ref;
	d.size = (uint32_t)(to->size < most ? to->size : most);
	d.off = low_room(l, d.size);
	low_copyin(l, l->rec, (int32_t)d.off, d.size, p, t->user);
	a->datum[1] = d;
	a->ndatum = 2;
}

/* exit(): no more firings but END's. */
static void
exiting(struct lower *l, struct action *a, const struct node *n)
{
	struct gen *g = l->g;
	vreg st = ir_mapval(g, MAP_STATE, 0), v;
	struct datum d = { .type = n->type, .what = ACT_TRACE, .size = 4 };
	label end = ir_newlabel(g);

	v = low_int(l, n);
	d.off = low_room(l, 4);
	ir_store(g, l->rec, (int32_t)d.off, 4, v);
	a->datum[0] = d;
	a->ndatum = 1;
	ir_store(g, st, offsetof(struct state, exit_status), 4, v);
	ir_storei(g, st, offsetof(struct state, exiting), 4, 1);
	if (l->fn.exited >= 0)
		ir_set(g, l->fn.exited, 1);
	ir_bri(g, CC_EQ, ir_load(g, st, offsetof(struct state, activity), 4),
	    AC_END, end);
	ir_storei(g, st, offsetof(struct state, activity), 4, AC_DRAINING);
	ir_label(g, end);
}

static size_t
length(const struct node *n)
{
	size_t k = 0;

	for (; n != NULL; n = n->next)
		k++;
	return k;
}

static const enum act table[F_N] = {
	[F_TRACE] = ACT_TRACE, [F_PRINTF] = ACT_PRINTF,
	[F_PRINTA] = ACT_PRINTA, [F_PRINT] = ACT_PRINT,
	[F_TRACEMEM] = ACT_TRACEMEM, [F_STACK] = ACT_STACK,
	[F_USTACK] = ACT_USTACK, [F_JSTACK] = ACT_USTACK,
	[F_SYM] = ACT_SYM, [F_FUNC] = ACT_SYM, [F_MOD] = ACT_MOD,
	[F_USYM] = ACT_USYM, [F_UFUNC] = ACT_USYM, [F_UMOD] = ACT_UMOD,
	[F_UADDR] = ACT_UADDR, [F_EXIT] = ACT_EXIT, [F_CLEAR] = ACT_CLEAR,
	[F_TRUNC] = ACT_TRUNC, [F_NORMALIZE] = ACT_NORMALIZE,
	[F_DENORMALIZE] = ACT_DENORMALIZE, [F_SETOPT] = ACT_SETOPT,
	[F_FREOPEN] = ACT_FREOPEN, [F_FTRUNCATE] = ACT_FTRUNCATE,
	[F_SYSTEM] = ACT_SYSTEM,
};

static void
recorded(struct lower *l, const struct node *n)
{
	const struct node *list = n->list;
	struct action *a;

	a = low_newaction(l, table[n->func->id], length(list));
	if (a == NULL)
		return;
	a->ndatum = a->nagg = 0;
	a->fmt = n->fmt;
	if (n->fmt != NULL && list != NULL && list->kind == N_STR)
		list = list->next;
	switch (n->func->id) {
	case F_STACK:
	case F_USTACK:
	case F_JSTACK:
	case F_SYM:
	case F_FUNC:
	case F_MOD:
	case F_USYM:
	case F_UFUNC:
	case F_UMOD:
	case F_UADDR:
		a->datum[0] = low_datum(l, n);
		a->ndatum = 1;
		break;
	case F_TRACE:
		if (type_base(list->type)->kind == DK_DYN) {
			a->datum[0] = low_datum(l, list);
			a->act = a->datum[0].what;
			a->ndatum = 1;
			break;
		}
		arguments(l, a, list);
		break;
	case F_TRACEMEM:
		tracemem(l, a, list);
		break;
	case F_PRINT:
		print(l, a, list);
		break;
	case F_EXIT:
		exiting(l, a, list);
		break;
	default:
		arguments(l, a, list);
		break;
	}
}

void
low_action(struct lower *l, const struct node *n)
{
	if ((n->func->flags & FF_DESTRUCTIVE) != 0)
		l->p->destructive = true;
	switch (n->func->id) {
	case F_SPECULATE:
	case F_COMMIT:
	case F_DISCARD:
		low_speculative(l, n);
		break;
	case F_RAISE:
	case F_STOP:
	case F_COPYOUT:
	case F_COPYOUTSTR:
		low_destructive(l, n);
		break;
	default:
		if ((n->func->flags & FF_RECORD) == 0 || l->rec < 0) {
			(void)low_error(l, D_UNSUP, n->line,
			    "%s() cannot be had on this system",
			    n->func->name);
			break;
		}
		recorded(l, n);
		break;
	}
}
