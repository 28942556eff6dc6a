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
		uint8_t *held;		/* a return's record that waits */
		size_t heldlen, cap;	/* heldlen 0: none */
	} *cpu;
	uint32_t ncpu;
};

int	flow_init(struct flow *, int ncpu);
void	flow_free(struct flow *);
/* The indented name of the next record on a CPU, and the step in or out;
 * more: another clause's record of the same firing follows. */
void	flow_text(struct flow *, const struct rechead *,
	    const struct probe *, bool more, char *buf, size_t size);
/*
 * Only the last record of a return steps out, so such a one is held until the
 * next on its CPU is known. flow_holds: it is to be held; flow_hold: keeps a
 * copy (-1: no memory); flow_same: the second record is of the same firing.
 */
bool	flow_holds(const struct probe *);
int	flow_hold(struct flow *, const struct rechead *, size_t len);
bool	flow_same(const struct rechead *, const struct rechead *);

#endif
