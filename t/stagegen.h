/*
 * A staging directory made by hand, the same bytes each time: what the tests
 * of dt-finalize and dt-validate start from. stagegen.c tells its story.
 */
#ifndef T_STAGEGEN_H
#define T_STAGEGEN_H

#include <stdbool.h>

#include "libdt/msg.h"

struct stagegen {
	bool full;		/* all six families, not cpu and syscalls */
	bool attach;		/* the target was attached to */
	const char *name;	/* the bundle's */
};

/* Fills the directory open on dirfd; -1 with m. */
int stagegen(int dirfd, const struct stagegen *g, struct msg *m);

#endif
