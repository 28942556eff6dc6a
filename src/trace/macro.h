/*
 * macro.h - macro arguments ($1, $$1) and macro variables ($pid, $target).
 *
 * struct macros is the caller's; it borrows argv.
 */
#ifndef TRACE_MACRO_H
#define TRACE_MACRO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { MACRO_MAXARG = 256 };

struct macros {
	int argc;			/* argv[0]: the script's name */
	char *const *argv;
	bool used[MACRO_MAXARG];	/* $n was mentioned */
	bool defaultargs;
	bool has_target;
	pid_t target;
};

/* Value of $name, names as DTrace has them. -1: no such macro variable. */
int	macro_var(const struct macros *, const char *name, int64_t *value);
/* Text of $n; NULL: not given (with defaultargs "" where str, else "0").
 * Notes that it was used. */
const char *macro_arg(struct macros *, unsigned long n, bool str);
/* First argument given but never used, 0: none. */
int	macro_unused(const struct macros *);

#endif
