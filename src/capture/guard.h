/*
 * The guard: a process that outlives dt-attach for as long as it takes to end
 * the tracers it has left behind, however it died.
 *
 * Ownership: guard_start() gives an fd; closing it (or dying) while tracers
 * are registered makes the guard end their process groups, by TERM and then,
 * two seconds later, by KILL.
 */
#ifndef CAPTURE_GUARD_H
#define CAPTURE_GUARD_H

#include <sys/types.h>

#include "libdt/msg.h"

/* The fd to speak to the guard through, or -1 with m. */
int guard_start(struct msg *m);
/* A tracer's process group is to be ended; or has ended and was reaped. */
int guard_add(int fd, pid_t group);
int guard_drop(int fd, pid_t group);

#endif
