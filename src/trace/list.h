/*
 * list.h - what -l prints of probes.
 */
#ifndef TRACE_LIST_H
#define TRACE_LIST_H

#include <stdbool.h>
#include <stdio.h>

#include "libdt/msg.h"

struct probe;
struct trace;

int	list_head(FILE *);
/* One line; with verbose its attributes and argument types, too. -1 with m:
 * the output failed or the types could not be had. */
int	list_probe(struct trace *, FILE *, const struct probe *, bool verbose,
	    struct msg *);

#endif
