/*
 * emit.c - from IR with registers allocated to BPF instructions.
 *
 * r0 and r5 hold operands and results that live on the stack; a call's
 * arguments are moved in parallel. Encodings: the kernel's
 * Documentation/bpf/standardization/instruction-set.rst.
 */
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/msg.h"
#include "trace/irint.h"
#include "trace/prog.h"

enum { T0 = 0, T1 = 5, RFP = 10 };

struct emit {
	struct gen *g;
	struct irfunc *f;
	struct bpfprog *out;
	size_t cap, relcap, linecap;
	int *lab;			/* [nlabel of f] instruction */
	struct fixup { size_t insn; label lab; } *fix;
	size_t nfix, fixcap;
	struct subfix { size_t insn; int fn; } *sub;
	size_t nsub, subcap;
	int *fnat;			/* [nfn] its first instruction */
	bool nomem, pressed;
};

static void *
grow(struct emit *e, void *p, size_t n, size_t *cap, size_t size)
{
	void *q;

	if (n < *cap)
		return p;
	*cap = *cap ? 2 * *cap : 64;
	q = realloc(p, *cap * size);
	if (q == NULL) {
		e->nomem = true;
		*cap = n;
		return p;
	}
	return q;
}

static void
put(struct emit *e, uint8_t code, int dst, int src, int off, int32_t imm)
{
	struct bpfprog *o = e->out;

	o->insn = grow(e, o->insn, o->ninsn, &e->cap, sizeof(*o->insn));
	if (e->nomem)
		return;
	o->insn[o->ninsn++] = (struct bpf_insn){ .code = code,
	    .dst_reg = dst & 15, .src_reg = src & 15, .off = (int16_t)off,
	    .imm = imm };
}

static void
imm64(struct emit *e, int dst, int src, int32_t lo, int32_t hi)
{
	put(e, BPF_LD | BPF_IMM | BPF_DW, dst, src, 0, lo);
	put(e, 0, 0, 0, 0, hi);
}

