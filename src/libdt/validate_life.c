/*
 * The lives of threads and what processes executed, once raw/procs.tsv has
 * been read: what records of other families are held against.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "libdt/array.h"
#include "libdt/validate_pass.h"

void
val_lives_free(struct val *v)
{
	free(v->lives.v);
	free(v->execs.v);
	free(v->births.v);
	free(v->members);
}

static int
life_cmp(const void *a, const void *b)
{
	const struct val_life *x = a, *y = b;

	if (x->member != y->member)
		return x->member < y->member ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->born < y->born ? -1 : x->born > y->born;
}

static int
exec_cmp(const void *a, const void *b)
{
	const struct val_exec *x = a, *y = b;

	if (x->member != y->member)
		return x->member < y->member ? -1 : 1;
	return x->ts < y->ts ? -1 : x->ts > y->ts;
}

size_t
val_exec_from(const struct val_execs *e, ssize_t member, uint64_t ts)
{
	struct val_exec key = { (uint32_t)member, ts, 0 };
	size_t i;

	ARRAY_FIRST(i, e->n, exec_cmp(&e->v[i], &key) >= 0);
	return i;
}

/* The first exec of a member after ts, VAL_NEVER if there is none. */
static uint64_t
exec_after(const struct val *v, uint32_t member, uint64_t ts)
{
	size_t lo = ts == VAL_NEVER ? v->execs.n :
	    val_exec_from(&v->execs, member, ts + 1);

	return lo < v->execs.n && v->execs.v[lo].member == member ?
	    v->execs.v[lo].ts : VAL_NEVER;
}

bool
val_exec_within(const struct val *v, ssize_t member, uint64_t from,
    uint64_t to)
{
	return from < to && exec_after(v, (uint32_t)member, from) <= to;
}

void
val_lives_close(struct val *v)
{
	struct val_life *l;
	uint64_t exec;
	size_t i;

	if (v->lives.n > 0)
		qsort(v->lives.v, v->lives.n, sizeof(*v->lives.v), life_cmp);
	if (v->execs.n > 0)
		qsort(v->execs.v, v->execs.n, sizeof(*v->execs.v), exec_cmp);
	if (v->births.n > 0)
		qsort(v->births.v, v->births.n, sizeof(*v->births.v),
		    exec_cmp);
	for (i = 0; i < v->lives.n; i++) {
		l = &v->lives.v[i];
		exec = exec_after(v, l->member, l->born);
		if (l->tid == v->b.cohort.members.v[l->member].pid)
			l->died = exec_after(v, l->member, l->died) !=
			    VAL_NEVER ? VAL_NEVER : l->died;
		else if (exec < l->died)
			l->died = exec;
	}
}

/* Who had a thread id, and when. */
struct holder {
	uint64_t tid, from, to;
	uint32_t member;
};

static int
holder_cmp(const void *a, const void *b)
{
	const struct holder *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* No thread outlives its process, whose exit may come before the thread's. */
static uint64_t
at_most(uint64_t died, const struct bundle_member *b)
{
	return b->died.known && b->died.v < died ? b->died.v : died;
}

int
val_lives_holders(struct val_pass *p)
{
	const struct bundle_cohort *c = &p->v->b.cohort;
	const struct val_lives *l = &p->v->lives;
	struct holder *h = calloc(l->n + c->members.n + 1, sizeof(*h));
	const struct bundle_member *b;
	size_t i, n = 0;

	if (h == NULL)
		return msg_set_nomem(p->m);
	for (i = 0; i < l->n; i++) {
		b = &c->members.v[l->v[i].member];
		if (l->v[i].born > 0 && l->v[i].tid != b->pid)
			h[n++] = (struct holder){ l->v[i].tid, l->v[i].born,
			    at_most(l->v[i].died, b), l->v[i].member };
	}
	for (i = 0; i < c->members.n; i++) {
		b = &c->members.v[i];
		h[n++] = (struct holder){ b->pid, b->start +
		    b->start_resolution_ns, at_most(VAL_NEVER, b),
		    (uint32_t)i };
	}
	qsort(h, n, sizeof(*h), holder_cmp);
	for (i = 1; i < n; i++)
		if (h[i].tid == h[i - 1].tid && h[i].from < h[i - 1].to &&
		    h[i].member != h[i - 1].member)
			val_found(p->v, FINDING_THREAD_TWICE, p->path, 0,
			    "id %" PRIu64 " is a thread of members[%" PRIu32
			    "] and one of members[%" PRIu32 "] at once",
			    h[i].tid, h[i - 1].member, h[i].member);
	free(h);
	return 0;
}

/* The latest life of the record's thread that began no later than ts. */
static const struct val_life *
find(const struct val *v, uint32_t member, uint64_t tid, uint64_t ts,
    bool *any)
{
	struct val_life key = { member, tid, ts, 0 };
	const struct val_life *l = v->lives.v;
	size_t i, n = v->lives.n;

	ARRAY_FIRST(i, n, life_cmp(&l[i], &key) > 0);
	*any = i < n && l[i].member == member && l[i].tid == tid;
	if (i == 0)
		return NULL;
	l += i - 1;
	return l->member == member && l->tid == tid ? l : NULL;
}

bool
val_thread(struct val_pass *p, const struct record *r)
{
	const struct bundle_member *b;
	const struct val_life *l;
	bool any;

	p->born = 0;
	if (p->member == -1 || p->v->lives.full || !p->v->whole[FAMILY_PROCS])
		return true;
	b = &p->v->b.cohort.members.v[p->member];
	l = find(p->v, (uint32_t)p->member, p->tid, p->ts, &any);
	if (l == NULL) {
		if (p->tid == p->pid || p->v->procs_lossy)
			return true;
		if (any)
			PASS_BAD(p, THREAD_LIFE, "thread %" PRIu64 " had not "
			    "started", p->tid);
		else if (b->start_source == START_BIRTH ||
		    p->v->b.manifest.command.mode == MODE_LAUNCH)
			PASS_BAD(p, THREAD_UNKNOWN, "thread %" PRIu64
			    " was never seen to start", p->tid);
		else
			return true;
		return false;
	}
	p->born = l->born;
	/* the kernel still runs for a thread that has told of its exit */
	if (r->kind == KIND_CPU_SAMPLE && r->v[REC_CPU_SAMPLE_MODE].u == 1)
		return true;
	if (p->end <= l->died || p->v->procs_lossy)
		return true;
	PASS_BAD(p, THREAD_LIFE, "thread %" PRIu64 " had exited", p->tid);
	return false;
}
