/*
 * cpp.h - the C preprocessor before the D compiler (-C).
 */
#ifndef TRACE_CPP_H
#define TRACE_CPP_H

#include <stddef.h>

#include "libdt/msg.h"

struct trace;

/*
 * Runs -x cpppath on the program on fd, with -D, -U, -I and -H of t->opt. The
 * result has line markers; it is the caller's to free. At most max bytes; name
 * is for messages. -1 with m: cpp is not there or fails.
 */
int	cpp_run(struct trace *, int fd, const char *name, size_t max,
	    char **text, size_t *len, struct msg *);

#endif
