/*
 * peep.c - improving the IR before registers are allocated: constants folded
 * and propagated, copies of single assignments followed, branches decided,
 * code that nothing reaches or uses removed.
 *
 * Only registers with one definition are reasoned about; such a definition
 * precedes all uses, since lowering never uses what it has not set.
 */
#include <stdlib.h>
#include <string.h>

#include "libdt/msg.h"
#include "trace/irint.h"

struct peep {
	struct irfunc *f;
	uint32_t *ndef, *nuse;		/* [nvreg] */
	int *def;			/* [nvreg] its (last) definition */
	int *lab;			/* [nlabel] instruction */
	bool changed;
};

static bool
fits(int64_t v)
{
	return v == (int32_t)v;
}

static void
count(struct peep *p)
{
	struct irfunc *f = p->f;
	struct ir *i;
	size_t k;
	int n;

	memset(p->ndef, 0, f->nvreg * sizeof(*p->ndef));
	memset(p->nuse, 0, f->nvreg * sizeof(*p->nuse));
	for (k = 0; k < f->n; k++) {
		i = &f->ins[k];
		if (i->dst >= 0) {
			p->ndef[i->dst]++;
			p->def[i->dst] = (int)k;
		}
		for (n = 0; n < ir_nuse(i); n++)
			p->nuse[*ir_use(i, n)]++;
		if (i->op == IR_LABEL)
			p->lab[i->lab] = (int)k;
	}
}

/* The only definition of v, or NULL. */
static struct ir *
onedef(struct peep *p, vreg v)
{
	if (v < 0 || p->ndef[v] != 1)
		return NULL;
	return &p->f->ins[p->def[v]];
}

static bool
constant(struct peep *p, vreg v, int64_t *val)
{
	struct ir *d = onedef(p, v);

	if (d == NULL || d->op != IR_IMM)
		return false;
	*val = d->imm;
	return true;
}

/* What BPF computes; false: better left to run time. */
static bool
fold(enum alu op, uint64_t a, uint64_t b, int64_t *r)
{
	switch (op) {
	case A_ADD: *r = (int64_t)(a + b); break;
	case A_SUB: *r = (int64_t)(a - b); break;
	case A_MUL: *r = (int64_t)(a * b); break;
	case A_UDIV:
		if (b == 0)
			return false;
		*r = (int64_t)(a / b);
		break;
	case A_UMOD:
		if (b == 0)
			return false;
		*r = (int64_t)(a % b);
		break;
	case A_AND: *r = (int64_t)(a & b); break;
	case A_OR: *r = (int64_t)(a | b); break;
	case A_XOR: *r = (int64_t)(a ^ b); break;
	case A_SHL: *r = (int64_t)(a << (b & 63)); break;
	case A_SHR: *r = (int64_t)(a >> (b & 63)); break;
	case A_SAR: *r = (int64_t)a >> (b & 63); break;
	}
	return true;
}

static bool
taken(enum cc cc, int64_t a, int64_t b)
{
	uint64_t ua = (uint64_t)a, ub = (uint64_t)b;

	switch (cc) {
	case CC_EQ: return a == b;
	case CC_NE: return a != b;
	case CC_ULT: return ua < ub;
	case CC_ULE: return ua <= ub;
	case CC_UGT: return ua > ub;
	case CC_UGE: return ua >= ub;
	case CC_SLT: return a < b;
	case CC_SLE: return a <= b;
	case CC_SGT: return a > b;
	case CC_SGE: return a >= b;
	case CC_SET: return (a & b) != 0;
	}
	return false;
}

static int64_t
extend(int64_t v, unsigned size, bool sign)
{
	unsigned sh = 64 - 8 * size;
	uint64_t u;

	if (sh == 0)
		return v;
	u = (uint64_t)v << sh;
	return sign ? (int64_t)u >> sh : (int64_t)(u >> sh);
}

