/*
 * peep_op.c - single operations made simpler: constants folded and propagated,
 * copies of single assignments followed, branches decided.
 */
#include "trace/peep_impl.h"

static bool
fits(int64_t v)
{
	return v == (int32_t)v;
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

/* The operation and its constant change; true, for a return. */
static bool
cheaper(struct peep *p, struct ir *i, enum alu op, int64_t imm)
{
	i->sub = op;
	i->imm = imm;
	p->changed = true;
	return true;
}

/* x + 0 is x; multiplying and dividing by a power of 2 are shifts. */
static bool
reduced(struct peep *p, struct ir *i)
{
	int sh = log2of(i->imm);

	switch (i->sub) {
	case A_ADD:
	case A_SUB:
	case A_OR:
	case A_XOR:
	case A_SHL:
	case A_SHR:
	case A_SAR:
		if (i->imm != 0)
			return false;
		peep_becomes(p, i, IR_MOV, i->a, 0);
		return true;
	case A_MUL:
		return sh >= 0 && cheaper(p, i, A_SHL, sh);
	case A_UDIV:
		return sh >= 0 && cheaper(p, i, A_SHR, sh);
	case A_UMOD:
		return sh >= 0 && cheaper(p, i, A_AND, i->imm - 1);
	default:
		return false;
	}
}

static void
alui(struct peep *p, struct ir *i)
{
	struct ir *d;
	int64_t c;

	if (peep_constant(p, i->a, &c)) {
		if (fold(i->sub, (uint64_t)c, (uint64_t)i->imm, &c))
			peep_becomes(p, i, IR_IMM, -1, c);
		return;
	}
	if (reduced(p, i))
		return;
	/* (x + c) + d */
	d = peep_onedef(p, i->a);
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

	if (peep_constant(p, i->a, &c) && (i->sub == A_ADD || i->sub == A_MUL ||
	    i->sub == A_AND || i->sub == A_OR || i->sub == A_XOR)) {
		t = i->a;
		i->a = i->b;
		i->b = t;
	}
	if (peep_constant(p, i->b, &c) && fits(c)) {
		if ((i->sub == A_UDIV || i->sub == A_UMOD) && c == 0)
			return;
		peep_becomes(p, i, IR_ALUI, i->a, c);
	}
}

/* Is v already what extending it to size bytes would make of it? */
static bool
extended(struct peep *p, vreg v, unsigned size, bool sign)
{
	struct ir *d = peep_onedef(p, v);

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

	if (peep_constant(p, i->a, &c)) {
		peep_becomes(p, i, IR_IMM, -1, extend(c, i->size, i->sign));
		return;
	}
	if (i->size == 8 || extended(p, i->a, i->size, i->sign)) {
		peep_becomes(p, i, IR_MOV, i->a, 0);
		return;
	}
	d = peep_onedef(p, i->a);
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
	struct ir *d = peep_onedef(p, i->a);
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
	if (i->op == IR_STORE && peep_constant(p, i->b, &c) &&
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
		if (peep_constant(p, i->a, &c) && fits(c)) {
			t = i->a;
			i->a = i->b;
			i->b = t;
			i->sub = swapped(i->sub);
		}
		if (!peep_constant(p, i->b, &c) || !fits(c))
			return;
		peep_becomes(p, i, IR_BRI, i->a, c);
	}
	if (!peep_constant(p, i->a, &c))
		return;
	if (taken(i->sub, c, i->imm))
		peep_becomes(p, i, IR_JMP, -1, 0);
	else
		peep_becomes(p, i, IR_NOP, -1, 0);
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
		d = peep_onedef(p, *u);
		if (d != NULL && d->op == IR_MOV && p->ndef[d->a] == 1) {
			*u = d->a;
			p->changed = true;
		}
	}
}

void
peep_simplify(struct peep *p)
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
				peep_becomes(p, i, IR_NOP, -1, 0);
			else if (peep_constant(p, i->a, &c))
				peep_becomes(p, i, IR_IMM, -1, c);
			break;
		case IR_NEG:
			if (peep_constant(p, i->a, &c))
				peep_becomes(p, i, IR_IMM, -1,
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
