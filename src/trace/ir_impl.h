/*
 * ir_impl.h - the inside of a struct gen, for ir*.c, peep*.c, farjump.c,
 * ralloc.c and emit*.c only.
 *
 * The gen owns its functions; a function owns its instruction and note arrays.
 */
#ifndef TRACE_IR_IMPL_H
#define TRACE_IR_IMPL_H

#include "trace/ir.h"

enum { IR_MAXARG = 5, BPF_STACK = 512 };

struct ir {
	uint8_t op;			/* enum irop */
	uint8_t sub;			/* enum alu, enum cc */
	uint8_t size;
	uint8_t narg;
	bool sign;
	vreg dst, a, b;			/* -1: none */
	int32_t off;
	label lab;
	int64_t imm;
	vreg arg[IR_MAXARG];
	int clause, line;
};

/* Where a virtual register lives. */
enum lockind { LOC_NONE, LOC_REG, LOC_SPILL, LOC_REMAT };
struct loc {
	enum lockind kind;
	int reg;			/* LOC_REG */
	int32_t off;			/* LOC_SPILL: from the frame pointer */
	int def;			/* LOC_REMAT: its definition */
};

struct irfunc {
	char name[24];
	unsigned narg;
	struct ir *ins;
	size_t n, cap;
	int nvreg, nlabel;
	int32_t stack;			/* lowest offset in use, <= 0 */
	struct loc *loc;		/* [nvreg], ralloc.c */
	uint32_t *use;			/* [nvreg] mentions as operand */
};

struct gen {
	struct irfunc *fn;
	int nfn;
	int cur;			/* index in fn */
	int prev[8];			/* functions suspended by ir_func */
	int nprev, last;
	bool nomem, toodeep;
	int clause, line;
	void *user;
};

/* A new last instruction of the current function, its operands unset; with a
 * destination, dst < 0: a fresh one. NULL: no memory, which the gen notes. */
struct ir *ir_append(struct gen *, enum irop);
struct ir *ir_appendto(struct gen *, enum irop, vreg dst);

/* Number of operands read, and the n-th of them by address. */
int	ir_nuse(const struct ir *);
vreg	*ir_use(struct ir *, int n);
bool	ir_pure(const struct ir *);	/* may go when dst is unused */

/* Passes; each -1 with *m on failure. */
int	peep_func(struct irfunc *, struct msg *);
int	farjump_func(struct irfunc *, struct msg *);
int	ralloc_func(struct irfunc *, struct msg *);

extern const char *const ir_opname[IR_NOPS];
extern const char *const ir_aluname[];
extern const char *const ir_ccname[];

#endif