static void
becomes(struct peep *p, struct ir *i, enum irop op, vreg a, int64_t imm)
{
	i->op = op;
	i->a = a;
	i->b = -1;
	i->imm = imm;
	p->changed = true;
}

static int
log2of(int64_t v)
{
	int n;

	if (v <= 0 || (v & (v - 1)) != 0)
		return -1;
	for (n = 0; v > 1; n++)
		v >>= 1;
	return n;
}

static void
alui(struct peep *p, struct ir *i)
{
	struct ir *d;
	int64_t c;
	int sh;

	if (constant(p, i->a, &c)) {
		if (fold(i->sub, (uint64_t)c, (uint64_t)i->imm, &c))
			becomes(p, i, IR_IMM, -1, c);
		return;
	}
	sh = log2of(i->imm);
	switch (i->sub) {
	case A_ADD:
	case A_SUB:
	case A_OR:
	case A_XOR:
	case A_SHL:
	case A_SHR:
	case A_SAR:
		if (i->imm == 0) {
			becomes(p, i, IR_MOV, i->a, 0);
			return;
		}
		break;
	case A_MUL:
		if (sh >= 0) {
			i->sub = A_SHL;
			i->imm = sh;
			p->changed = true;
			return;
		}
		break;
	case A_UDIV:
		if (sh >= 0) {
			i->sub = A_SHR;
			i->imm = sh;
			p->changed = true;
			return;
		}
		break;
	case A_UMOD:
		if (sh >= 0) {
			i->sub = A_AND;
			i->imm--;
			p->changed = true;
			return;
		}
		break;
	default:
		break;
	}
	/* (x + c) + d */
	d = onedef(p, i->a);
	if (i->sub == A_ADD && d != NULL && d->op == IR_ALUI &&
	    d->sub == A_ADD && fits(d->imm + i->imm) &&
	    p->ndef[d->a] == 1) {
		i->imm += d->imm;
		i->a = d->a;
		p->changed = true;
	}
}

static void
alu(struct peep *p, struct ir *i)
{
	int64_t c;
	vreg t;

	if (constant(p, i->a, &c) && (i->sub == A_ADD || i->sub == A_MUL ||
	    i->sub == A_AND || i->sub == A_OR || i->sub == A_XOR)) {
		t = i->a;
		i->a = i->b;
		i->b = t;
	}
	if (constant(p, i->b, &c) && fits(c)) {
		if ((i->sub == A_UDIV || i->sub == A_UMOD) && c == 0)
			return;
		becomes(p, i, IR_ALUI, i->a, c);
	}
}

/* Is v already what extending it to size bytes would make of it? */
static bool
extended(struct peep *p, vreg v, unsigned size, bool sign)
{
	struct ir *d = onedef(p, v);

	if (d == NULL)
		return false;
	switch (d->op) {
	case IR_LOAD:
		return d->size < size || (d->size == size && !sign);
	case IR_EXT:
		if (d->sign == sign)
			return d->size <= size;
		return !d->sign && d->size < size;
	case IR_BSWAP:
		return d->size < size || (d->size == size && !sign);
	case IR_ALUI:
		return d->sub == A_AND && d->imm >= 0 &&
		    d->imm == extend(d->imm, size, sign);
	default:
		return false;
	}
}

static void
ext(struct peep *p, struct ir *i)
{
	struct ir *d;
	int64_t c;

	if (constant(p, i->a, &c)) {
		becomes(p, i, IR_IMM, -1, extend(c, i->size, i->sign));
		return;
	}
	if (i->size == 8 || extended(p, i->a, i->size, i->sign)) {
		becomes(p, i, IR_MOV, i->a, 0);
		return;
	}
	d = onedef(p, i->a);
	if (d != NULL && d->op == IR_EXT && d->size >= i->size &&
	    p->ndef[d->a] == 1) {
		i->a = d->a;
		p->changed = true;
	}
}

