/*
 * irgen.c - a program under construction: its functions, the instructions
 * they hold, their stack.
 */
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/msg.h"
#include "trace/ir_impl.h"

static struct irfunc *
func_add(struct gen *g, const char *name, unsigned narg)
{
	struct irfunc *f;

	f = realloc(g->fn, (g->nfn + 1) * sizeof(*f));
	if (f == NULL) {
		g->nomem = true;
		return NULL;
	}
	g->fn = f;
	f += g->nfn++;
	memset(f, 0, sizeof(*f));
	snprintf(f->name, sizeof(f->name), "%s", name);
	f->narg = narg;
	return f;
}

struct ir *
ir_append(struct gen *g, enum irop op)
{
	struct irfunc *f = &g->fn[g->cur];
	struct ir *i;

	if (ARRAY_ROOM(f->ins, f->n, f->cap) == -1) {
		/* go on in the same place: the error sticks */
		g->nomem = true;
		if (f->n == 0)
			return NULL;
		f->n--;
	}
	i = &f->ins[f->n++];
	memset(i, 0, sizeof(*i));
	i->op = op;
	i->dst = i->a = i->b = -1;
	i->lab = -1;
	i->clause = g->clause;
	i->line = g->line;
	return i;
}

/* Appends an instruction with a destination; dst < 0: a fresh one. */
struct ir *
ir_appendto(struct gen *g, enum irop op, vreg dst)
{
	struct ir *i;

	if (dst < 0)
		dst = ir_new(g);
	i = ir_append(g, op);
	if (i != NULL)
		i->dst = dst;
	return i;
}

static void
addargs(struct gen *g, unsigned narg)
{
	struct ir *i;
	unsigned n;

	for (n = 0; n < narg; n++) {
		i = ir_appendto(g, IR_ARG, -1);
		if (i != NULL)
			i->imm = n;
	}
}

struct gen *
gen_new(void)
{
	struct gen *g;

	g = calloc(1, sizeof(*g));
	if (g == NULL)
		return NULL;
	g->clause = -1;
	if (func_add(g, "main", 1) == NULL) {
		free(g);
		return NULL;
	}
	addargs(g, 1);
	return g;
}

void
gen_free(struct gen *g)
{
	int n;

	if (g == NULL)
		return;
	for (n = 0; n < g->nfn; n++) {
		free(g->fn[n].ins);
		free(g->fn[n].loc);
		free(g->fn[n].use);
	}
	free(g->fn);
	free(g);
}

void
gen_setuser(struct gen *g, void *user)
{
	g->user = user;
}

void *
gen_user(struct gen *g)
{
	return g->user;
}

int
ir_func(struct gen *g, const char *name, unsigned narg)
{
	if (g->nprev == (int)(sizeof(g->prev) / sizeof(*g->prev))) {
		g->toodeep = true;
		return 0;
	}
	g->prev[g->nprev++] = g->cur;
	if (func_add(g, name, narg) == NULL)
		return 0;
	g->cur = g->nfn - 1;
	addargs(g, narg);
	return g->cur;
}

void
ir_endfunc(struct gen *g)
{
	g->last = g->cur;
	if (g->nprev > 0)
		g->cur = g->prev[--g->nprev];
}

int
ir_lastfunc(const struct gen *g)
{
	return g->last;
}

vreg
ir_arg(struct gen *g, unsigned n)
{
	/* the arguments are the first registers of every function */
	(void)g;
	return (vreg)n;
}

vreg
ir_ctx(struct gen *g)
{
	return ir_arg(g, 0);
}

vreg
ir_new(struct gen *g)
{
	return g->fn[g->cur].nvreg++;
}

label
ir_newlabel(struct gen *g)
{
	return g->fn[g->cur].nlabel++;
}

int32_t
ir_stack(struct gen *g, unsigned size, unsigned align)
{
	struct irfunc *f = &g->fn[g->cur];

	f->stack -= (int32_t)size;
	f->stack &= -(int32_t)align;
	return f->stack;
}

void
ir_line(struct gen *g, int clause, int line)
{
	g->clause = clause;
	g->line = line;
}

size_t
ir_count(const struct gen *g)
{
	return g->fn[g->cur].n;
}

void
ir_patch(struct gen *g, vreg v, int64_t imm)
{
	struct irfunc *f = &g->fn[g->cur];
	size_t k;

	for (k = f->n; k-- > 0;)
		if (f->ins[k].op == IR_IMM && f->ins[k].dst == v) {
			f->ins[k].imm = imm;
			break;
		}
}

bool
ir_isconst(const struct gen *g, vreg v, int64_t imm)
{
	const struct irfunc *f = &g->fn[g->cur];
	const struct ir *d = NULL;
	size_t k;

	/* copies and casts of constants count, one step back */
	for (k = f->n; k-- > 0;) {
		if (f->ins[k].dst != v)
			continue;
		if (d != NULL)
			return false;
		d = &f->ins[k];
	}
	if (d != NULL && (d->op == IR_MOV || d->op == IR_EXT) && d->a != v)
		return ir_isconst(g, d->a, imm);
	return d != NULL && d->op == IR_IMM && d->imm == imm;
}
