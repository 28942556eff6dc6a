/*
 * lower_enter.c - the start of an event's program: where its this-> variables
 * are, what several clauses share.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/lower_impl.h"

enum { FEW_THIS = 8 };		/* uses of this-> in all */

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

bool
low_noexit(const struct node *n, void *arg)
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
void
low_prologue(struct lower *l, const struct event *ev)
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
		if (!clause_walk(ev->ec[k].cl, low_noexit, NULL) &&
		    l->fn.exited < 0) {
			l->fn.exited = ir_new(l->g);
			ir_set(l->g, l->fn.exited, 0);
		}
}
