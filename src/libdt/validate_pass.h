/*
 * What the parts that look at records share: one pass over one raw file.
 *
 * Ownership: a val_pass lives while its file is read; state is its family's
 * own, made by begin and freed by end.
 */
#ifndef LIBDT_VALIDATE_PASS_H
#define LIBDT_VALIDATE_PASS_H

#include "libdt/pairmap.h"
#include "libdt/validate_impl.h"

/* A drop interval of the family's collectors. */
struct val_drop {
	const struct bundle_drop *d;
	uint32_t seen;		/* ovf records, in the first of equal ones */
};

struct val_pass {
	struct val *v;
	enum schema_family family;
	const char *path;
	uint64_t line;		/* of the record at hand */
	uint64_t ts, end;	/* it begins and ends, ns */
	uint64_t pid, tid;
	ssize_t member;		/* -1: no member's, told already */
	uint64_t born;		/* its thread, 0 = not seen */
	struct record_key last;	/* of the record before */
	uint64_t records;
	uint64_t start;		/* of the window of this family */
	bool bad;		/* lines that could not be read */
	struct val_drop *drops;	/* sorted */
	uint64_t *min_to;	/* least end of a drop from here on */
	size_t ndrops;
	void *state;		/* of the family */
	char call[32];		/* the last system call's name, */
	bool call_fd;		/* and whether it takes a descriptor first */
	struct msg *m;
};

#define PASS_BAD(p, f, ...) \
	val_found((p)->v, FINDING_##f, (p)->path, (p)->line, __VA_ARGS__)

/*
 * False if n is as many as are kept of what ("threads", say): full is set, and
 * what is beyond is told, once.
 */
bool val_room(struct val_pass *p, size_t n, bool *full, const char *what);

/* A family's own checks; each may be NULL. -1 with p->m: no memory. */
struct val_pass_ops {
	int (*begin)(struct val_pass *p);
	int (*record)(struct val_pass *p, const struct record *r);
	int (*end)(struct val_pass *p);		/* also after a failure */
};
extern const struct val_pass_ops val_procs_ops;		/* validate_procs.c */
extern const struct val_pass_ops val_maps_ops;		/* validate_maps.c */
extern const struct val_pass_ops val_syscalls_ops;	/* validate_call.c */
extern const struct val_pass_ops val_io_ops;		/* validate_io.c */
extern const struct val_pass_ops val_gc_ops;		/* validate_io.c */
extern const struct val_pass_ops val_spans_ops;		/* validate_span.c */

/* validate_header.c: the headers of one file, as they come */
struct val_headers {
	struct val_pass *p;
	unsigned rank;		/* of the last one */
	unsigned seen;		/* bits by rank */
	size_t collector, incarnation, kind;	/* next expected */
	bool wrong_collector, wrong_incarnation;
};
/* One `#key rest` line; at the end of them, what is missing. */
void val_header(struct val_headers *h, const char *key, const char *rest);
void val_headers_end(struct val_headers *h);

/* validate_drop.c */
int val_drops_begin(struct val_pass *p);
void val_drops_record(struct val_pass *p, const struct record *r);
void val_drops_end(struct val_pass *p);
/* A whole drop interval lies in the open interval (from, to). */
bool val_drops_within(const struct val_pass *p, uint64_t from, uint64_t to);

/*
 * validate_ctx.c. Taking gives 1 where a thread leaves what it does not hold,
 * -1 with p->m. val_ctx_check() is for records of other families, once the
 * spans have been read and closed; val_ctx_now() for those of spans.
 */
struct val_ctx *val_ctx_new(struct msg *m);
int val_ctx_take(struct val_ctx *c, struct val_pass *p,
    const struct record *r);
void val_ctx_close(struct val_ctx *c);
void val_ctx_odd(struct val_ctx *c);	/* not to be compared with */
void val_ctx_check(struct val_pass *p, const struct record *r);
void val_ctx_now(struct val_ctx *c, struct val_pass *p,
    const struct record *r);

/* validate_life.c: the record at hand against its thread's life */
/* False if it lies outside. */
bool val_thread(struct val_pass *p, const struct record *r);
/* The member executed another program within (from, to]. */
bool val_exec_within(const struct val *v, ssize_t member, uint64_t from,
    uint64_t to);

/* Once raw/procs.tsv has been read: all are sorted, an exec ends threads. */
void val_lives_close(struct val *v);
/* An id is that of one thread of all at a time: it is freed by its exit. -1
 * with p->m: no memory. */
int val_lives_holders(struct val_pass *p);
/* Index in e of the first of a member not before ts, or past it. */
size_t val_exec_from(const struct val_execs *e, ssize_t member, uint64_t ts);

#endif
