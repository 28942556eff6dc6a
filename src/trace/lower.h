/*
 * lower.h - from a typed program to BPF and to the description of its records.
 */
#ifndef TRACE_LOWER_H
#define TRACE_LOWER_H

#include <stddef.h>
#include <stdint.h>
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

/*
 * For a provider's code: a map of its own, one of a name in the whole program,
 * for ir_mapfd(). There may be GEN_MAPS of them.
 */
enum { GEN_MAPS = 4 };
struct gen;
int	gen_map(struct gen *, const char *name, uint32_t type, uint32_t keysize,
	    uint32_t valsize, uint32_t maxent);
/* Constant bytes for it: the offset for ir_mapval() of MAP_RODATA. */
uint32_t gen_rodata(struct gen *g, const void *data, size_t n);

#endif
