/*
 * The spool of one collector (dt-bundle(5)): its lines become canonical
 * records, what is none of them is counted as malformed.
 *
 * Ownership: a record is lent to the callback until it returns.
 */
#ifndef LIBDT_SPOOL_H
#define LIBDT_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "libdt/bundle.h"
#include "libdt/msg.h"
#include "libdt/record.h"

#define SPOOL_FRAMES_MAX	1024	/* frames of one sample */

struct spool {
	bool ready;		/* the READY line is there, and the first */
	bool newer;		/* it is of another version of the spool */
	char name[65];		/* the collector it names */
	bool ended;		/* the END line is there */
	uint64_t ready_ts, end_ts;
	struct maybe_u64 fired;	/* of the COUNT line */
	uint64_t records;	/* given to the callback */
	uint64_t malformed;	/* lines, or samples with their frames */
	uint64_t malformed_lines[BUNDLE_MALFORMED_LINES];
	/* times of the records around what is malformed, 0 = none */
	uint64_t bad_from, bad_to;
};

/* Returns 0, or -1 with m, which ends the reading. */
typedef int spool_fn(void *arg, const struct record *r, struct msg *m);

/*
 * Reads the spool on fd, which it takes over, of a collector of that family.
 * Frames are left as they were printed, but escaped and root first. name is
 * for messages. Returns 0, or -1 with m: it cannot be read, or what the
 * callback said.
 */
int spool_read(int fd, const char *name, enum schema_family family,
    spool_fn *fn, void *arg, struct spool *s, struct msg *m);

/* Whether a system call's first argument is a file descriptor. */
bool spool_has_fd(const char *call, size_t n);
/* The names of those calls, sorted; NULL after the last. */
const char *spool_fd_call(size_t i);

#endif
