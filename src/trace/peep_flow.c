/*
 * peep_flow.c - jumps straightened, code that nothing reaches removed.
 */
#include <stdlib.h>

#include "libdt/msg.h"
#include "trace/peep_impl.h"

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

void
peep_jumps(struct peep *p)
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
			peep_becomes(p, i, IR_NOP, -1, 0);
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

int
peep_reach(struct peep *p, struct msg *m)
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