/* base + constant goes into the offset */
static void
memory(struct peep *p, struct ir *i)
{
	struct ir *d = onedef(p, i->a);
	int64_t c;

	if (d != NULL && d->op == IR_ALUI && d->sub == A_ADD &&
	    p->ndef[d->a] == 1) {
		c = i->off + d->imm;
		if (c == (int16_t)c) {
			i->off = (int32_t)c;
			i->a = d->a;
			p->changed = true;
		}
	}
	if (i->op == IR_STORE && constant(p, i->b, &c) &&
	    (fits(c) || i->size <= 4)) {
		i->op = IR_STOREI;
		i->imm = (int32_t)c;
		i->b = -1;
		p->changed = true;
	}
}

static enum cc
swapped(enum cc cc)
{
	switch (cc) {
	case CC_ULT: return CC_UGT;
	case CC_ULE: return CC_UGE;
	case CC_UGT: return CC_ULT;
	case CC_UGE: return CC_ULE;
	case CC_SLT: return CC_SGT;
	case CC_SLE: return CC_SGE;
	case CC_SGT: return CC_SLT;
	case CC_SGE: return CC_SLE;
	default: return cc;
	}
}

static void
branch(struct peep *p, struct ir *i)
{
	int64_t c;
	vreg t;

	if (i->op == IR_BR) {
		if (constant(p, i->a, &c) && fits(c)) {
			t = i->a;
			i->a = i->b;
			i->b = t;
			i->sub = swapped(i->sub);
		}
		if (!constant(p, i->b, &c) || !fits(c))
			return;
		becomes(p, i, IR_BRI, i->a, c);
	}
	if (!constant(p, i->a, &c))
		return;
	if (taken(i->sub, c, i->imm))
		becomes(p, i, IR_JMP, -1, 0);
	else
		becomes(p, i, IR_NOP, -1, 0);
}

/* Operands that are copies of a register that never changes. */
static void
copies(struct peep *p, struct ir *i)
{
	struct ir *d;
	vreg *u;
	int n;

	for (n = 0; n < ir_nuse(i); n++) {
		u = ir_use(i, n);
		d = onedef(p, *u);
		if (d != NULL && d->op == IR_MOV && p->ndef[d->a] == 1) {
			*u = d->a;
			p->changed = true;
		}
	}
}

static void
simplify(struct peep *p)
{
	struct irfunc *f = p->f;
	struct ir *i;
	size_t k;
	int64_t c;

	for (k = 0; k < f->n; k++) {
		i = &f->ins[k];
		copies(p, i);
		switch (i->op) {
		case IR_MOV:
			if (i->a == i->dst)
				becomes(p, i, IR_NOP, -1, 0);
			else if (constant(p, i->a, &c))
				becomes(p, i, IR_IMM, -1, c);
			break;
		case IR_NEG:
			if (constant(p, i->a, &c))
				becomes(p, i, IR_IMM, -1,
				    (int64_t)(0 - (uint64_t)c));
			break;
		case IR_ALU:
			alu(p, i);
			break;
		case IR_ALUI:
			alui(p, i);
			break;
		case IR_EXT:
			ext(p, i);
			break;
		case IR_LOAD:
		case IR_STORE:
		case IR_STOREI:
		case IR_ATOMIC:
			memory(p, i);
			break;
		case IR_BR:
		case IR_BRI:
			branch(p, i);
			break;
		default:
			break;
		}
		if (i->op == IR_NOP)
			i->dst = -1;
	}
}

/* Where control is after a label or a chain of jumps. */
static int
landing(struct peep *p, label l)
{
	struct irfunc *f = p->f;
	size_t k = (size_t)p->lab[l];
	int hops = 0;

	while (k < f->n) {
		if (f->ins[k].op == IR_JMP && hops++ < 16)
			k = (size_t)p->lab[f->ins[k].lab];
		else if (f->ins[k].op == IR_LABEL || f->ins[k].op == IR_NOP)
			k++;
		else
			break;
	}
	return (int)k;
}

