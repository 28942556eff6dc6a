/*
 * The living processes of the cohort, as the spool of the procs collector
 * tells them so far.
 *
 * Ownership: pid belongs to the struct until members_free().
 */
#ifndef CAPTURE_MEMBERS_H
#define CAPTURE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct members {
	pid_t *pid;
	size_t n, cap;
	off_t at;		/* the spool is read up to here */
};

/* 0 or -1 (no memory) */
int members_add(struct members *s, pid_t pid);
/* Reads on in the spool, whole lines only; -1: it cannot be read. */
int members_read(struct members *s, int spool);
void members_free(struct members *s);

#endif
