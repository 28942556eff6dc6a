/*
 * ir.h - the intermediate representation: BPF operations on virtual registers.
 *
 * A struct gen is one BPF program under construction and owns its
 * instructions, labels and relocations.  Builders append one instruction each
 * and return the destination register; an error (no memory) sticks in the gen
 * and is returned by gen_finish, so callers need not check each one.
 *
 * Virtual registers hold 64 bits. A register may be assigned more than once
 * (this is not SSA); its live interval is from its first to its last mention,
 * stretched over loops by the back edges.
 */
#ifndef TRACE_IR_H
#define TRACE_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef int vreg;
typedef int label;
struct msg;
struct event;
struct gen;

enum irop {
	IR_NOP,
	IR_MOV,			/* dst = a */
	IR_IMM,			/* dst = imm (64 bits) */
	IR_ALU,			/* dst = a op b;  alu, 64 bits */
	IR_ALUI,		/* dst = a op imm (32 bits signed) */
	IR_NEG,			/* dst = -a */
	IR_EXT,			/* dst = a cut to size bytes, extended */
	IR_BSWAP,		/* dst = a in big-endian order, size bytes */
	IR_LOAD,		/* dst = *(size *)(a + off), zero-extended */
	IR_STORE,		/* *(size *)(a + off) = b */
	IR_STOREI,		/* *(size *)(a + off) = imm */
	IR_ATOMIC,		/* *(size *)(a + off) += b; 4 or 8 bytes */
	IR_CMPXCHG,		/* dst = *(size *)(a + off); if it is imm, b */
				/* is stored there, as one step */
	IR_JMP,			/* goto lab */
	IR_BR,			/* if (a cc b) goto lab */
	IR_BRI,			/* if (a cc imm) goto lab */
	IR_LABEL,		/* lab: */
	IR_CALL,		/* dst = helper imm (arg[0..narg-1]) */
	IR_CALLSUB,		/* dst = subprogram imm (args) */
	IR_MAPFD,		/* dst = map imm, as a helper takes it */
	IR_MAPVAL,		/* dst = address in array map imm at off */
	IR_FUNC,		/* dst = address of subprogram imm (bpf_loop) */
	IR_FP,			/* dst = frame pointer + off */
	IR_ARG,			/* dst = argument imm of this function */
	IR_EXIT,		/* return a */
	IR_NOPS			/* number of them */
};

enum alu { A_ADD, A_SUB, A_MUL, A_UDIV, A_UMOD, A_AND, A_OR, A_XOR, A_SHL,
	   A_SHR, A_SAR };
enum cc { CC_EQ, CC_NE, CC_ULT, CC_ULE, CC_UGT, CC_UGE, CC_SLT, CC_SLE,
	  CC_SGT, CC_SGE, CC_SET /* a & b != 0 */ };

/*
 * A gen holds function 0, the program itself, whose only argument is the
 * context, and the subprograms begun with ir_func. Builders append to the
 * current function.
 */
struct bpfprog;
struct gen *gen_new(void);			/* NULL: no memory */
void	gen_free(struct gen *);
/* What hooks that know only the gen may need: the caller's own pointer. */
void	gen_setuser(struct gen *, void *);
void	*gen_user(struct gen *);
/* Improves, allocates registers and emits; fills insn, rel, sub and linemap of
 * *out, which owns them then. -1: *m says why (memory; a register or jump out
 * of BPF's range). May be called once. */
int	gen_finish(struct gen *, struct bpfprog *out, struct msg *);
void	gen_dump(struct gen *, FILE *);		/* IR as text, for -S */
void	bpf_dump(const struct bpfprog *, FILE *);	/* disassembly */

/* Begins a subprogram and makes it current until ir_endfunc. Its number is
 * known at once, so that it may be called before its body is there. */
int	ir_func(struct gen *, const char *name, unsigned narg);
void	ir_endfunc(struct gen *);
int	ir_lastfunc(const struct gen *);	/* that ir_endfunc closed */
vreg	ir_arg(struct gen *, unsigned n);	/* of the current function */

/* Builders. `size` is in bytes: 1, 2, 4 or 8. */
vreg	ir_new(struct gen *);			/* a fresh register */
void	ir_mov(struct gen *, vreg dst, vreg a);	/* assign again */
vreg	ir_imm(struct gen *, int64_t);
void	ir_set(struct gen *, vreg dst, int64_t);
/* Changes the constant that ir_imm gave v, in the current function. */
void	ir_patch(struct gen *, vreg v, int64_t);
/* Is v's latest definition, and its only one so far, the constant imm? */
bool	ir_isconst(const struct gen *, vreg v, int64_t imm);
/* Instructions so far in the current function: tells whether any came. */
size_t	ir_count(const struct gen *);
vreg	ir_alu(struct gen *, enum alu, vreg a, vreg b);
vreg	ir_alui(struct gen *, enum alu, vreg a, int64_t imm);
void	ir_aluto(struct gen *, vreg dst, enum alu, vreg a, vreg b);
void	ir_aluito(struct gen *, vreg dst, enum alu, vreg a, int64_t imm);
vreg	ir_neg(struct gen *, vreg a);
vreg	ir_ext(struct gen *, vreg a, unsigned size, bool sign);
vreg	ir_bswap(struct gen *, vreg a, unsigned size);
vreg	ir_load(struct gen *, vreg base, int32_t off, unsigned size);
void	ir_loadto(struct gen *, vreg dst, vreg base, int32_t off,
	    unsigned size);
void	ir_store(struct gen *, vreg base, int32_t off, unsigned size, vreg v);
void	ir_storei(struct gen *, vreg base, int32_t off, unsigned size,
	    int32_t v);
void	ir_atomic_add(struct gen *, vreg base, int32_t off, unsigned size,
	    vreg v);
vreg	ir_cmpxchg(struct gen *, vreg base, int32_t off, unsigned size,
	    int32_t expected, vreg v);
label	ir_newlabel(struct gen *);
void	ir_label(struct gen *, label);
void	ir_jmp(struct gen *, label);
void	ir_br(struct gen *, enum cc, vreg a, vreg b, label);
void	ir_bri(struct gen *, enum cc, vreg a, int64_t imm, label);
/* Arguments are vregs, at most 5. The result may be left unused. */
vreg	ir_call(struct gen *, int helper, unsigned narg, ...);
vreg	ir_callsub(struct gen *, int func, unsigned narg, ...);
vreg	ir_funcaddr(struct gen *, int func);	/* for bpf_loop */
vreg	ir_mapfd(struct gen *, int map);
vreg	ir_mapval(struct gen *, int map, uint32_t off);
vreg	ir_fp(struct gen *, int32_t off);
vreg	ir_ctx(struct gen *);			/* = ir_arg(g, 0) */
void	ir_exit(struct gen *, int64_t rv);
void	ir_exitv(struct gen *, vreg);
/* Space on the 512-byte BPF stack; returns its (negative) offset. */
int32_t	ir_stack(struct gen *, unsigned size, unsigned align);
/* Note for -S and for messages about a verifier's refusal. */
void	ir_line(struct gen *, int clause, int line);

#endif