static void
movreg(struct emit *e, int dst, int src)
{
	if (dst != src)
		put(e, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static void
movimm(struct emit *e, int dst, int64_t v)
{
	if (v == (int32_t)v)
		put(e, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, (int32_t)v);
	else if (v == (int64_t)(uint32_t)v)
		put(e, BPF_ALU | BPF_MOV | BPF_K, dst, 0, 0,
		    (int32_t)(uint32_t)v);
	else
		imm64(e, dst, 0, (int32_t)(uint32_t)v,
		    (int32_t)(uint32_t)((uint64_t)v >> 32));
}

static void
relocate(struct emit *e, int map, bool value, uint32_t off)
{
	struct bpfprog *o = e->out;

	o->rel = grow(e, o->rel, o->nrel, &e->relcap, sizeof(*o->rel));
	if (e->nomem)
		return;
	o->rel[o->nrel++] = (struct bpfrel){ .insn = (uint32_t)o->ninsn,
	    .map = map, .value = value, .off = off };
}

static void
subref(struct emit *e, int fn)
{
	e->sub = grow(e, e->sub, e->nsub, &e->subcap, sizeof(*e->sub));
	if (e->nomem)
		return;
	e->sub[e->nsub++] = (struct subfix){ .insn = e->out->ninsn, .fn = fn };
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
			put(e, BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, i->off);
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
		subref(e, (int)i->imm);
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
		put(e, BPF_LDX | BPF_MEM | BPF_DW, dst, RFP, l->off, 0);
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
		put(e, BPF_STX | BPF_MEM | BPF_DW, RFP, r, l->off, 0);
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
		put(e, code | BPF_X, d, d, 0, 0);	/* x op x */
	} else if (b == d && commutes(i->sub)) {
		put(e, code | BPF_X, d, reg(e, i->a, T0), 0, 0);
	} else if (b == d) {
		loadto(e, T0, i->a);
		put(e, code | BPF_X, T0, b, 0, 0);
		d = T0;
	} else {
		loadto(e, d, i->a);
		put(e, code | BPF_X, d, b, 0, 0);
	}
	done(e, i->dst, d);
}

static void
emit_ext(struct emit *e, const struct ir *i)
{
	int d = target(e, i->dst), sh = 64 - 8 * (int)i->size;

	if (i->size == 4 && !i->sign) {
		put(e, BPF_ALU | BPF_MOV | BPF_X, d, reg(e, i->a, T0), 0, 0);
	} else if (!i->sign && i->size < 4) {
		loadto(e, d, i->a);
		put(e, BPF_ALU64 | BPF_AND | BPF_K, d, 0, 0,
		    i->size == 1 ? 0xff : 0xffff);
	} else {
		loadto(e, d, i->a);
		if (sh != 0) {
			put(e, BPF_ALU64 | BPF_LSH | BPF_K, d, 0, 0, sh);
			put(e, BPF_ALU64 | (i->sign ? BPF_ARSH : BPF_RSH) |
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
		put(e, BPF_ALU64 | BPF_ADD | BPF_K, T1, 0, 0, *off);
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
	put(e, BPF_ALU64 | BPF_MOV | BPF_K, T0, 0, 0, (int32_t)i->imm);
	put(e, BPF_STX | BPF_ATOMIC | sizecode(i->size), b, v, off,
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
		put(e, BPF_LDX | BPF_MEM | sz, d, b, off, 0);
		done(e, i->dst, d);
		break;
	case IR_STOREI:
		put(e, BPF_ST | BPF_MEM | sz, b, 0, off, (int32_t)i->imm);
		break;
	case IR_STORE:
		put(e, BPF_STX | BPF_MEM | sz, b, reg(e, i->b, T0), off, 0);
		break;
	case IR_CMPXCHG:
		emit_cmpxchg(e, i, b, off);
		break;
	default:
		put(e, BPF_STX | BPF_ATOMIC | sz, b, reg(e, i->b, T0), off,
		    BPF_ADD);
		break;
	}
}

/* Moves n values into registers dst[], none of which may be lost on the way:
 * registers first (a cycle is opened through T0), then memory, constants. */
static void
moves(struct emit *e, const vreg *v, const int *dst, unsigned n)
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

	moves(e, i->arg, regs, i->narg);
	if (i->op == IR_CALL) {
		put(e, BPF_JMP | BPF_CALL, 0, 0, 0, (int32_t)i->imm);
	} else {
		subref(e, (int)i->imm);
		put(e, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0);
	}
	if (e->f->use[i->dst] > 0)
		done(e, i->dst, 0);
}

static void
fixup(struct emit *e, label l)
{
	e->fix = grow(e, e->fix, e->nfix, &e->fixcap, sizeof(*e->fix));
	if (e->nomem)
		return;
	e->fix[e->nfix++] = (struct fixup){ .insn = e->out->ninsn, .lab = l };
}

static void
emit_branch(struct emit *e, const struct ir *i)
{
	int a, b;

	switch (i->op) {
	case IR_JMP:
		fixup(e, i->lab);
		put(e, BPF_JMP | BPF_JA, 0, 0, 0, 0);
		break;
	case IR_BR:
		a = reg(e, i->a, T0);
		b = reg(e, i->b, T1);
		fixup(e, i->lab);
		put(e, BPF_JMP | cccode[i->sub] | BPF_X, a, b, 0, 0);
		break;
	default:
		a = reg(e, i->a, T0);
		fixup(e, i->lab);
		put(e, BPF_JMP | cccode[i->sub] | BPF_K, a, 0, 0,
		    (int32_t)i->imm);
		break;
	}
}

static void
emit_one(struct emit *e, const struct ir *i)
{
	const struct loc *l;
	int d;

	switch (i->op) {
	case IR_MOV:
		l = &e->f->loc[i->dst];
		if (l->kind == LOC_REG)
			loadto(e, l->reg, i->a);
		else
			done(e, i->dst, reg(e, i->a, T0));
		break;
	case IR_IMM:
	case IR_FP:
	case IR_MAPFD:
	case IR_MAPVAL:
	case IR_FUNC:
		if (e->f->loc[i->dst].kind == LOC_REMAT)
			break;
		d = target(e, i->dst);
		constant(e, i, d);
		done(e, i->dst, d);
		break;
	case IR_ALU:
		emit_alu(e, i);
		break;
	case IR_ALUI:
		d = target(e, i->dst);
		loadto(e, d, i->a);
		put(e, BPF_ALU64 | alucode[i->sub] | BPF_K, d, 0, 0,
		    (int32_t)i->imm);
		done(e, i->dst, d);
		break;
	case IR_NEG:
		d = target(e, i->dst);
		loadto(e, d, i->a);
		put(e, BPF_ALU64 | BPF_NEG, d, 0, 0, 0);
		done(e, i->dst, d);
		break;
	case IR_BSWAP:
		/* hosts are little-endian or convert alike: see lower */
		d = target(e, i->dst);
		loadto(e, d, i->a);
		put(e, BPF_ALU | BPF_END | BPF_TO_BE, d, 0, 0, 8 * i->size);
		done(e, i->dst, d);
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
		put(e, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
		break;
	default:
		break;
	}
}

static void
note(struct emit *e, const struct ir *i)
{
	struct bpfprog *o = e->out;
	struct bpfline *l;

	l = o->nlinemap > 0 ? &o->linemap[o->nlinemap - 1] : NULL;
	if (l != NULL && l->clause == i->clause && l->line == i->line)
		return;
	o->linemap = grow(e, o->linemap, o->nlinemap, &e->linecap,
	    sizeof(*o->linemap));
	if (e->nomem)
		return;
	o->linemap[o->nlinemap++] = (struct bpfline){
	    .insn = (uint32_t)o->ninsn, .clause = i->clause, .line = i->line };
}

/* The arguments, from r1 on, to where they live. */
static size_t
entry(struct emit *e)
{
	struct irfunc *f = e->f;
	struct loc *l, *save = f->loc;
	int dst[IR_MAXARG];
	vreg v[IR_MAXARG];
	struct loc from[IR_MAXARG + 1];
	unsigned n = 0;
	size_t k;

	for (k = 0; k < f->n && f->ins[k].op == IR_ARG; k++) {
		l = &f->loc[f->ins[k].dst];
		if (f->use[f->ins[k].dst] == 0)
			continue;
		if (l->kind == LOC_SPILL) {
			put(e, BPF_STX | BPF_MEM | BPF_DW, RFP,
			    (int)f->ins[k].imm + 1, l->off, 0);
			continue;
		}
		from[n].kind = LOC_REG;
		from[n].reg = (int)f->ins[k].imm + 1;
		v[n] = (vreg)n;
		dst[n++] = l->reg;
	}
	f->loc = from;
	moves(e, v, dst, n);
	f->loc = save;
	return k;
}

static int
emit_func(struct emit *e, int n, struct msg *m)
{
	struct irfunc *f = &e->g->fn[n];
	struct bpfprog *o = e->out;
	struct bpfsub *sub;
	size_t k;
	long off;

	e->f = f;
	e->nfix = 0;
	e->fnat[n] = (int)o->ninsn;
	sub = realloc(o->sub, (o->nsub + 1) * sizeof(*sub));
	free(e->lab);
	e->lab = calloc(f->nlabel + 1, sizeof(*e->lab));
	if (sub == NULL || e->lab == NULL) {
		o->sub = sub != NULL ? sub : o->sub;
		return msg_set_nomem(m);
	}
	o->sub = sub;
	sub += o->nsub++;
	*sub = (struct bpfsub){ .insn = (uint32_t)o->ninsn, .narg = f->narg };
	memcpy(sub->name, f->name, sizeof(sub->name));
	for (k = entry(e); k < f->n; k++) {
		note(e, &f->ins[k]);
		emit_one(e, &f->ins[k]);
	}
	if (e->nomem)
		return msg_set_nomem(m);
	if (e->pressed)
		return msg_set(m, "bpf-registers", "%s: no register is left "
		    "for a compare and exchange", f->name);
	for (k = 0; k < e->nfix; k++) {
		off = (long)e->lab[e->fix[k].lab] - (long)e->fix[k].insn - 1;
		if (off != (int16_t)off)
			return msg_set(m, "bpf-jump", "the program is too "
			    "long: a jump of %ld instructions", off);
		o->insn[e->fix[k].insn].off = (int16_t)off;
	}
	return 0;
}

/* The subprograms that function n refers to, and those in their turn. */
static void
reached(struct gen *g, int n, bool *seen)
{
	size_t k;

	if (seen[n])
		return;
	seen[n] = true;
	for (k = 0; k < g->fn[n].n; k++)
		if (g->fn[n].ins[k].op == IR_CALLSUB ||
		    g->fn[n].ins[k].op == IR_FUNC)
			reached(g, (int)g->fn[n].ins[k].imm, seen);
}

static int
emit_all(struct emit *e, struct msg *m)
{
	struct gen *g = e->g;
	bool *seen;
	size_t k;
	int n, rv = 0;

	seen = calloc(g->nfn, sizeof(*seen));
	e->fnat = calloc(g->nfn, sizeof(*e->fnat));
	if (seen == NULL || e->fnat == NULL) {
		free(seen);
		return msg_set_nomem(m);
	}
	for (n = 0; n < g->nfn && rv == 0; n++)
		rv = peep_func(&g->fn[n], m);
	if (rv == 0)
		reached(g, 0, seen);
	for (n = 0; n < g->nfn && rv == 0; n++)
		if (seen[n] && (rv = far_func(&g->fn[n], m)) == 0 &&
		    (rv = ralloc_func(&g->fn[n], m)) == 0)
			rv = emit_func(e, n, m);
	for (k = 0; k < e->nsub && rv == 0; k++)
		e->out->insn[e->sub[k].insn].imm = e->fnat[e->sub[k].fn] -
		    (int)e->sub[k].insn - 1;
	free(seen);
	return rv;
}

int
gen_finish(struct gen *g, struct bpfprog *out, struct msg *m)
{
	struct emit e = { .g = g, .out = out };
	int rv;

	if (g->nomem)
		return msg_set_nomem(m);
	if (g->toodeep)
		return msg_set(m, "bpf-nesting", "functions nest too deep");
	rv = emit_all(&e, m);
	free(e.lab);
	free(e.fix);
	free(e.sub);
	free(e.fnat);
	return rv;
}
