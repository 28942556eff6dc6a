/*
 * ralloc.c - linear-scan register allocation.
 *
 * An interval runs from a register's first mention to its last, stretched
 * over each loop it is live into. Intervals that span a call can only live in
 * r6-r9, the others also in r1-r4; r0 and r5 are emit.c's temporaries. What
 * finds no register is computed again at each use, when it is a constant or an
 * address, or gets a slot of 8 aligned bytes on the stack, where the verifier
 * keeps track of pointers.
 */
#include <stdlib.h>
#include <string.h>

#include "libdt/msg.h"
#include "trace/ir_impl.h"

enum { NREG = 10 };

struct interval {
	vreg v;
	int from, to;			/* instructions; from -1: an argument */
	bool crosses;			/* a call lies within */
	int hint;			/* register that would save a move */
	uint32_t weight;		/* mentions; in loops they count more */
	int ndef, def;
	bool remat;
	bool plain;			/* every use is a move in any case */
};

struct ralloc {
	struct irfunc *f;
	struct interval *iv;		/* [nvreg] */
	struct interval **order;	/* by from */
	int n;
	struct interval *active[NREG];	/* by register */
	struct slot { int to; int32_t off; } *slot;
	int nslot;
};

static void
mention(struct interval *iv, int at)
{
	if (iv->from == -2)
		iv->from = at;
	iv->to = at;
	iv->weight++;
}

/* Does use n of i cost nothing more when the operand is made anew there? */
static bool
moved(const struct ir *i, int n, const struct ir *def)
{
	if (i->op == IR_CALL || i->op == IR_CALLSUB || i->op == IR_EXIT)
		return true;
	return def->op == IR_FP && n == 0 && (i->op == IR_LOAD ||
	    i->op == IR_STORE || i->op == IR_STOREI || i->op == IR_ATOMIC);
}

static void
scan(struct ralloc *r)
{
	struct irfunc *f = r->f;
	struct interval *d;
	struct ir *i;
	int k, n;
	vreg v;

	for (v = 0; v < f->nvreg; v++)
		r->iv[v] = (struct interval){ .v = v, .from = -2, .to = -2,
		    .hint = -1, .plain = true };
	for (k = 0; k < (int)f->n; k++) {
		i = &f->ins[k];
		for (n = 0; n < ir_nuse(i); n++) {
			v = *ir_use(i, n);
			f->use[v]++;
			mention(&r->iv[v], k);
			if (!moved(i, n, &f->ins[r->iv[v].def]))
				r->iv[v].plain = false;
			if (i->op == IR_CALL || i->op == IR_CALLSUB)
				r->iv[v].hint = n + 1;
		}
		if (i->dst < 0)
			continue;
		d = &r->iv[i->dst];
		mention(d, k);
		d->ndef++;
		d->def = k;
		if (i->op == IR_ARG) {
			d->from = -1;
			d->hint = (int)i->imm + 1;
		}
		d->remat = i->op == IR_IMM || i->op == IR_FP ||
		    i->op == IR_MAPFD || i->op == IR_MAPVAL ||
		    i->op == IR_FUNC;
	}
}

/* Stretches what is live at the head of a loop to its last jump back. */
static int
loops(struct ralloc *r, struct msg *m)
{
	struct irfunc *f = r->f;
	struct interval *iv;
	int *lab, k, head;
	bool again;
	vreg v;

	lab = calloc(f->nlabel + 1, sizeof(*lab));
	if (lab == NULL)
		return msg_set_nomem(m);
	for (k = 0; k < (int)f->n; k++)
		if (f->ins[k].op == IR_LABEL)
			lab[f->ins[k].lab] = k;
	do {
		again = false;
		for (k = 0; k < (int)f->n; k++) {
			if (f->ins[k].lab < 0 || f->ins[k].op == IR_LABEL)
				continue;
			head = lab[f->ins[k].lab];
			if (head > k)
				continue;
			for (v = 0; v < f->nvreg; v++) {
				iv = &r->iv[v];
				if (iv->from < head && iv->to >= head &&
				    iv->to < k) {
					iv->to = k;
					iv->weight *= 10;
					again = true;
				}
			}
		}
	} while (again);
	free(lab);
	return 0;
}

static int
calls(struct ralloc *r, struct msg *m)
{
	struct irfunc *f = r->f;
	struct interval *iv;
	int *next, k, c = (int)f->n;
	vreg v;

	/* next[k]: the first call after instruction k - 1 */
	next = malloc((f->n + 2) * sizeof(*next));
	if (next == NULL)
		return msg_set_nomem(m);
	next[f->n + 1] = next[f->n] = c;
	for (k = (int)f->n - 1; k >= 0; k--) {
		if (f->ins[k].op == IR_CALL || f->ins[k].op == IR_CALLSUB)
			c = k;
		next[k] = c;
	}
	for (v = 0; v < f->nvreg; v++) {
		iv = &r->iv[v];
		if (iv->from != -2)
			iv->crosses = next[iv->from + 1] < iv->to;
	}
	free(next);
	return 0;
}

