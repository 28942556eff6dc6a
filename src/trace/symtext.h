/*
 * symtext.h - stacks and symbols in DTrace's layout.
 *
 * Data in a record or key: STACK: datum.size / 8 addresses, ended by 0, of
 * which datum.arg are shown, those of the tracing itself left out; USTACK,
 * JSTACK: a u64 pid and then addresses likewise, or (rawstack) a u64 pid, a u64
 * number of stack bytes, u64[REGS_N] registers (regs.h) and the stack from its
 * pointer on; SYM, MOD: a u64 address; USYM, UMOD, UADDR: a u64 pid and a u64
 * address.
 */
#ifndef TRACE_SYMTEXT_H
#define TRACE_SYMTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct datum;
struct trace;

/* What trace() and the default print of a key show: stacks as indented lines
 * after a newline, symbols in a column of 50. */
int	symtext_print(const struct trace *, FILE *, const struct datum *,
	    const uint8_t *base);
/* A stack alone, with an indent of its own (blanks). */
int	symtext_stack(const struct trace *, FILE *, const struct datum *,
	    const uint8_t *base, int indent);
/* A symbol datum (not a stack) as text without padding; NUL-ends buf. */
void	symtext_datum(const struct trace *, const struct datum *,
	    const uint8_t *base, char *buf, size_t size);
/* Several values of it show as the same: a symbol's or module's name, not an
 * exact address; a kernel stack, which is longer than what is shown. */
bool	symtext_is_name(const struct datum *);
/* Makes all values that show as the same one key: puts the start of the symbol
 * or module in the place of an address in it, cuts a stack. */
void	symtext_canonical(const struct trace *, const struct datum *,
	    uint8_t *base);
/* module`symbol+0xoff, module`0xaddr or 0xaddr. */
void	symtext_kaddr(const struct trace *, uint64_t addr, char *buf,
	    size_t size);
void	symtext_uaddr(const struct trace *, pid_t pid, uint64_t addr,
	    char *buf, size_t size);

#endif
