/*
 * insnlen.h - where instructions begin. A breakpoint anywhere else would
 * break the traced program, so what is not understood is no beginning.
 *
 * Nothing is kept.
 */
#ifndef TRACE_INSNLEN_H
#define TRACE_INSNLEN_H

#include <stdbool.h>
#include <stdint.h>

struct uelf;
struct ufunc;

/* Does an instruction of f begin at this offset from its start? */
bool	insn_begins(const struct uelf *, const struct ufunc *f, uint64_t at);

#endif
