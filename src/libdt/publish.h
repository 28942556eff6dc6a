/*
 * Publishing: a staging directory becomes a bundle, whole and at once, or
 * stays what it is (dt-bundle(5), Publishing).
 *
 * Ownership: a struct publish owns its fds and strings until publish_close().
 */
#ifndef LIBDT_PUBLISH_H
#define LIBDT_PUBLISH_H

#include "libdt/digest.h"
#include "libdt/msg.h"
#include "libdt/validate.h"

struct publish {
	const char *dest;	/* where to, NULL: beside staging */
	const struct msg_sink *sink;	/* gets the findings */
	/* Called at the begin of each step; may be NULL. */
	void (*step)(void *arg, const char *what);
	void *step_arg;
	/* filled */
	char *path;		/* the bundle's, as it would be named */
	char id[DIGEST_REF];
	enum verdict verdict;
	/* its own */
	const char *operand;
	int staging, beside;	/* the directory, and the one it is in */
	int parent, tree;	/* of the bundle; and the bundle itself */
	char *name;		/* the bundle's, in parent */
	char *own;		/* staging's, in beside */
};

/*
 * Publishes the staging directory of that path. Returns 0: the bundle is
 * there (path, id and verdict tell of it); 1 with m: the capture is not fit
 * to be published (ids "aborted", "invalid", or of stage.json): staging stays;
 * -1 with m: it could not be done (ids "exists", "locked", "other-fs",
 * "disagree", and those of reading and writing): staging stays, and the same
 * call works once the cause is gone.
 */
int publish(struct publish *p, const char *staging, struct msg *m);
/* Removes what is left of staging, once publish() has given 0. */
int publish_clean(struct publish *p, struct msg *m);
void publish_close(struct publish *p);

#endif