static void
jumps(struct peep *p)
{
	struct irfunc *f = p->f;
	struct ir *i;
	size_t k, m;
	int t;

	for (k = 0; k < f->n; k++) {
		i = &f->ins[k];
		if (i->op != IR_JMP && i->op != IR_BR && i->op != IR_BRI)
			continue;
		for (m = k + 1; m < f->n && (f->ins[m].op == IR_LABEL ||
		    f->ins[m].op == IR_NOP); m++)
			;
		t = landing(p, i->lab);
		if (t == (int)m) {
			becomes(p, i, IR_NOP, -1, 0);
			continue;
		}
		/* jump straight to where a forward chain ends */
		if (t > 0 && t > (int)k && f->ins[t - 1].op == IR_LABEL &&
		    f->ins[t - 1].lab != i->lab) {
			i->lab = f->ins[t - 1].lab;
			p->changed = true;
		}
	}
}

static int
reach(struct peep *p, struct msg *m)
{
	struct irfunc *f = p->f;
	size_t *todo, n = 0, k;
	bool *seen;

	seen = calloc(f->n + 1, sizeof(*seen));
	todo = malloc((f->n + 1) * sizeof(*todo));
	if (seen == NULL || todo == NULL) {
		free(seen);
		free(todo);
		return msg_set_nomem(m);
	}
	todo[n++] = 0;
	while (n > 0) {
		for (k = todo[--n]; k < f->n && !seen[k]; k++) {
			seen[k] = true;
			if (f->ins[k].op == IR_EXIT)
				break;
			if (f->ins[k].op == IR_JMP || f->ins[k].op == IR_BR ||
			    f->ins[k].op == IR_BRI)
				todo[n++] = (size_t)p->lab[f->ins[k].lab];
			if (f->ins[k].op == IR_JMP)
				break;
		}
	}
	for (k = 0; k < f->n; k++)
		if (!seen[k] && f->ins[k].op != IR_NOP &&
		    f->ins[k].op != IR_LABEL) {
			f->ins[k].op = IR_NOP;
			f->ins[k].dst = f->ins[k].a = f->ins[k].b = -1;
			p->changed = true;
		}
	free(seen);
	free(todo);
	return 0;
}

static void
sweep(struct peep *p)
{
	struct irfunc *f = p->f;
	struct ir *i;
	size_t k, n;
	int u;

	for (k = f->n; k-- > 0;) {
		i = &f->ins[k];
		if (i->op == IR_ARG || !ir_pure(i) || p->nuse[i->dst] > 0)
			continue;
		for (u = 0; u < ir_nuse(i); u++)
			p->nuse[*ir_use(i, u)]--;
		i->op = IR_NOP;
		i->dst = i->a = i->b = -1;
		p->changed = true;
	}
	for (k = n = 0; k < f->n; k++)
		if (f->ins[k].op != IR_NOP)
			f->ins[n++] = f->ins[k];
	f->n = n;
}

int
peep_func(struct irfunc *f, struct msg *m)
{
	struct peep p = { .f = f };
	int rv = -1, round;

	p.ndef = calloc(f->nvreg + 1, sizeof(*p.ndef));
	p.nuse = calloc(f->nvreg + 1, sizeof(*p.nuse));
	p.def = calloc(f->nvreg + 1, sizeof(*p.def));
	p.lab = calloc(f->nlabel + 1, sizeof(*p.lab));
	if (p.ndef == NULL || p.nuse == NULL || p.def == NULL ||
	    p.lab == NULL) {
		(void)msg_set_nomem(m);
		goto out;
	}
	for (round = 0; round < 10; round++) {
		p.changed = false;
		count(&p);
		simplify(&p);
		jumps(&p);
		if (reach(&p, m) < 0)
			goto out;
		count(&p);
		sweep(&p);
		if (!p.changed)
			break;
	}
	rv = 0;
out:
	free(p.ndef);
	free(p.nuse);
	free(p.def);
	free(p.lab);
	return rv;
}
