/* Starts and ends paired: operations of io, collections of gc. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/hash.h"
#include "libdt/validate_pass.h"

/* An operation or collection that has begun. */
struct begun {
	uint64_t ts, line;
	uint64_t target;	/* hash of its text, 0 = none */
	uint64_t op;
	struct value fd;
	bool open;
};

struct pairs {
	struct pair_map map;	/* io: (id, 0); gc: (rt, generation) */
	struct begun *v;
	size_t n, cap;
	ssize_t unused;		/* one to take again, -1 = none */
	bool full;
};

static int
pairs_begin(struct val_pass *p)
{
	struct pairs *s = calloc(1, sizeof(*s));

	p->state = s;
	if (s == NULL)
		return msg_set_nomem(p->m);
	s->unused = -1;
	return 0;
}

static int
pairs_end(struct val_pass *p)
{
	struct pairs *s = p->state;

	if (s != NULL) {
		pair_map_free(&s->map);
		free(s->v);
	}
	free(s);
	return 0;
}

static int
add(struct val_pass *p, uint64_t a, uint64_t b, const struct begun *what)
{
	struct pairs *s = p->state;
	size_t i = s->n;

	if (s->unused != -1) {
		i = (size_t)s->unused;
		s->unused = -1;
	} else if (!val_room(p, s->n, &s->full, "operations are open")) {
		return 0;
	} else if (ARRAY_ROOM(s->v, s->n, s->cap) == -1) {
		return msg_set_nomem(p->m);
	}
	s->v[i] = *what;
	if (i == s->n)
		s->n++;
	return pair_map_set(&s->map, a, b, (uint32_t)i) == -1 ?
	    msg_set_nomem(p->m) : 0;
}

static const struct begun *
get(struct val_pass *p, uint64_t a, uint64_t b)
{
	struct pairs *s = p->state;
	ssize_t i = pair_map_get(&s->map, a, b);

	return i != -1 ? &s->v[i] : NULL;
}

static void
forget(struct val_pass *p, uint64_t a, uint64_t b)
{
	struct pairs *s = p->state;

	s->unused = pair_map_get(&s->map, a, b);
	pair_map_del(&s->map, a, b);
}

static uint64_t
hash(const struct value *t)
{
	return t->given ? hash_bytes(t->s, t->len) | 1 : 0;
}

static int
io_start(struct val_pass *p, const struct record *r)
{
	uint64_t id = r->v[REC_IO_START_ID].u;
	const struct begun *old = get(p, id, 0);
	struct begun b = {
		.ts = p->ts, .line = p->line,
		.op = r->v[REC_IO_START_OP].u,
		.fd = r->v[REC_IO_START_FD],
		.target = hash(&r->v[REC_IO_START_TARGET]),
	};

	if (old != NULL && val_drops_within(p, old->ts, p->ts))
		val_found(p->v, FINDING_IO_OPEN, p->path, old->line,
		    "the end of operation %" PRIu64 " was lost", id);
	else if (old != NULL)
		PASS_BAD(p, IO_TWICE, "operation %" PRIu64 " is open since "
		    "line %" PRIu64, id, old->line);
	if (old != NULL)
		forget(p, id, 0);
	return add(p, id, 0, &b);
}

static void
io_same(struct val_pass *p, const struct record *r, const struct begun *b)
{
	const struct value *fd = &r->v[REC_IO_DONE_FD];
	uint64_t target = hash(&r->v[REC_IO_DONE_TARGET]);
	const char *what = NULL;

	if (r->v[REC_IO_DONE_OP].u != b->op)
		what = "op";
	else if (fd->given != b->fd.given || (fd->given && fd->i != b->fd.i))
		what = "fd";
	else if (target != b->target)
		what = "target";
	else if (r->v[REC_IO_DONE_DUR].u != p->ts - b->ts)
		what = "dur";
	if (what != NULL)
		PASS_BAD(p, IO_DIFFERS, "%s does not go with line %" PRIu64,
		    what, b->line);
}

/* It began before the window did. */
static bool
began_before(const struct val_pass *p, uint64_t dur)
{
	return dur > p->ts || p->ts - dur < p->v->window_start;
}

static int
io_done(struct val_pass *p, const struct record *r)
{
	uint64_t id = r->v[REC_IO_DONE_ID].u;
	const struct begun *b = get(p, id, 0);

	if (b == NULL) {
		if (!began_before(p, r->v[REC_IO_DONE_DUR].u) &&
		    !((struct pairs *)p->state)->full)
			PASS_BAD(p, IO_ORPHAN, "operation %" PRIu64
			    " never started", id);
		return 0;
	}
	if (val_drops_within(p, b->ts, p->ts))
		val_found(p->v, FINDING_IO_OPEN, p->path, b->line,
		    "a loss lies between it and line %" PRIu64, p->line);
	else
		io_same(p, r, b);
	forget(p, id, 0);
	return 0;
}

static int
io_record(struct val_pass *p, const struct record *r)
{
	if (r->kind == KIND_IO_START)
		return io_start(p, r);
	return r->kind == KIND_IO_DONE ? io_done(p, r) : 0;
}

const struct val_pass_ops val_io_ops = { pairs_begin, io_record, pairs_end };

static int
gc_start(struct val_pass *p, uint64_t rt, uint64_t generation)
{
	const struct begun *old = get(p, rt, generation);
	struct begun b = { .ts = p->ts, .line = p->line };

	if (old != NULL && val_drops_within(p, old->ts, p->ts))
		val_found(p->v, FINDING_GC_OPEN, p->path, old->line,
		    "its end was lost");
	else if (old != NULL)
		PASS_BAD(p, GC_TWICE, "generation %" PRIu64 " is being "
		    "collected since line %" PRIu64, generation, old->line);
	if (old != NULL)
		forget(p, rt, generation);
	return add(p, rt, generation, &b);
}

static void
gc_done(struct val_pass *p, uint64_t rt, uint64_t generation)
{
	const struct begun *b = get(p, rt, generation);

	if (b == NULL) {
		if (p->v->b.manifest.command.mode == MODE_LAUNCH &&
		    !((struct pairs *)p->state)->full)
			PASS_BAD(p, GC_ORPHAN, "no collection of generation %"
			    PRIu64 " runs", generation);
		return;
	}
	if (val_drops_within(p, b->ts, p->ts))
		val_found(p->v, FINDING_GC_OPEN, p->path, b->line,
		    "a loss lies between it and line %" PRIu64, p->line);
	forget(p, rt, generation);
}

static int
gc_record(struct val_pass *p, const struct record *r)
{
	uint64_t rt = r->v[REC_RT].given ? r->v[REC_RT].u : 0;

	if (r->kind == KIND_GC_START)
		return gc_start(p, rt, r->v[REC_GC_START_GENERATION].u);
	if (r->kind == KIND_GC_DONE)
		gc_done(p, rt, r->v[REC_GC_DONE_GENERATION].u);
	return 0;
}

const struct val_pass_ops val_gc_ops = { pairs_begin, gc_record, pairs_end };
