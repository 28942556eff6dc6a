/*
 * insnlen.h - where instructions begin. A breakpoint anywhere else would
 * break the traced program, so what is not understood is no beginning.
 *
 * Nothing is kept.
 */
#ifndef TRACE_INSNLEN_H
#define TRACE_INSNLEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uelf;
struct ufunc;

/* Bytes of the instruction of f at an offset from its start, 0: not known, or
 * f has ended. can: the kernel lets it be probed. */
size_t	insn_at(const struct uelf *, const struct ufunc *f, uint64_t at,
	    bool *can);
/* Does an instruction of f begin at this offset from its start? */
bool	insn_begins(const struct uelf *, const struct ufunc *f, uint64_t at);

#endif
