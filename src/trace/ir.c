/*
 * ir.c - the operations of the intermediate representation: a builder for
 * each, what they read.
 */
#include <stdarg.h>

#include "trace/ir_impl.h"

void
ir_mov(struct gen *g, vreg dst, vreg a)
{
	struct ir *i = ir_appendto(g, IR_MOV, dst);

	if (i != NULL)
		i->a = a;
}

void
ir_set(struct gen *g, vreg dst, int64_t imm)
{
	struct ir *i = ir_appendto(g, IR_IMM, dst);

	if (i != NULL)
		i->imm = imm;
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
	struct ir *i = ir_appendto(g, IR_ALU, dst);

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
	i = ir_appendto(g, IR_ALUI, dst);
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
	struct ir *i = ir_appendto(g, op, d);

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
	struct ir *i = ir_appendto(g, IR_LOAD, dst);

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
	struct ir *i = ir_append(g, op);

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

static struct ir *
jump(struct gen *g, enum irop op, label l)
{
	struct ir *i = ir_append(g, op);

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
	struct ir *i = ir_appendto(g, op, d);
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
	struct ir *i = ir_appendto(g, op, d);

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
	struct ir *i = ir_append(g, IR_EXIT);

	if (i != NULL)
		i->a = v;
}

void
ir_exit(struct gen *g, int64_t rv)
{
	ir_exitv(g, ir_imm(g, rv));
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