static int
byfrom(const void *a, const void *b)
{
	const struct interval *x = *(struct interval *const *)a;
	const struct interval *y = *(struct interval *const *)b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->v < y->v ? -1 : x->v > y->v;
}

static void
assign(struct ralloc *r, struct interval *iv, int reg)
{
	r->active[reg] = iv;
	r->f->loc[iv->v].kind = LOC_REG;
	r->f->loc[iv->v].reg = reg;
}

static void
tostack(struct ralloc *r, struct interval *iv)
{
	struct irfunc *f = r->f;
	struct loc *l = &f->loc[iv->v];
	int s;

	if (iv->remat && iv->ndef == 1) {
		l->kind = LOC_REMAT;
		l->def = iv->def;
		return;
	}
	l->kind = LOC_SPILL;
	for (s = 0; s < r->nslot; s++)
		if (r->slot[s].to < iv->from)
			break;
	if (s == r->nslot) {
		f->stack = (f->stack - 8) & -8;
		r->slot[r->nslot++].off = f->stack;
	}
	r->slot[s].to = iv->to;
	l->off = r->slot[s].off;
}

/* Worth of keeping an interval in a register: mentions per length. */
static uint64_t
worth(const struct interval *iv)
{
	uint64_t w = (uint64_t)iv->weight << 20;

	if (iv->remat && iv->ndef == 1)
		w >>= 3;
	return w / (uint64_t)(iv->to - iv->from + 1);
}

static bool
allowed(const struct interval *iv, int reg)
{
	if (reg >= 6)
		return true;
	return reg >= 1 && reg <= 4 && !iv->crosses;
}

/* The register of the operand that ends where iv begins, for a move saved. */
static int
handover(struct ralloc *r, const struct interval *iv)
{
	struct ir *i;
	struct loc *l;

	if (iv->from < 0)
		return -1;
	i = &r->f->ins[iv->from];
	if (i->dst != iv->v || i->a < 0)
		return -1;
	if (i->op != IR_MOV && i->op != IR_ALU && i->op != IR_ALUI &&
	    i->op != IR_EXT && i->op != IR_NEG && i->op != IR_BSWAP)
		return -1;
	l = &r->f->loc[i->a];
	return l->kind == LOC_REG ? l->reg : -1;
}

static int
choose(struct ralloc *r, const struct interval *iv)
{
	int reg = handover(r, iv);

	if (reg >= 0 && r->active[reg] == NULL && allowed(iv, reg))
		return reg;
	reg = iv->hint;
	if (reg >= 0 && r->active[reg] == NULL && allowed(iv, reg))
		return reg;
	for (reg = 1; reg < NREG; reg++)
		if (r->active[reg] == NULL && allowed(iv, reg))
			return reg;
	return -1;
}

static void
allocate(struct ralloc *r)
{
	struct interval *iv, *w;
	int k, reg, victim;

	for (k = 0; k < r->n; k++) {
		iv = r->order[k];
		for (reg = 0; reg < NREG; reg++)
			if (r->active[reg] != NULL &&
			    r->active[reg]->to <= iv->from)
				r->active[reg] = NULL;
		if (iv->plain && iv->remat && iv->ndef == 1) {
			tostack(r, iv);
			continue;
		}
		reg = choose(r, iv);
		if (reg >= 0) {
			assign(r, iv, reg);
			continue;
		}
		victim = -1;
		for (reg = 1; reg < NREG; reg++) {
			w = r->active[reg];
			if (!allowed(iv, reg))
				continue;
			if (victim < 0 || worth(w) < worth(r->active[victim]))
				victim = reg;
		}
		w = r->active[victim];
		if (worth(w) < worth(iv)) {
			tostack(r, w);
			assign(r, iv, victim);
		} else {
			tostack(r, iv);
		}
	}
}

int
ralloc_func(struct irfunc *f, struct msg *m)
{
	struct ralloc r = { .f = f };
	int rv = -1;
	vreg v;

	f->loc = calloc(f->nvreg + 1, sizeof(*f->loc));
	f->use = calloc(f->nvreg + 1, sizeof(*f->use));
	r.iv = calloc(f->nvreg + 1, sizeof(*r.iv));
	r.order = calloc(f->nvreg + 1, sizeof(*r.order));
	r.slot = calloc(f->nvreg + 1, sizeof(*r.slot));
	if (f->loc == NULL || f->use == NULL || r.iv == NULL ||
	    r.order == NULL || r.slot == NULL) {
		(void)msg_set_nomem(m);
		goto out;
	}
	scan(&r);
	if (loops(&r, m) < 0 || calls(&r, m) < 0)
		goto out;
	for (v = 0; v < f->nvreg; v++)
		if (r.iv[v].from != -2)
			r.order[r.n++] = &r.iv[v];
	qsort(r.order, r.n, sizeof(*r.order), byfrom);
	allocate(&r);
	if (f->stack < -BPF_STACK) {
		(void)msg_set(m, "bpf-stack", "%s needs %d bytes of stack, "
		    "BPF has %d", f->name, -f->stack, BPF_STACK);
		goto out;
	}
	rv = 0;
out:
	free(r.iv);
	free(r.order);
	free(r.slot);
	return rv;
}
