/*
 * What the parts of the validator share. Each validate_*.c has one subject
 * and adds findings; none prints, and only trouble that leaves the verdict
 * open (I/O, memory) is a failure.
 *
 * Ownership: a struct val is validate_bundle()'s; what hangs from it is freed
 * by the part that made it (val_*_free()).
 */
#ifndef LIBDT_VALIDATE_IMPL_H
#define LIBDT_VALIDATE_IMPL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "libdt/bundle.h"
#include "libdt/path.h"
#include "libdt/validate.h"

#define VAL_ENTRIES	65536u	/* files and directories of a bundle */
#define VAL_DEPTH	8u
struct val_entry {
	char *path;
	enum path_type type;
	struct stat st;
	bool used;		/* something of the contract names it */
};

struct val_tree {
	struct val_entry *v;	/* sorted by path */
	size_t n, cap;
};

#define VAL_NEVER	UINT64_MAX	/* ns */

/* A thread's life, and what the record files tell of it as they pass. */
struct val_life {
	uint32_t member;
	uint64_t tid;
	uint64_t born;		/* 0: not seen */
	uint64_t died;		/* VAL_NEVER: not seen */
};

struct val_lives {
	struct val_life *v;	/* sorted by member, tid, born */
	size_t n, cap;
	bool full;		/* the limit was reached: not to rely on */
};

/* What raw/procs.tsv says of a member. */
struct val_member {
	uint64_t birth_line, exit_line, exec_line;	/* 0 = none */
	uint64_t first_exec, last_exec;			/* ts, 0 = none */
	int64_t status;		/* of its proc-exit */
	uint64_t exe_mapped;	/* line of raw/maps.tsv, 0 = none */
	bool exe_same;		/* a mapping of exe has exe_build_id */
	uint32_t execs;		/* its proc-execs */
	uint32_t parent;	/* who bore it, where birth_line is known */
	bool other_exe;		/* the last proc-exec is not cohort's exe */
};

struct val_exec {
	uint32_t member;
	uint64_t ts;
	uint64_t exe;		/* hash of its path */
};
struct val_execs {
	struct val_exec *v;	/* sorted by member and ts */
	size_t n, cap;
};

struct val_finds {
	pthread_mutex_t lock;
	unsigned cap;
	uint64_t by_id[FINDING_COUNT];
	struct msg *v;
	size_t n, room;
	bool nomem;
};

struct val {
	const struct validate_opt *opt;
	int dirfd;
	const char *name;
	struct bundle b;
	struct val_finds finds;
	struct val_tree tree;
	const struct bundle_collector **by_name;	/* collectors */
	struct val_lives lives;
	struct val_execs execs;
	struct val_execs births;	/* of threads and processes, by whom */
	struct val_member *members;	/* as cohort.members; NULL = none */
	uint64_t records[FAMILY_COUNT];	/* in raw/, ovf apart */
	bool whole[FAMILY_COUNT];	/* every line of it could be read */
	uint64_t samples;	/* of cpu, by their count; at most UINT64_MAX */
	struct val_ctx *ctx;	/* contexts of threads; NULL: no spans */
	bool spans;		/* there is raw/spans.tsv */
	uint64_t first_execve;	/* entry of the target's, 0 = not seen */
	uint64_t window_start, window_end;	/* 0, UINT64_MAX: not known */
	uint64_t clock_start, clock_end;	/* as these */
	uint32_t limit;
	/* What is wrong in itself is not compared with other files. */
	bool cohort_odd, collectors_odd;
	bool procs_lossy;	/* procs dropped records, or may have */
	char id[DIGEST_REF];
};

/* Adds a finding; safe in any thread. path is relative to the bundle. */
void val_found(struct val *v, enum finding f, const char *path,
    uint64_t line, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* A msg of another part of libdt by its id; -1 and nothing if unknown. */
int val_found_msg(struct val *v, const struct msg *m);
/* Has any error so far. */
bool val_has_error(struct val *v);

/* validate_layout.c */
int val_layout(struct val *v, struct msg *m);
int val_layout_again(struct val *v, struct msg *m);
void val_tree_free(struct val_tree *t);
/* A hash of all that tells whether an entry changed. */
uint64_t val_tree_stamp(const struct val_tree *t);
/* A regular file of the bundle; NULL if it is none. */
struct val_entry *val_file(struct val *v, const char *path);

/* validate_sums.c */
struct val_sums {
	struct val *v;
	pthread_t thread;
	bool running;
	int rc;
	struct msg m;
};
/* Starts the thread, waits for it; -1 with m. */
int val_sums_start(struct val_sums *s, struct val *v, struct msg *m);
int val_sums_join(struct val_sums *s, struct msg *m);

/* validate_json.c: loads the JSON files; then each looks at what is there. */
int val_json(struct val *v, struct msg *m);
int val_manifest(struct val *v, struct msg *m);	/* validate_manifest.c */
bool val_own(const struct val *v);	/* made by this version's dt-finalize */
void val_clock(struct val *v);			/* validate_clock.c */
int val_cohort(struct val *v, struct msg *m);	/* validate_cohort.c */
int val_settings(struct val *v, struct msg *m);	/* validate_settings.c */
/* validate_artifact.c */
int val_artifacts(struct val *v, struct msg *m);
void val_log(struct val *v, const struct bundle_collector *k);
/* validate_cost.c */
void val_cost(struct val *v, const struct bundle_collector *k);
void val_collectors(struct val *v);	/* validate_collector.c */
/* validate_knob.c: settings.json against what ran */
void val_knobs(struct val *v);
/* How many words of argv are the tracer's command, 0 if they are another's. */
size_t val_tracer_words(const struct bundle_collector *k);

/* validate_family.c: states; and counts, once the records have been read */
void val_families(struct val *v);
void val_counts(struct val *v);

void val_ctx_free(struct val_ctx *c);		/* validate_ctx.c */
/* validate_life.c */
void val_lives_free(struct val *v);

/* validate_record.c: streams raw/; and what only all of it can tell */
int val_records(struct val *v, struct msg *m);

/* validate_report.c: the manifest against all of the records */
void val_whole(struct val *v);
/*
 * The report, built anew in a thread of its own; what differs is told at the
 * end, and only where nothing else is wrong.
 */
struct val_report {
	struct val *v;
	pthread_t thread;
	bool running, built;
	int rc;
	struct msg m;
	struct msg found[16];
	size_t n;
};
/* The same; then its findings are told in the caller's thread. */
int val_report_start(struct val_report *p, struct val *v, struct msg *m);
int val_report_join(struct val_report *p, struct msg *m);
void val_report_tell(struct val_report *p);
/* validate_verdict.c: validation.json against what was found, the last */
void val_verdict(struct val *v, const struct validate_result *r);

/* The same, or both NULL. */
static inline bool
val_same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Index of a collector by name, -1 if there is none. */
ssize_t val_collector(const struct val *v, const char *name);

#endif
