/*
 * dt-finalize's work, shared by its parts: a staging directory (dt-bundle(5))
 * becomes the tree of a bundle. spool/ and all else in staging stays as it
 * is, so that it can be done again.
 *
 * Ownership: a struct final owns all that hangs from it until final_close();
 * its fds are the caller's.
 */
#ifndef LIBDT_FINAL_H
#define LIBDT_FINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdt/bundle.h"
#include "libdt/member.h"
#include "libdt/msg.h"
#include "libdt/recsort.h"
#include "libdt/spool.h"
#include "libdt/stage.h"

#define FINAL_TOOL	"dt-finalize"
#define FINAL_EXECS	256	/* execve calls of the target that are noted */

struct final_collector {
	const struct bundle_stage_collector *st;
	struct spool spool;
	bool there;		/* it has a spool */
	char *err;		/* what it wrote on stderr, "" if nothing */
	uint64_t filtered[RULE_COUNT];
	uint64_t recorded;
};

struct maps;

struct final {
	int staging;		/* the staging directory */
	int tree;		/* where the bundle is built */
	struct stage stage;
	struct final_collector *col;	/* as stage.s.collectors */
	struct record_sort *sort[FAMILY_COUNT];	/* NULL: not requested */
	struct { uint64_t from, to; } execve[FINAL_EXECS];
	size_t nexecve;
	uint64_t maps_start;	/* mappings of before are another program's */
	struct maps *maps;
	struct bundle b;	/* what is being made; on tree */
	const char **incarnations;	/* of b.cohort, in its order */
	struct bundle_mem *mem;
};

/* A copy that lives as long as f; NULL with m. */
char *final_strdup(struct final *f, const char *s, size_t n, struct msg *m);

/*
 * Makes all of the bundle but validation.json, report/ and the lists, in the
 * empty directory tree. Returns 0; 1 with m: the capture is not one that can
 * be published (aborted, or not drained; id "aborted"), or what staging holds
 * is broken; -1 with m: it could not be done.
 */
int final_build(struct final *f, int staging, int tree, struct msg *m);
void final_close(struct final *f);

/* rc; where it is -1, m's file is one of the tree: it is named so. */
int final_in_tree(int rc, struct msg *m);

/* The steps of final_build(), each in a file of its own. */

/* final_spool.c: the spools into sorters */
int final_spools(struct final *f, struct msg *m);
/* final_loss.c: counters, drops, costs and errors of each collector */
int final_losses(struct final *f, struct msg *m);
/* final_cohort.c: the members, sealed; and the window's start */
int final_cohort(struct final *f, struct msg *m);
/* final_raw.c: raw/ */
int final_raw(struct final *f, struct msg *m);
/* final_keep.c: artifacts/ and logs/ */
int final_keep(struct final *f, struct msg *m);
/* final_json.c: the JSON files */
int final_json(struct final *f, struct msg *m);

#endif
