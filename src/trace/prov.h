/*
 * prov.h - the providers' rows, one file prov_NAME.c each, and what they share
 * in generating code. Types are the typeset's, registers the gen's.
 */
#ifndef TRACE_PROV_H
#define TRACE_PROV_H

#include "trace/ir.h"
#include "trace/probe.h"

struct dtype;

/* gen_probe of an event that carries one probe. */
vreg	gen_probe_const(struct gen *, struct event *, const struct evclause *);
/* gen_arg of a probe without arguments. */
vreg	gen_arg_zero(struct gen *, struct event *, unsigned n);
/* 1 where a's and b's values differ, else 0. */
vreg	gen_differ(struct gen *, vreg a, vreg b);
/* The program ends here unless v is so to imm. */
void	gen_unless(struct gen *, enum cc, vreg v, int64_t imm);
/* What size bytes, at most 8, at an address hold; 0 where it is not to be
 * read. */
vreg	gen_read(struct gen *, vreg addr, unsigned size, bool user);
/* Offset in pt_regs of "uregs.N"; -1: no such name or number. DTrace numbers
 * them in the order the kernel keeps them in. */
int	uregs_offset(const char *name);
/*
 * Jumps to skip unless bit n is set in bits; n is a register below
 * 64 * nword.
 */
void	gen_match_number(struct gen *, vreg n, const uint64_t *bits,
	    size_t nword, int skip);
/*
 * The type of C text as the kernel prints it ("struct iovec *", "size_t"); a
 * 64-bit integer, or void behind a pointer, when it is not known. NULL only
 * without memory.
 */
const struct dtype *prov_ctype(struct trace *, const char *text);

extern const struct provider prov_dtrace;
extern const struct provider prov_profile;
extern const struct provider prov_syscall;
extern const struct provider prov_proc;
extern const struct provider prov_pid;
extern const struct provider prov_usdt;
extern const struct provider prov_sdt;
extern const struct provider prov_fbt;
extern const struct provider prov_sched;
extern const struct provider prov_io;

#endif
