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
#include "trace/peep_impl.h"

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

struct ir *
peep_onedef(struct peep *p, vreg v)
{
	if (v < 0 || p->ndef[v] != 1)
		return NULL;
	return &p->f->ins[p->def[v]];
}

bool
peep_constant(struct peep *p, vreg v, int64_t *val)
{
	struct ir *d = peep_onedef(p, v);

	if (d == NULL || d->op != IR_IMM)
		return false;
	*val = d->imm;
	return true;
}

void
peep_becomes(struct peep *p, struct ir *i, enum irop op, vreg a, int64_t imm)
{
	i->op = op;
	i->a = a;
	i->b = -1;
	i->imm = imm;
	p->changed = true;
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
		peep_simplify(&p);
		peep_jumps(&p);
		if (peep_reach(&p, m) < 0)
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
