/*
 * Many files hashed by a few threads, their results told in order.
 *
 * Ownership: the jobs and their paths stay the caller's; while sums_hash()
 * runs only it may look at a job that has not been told.
 */
#ifndef LIBDT_SUMS_HASH_H
#define LIBDT_SUMS_HASH_H

#include <stdbool.h>
#include <stddef.h>

#include "libdt/digest.h"
#include "libdt/msg.h"
#include "libdt/sums.h"

struct sums_job {
	const char *path;
	unsigned which;		/* DIGEST_* */
	struct digest d;
	const char *fault;	/* NULL, or what failed: "cannot open" */
	int err;		/* its errno */
	bool changed;		/* while it was read */
	bool done;
};

/* Returns 0 to go on, else sums_hash() ends with that value. */
typedef int sums_hash_fn(void *arg, struct sums_job *job);

/*
 * Hashes n files beneath dirfd, each in one read, and tells each in order and
 * in the caller's thread. Memory: 256 KiB a thread. Returns 0, fn's value, or
 * -1 with m.
 */
int sums_hash(int dirfd, struct sums_job *jobs, size_t n,
    const struct sums_options *o, sums_hash_fn *fn, void *arg,
    struct msg *m);

#endif
