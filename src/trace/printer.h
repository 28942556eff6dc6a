/*
 * printer.h - what printing remembers from record to record: shared by
 * print_rec.c and conaction.c.
 *
 * The trace owns its printer from print_open() to print_close().
 */
#ifndef TRACE_PRINTER_H
#define TRACE_PRINTER_H

#include <stdbool.h>
#include <stdio.h>

#include "trace/flow.h"

struct action;
struct msg;
struct trace;

struct printer {
	bool header;			/* the heading is out */
	struct flow flow;
	FILE *first;			/* trace.out before freopen() */
};

/* Consumer-side actions (conaction.c). -1: *m says what failed. */
int	conaction_run(struct trace *, const struct action *,
	    const uint8_t *rec, struct msg *);
/* Ends freopen(): trace.out is again what it was. */
int	conaction_restore(struct trace *, struct msg *);

#endif
