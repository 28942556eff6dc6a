/*
 * A look at what standard input begins with, whatever it is, without taking
 * it away from who reads it next.
 *
 * Ownership: a struct peek is the caller's and must live until the program
 * ends; after peek_stdin() fd 0 may be a pipe that a thread fills.
 */
#ifndef LIBDT_PEEK_H
#define LIBDT_PEEK_H

#include <stdatomic.h>
#include <stddef.h>

#include "libdt/msg.h"

#define PEEK_SIZE	4096	/* bytes looked at */

struct peek {
	char head[PEEK_SIZE + 1];	/* NUL-terminated */
	size_t n;
	int from;		/* what was standard input; -1: still is */
	int to;
	atomic_int err;		/* errno of a read of it that failed */
};

/*
 * Fills head up to a first line that is not blank, or PEEK_SIZE bytes; 0, or -1 with m. A file
 * that can be sought stays fd 0 as it is, at its offset.
 */
int peek_stdin(struct peek *p, struct msg *m);
/* -1 with m if reading what was standard input failed since. */
int peek_check(struct peek *p, struct msg *m);

#endif
