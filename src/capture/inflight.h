/*
 * spool/inflight.spool: the system calls that the cohort is in at the end of
 * the window (dt-bundle(5)), from /proc/PID/task/TID/syscall.
 *
 * Ownership: nothing is kept.
 */
#ifndef CAPTURE_INFLIGHT_H
#define CAPTURE_INFLIGHT_H

#include "capture/members.h"
#include "capture/staging.h"

/*
 * The whole spool in one go; -1 with m if it cannot be written, or a process
 * that lives not be read: then the spool has no end.
 */
int inflight_write(struct staging *st, const struct members *who,
    struct msg *m);

/* A system call's name on this machine, NULL if the number is not known. */
const char *syscall_name(long nr);

#endif
