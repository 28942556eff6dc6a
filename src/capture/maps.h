/*
 * spool/maps.spool: the executable mappings of the cohort, noted while its
 * processes live (dt-bundle(5)). dt-attach is this collector itself.
 *
 * Ownership: a struct maps owns its file and its watch from maps_start() to
 * maps_stop().
 */
#ifndef CAPTURE_MAPS_H
#define CAPTURE_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/members.h"
#include "capture/perfmap.h"
#include "capture/staging.h"
#include "libdt/names.h"
#include "libdt/out.h"

#define MAPS_DROPS	1024

struct maps_drop {
	unsigned cpu;
	uint64_t from, to, count;
};

struct maps {
	struct staging *st;
	struct out out;
	bool open;
	struct perfmap *perf;	/* NULL: snapshots are polled */
	char why[160];		/* why they are */
	char unread[160];	/* of a living process that cannot be read */
	uint64_t fired, written, lost;
	struct maps_drop drop[MAPS_DROPS];	/* later ones join the last */
	unsigned drops;
	struct names seen;	/* facts of lines already polled */
	uint64_t next;		/* when to poll, ns */
	unsigned polls;
	uint64_t started, detach;
};

/*
 * Opens the spool and watches the process and its descendants to come. perf
 * events that cannot be had are no error: p->why says so.
 */
int maps_start(struct maps *p, struct staging *st, pid_t pid, struct msg *m);
/*
 * Writes what a process has mapped now. A process that has gone has none; of
 * one that cannot be read p->unread says why.
 */
void maps_snapshot(struct maps *p, pid_t pid);
/* Takes what has come; without perf events: polls all members when due. */
void maps_tick(struct maps *p, const struct members *who, bool all);
/*
 * Ends the spool and, where events were lost, writes maps.stats as dt-trace's
 * --stats has it; -1 with m if that cannot be done.
 */
int maps_stop(struct maps *p, struct msg *m);

/* Writes bytes as D's %S would, without its \0 at the end. */
int spool_string(struct out *o, const char *s, size_t n);

#endif
