/*
 * farjump.c - jumps that go further than BPF's 16 bits: by way of islands.
 *
 * A jump's distance is counted before the kernel patches its own instructions
 * in, so that much of the range is left to those. Islands stand every ISLAND
 * instructions of IR where a jump passes that is longer than HOP. Jumps back
 * are those forward of the function read from its end.
 */
#include <stdlib.h>

#include "libdt/array.h"
#include "libdt/msg.h"
#include "trace/ir_impl.h"

enum { HOP = 3072, ISLAND = 1024 };

/* A jump under way to lab: it lands next at the label via. */
struct leg { label lab, via; };

struct far {
	struct irfunc *f;
	size_t *pos;			/* [nlabel] before any island */
	size_t npos;
	struct ir *ins;			/* the function anew */
	size_t n, cap;
	struct leg *leg;
	size_t nleg, legcap;
	bool back;			/* all is read from the end */
	bool nomem;
};

static bool
is_jump(const struct ir *i)
{
	return i->op == IR_JMP || i->op == IR_BR || i->op == IR_BRI;
}

static bool
is_far(const struct far *r, size_t from, label to)
{
	return (size_t)to < r->npos && r->pos[to] > from + HOP;
}

static void
put(struct far *r, const struct ir *i)
{
	if (ARRAY_ROOM(r->ins, r->n, r->cap) == -1) {
		r->nomem = true;
		return;
	}
	r->ins[r->n++] = *i;
}

/* Where a jump to lab goes at first. */
static label
via(struct far *r, label lab)
{
	size_t k;

	for (k = 0; k < r->nleg; k++)
		if (r->leg[k].lab == lab)
			return r->leg[k].via;
	if (ARRAY_ROOM(r->leg, r->nleg, r->legcap) == -1) {
		r->nomem = true;
		return lab;
	}
	r->leg[r->nleg++] = (struct leg){ lab, r->f->nlabel };
	return r->f->nlabel++;
}

static void
jump_label(struct far *r, struct ir *i, label jump, label lab, bool labelfirst)
{
	int k;

	for (k = 0; k < 2; k++) {
		i->op = (k == 0) == labelfirst ? IR_LABEL : IR_JMP;
		i->lab = i->op == IR_LABEL ? lab : jump;
		put(r, i);
	}
}

/* Before instruction `at`: what is under way lands, and goes on. */
static void
island(struct far *r, size_t at)
{
	struct ir i = { .op = IR_JMP, .dst = -1, .a = -1, .b = -1,
	    .clause = r->f->ins[at].clause, .line = r->f->ins[at].line };
	const struct ir *before = &r->f->ins[r->back ? at : at - 1];
	/* the verifier wants no jump where none arrives */
	bool past = before->op != IR_JMP && before->op != IR_EXIT;
	label over = r->f->nlabel++, go;
	size_t k, left = 0;
	struct leg leg;

	i.op = r->back ? IR_LABEL : IR_JMP;
	i.lab = over;
	if (past || r->back)
		put(r, &i);
	for (k = 0; k < r->nleg; k++) {
		leg = r->leg[k];
		go = leg.lab;
		if (is_far(r, at, leg.lab)) {
			go = r->f->nlabel++;
			r->leg[left++] = (struct leg){ leg.lab, go };
		}
		jump_label(r, &i, go, leg.via, !r->back);
	}
	r->nleg = left;
	i.op = r->back ? IR_JMP : IR_LABEL;
	i.lab = over;
	if (past || !r->back)
		put(r, &i);
}

static void
rewrite(struct far *r)
{
	struct ir i;
	size_t k;

	for (k = 0; k < r->f->n && !r->nomem; k++) {
		if (k % ISLAND == 0 && r->nleg > 0)
			island(r, k);
		i = r->f->ins[k];
		if (is_jump(&i) && is_far(r, k, i.lab))
			i.lab = via(r, i.lab);
		put(r, &i);
	}
}

static void
reverse(struct ir *ins, size_t n)
{
	struct ir i;
	size_t k;

	for (k = 0; k < n / 2; k++) {
		i = ins[k];
		ins[k] = ins[n - 1 - k];
		ins[n - 1 - k] = i;
	}
}

/* One direction. */
static int
lead(struct irfunc *f, bool back, struct msg *m)
{
	struct far r = { .f = f, .npos = (size_t)f->nlabel, .back = back };
	size_t k;

	r.pos = calloc(r.npos + 1, sizeof(*r.pos));
	if (r.pos == NULL)
		return msg_set_nomem(m);
	for (k = 0; k < f->n; k++)
		if (f->ins[k].op == IR_LABEL)
			r.pos[f->ins[k].lab] = k;
	rewrite(&r);
	free(r.pos);
	free(r.leg);
	if (r.nomem) {
		free(r.ins);
		return msg_set_nomem(m);
	}
	free(f->ins);
	f->ins = r.ins;
	f->n = r.n;
	f->cap = r.cap;
	return 0;
}

int
farjump_func(struct irfunc *f, struct msg *m)
{
	int rv;

	if (f->n <= HOP)
		return 0;
	rv = lead(f, false, m);
	if (rv == -1)
		return rv;
	reverse(f->ins, f->n);
	rv = lead(f, true, m);
	reverse(f->ins, f->n);
	return rv;
}
