/*
 * emit_impl.h - what the emitter's files share: emit.c makes a program of
 * functions, emit_op.c the instructions of one operation.
 *
 * A struct emit belongs to gen_finish(), which frees its tables; the program
 * is its caller's.
 */
#ifndef TRACE_EMIT_IMPL_H
#define TRACE_EMIT_IMPL_H

#include "libdt/array.h"
#include "trace/ir_impl.h"
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

/* ARRAY_ROOM() of the emit's arrays: false, and nomem set, without memory. */
#define EMIT_ROOM(e, v, n, cap) \
	((e)->nomem = (e)->nomem || ARRAY_ROOM(v, n, cap) == -1, !(e)->nomem)
/* Appends one instruction. */
void	emit_put(struct emit *, uint8_t code, int dst, int src, int off,
	    int32_t imm);
/* The next instruction refers to subprogram fn, jumps to a label. */
void	emit_subref(struct emit *, int fn);
void	emit_fixup(struct emit *, label);
/* The instructions of one operation. */
void	emit_op(struct emit *, const struct ir *);
/* Moves n values into registers dst[], none of which may be lost on the way:
 * registers first (a cycle is opened through T0), then memory, constants. */
void	emit_moves(struct emit *, const vreg *v, const int *dst, unsigned n);

#endif
