/*
 * stability.h - the stability attributes that -v prints, as const tables.
 */
#ifndef TRACE_STABILITY_H
#define TRACE_STABILITY_H

#include <stdio.h>

#include "trace/probe.h"

/* Values of struct stability, in DTrace's order (dtrace_attribute_t). */
enum { ST_INTERNAL, ST_PRIVATE, ST_OBSOLETE, ST_EXTERNAL, ST_UNSTABLE,
       ST_EVOLVING, ST_STABLE, ST_STANDARD };
enum { CL_UNKNOWN, CL_CPU, CL_PLATFORM, CL_GROUP, CL_ISA, CL_COMMON };

extern const struct pvattr stability_stable;	/* dtrace */
extern const struct pvattr stability_common;	/* profile */
extern const struct pvattr stability_isa;	/* proc, sched, io, usdt, pid */
extern const struct pvattr stability_syscall;
extern const struct pvattr stability_private;	/* sdt, fbt */

const char *stability_name(uint8_t);		/* "Evolving" */
const char *stability_class(uint8_t);		/* "ISA" */
/* Of each attribute the less stable. */
struct stability stability_least(struct stability a, struct stability b);
/* A title and the three attributes, indented as -v does. */
void	stability_print(FILE *fp, const char *title, struct stability s);

#endif
