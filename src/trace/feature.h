/*
 * feature.h - what not every kernel has, and what may be left unused.
 *
 * A table (feature.def) says since when a kernel has it; `-x without=NAME,…`
 * turns it off, so that what is done instead can be seen on any kernel.
 *
 * What was found out is kept in the trace's struct kernel; names are static.
 */
#ifndef TRACE_FEATURE_H
#define TRACE_FEATURE_H

#include <stdbool.h>

#include "libdt/msg.h"

struct trace;

enum feature {
#define F(id, name, major, minor, helper, type, text) KF_##id,
#include "trace/feature.def"
#undef F
	KF_N
};

/* Has the kernel got it, and may it be used? True where no kernel is known
 * (version 0). */
bool	kernel_has(struct trace *, enum feature);
const char *feature_name(enum feature);
/* Are the names given to -x without known? -1 with m. */
int	feature_check(const struct trace *, struct msg *);

#endif
