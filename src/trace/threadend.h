/*
 * threadend.h - forgetting the self-> variables of threads that end, where
 * these are kept by thread id (feature task-storage missing).
 *
 * struct prog keeps the descriptor; load_unload() closes it.
 */
#ifndef TRACE_THREADEND_H
#define TRACE_THREADEND_H

#include "libdt/msg.h"

struct trace;

/* To be called when all else is attached, so that probes of a thread's end
 * still see its variables. Nothing to do without such a map. */
int	threadend_attach(struct trace *, struct msg *);

#endif
