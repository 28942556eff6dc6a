/*
 * Several bundles validated at once, each in a thread of its own; what was
 * found is given back in the order in which they came.
 *
 * Ownership: the caller's until validate_jobs_free(); a job keeps a copy of
 * its path and a duplicate of its fd, and its result is the callback's only
 * until that returns.
 */
#ifndef LIBDT_VALIDATE_JOBS_H
#define LIBDT_VALIDATE_JOBS_H

#include "libdt/validate.h"

#define VALIDATE_JOBS_MAX	64

/* What became of one bundle: rc as of validate_bundle(), m where it is -1. */
struct validate_done {
	const char *path;
	int rc;
	struct validate_result result;
	struct msg m;
};

struct validate_watch {
	/* Called in the caller's thread, once a bundle. */
	void (*done)(void *arg, struct validate_done *d);
	/* Called in the job's thread, and only if one runs at a time. */
	void (*progress)(void *arg, const char *path, const char *what,
	    uint64_t bytes);
	void *arg;
};

struct validate_jobs;

/*
 * At most n at once, from 1 to VALIDATE_JOBS_MAX; opt's own progress is not
 * used. NULL with m: no memory.
 */
struct validate_jobs *validate_jobs_new(const struct validate_opt *opt,
    unsigned n, const struct validate_watch *w, struct msg *m);

/*
 * Starts on the bundle whose directory is open on fd, when need be after the
 * oldest job's end. -1 with m: it cannot start, and done is not called.
 */
int validate_jobs_add(struct validate_jobs *v, int fd, const char *path,
    struct msg *m);

/* Waits for all of them. */
void validate_jobs_wait(struct validate_jobs *v);

/* Waits, too. */
void validate_jobs_free(struct validate_jobs *v);

#endif
