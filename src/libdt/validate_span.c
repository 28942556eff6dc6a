/* Spans: starts and ends paired, parents without cycles. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/validate_pass.h"

enum mark { UNSEEN, ON_PATH, CLEAR, CYCLIC };

struct span {
	uint64_t id, parent;	/* parent 0 = none */
	uint64_t start, line;
	bool ended;
	bool late;		/* its parent was not there yet */
	uint8_t mark;
};

struct spans {
	struct pair_map ids;	/* (id, 0) to v */
	struct span *v;
	size_t n, cap;
	uint8_t *phase;		/* of each member, + 1 */
	bool lossy;		/* starts may be missing */
	bool full;
};

static int
spans_begin(struct val_pass *p)
{
	const struct bundle_collectors *c = &p->v->b.collectors;
	struct spans *s = calloc(1, sizeof(*s));
	size_t i;

	p->state = s;
	if (s == NULL)
		return msg_set_nomem(p->m);
	s->phase = calloc(p->v->b.cohort.members.n + 1, 1);
	if (s->phase == NULL)
		return msg_set_nomem(p->m);
	if ((p->v->ctx = val_ctx_new(p->m)) == NULL)
		return -1;
	s->lossy = p->v->b.manifest.command.mode == MODE_ATTACH;
	for (i = 0; i < c->collectors.n; i++)
		if (c->collectors.v[i].family == FAMILY_SPANS &&
		    (!c->collectors.v[i].counters.dropped.known ||
		    c->collectors.v[i].counters.dropped.v > 0 ||
		    c->collectors.v[i].malformed > 0))
			s->lossy = true;
	return 0;
}

static int
span_add(struct val_pass *p, const struct span *what)
{
	struct spans *s = p->state;

	if (!val_room(p, s->n, &s->full, "spans")) {
		s->lossy = true;
		return 0;
	}
	if (ARRAY_ROOM(s->v, s->n, s->cap) == -1 ||
	    pair_map_set(&s->ids, what->id, 0, (uint32_t)s->n) == -1)
		return msg_set_nomem(p->m);
	s->v[s->n++] = *what;
	return 0;
}

static int
span_start(struct val_pass *p, const struct record *r)
{
	struct spans *s = p->state;
	const struct value *parent = &r->v[REC_SPAN_START_PARENT];
	struct span n = {
		.id = r->v[REC_SPAN_START_ID].u,
		.parent = parent->given ? parent->u : 0,
		.start = p->ts, .line = p->line,
	};
	ssize_t i = pair_map_get(&s->ids, n.id, 0);

	if (i != -1) {
		val_ctx_odd(p->v->ctx);
		PASS_BAD(p, SPAN_TWICE, "span %" PRIu64 " started on line %"
		    PRIu64, n.id, s->v[i].line);
		return 0;
	}
	n.late = n.parent != 0 && pair_map_get(&s->ids, n.parent, 0) == -1;
	return span_add(p, &n);
}

static void
span_end(struct val_pass *p, const struct record *r)
{
	struct spans *s = p->state;
	uint64_t id = r->v[REC_SPAN_END_ID].u;
	uint64_t dur = r->v[REC_SPAN_END_DUR].u;
	ssize_t i = pair_map_get(&s->ids, id, 0);
	struct span *a;

	if (i == -1) {
		if (!s->full && dur <= p->ts &&
		    p->ts - dur >= p->v->window_start)
			PASS_BAD(p, SPAN_ORPHAN, "span %" PRIu64
			    " never started", id);
		return;
	}
	a = &s->v[i];
	if (a->ended)
		PASS_BAD(p, SPAN_ENDED, "span %" PRIu64 " has ended already",
		    id);
	else if (val_drops_within(p, a->start, p->ts))
		val_found(p->v, FINDING_SPAN_OPEN, p->path, a->line,
		    "a loss lies between it and line %" PRIu64, p->line);
	else if (dur != p->ts - a->start)
		PASS_BAD(p, SPAN_DIFFERS, "dur is %" PRIu64 ", its span-start "
		    "was %" PRIu64 " ns ago", dur, p->ts - a->start);
	a->ended = true;
}

