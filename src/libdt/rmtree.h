/*
 * Removing a directory of one's own with all that is in it.
 *
 * Ownership: dirfd is the caller's.
 */
#ifndef LIBDT_RMTREE_H
#define LIBDT_RMTREE_H

#include "libdt/msg.h"

/*
 * Removes name (a single component) beneath dirfd, read-only directories too;
 * symbolic links are removed, never followed. One that is not there is no
 * error. 0 or -1 with m.
 */
int rmtree(int dirfd, const char *name, struct msg *m);
/* Empties a directory but for one entry (NULL: none is kept). */
int rmtree_empty(int dirfd, const char *keep, struct msg *m);

#endif
