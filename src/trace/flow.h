/*
 * flow.h - the indentation of -F, per CPU.
 *
 * struct flow owns its array from flow_init to flow_free.
 */
#ifndef TRACE_FLOW_H
#define TRACE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe;
struct rechead;

struct flow {
	struct flowcpu {
		uint32_t indent;	/* blanks */
		uint32_t probe, clause;	/* of the last record */
		bool any;		/* there was one */
	} *cpu;
	uint32_t ncpu;
};

int	flow_init(struct flow *, int ncpu);
void	flow_free(struct flow *);
/* The indented name of the next record on a CPU, and the step in or out. */
void	flow_text(struct flow *, const struct rechead *,
	    const struct probe *, char *buf, size_t size);

#endif
