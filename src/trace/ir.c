/*
 * ir.c - building the intermediate representation.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/msg.h"
#include "trace/irint.h"

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

static struct ir *
append(struct gen *g, enum irop op)
{
	struct irfunc *f = &g->fn[g->cur];
	struct ir *i;
	size_t cap;

	if (f->n == f->cap) {
		cap = f->cap ? 2 * f->cap : 256;
		i = realloc(f->ins, cap * sizeof(*i));
		if (i == NULL) {
			/* go on in the same place: the error sticks */
			g->nomem = true;
			if (f->n == 0)
				return NULL;
			f->n--;
		} else {
			f->ins = i;
			f->cap = cap;
		}
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
static struct ir *
appendto(struct gen *g, enum irop op, vreg dst)
{
	struct ir *i;

	if (dst < 0)
		dst = ir_new(g);
	i = append(g, op);
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
		i = appendto(g, IR_ARG, -1);
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

void
ir_mov(struct gen *g, vreg dst, vreg a)
{
	struct ir *i = appendto(g, IR_MOV, dst);

	if (i != NULL)
		i->a = a;
}

void
ir_set(struct gen *g, vreg dst, int64_t imm)
{
	struct ir *i = appendto(g, IR_IMM, dst);

	if (i != NULL)
		i->imm = imm;
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

size_t
ir_count(const struct gen *g)
{
	return g->fn[g->cur].n;
}

vreg
ir_imm(struct gen *g, int64_t imm)
{
	vreg d = ir_new(g);

	ir_set(g, d, imm);
	return d;
}

void
ir_aluto(struct gen *g, vreg dst, enum alu op, vreg a, vreg b)
{
	struct ir *i = appendto(g, IR_ALU, dst);

	if (i == NULL)
		return;
	i->sub = op;
	i->a = a;
	i->b = b;
}

vreg
ir_alu(struct gen *g, enum alu op, vreg a, vreg b)
{
	vreg d = ir_new(g);

	ir_aluto(g, d, op, a, b);
	return d;
}

void
ir_aluito(struct gen *g, vreg dst, enum alu op, vreg a, int64_t imm)
{
	struct ir *i;

	if (imm != (int32_t)imm) {
		ir_aluto(g, dst, op, a, ir_imm(g, imm));
		return;
	}
	i = appendto(g, IR_ALUI, dst);
	if (i == NULL)
		return;
	i->sub = op;
	i->a = a;
	i->imm = imm;
}

vreg
ir_alui(struct gen *g, enum alu op, vreg a, int64_t imm)
{
	vreg d = ir_new(g);

	ir_aluito(g, d, op, a, imm);
	return d;
}

static vreg
unary(struct gen *g, enum irop op, vreg a, unsigned size, bool sign)
{
	vreg d = ir_new(g);
	struct ir *i = appendto(g, op, d);

	if (i != NULL) {
		i->a = a;
		i->size = size;
		i->sign = sign;
	}
	return d;
}

vreg
ir_neg(struct gen *g, vreg a)
{
	return unary(g, IR_NEG, a, 8, true);
}

vreg
ir_ext(struct gen *g, vreg a, unsigned size, bool sign)
{
	if (size >= 8)
		return a;
	return unary(g, IR_EXT, a, size, sign);
}

vreg
ir_bswap(struct gen *g, vreg a, unsigned size)
{
	return unary(g, IR_BSWAP, a, size, false);
}

void
ir_loadto(struct gen *g, vreg dst, vreg base, int32_t off, unsigned size)
{
	struct ir *i = appendto(g, IR_LOAD, dst);

	if (i == NULL)
		return;
	i->a = base;
	i->off = off;
	i->size = size;
}

vreg
ir_load(struct gen *g, vreg base, int32_t off, unsigned size)
{
	vreg d = ir_new(g);

	ir_loadto(g, d, base, off, size);
	return d;
}

static struct ir *
store(struct gen *g, enum irop op, vreg base, int32_t off, unsigned size)
{
	struct ir *i = append(g, op);

	if (i != NULL) {
		i->a = base;
		i->off = off;
		i->size = size;
	}
	return i;
}

void
ir_store(struct gen *g, vreg base, int32_t off, unsigned size, vreg v)
{
	struct ir *i = store(g, IR_STORE, base, off, size);

	if (i != NULL)
		i->b = v;
}

void
ir_storei(struct gen *g, vreg base, int32_t off, unsigned size, int32_t v)
{
	struct ir *i = store(g, IR_STOREI, base, off, size);

	if (i != NULL)
		i->imm = v;
}

void
ir_atomic_add(struct gen *g, vreg base, int32_t off, unsigned size, vreg v)
{
	struct ir *i = store(g, IR_ATOMIC, base, off, size);

	if (i != NULL)
		i->b = v;
}

vreg
ir_cmpxchg(struct gen *g, vreg base, int32_t off, unsigned size,
    int32_t expected, vreg v)
{
	vreg d = ir_new(g);
	struct ir *i = store(g, IR_CMPXCHG, base, off, size);

	if (i != NULL) {
		i->dst = d;
		i->imm = expected;
		i->b = v;
	}
	return d;
}

label
ir_newlabel(struct gen *g)
{
	return g->fn[g->cur].nlabel++;
}

static struct ir *
jump(struct gen *g, enum irop op, label l)
{
	struct ir *i = append(g, op);

	if (i != NULL)
		i->lab = l;
	return i;
}

void
ir_label(struct gen *g, label l)
{
	(void)jump(g, IR_LABEL, l);
}

void
ir_jmp(struct gen *g, label l)
{
	(void)jump(g, IR_JMP, l);
}

void
ir_br(struct gen *g, enum cc cc, vreg a, vreg b, label l)
{
	struct ir *i = jump(g, IR_BR, l);

	if (i == NULL)
		return;
	i->sub = cc;
	i->a = a;
	i->b = b;
}

void
ir_bri(struct gen *g, enum cc cc, vreg a, int64_t imm, label l)
{
	struct ir *i;

	if (imm != (int32_t)imm) {
		ir_br(g, cc, a, ir_imm(g, imm), l);
		return;
	}
	i = jump(g, IR_BRI, l);
	if (i == NULL)
		return;
	i->sub = cc;
	i->a = a;
	i->imm = imm;
}

static vreg
call(struct gen *g, enum irop op, int what, unsigned narg, va_list ap)
{
	vreg d = ir_new(g);
	struct ir *i = appendto(g, op, d);
	unsigned n;

	if (i == NULL)
		return d;
	i->imm = what;
	i->narg = narg;
	for (n = 0; n < narg && n < IR_MAXARG; n++)
		i->arg[n] = va_arg(ap, vreg);
	return d;
}

vreg
ir_call(struct gen *g, int helper, unsigned narg, ...)
{
	va_list ap;
	vreg d;

	va_start(ap, narg);
	d = call(g, IR_CALL, helper, narg, ap);
	va_end(ap);
	return d;
}

vreg
ir_callsub(struct gen *g, int func, unsigned narg, ...)
{
	va_list ap;
	vreg d;

	va_start(ap, narg);
	d = call(g, IR_CALLSUB, func, narg, ap);
	va_end(ap);
	return d;
}

static vreg
value(struct gen *g, enum irop op, int64_t imm, int32_t off)
{
	vreg d = ir_new(g);
	struct ir *i = appendto(g, op, d);

	if (i != NULL) {
		i->imm = imm;
		i->off = off;
	}
	return d;
}

vreg
ir_funcaddr(struct gen *g, int func)
{
	return value(g, IR_FUNC, func, 0);
}

vreg
ir_mapfd(struct gen *g, int map)
{
	return value(g, IR_MAPFD, map, 0);
}

vreg
ir_mapval(struct gen *g, int map, uint32_t off)
{
	return value(g, IR_MAPVAL, map, (int32_t)off);
}

vreg
ir_fp(struct gen *g, int32_t off)
{
	return value(g, IR_FP, 0, off);
}

void
ir_exitv(struct gen *g, vreg v)
{
	struct ir *i = append(g, IR_EXIT);

	if (i != NULL)
		i->a = v;
}

void
ir_exit(struct gen *g, int64_t rv)
{
	ir_exitv(g, ir_imm(g, rv));
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

int
ir_nuse(const struct ir *i)
{
	switch (i->op) {
	case IR_CALL:
	case IR_CALLSUB:
		return i->narg;
	default:
		return (i->a >= 0) + (i->b >= 0);
	}
}

vreg *
ir_use(struct ir *i, int n)
{
	if (i->op == IR_CALL || i->op == IR_CALLSUB)
		return &i->arg[n];
	return n == 0 && i->a >= 0 ? &i->a : &i->b;
}

bool
ir_pure(const struct ir *i)
{
	switch (i->op) {
	case IR_MOV:
	case IR_IMM:
	case IR_ALU:
	case IR_ALUI:
	case IR_NEG:
	case IR_EXT:
	case IR_BSWAP:
	case IR_LOAD:
	case IR_MAPFD:
	case IR_MAPVAL:
	case IR_FUNC:
	case IR_FP:
	case IR_ARG:
		return true;
	default:
		return false;
	}
}
