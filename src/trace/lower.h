/*
 * lower.h - from a typed program to BPF and to the description of its records.
 */
#ifndef TRACE_LOWER_H
#define TRACE_LOWER_H

#include <stdio.h>

struct diag;
struct prog;
struct trace;
struct unit;

/*
 * Compiles all clauses of a checked unit whose probes have been matched and
 * enabled (event.ec filled); asks no kernel. *out is the caller's, to be freed
 * with prog_free before the unit and its typeset. -1: errors are in the diag.
 * With dump, the IR and the BPF of each program are printed there.
 */
int	lower_unit(struct trace *, struct unit *, struct prog **out,
	    struct diag *, FILE *dumpir, FILE *dumpbpf);

#endif
