/* A thread's system calls: one at a time, and as raw/procs.tsv has them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/hash.h"
#include "libdt/validate_pass.h"

#define COMM_MAX	15	/* bytes of a task's name */

/* A thread's calls so far. */
struct call {
	uint64_t end;		/* of the last one */
	uint64_t open_ts, open_line;	/* the last syscall-open; 0 = none */
};

struct calls {
	struct pair_map map;	/* (member, tid) */
	struct call *v;
	size_t n, cap;
	bool full;
};

static int
calls_begin(struct val_pass *p)
{
	p->state = calloc(1, sizeof(struct calls));
	return p->state != NULL ? 0 : msg_set_nomem(p->m);
}

static int
calls_end(struct val_pass *p)
{
	struct calls *s = p->state;

	if (s != NULL) {
		pair_map_free(&s->map);
		free(s->v);
	}
	free(s);
	return 0;
}

/* The thread's call; NULL and 0 if there is no room, NULL and -1 on error. */
static struct call *
thread_of(struct val_pass *p, int *rc)
{
	struct calls *s = p->state;
	ssize_t i = pair_map_get(&s->map, (uint64_t)p->member, p->tid);

	*rc = 0;
	if (i != -1)
		return &s->v[i];
	if (!val_room(p, s->n, &s->full, "threads"))
		return NULL;
	if (ARRAY_ROOM(s->v, s->n, s->cap) == -1 || pair_map_set(&s->map,
	    (uint64_t)p->member, p->tid, (uint32_t)s->n) == -1) {
		*rc = msg_set_nomem(p->m);
		return NULL;
	}
	s->v[s->n] = (struct call){ 0 };
	return &s->v[s->n++];
}

static bool
is_exec(const struct record *r)
{
	const struct value *n = &r->v[REC_SYSCALL_NAME];

	return r->kind == KIND_SYSCALL && r->v[REC_SYSCALL_ERRNO].u == 0 &&
	    ((n->len == 6 && memcmp(n->s, "execve", 6) == 0) ||
	    (n->len == 8 && memcmp(n->s, "execveat", 8) == 0));
}

/* The name the kernel has for a file: the end of its path, cut. */
static uint64_t
comm_hash(const struct value *path)
{
	size_t i, n;

	for (i = path->len; i > 0 && path->s[i - 1] != '/'; i--)
		;
	n = path->len - i;
	return hash_bytes(path->s + i, n < COMM_MAX ? n : COMM_MAX);
}

/* What the member did within the call, as raw/procs.tsv has it, or NULL. */
static const struct val_exec *
done_within(const struct val_pass *p, const struct val_execs *e)
{
	size_t i = val_exec_from(e, p->member, p->ts);

	return i < e->n && e->v[i].member == (uint32_t)p->member &&
	    e->v[i].ts <= p->end ? &e->v[i] : NULL;
}

/* A successful execve holds its proc-exec record, of the same program. */
static void
check_exec(struct val_pass *p, const struct record *r)
{
	const struct value *path = &r->v[REC_SYSCALL_PATH];
	const struct val_exec *x = done_within(p, &p->v->execs);

	if (x == NULL)
		PASS_BAD(p, CALL_DIFFERS, "there is no proc-exec record of "
		    "it");
	else if (path->given && path->len > 0 &&
	    memchr(path->s, '\\', path->len) == NULL &&
	    (path->len < 8 || memcmp(path->s, "/dev/fd/", 8) != 0) &&
	    x->exe != hash_bytes(path->s, path->len) &&
	    x->exe != comm_hash(path))
		PASS_BAD(p, CALL_DIFFERS, "its proc-exec record is of "
		    "another file");
}

static bool
is_fork(const struct record *r)
{
	static const char *const names[] = { "fork", "vfork", "clone",
		"clone3" };
	const struct value *n = &r->v[REC_SYSCALL_NAME];
	size_t i;

	if (r->kind != KIND_SYSCALL || r->v[REC_SYSCALL_RET].i <= 0)
		return false;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (n->len == strlen(names[i]) &&
		    memcmp(n->s, names[i], n->len) == 0)
			return true;
	return false;
}

/* What raw/procs.tsv must tell of a call, too. */
static void
check_procs(struct val_pass *p, const struct record *r)
{
	const struct val *v = p->v;

	if (v->procs_lossy || !v->whole[FAMILY_PROCS] ||
	    v->execs.n >= v->limit || v->births.n >= v->limit)
		return;
	if (is_exec(r))
		check_exec(p, r);
	else if (is_fork(r) && done_within(p, &v->births) == NULL)
		PASS_BAD(p, CALL_DIFFERS, "there is no birth within it");
}

/* The call that began the target's program, see dt-bundle(5): window. */
static void
note_execve(struct val_pass *p)
{
	struct val *v = p->v;
	uint64_t at;

	if (v->b.cohort.members.v[p->member].role != ROLE_TARGET ||
	    v->members == NULL)
		return;
	at = v->members[p->member].first_exec;
	if (v->first_execve == 0 && p->ts <= at && at <= p->end)
		v->first_execve = p->ts;
}

/* An open call is legal if its thread did nothing more in that program. */
static void
check_open(struct val_pass *p, struct call *c)
{
	if (c->open_line == 0)
		return;
	/* the execve of another thread begins before, and ends under its id */
	if (p->born <= c->open_ts &&
	    !val_exec_within(p->v, p->member, c->open_ts, p->end))
		val_found(p->v, FINDING_PAIR_OPEN, p->path, c->open_line,
		    "thread %" PRIu64 " went on to line %" PRIu64, p->tid,
		    p->line);
	c->open_line = 0;
}

static int
calls_record(struct val_pass *p, const struct record *r)
{
	struct call *c;
	int rc;

	if (r->kind == KIND_SYSCALL && val_drops_within(p, p->ts, p->end))
		PASS_BAD(p, PAIR_GAP, "it spans a loss interval");
	if (p->member == -1)
		return 0;
	if ((c = thread_of(p, &rc)) == NULL)
		return rc;
	check_open(p, c);
	/* execve() of another thread ends under the first one's id */
	check_procs(p, r);
	if (is_exec(r))
		note_execve(p);
	else if (p->ts < c->end && p->born <= p->ts)
		PASS_BAD(p, PAIR_OVERLAP, "the call before it of thread %"
		    PRIu64 " ended %" PRIu64 " ns later", p->tid,
		    c->end - p->ts);
	if (p->end > c->end)
		c->end = p->end;
	if (r->kind == KIND_SYSCALL_OPEN) {
		c->open_ts = p->ts;
		c->open_line = p->line;
	}
	return 0;
}

const struct val_pass_ops val_syscalls_ops = {
	calls_begin, calls_record, calls_end,
};
