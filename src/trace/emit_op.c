/*
 * emit_op.c - the BPF instructions of one IR operation, its operands in
 * registers, on the stack or made anew.
 *
 * r0 and r5 hold operands and results that live on the stack; a call's
 * arguments are moved in parallel. Encodings: the kernel's
 * Documentation/bpf/standardization/instruction-set.rst.
 */
#include <linux/bpf.h>

#include "trace/emit_impl.h"

static void
imm64(struct emit *e, int dst, int src, int32_t lo, int32_t hi)
{
	emit_put(e, BPF_LD | BPF_IMM | BPF_DW, dst, src, 0, lo);
	emit_put(e, 0, 0, 0, 0, hi);
}

static void
movreg(struct emit *e, int dst, int src)
{
	if (dst != src)
		emit_put(e, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static void
movimm(struct emit *e, int dst, int64_t v)
{
	if (v == (int32_t)v)
		emit_put(e, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, (int32_t)v);
	else if (v == (int64_t)(uint32_t)v)
		emit_put(e, BPF_ALU | BPF_MOV | BPF_K, dst, 0, 0,
		    (int32_t)(uint32_t)v);
	else
		imm64(e, dst, 0, (int32_t)(uint32_t)v,
		    (int32_t)(uint32_t)((uint64_t)v >> 32));
}

static void
relocate(struct emit *e, int map, bool value, uint32_t off)
{
	struct bpfprog *o = e->out;

	if (!EMIT_ROOM(e, o->rel, o->nrel, e->relcap))
		return;
	o->rel[o->nrel++] = (struct bpfrel){ .insn = (uint32_t)o->ninsn,
	    .map = map, .value = value, .off = off };
}

/* A constant or address into dst. */
static void
constant(struct emit *e, const struct ir *i, int dst)
{
	switch (i->op) {
	case IR_IMM:
		movimm(e, dst, i->imm);
		break;
	case IR_FP:
		movreg(e, dst, RFP);
		if (i->off != 0)
			emit_put(e, BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, i->off);
		break;
	case IR_MAPFD:
		relocate(e, (int)i->imm, false, 0);
		imm64(e, dst, BPF_PSEUDO_MAP_FD, 0, 0);
		break;
	case IR_MAPVAL:
		relocate(e, (int)i->imm, true, (uint32_t)i->off);
		imm64(e, dst, BPF_PSEUDO_MAP_VALUE, 0, i->off);
		break;
	case IR_FUNC:
		emit_subref(e, (int)i->imm);
		imm64(e, dst, BPF_PSEUDO_FUNC, 0, 0);
		break;
	default:
		break;
	}
}

static void
loadto(struct emit *e, int dst, vreg v)
{
	const struct loc *l = &e->f->loc[v];

	switch (l->kind) {
	case LOC_REG:
		movreg(e, dst, l->reg);
		break;
	case LOC_SPILL:
		emit_put(e, BPF_LDX | BPF_MEM | BPF_DW, dst, RFP, l->off, 0);
		break;
	case LOC_REMAT:
		constant(e, &e->f->ins[l->def], dst);
		break;
	case LOC_NONE:
		break;
	}
}

/* The register v is in, moved into tmp if it is in none. */
static int
reg(struct emit *e, vreg v, int tmp)
{
	if (e->f->loc[v].kind == LOC_REG)
		return e->f->loc[v].reg;
	loadto(e, tmp, v);
	return tmp;
}

/* Where to compute v: its register, or T0 to be saved by done(). */
static int
target(struct emit *e, vreg v)
{
	return e->f->loc[v].kind == LOC_REG ? e->f->loc[v].reg : T0;
}

static void
done(struct emit *e, vreg v, int r)
{
	const struct loc *l = &e->f->loc[v];

	if (l->kind == LOC_REG)
		movreg(e, l->reg, r);
	else if (l->kind == LOC_SPILL)
		emit_put(e, BPF_STX | BPF_MEM | BPF_DW, RFP, r, l->off, 0);
}

static const uint8_t alucode[] = {
	[A_ADD] = BPF_ADD, [A_SUB] = BPF_SUB, [A_MUL] = BPF_MUL,
	[A_UDIV] = BPF_DIV, [A_UMOD] = BPF_MOD, [A_AND] = BPF_AND,
	[A_OR] = BPF_OR, [A_XOR] = BPF_XOR, [A_SHL] = BPF_LSH,
	[A_SHR] = BPF_RSH, [A_SAR] = BPF_ARSH,
};

static const uint8_t cccode[] = {
	[CC_EQ] = BPF_JEQ, [CC_NE] = BPF_JNE, [CC_ULT] = BPF_JLT,
	[CC_ULE] = BPF_JLE, [CC_UGT] = BPF_JGT, [CC_UGE] = BPF_JGE,
	[CC_SLT] = BPF_JSLT, [CC_SLE] = BPF_JSLE, [CC_SGT] = BPF_JSGT,
	[CC_SGE] = BPF_JSGE, [CC_SET] = BPF_JSET,
};

static uint8_t
sizecode(unsigned size)
{
	switch (size) {
	case 1: return BPF_B;
	case 2: return BPF_H;
	case 4: return BPF_W;
	default: return BPF_DW;
	}
}

static bool
commutes(enum alu a)
{
	return a == A_ADD || a == A_MUL || a == A_AND || a == A_OR ||
	    a == A_XOR;
}

static void
emit_alu(struct emit *e, const struct ir *i)
{
	int d = target(e, i->dst), b;
	const struct loc *la = &e->f->loc[i->a];
	uint8_t code = BPF_ALU64 | alucode[i->sub];

	b = reg(e, i->b, T1);
	if (b == d && la->kind == LOC_REG && la->reg == d) {
		emit_put(e, code | BPF_X, d, d, 0, 0);	/* x op x */
	} else if (b == d && commutes(i->sub)) {
		emit_put(e, code | BPF_X, d, reg(e, i->a, T0), 0, 0);
	} else if (b == d) {
		loadto(e, T0, i->a);
		emit_put(e, code | BPF_X, T0, b, 0, 0);
		d = T0;
	} else {
		loadto(e, d, i->a);
		emit_put(e, code | BPF_X, d, b, 0, 0);
	}
	done(e, i->dst, d);
}

static void
emit_ext(struct emit *e, const struct ir *i)
{
	int d = target(e, i->dst), sh = 64 - 8 * (int)i->size;

	if (i->size == 4 && !i->sign) {
		emit_put(e, BPF_ALU | BPF_MOV | BPF_X, d, reg(e, i->a, T0), 0, 0);
	} else if (!i->sign && i->size < 4) {
		loadto(e, d, i->a);
		emit_put(e, BPF_ALU64 | BPF_AND | BPF_K, d, 0, 0,
		    i->size == 1 ? 0xff : 0xffff);
	} else {
		loadto(e, d, i->a);
		if (sh != 0) {
			emit_put(e, BPF_ALU64 | BPF_LSH | BPF_K, d, 0, 0, sh);
			emit_put(e, BPF_ALU64 | (i->sign ? BPF_ARSH : BPF_RSH) |
			    BPF_K, d, 0, 0, sh);
		}
	}
	done(e, i->dst, d);
}

/* Base register and offset of a memory access; the stack goes by r10. */
static int
base(struct emit *e, const struct ir *i, int *off)
{
	const struct loc *l = &e->f->loc[i->a];
	const struct ir *d;
	int r;

	*off = i->off;
	if (l->kind == LOC_REMAT) {
		d = &e->f->ins[l->def];
		if (d->op == IR_FP) {
			*off += d->off;
			return RFP;
		}
	}
	r = reg(e, i->a, T1);
	if (*off != (int16_t)*off) {
		movreg(e, T1, r);
		emit_put(e, BPF_ALU64 | BPF_ADD | BPF_K, T1, 0, 0, *off);
		*off = 0;
		r = T1;
	}
	return r;
}

/* r0 is what is expected, then what was there. One operand may need T1, the
 * only other temporary: the stack's address is r10's. */
static void
emit_cmpxchg(struct emit *e, const struct ir *i, int b, int off)
{
	int v = T1;

	if (b == T1) {
		/* the base is in T1: the value by way of r0 is not possible */
		if (e->f->loc[i->b].kind != LOC_REG)
			e->pressed = true;
		else
			v = e->f->loc[i->b].reg;
	} else {
		v = reg(e, i->b, T1);
	}
	emit_put(e, BPF_ALU64 | BPF_MOV | BPF_K, T0, 0, 0, (int32_t)i->imm);
	emit_put(e, BPF_STX | BPF_ATOMIC | sizecode(i->size), b, v, off,
	    BPF_CMPXCHG);
	done(e, i->dst, T0);
}

static void
emit_mem(struct emit *e, const struct ir *i)
{
	int off, b = base(e, i, &off), d;
	uint8_t sz = sizecode(i->size);

	switch (i->op) {
	case IR_LOAD:
		d = target(e, i->dst);
		emit_put(e, BPF_LDX | BPF_MEM | sz, d, b, off, 0);
		done(e, i->dst, d);
		break;
	case IR_STOREI:
		emit_put(e, BPF_ST | BPF_MEM | sz, b, 0, off, (int32_t)i->imm);
		break;
	case IR_STORE:
		emit_put(e, BPF_STX | BPF_MEM | sz, b, reg(e, i->b, T0), off, 0);
		break;
	case IR_CMPXCHG:
		emit_cmpxchg(e, i, b, off);
		break;
	default:
		emit_put(e, BPF_STX | BPF_ATOMIC | sz, b, reg(e, i->b, T0), off,
		    BPF_ADD);
		break;
	}
}

void
emit_moves(struct emit *e, const vreg *v, const int *dst, unsigned n)
{
	int src[IR_MAXARG];
	unsigned k, j, left = 0, before;
	bool busy;

	for (k = 0; k < n; k++) {
		src[k] = e->f->loc[v[k]].kind == LOC_REG ?
		    e->f->loc[v[k]].reg : -1;
		if (src[k] == dst[k])
			src[k] = -2;
		else if (src[k] >= 0)
			left++;
	}
	while (left > 0) {
		before = left;
		for (k = 0; k < n; k++) {
			if (src[k] < 0)
				continue;
			busy = false;
			for (j = 0; j < n; j++)
				if (j != k && src[j] == dst[k])
					busy = true;
			if (busy)
				continue;
			movreg(e, dst[k], src[k]);
			src[k] = -2;
			left--;
		}
		if (left < before)
			continue;
		for (k = 0; src[k] < 0; k++)
			;
		movreg(e, T0, src[k]);
		for (j = 0, before = (unsigned)src[k]; j < n; j++)
			if (src[j] == (int)before)
				src[j] = T0;
	}
	for (k = 0; k < n; k++)
		if (e->f->loc[v[k]].kind != LOC_REG)
			loadto(e, dst[k], v[k]);
}

static void
emit_call(struct emit *e, const struct ir *i)
{
	static const int regs[IR_MAXARG] = { 1, 2, 3, 4, 5 };

	emit_moves(e, i->arg, regs, i->narg);
	if (i->op == IR_CALL) {
		emit_put(e, BPF_JMP | BPF_CALL, 0, 0, 0, (int32_t)i->imm);
	} else {
		emit_subref(e, (int)i->imm);
		emit_put(e, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0);
	}
	if (e->f->use[i->dst] > 0)
		done(e, i->dst, 0);
}

static void
emit_branch(struct emit *e, const struct ir *i)
{
	int a, b;

	switch (i->op) {
	case IR_JMP:
		emit_fixup(e, i->lab);
		emit_put(e, BPF_JMP | BPF_JA, 0, 0, 0, 0);
		break;
	case IR_BR:
		a = reg(e, i->a, T0);
		b = reg(e, i->b, T1);
		emit_fixup(e, i->lab);
		emit_put(e, BPF_JMP | cccode[i->sub] | BPF_X, a, b, 0, 0);
		break;
	default:
		a = reg(e, i->a, T0);
		emit_fixup(e, i->lab);
		emit_put(e, BPF_JMP | cccode[i->sub] | BPF_K, a, 0, 0,
		    (int32_t)i->imm);
		break;
	}
}

/* dst = a, then changed in place. */
static void
emit_inplace(struct emit *e, const struct ir *i)
{
	int d = target(e, i->dst);

	loadto(e, d, i->a);
	switch (i->op) {
	case IR_ALUI:
		emit_put(e, BPF_ALU64 | alucode[i->sub] | BPF_K, d, 0, 0,
		    (int32_t)i->imm);
		break;
	case IR_NEG:
		emit_put(e, BPF_ALU64 | BPF_NEG, d, 0, 0, 0);
		break;
	default:
		/* hosts are little-endian or convert alike: see lower */
		emit_put(e, BPF_ALU | BPF_END | BPF_TO_BE, d, 0, 0,
		    8 * i->size);
		break;
	}
	done(e, i->dst, d);
}

static void
emit_mov(struct emit *e, const struct ir *i)
{
	const struct loc *l = &e->f->loc[i->dst];

	if (l->kind == LOC_REG)
		loadto(e, l->reg, i->a);
	else
		done(e, i->dst, reg(e, i->a, T0));
}

/* One that is made anew at each use needs no code here. */
static void
emit_constant(struct emit *e, const struct ir *i)
{
	int d;

	if (e->f->loc[i->dst].kind == LOC_REMAT)
		return;
	d = target(e, i->dst);
	constant(e, i, d);
	done(e, i->dst, d);
}

void
emit_op(struct emit *e, const struct ir *i)
{
	switch (i->op) {
	case IR_MOV:
		emit_mov(e, i);
		break;
	case IR_IMM:
	case IR_FP:
	case IR_MAPFD:
	case IR_MAPVAL:
	case IR_FUNC:
		emit_constant(e, i);
		break;
	case IR_ALU:
		emit_alu(e, i);
		break;
	case IR_ALUI:
	case IR_NEG:
	case IR_BSWAP:
		emit_inplace(e, i);
		break;
	case IR_EXT:
		emit_ext(e, i);
		break;
	case IR_LOAD:
	case IR_STORE:
	case IR_STOREI:
	case IR_ATOMIC:
	case IR_CMPXCHG:
		emit_mem(e, i);
		break;
	case IR_JMP:
	case IR_BR:
	case IR_BRI:
		emit_branch(e, i);
		break;
	case IR_LABEL:
		e->lab[i->lab] = (int)e->out->ninsn;
		break;
	case IR_CALL:
	case IR_CALLSUB:
		emit_call(e, i);
		break;
	case IR_EXIT:
		loadto(e, 0, i->a);
		emit_put(e, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
		break;
	default:
		break;
	}
}
