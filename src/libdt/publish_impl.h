/*
 * The small steps of publish.c: finding and locking staging, and all that
 * makes what was built durable and visible.
 *
 * Ownership: as in publish.h.
 */
#ifndef LIBDT_PUBLISH_IMPL_H
#define LIBDT_PUBLISH_IMPL_H

#include "libdt/publish.h"

#define PUBLISH_TREE	"bundle"	/* built in staging, then renamed */
#define PUBLISH_MARK	"published"	/* the bundle's id, once it is sealed */

/* Opens and locks staging; finds the bundle's name, path and parent. */
int publish_open(struct publish *p, struct msg *m);
/*
 * What an earlier run left: 1 the bundle is there already (id and verdict are
 * filled), 0 it is to be made, -1 with m (id "exists": a bundle of that name
 * is another one).
 */
int publish_find(struct publish *p, struct msg *m);
/* Files 0444, directories 0555 (the top one after the rename); all synced. */
int publish_seal(struct publish *p, struct msg *m);
/* Leaves the id in staging, so that a later run knows its bundle. */
int publish_mark(struct publish *p, struct msg *m);
/* INCOMPLETE goes. */
int publish_complete(struct publish *p, struct msg *m);
/* The one rename, that replaces nothing; and the parent synced. */
int publish_rename(struct publish *p, struct msg *m);

#endif
