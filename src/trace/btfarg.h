/*
 * btfarg.h - arguments of kernel functions and tracepoints by BTF.
 *
 * The kernel's BTF (kernel.c) owns what is pointed to.
 */
#ifndef TRACE_BTFARG_H
#define TRACE_BTFARG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdt/msg.h"
#include "trace/ir.h"
#include "trace/probe.h"

struct btf_param;
struct trace;

/* How a program finds each argument in its context: 8 bytes each. */
struct btfargs {
	unsigned n;
	struct { uint8_t size; bool sign; } arg[PROBE_MAXARG];
	uint8_t ret_size;		/* fexit: of the result, 0: void */
	bool ret_sign;
	unsigned nparam;		/* fexit: the result's place */
};

/* The function prototype behind a FUNC, or a TYPEDEF of a pointer to one;
 * parameter n of it. NULL: there is none. */
const struct btf_param *btfarg_param(struct trace *, uint32_t id, unsigned n);
/* Its return type's id, 0: void. */
uint32_t btfarg_result(struct trace *, uint32_t id);
/*
 * Are the parameters all words or less, at most max of them, and the result a
 * word or void? Others have no types here; and as many as come in registers is
 * what fentry can trace on any kernel. False for id 0.
 */
bool	btfarg_plain(struct trace *, uint32_t id, unsigned max);
/* Parameters from `first` on; n 0 where the id is 0. */
void	btfarg_layout(struct trace *, uint32_t id, unsigned first,
	    struct btfargs *);
/* args[] as D knows it. */
int	btfarg_type(struct trace *, uint32_t type_id, struct probearg *,
	    struct msg *);
/* Argument n, extended to 64 bits; 0 past the last. Where nothing is known of
 * the arguments, the context's n-th word. */
vreg	btfarg_gen(struct gen *, const struct btfargs *, unsigned n);

#endif
