/*
 * The contexts of threads: which runtime and which innermost span a thread
 * has at a time, as dt-finalize joins them into other records.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/held.h"
#include "libdt/validate_pass.h"

struct ctx_thread {
	uint64_t rt;		/* 0 = not known */
	uint32_t top;		/* in held */
};

/* What a thread's context became. */
struct change {
	uint64_t pid, tid, ts;
	uint64_t rt, span;	/* 0 = none */
	uint64_t seq;		/* order in the file */
};

struct val_ctx {
	struct pair_map threads;	/* (pid, tid) */
	struct ctx_thread *thread;
	size_t nthread, thread_cap;
	struct held held;
	struct change *change;
	size_t n, cap;
	bool full;		/* not all was taken, or it is odd */
};

struct val_ctx *
val_ctx_new(struct msg *m)
{
	struct val_ctx *c = calloc(1, sizeof(*c));

	if (c == NULL)
		msg_set_nomem(m);
	return c;
}

void
val_ctx_free(struct val_ctx *c)
{
	if (c == NULL)
		return;
	pair_map_free(&c->threads);
	held_free(&c->held);
	free(c->thread);
	free(c->change);
	free(c);
}

static ssize_t
thread_of(struct val_ctx *c, const struct val_pass *p)
{
	ssize_t i = pair_map_get(&c->threads, p->pid, p->tid);

	if (i != -1)
		return i;
	if (ARRAY_ROOM(c->thread, c->nthread, c->thread_cap) == -1 ||
	    pair_map_set(&c->threads, p->pid, p->tid,
	    (uint32_t)c->nthread) == -1)
		return -1;
	c->thread[c->nthread] = (struct ctx_thread){ 0 };
	return (ssize_t)c->nthread++;
}

static int
note(struct val_ctx *c, const struct val_pass *p, ssize_t t)
{
	const struct ctx_thread *th = &c->thread[t];

	if (ARRAY_ROOM(c->change, c->n, c->cap) == -1)
		return -1;
	c->change[c->n] = (struct change){ p->pid, p->tid, p->ts, th->rt,
	    th->top != 0 ? held_span(&c->held, th->top) : 0, c->n };
	c->n++;
	return 0;
}

int
val_ctx_take(struct val_ctx *c, struct val_pass *p, const struct record *r)
{
	const struct value *rt = &r->v[REC_RT], *span = &r->v[REC_SPAN];
	int rc = 0;
	ssize_t t;

	if (c->full || !val_room(p, c->n, &c->full, "changes of contexts"))
		return 0;
	if ((t = thread_of(c, p)) == -1)
		return msg_set_nomem(p->m);
	if (rt->given)
		c->thread[t].rt = rt->u;
	if (span->given && (r->kind == KIND_SPAN_START ||
	    r->kind == KIND_CTX_INSTALL))
		rc = held_push(&c->held, (uint64_t)t, &c->thread[t].top,
		    span->u);
	else if (span->given && (r->kind == KIND_SPAN_END ||
	    r->kind == KIND_CTX_REMOVE))
		rc = held_drop(&c->held, (uint64_t)t, &c->thread[t].top,
		    span->u);
	if (rc == -1 || note(c, p, t) == -1)
		return msg_set_nomem(p->m);
	return rc;
}

static int
change_cmp(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

void
val_ctx_odd(struct val_ctx *c)
{
	c->full = true;
}

/* No more is taken: what is left is looked up by time. */
void
val_ctx_close(struct val_ctx *c)
{
	if (c->n > 0)
		qsort(c->change, c->n, sizeof(*c->change), change_cmp);
	pair_map_free(&c->threads);
	held_free(&c->held);
}

static void
at(const struct val_ctx *c, const struct val_pass *p, uint64_t *rt,
    uint64_t *span)
{
	struct change key = { p->pid, p->tid, p->ts, 0, 0, UINT64_MAX };
	const struct change *x;
	size_t i;

	*rt = *span = 0;
	ARRAY_FIRST(i, c->n, change_cmp(&c->change[i], &key) > 0);
	x = i > 0 ? &c->change[i - 1] : NULL;
	if (x == NULL || x->pid != p->pid || x->tid != p->tid)
		return;
	*rt = x->rt;
	*span = x->span;
}

static void
differ(struct val_pass *p, const struct record *r, uint64_t rt,
    uint64_t span)
{
	const struct value *a = &r->v[REC_RT], *b = &r->v[REC_SPAN];
	bool own = p->family == FAMILY_GC || p->family == FAMILY_SPANS;

	/* those families tell of the runtime themselves */
	if (!own && (a->given ? a->u : 0) != rt)
		PASS_BAD(p, CTX_JOIN, "rt is not %" PRIu64 ", the thread's "
		    "runtime then (0: none)", rt);
	else if ((b->given ? b->u : 0) != span)
		PASS_BAD(p, CTX_JOIN, "span is not %" PRIu64 ", the thread's "
		    "span then (0: none)", span);
}

void
val_ctx_check(struct val_pass *p, const struct record *r)
{
	const struct val_ctx *c = p->v->ctx;
	uint64_t rt = 0, span = 0;

	if (p->v->spans && (c == NULL || c->full ||
	    !p->v->whole[FAMILY_SPANS]))
		return;
	if (c != NULL)
		at(c, p, &rt, &span);
	differ(p, r, rt, span);
}

void
val_ctx_now(struct val_ctx *c, struct val_pass *p, const struct record *r)
{
	ssize_t t = pair_map_get(&c->threads, p->pid, p->tid);
	uint32_t top;

	if (c->full)
		return;
	top = t != -1 ? c->thread[t].top : 0;
	differ(p, r, 0, top != 0 ? held_span(&c->held, top) : 0);
}
