/*
 * emit.c - from IR with registers allocated to a BPF program: its functions,
 * where their jumps and calls go.
 */
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/msg.h"
#include "trace/emit_impl.h"

void
emit_put(struct emit *e, uint8_t code, int dst, int src, int off, int32_t imm)
{
	struct bpfprog *o = e->out;

	if (!EMIT_ROOM(e, o->insn, o->ninsn, e->cap))
		return;
	o->insn[o->ninsn++] = (struct bpf_insn){ .code = code,
	    .dst_reg = dst & 15, .src_reg = src & 15, .off = (int16_t)off,
	    .imm = imm };
}

void
emit_subref(struct emit *e, int fn)
{
	if (!EMIT_ROOM(e, e->sub, e->nsub, e->subcap))
		return;
	e->sub[e->nsub++] = (struct subfix){ .insn = e->out->ninsn, .fn = fn };
}

void
emit_fixup(struct emit *e, label l)
{
	if (!EMIT_ROOM(e, e->fix, e->nfix, e->fixcap))
		return;
	e->fix[e->nfix++] = (struct fixup){ .insn = e->out->ninsn, .lab = l };
}

static void
note(struct emit *e, const struct ir *i)
{
	struct bpfprog *o = e->out;
	struct bpfline *l;

	l = o->nlinemap > 0 ? &o->linemap[o->nlinemap - 1] : NULL;
	if (l != NULL && l->clause == i->clause && l->line == i->line)
		return;
	if (!EMIT_ROOM(e, o->linemap, o->nlinemap, e->linecap))
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
			emit_put(e, BPF_STX | BPF_MEM | BPF_DW, RFP,
			    (int)f->ins[k].imm + 1, l->off, 0);
			continue;
		}
		from[n].kind = LOC_REG;
		from[n].reg = (int)f->ins[k].imm + 1;
		v[n] = (vreg)n;
		dst[n++] = l->reg;
	}
	f->loc = from;
	emit_moves(e, v, dst, n);
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
		emit_op(e, &f->ins[k]);
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
		if (seen[n] && (rv = farjump_func(&g->fn[n], m)) == 0 &&
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
