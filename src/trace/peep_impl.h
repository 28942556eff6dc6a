/*
 * peep_impl.h - what the improvers of one function share: peep.c runs them,
 * peep_op.c rewrites single operations, peep_flow.c the flow between them.
 *
 * A struct peep belongs to peep_func(), which frees its tables.
 */
#ifndef TRACE_PEEP_IMPL_H
#define TRACE_PEEP_IMPL_H

#include "trace/ir_impl.h"

struct peep {
	struct irfunc *f;
	uint32_t *ndef, *nuse;		/* [nvreg] */
	int *def;			/* [nvreg] its (last) definition */
	int *lab;			/* [nlabel] instruction */
	bool changed;
};

/* The only definition of v, or NULL; the constant that it is. */
struct ir *peep_onedef(struct peep *, vreg v);
bool	peep_constant(struct peep *, vreg v, int64_t *val);
/* Makes i another operation; its dst, size and label stay. */
void	peep_becomes(struct peep *, struct ir *i, enum irop, vreg a,
	    int64_t imm);

/* peep_op.c: constants, copies, cheaper operations. */
void	peep_simplify(struct peep *);
/* peep_flow.c: jumps to where they end; code that nothing reaches goes, -1
 * with m: no memory. */
void	peep_jumps(struct peep *);
int	peep_reach(struct peep *, struct msg *);

#endif