static void
check_span(struct val_pass *p, const struct record *r)
{
	struct spans *s = p->state;
	const struct value *span = &r->v[REC_SPAN];

	if (!span->given || s->lossy ||
	    pair_map_get(&s->ids, span->u, 0) != -1)
		return;
	val_ctx_odd(p->v->ctx);
	PASS_BAD(p, CTX_SPAN, "span %" PRIu64 " has not started", span->u);
}

static void
control(struct val_pass *p, const struct record *r)
{
	struct spans *s = p->state;
	uint8_t phase = (uint8_t)(r->v[REC_CONTROL_PHASE].u + 1);

	if (p->member == -1)
		return;
	if (phase <= s->phase[p->member])
		PASS_BAD(p, CONTROL_ORDER, "a later phase, or this one, came "
		    "before it");
	else
		s->phase[p->member] = phase;
}

static int
spans_record(struct val_pass *p, const struct record *r)
{
	struct spans *s = p->state;
	int held = val_ctx_take(p->v->ctx, p, r);

	if (held == -1)
		return -1;
	switch (r->kind) {
	case KIND_SPAN_START:
		return span_start(p, r);
	case KIND_SPAN_END:
		span_end(p, r);
		break;
	case KIND_CTX_INSTALL:
		check_span(p, r);
		break;
	case KIND_CTX_REMOVE:
		if (held == 1 && !s->lossy)
			PASS_BAD(p, CTX_PAIR, "thread %" PRIu64
			    " does not hold span %" PRIu64, p->tid,
			    r->v[REC_SPAN].u);
		break;
	case KIND_CONTROL:
		control(p, r);
		val_ctx_now(p->v->ctx, p, r);
		break;
	case KIND_EVENT:
		val_ctx_now(p->v->ctx, p, r);
		break;
	default:
		break;
	}
	return 0;
}

static ssize_t
parent_of(const struct spans *s, size_t i)
{
	return s->v[i].parent != 0 ? pair_map_get(&s->ids, s->v[i].parent, 0) :
	    -1;
}

/* Whether a span is on a cycle; every span is walked over once. */
static bool
cyclic(struct spans *s, size_t from)
{
	ssize_t i = (ssize_t)from, k;

	while (i != -1 && s->v[i].mark == UNSEEN) {
		s->v[i].mark = ON_PATH;
		i = parent_of(s, (size_t)i);
	}
	if (i != -1 && s->v[i].mark == ON_PATH) {
		k = i;
		do {
			s->v[k].mark = CYCLIC;
			k = parent_of(s, (size_t)k);
		} while (k != i);
	}
	for (k = (ssize_t)from; k != -1 && s->v[k].mark == ON_PATH;
	    k = parent_of(s, (size_t)k))
		s->v[k].mark = CLEAR;
	return s->v[from].mark == CYCLIC;
}

static void
check_parents(struct val_pass *p, struct spans *s)
{
	const struct span *a;
	size_t i;

	for (i = 0; i < s->n; i++) {
		a = &s->v[i];
		if (!a->late)
			continue;
		if (pair_map_get(&s->ids, a->parent, 0) == -1) {
			if (!s->lossy)
				val_found(p->v, FINDING_SPAN_PARENT, p->path,
				    a->line, "span %" PRIu64 " is no span",
				    a->parent);
		} else if (cyclic(s, i))
			val_found(p->v, FINDING_SPAN_CYCLE, p->path, a->line,
			    "span %" PRIu64 " is its own ancestor", a->id);
		else
			val_found(p->v, FINDING_SPAN_LATE, p->path, a->line,
			    "its parent %" PRIu64 " starts later", a->parent);
	}
}

static int
spans_end(struct val_pass *p)
{
	struct spans *s = p->state;

	if (s == NULL)
		return 0;
	if (!p->bad && s->phase != NULL)
		check_parents(p, s);
	if (p->v->ctx != NULL)
		val_ctx_close(p->v->ctx);
	pair_map_free(&s->ids);
	free(s->v);
	free(s->phase);
	free(s);
	return 0;
}

const struct val_pass_ops val_spans_ops = {
	spans_begin, spans_record, spans_end,
};
