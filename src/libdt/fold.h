/*
 * Folded stacks: `root;…;leaf COUNT`, one line a distinct stack, what
 * flamegraph.pl and its kin read.
 *
 * Ownership: a struct fold owns its table until fold_free(); options are the
 * caller's and are only read.
 */
#ifndef LIBDT_FOLD_H
#define LIBDT_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdt/bundle.h"
#include "libdt/msg.h"
#include "libdt/out.h"

enum fold_by {			/* a first frame that groups the stacks */
	FOLD_BY_NONE, FOLD_BY_PID, FOLD_BY_TID, FOLD_BY_EXE, FOLD_BY_SPAN,
};

enum fold_weight {
	FOLD_SAMPLES,		/* count of cpu-sample; alloc: its weight */
	FOLD_BYTES,		/* alloc-sample: estimated bytes */
};

struct fold_opt {
	bool addrs;		/* keep `+0xOFFSET` and bare addresses */
	bool nomodules;		/* drop "module`" where a symbol follows */
	bool kernel;		/* mark kernel frames with `_[k]` */
	enum fold_by by;
	enum schema_family family;	/* FAMILY_CPU, FAMILY_ALLOCATIONS */
	enum fold_weight weight;
	/* Records only; 0 = any. */
	uint64_t pid, tid, span;
	uint64_t from, to;	/* ns on the bundle's clock */
	/* Called now and then while input is read; may be NULL. */
	void (*progress)(void *arg, uint64_t bytes);
	void *progress_arg;
};

/* Whether a record may be left out by pid, tid, span or time. */
bool fold_chooses(const struct fold_opt *o);

/*
 * What people call a frame (n bytes): without its `+0xOFFSET`, unless that is
 * all there is behind the module; a bare address, whose mapping is unknown, is
 * "[unknown]". *s may become another text; returns the length.
 */
size_t fold_frame_name(const char **s, size_t n);

struct fold;

struct fold *fold_new(const struct fold_opt *o);	/* NULL: no memory */
void fold_free(struct fold *f);				/* may be NULL */

/*
 * Adds count to one stack: frames root first, joined by `;` (bytes of a frame
 * that are `;` escaped already). first may be NULL, else the frame put before
 * them. -1: no memory.
 */
int fold_add(struct fold *f, const char *first, const char *stack, size_t n,
    uint64_t count);

/* What was put in; stacks are distinct ones. */
uint64_t fold_total(const struct fold *f);
size_t fold_stacks(const struct fold *f);

/* Calls fn for each distinct stack, sorted by bytes; stops at non-zero. */
int fold_each(struct fold *f, int (*fn)(void *arg, const char *stack,
    size_t n, uint64_t count), void *arg);

/* Lines sorted by bytes. -1 if o failed, or no memory. */
int fold_write(struct fold *f, struct out *o);

/*
 * Adds the records a reader gives (raw/cpu.tsv …), which it ends with.
 * Malformed lines go to the sink and are counted; cohort may be NULL (then
 * FOLD_BY_EXE has only pids). -1 with m: could not be read.
 */
int fold_records(struct fold *f, struct record_reader *rd,
    const struct bundle_cohort *cohort, const struct msg_sink *sink,
    uint64_t *malformed, struct msg *m);
/* Those of an open bundle. A family without a file: "no-family". */
int fold_bundle(struct fold *f, const struct bundle *b,
    const struct msg_sink *sink, uint64_t *malformed, struct msg *m);

/* Text of other tracers. */
enum fold_format {
	FOLD_AUTO,
	FOLD_DTRACE,	/* printed aggregations of stack() and ustack() */
	FOLD_PERF,	/* perf script */
	FOLD_BPFTRACE,	/* printed maps of kstack and ustack */
	FOLD_FOLDED,	/* folded lines: merged */
};
/* -1 where there is none of that name. */
int fold_format_find(const char *name);
/*
 * Adds the text read from fd, which it takes over. Lines that belong to
 * nothing go to the sink and are counted; a text without lines is an error,
 * id "empty", and so are options that only records can follow, id "usage".
 * name is for messages. -1 with m.
 */
int fold_text(struct fold *f, enum fold_format format, int fd,
    const char *name, const struct msg_sink *sink, uint64_t *malformed,
    struct msg *m);

#endif
