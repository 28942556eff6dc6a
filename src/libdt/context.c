/* Runtime and span of threads, as records of spans come in order of time. */
#include <stdlib.h>

#include "libdt/context.h"
#include "libdt/held.h"
#include "libdt/names.h"

struct thread {
	struct value rt;	/* a number, no text; not given: not known */
	uint32_t top;		/* in held */
};

struct context {
	struct record_reader *rd;	/* NULL: at its end */
	struct record next;	/* not taken yet */
	bool have;		/* next is there */
	struct names keys;	/* pid and tid as bytes */
	struct thread *thread;	/* by number in keys */
	size_t cap;
	struct held held;	/* what threads have open */
};

void
context_free(struct context *c)
{
	if (c == NULL)
		return;
	held_free(&c->held);
	free(c->thread);
	names_free(&c->keys);
	record_reader_free(c->rd);
	free(c);
}

static int
read_next(struct context *c, struct msg *m)
{
	enum record_got got;

	c->have = false;
	if (c->rd == NULL)
		return 0;
	got = record_next(c->rd, &c->next, m);
	if (got == RECORD_GOOD) {
		c->have = true;
		return 0;
	}
	record_reader_free(c->rd);
	c->rd = NULL;
	return got == RECORD_END ? 0 : -1;
}

struct context *
context_new(struct record_reader *rd, struct msg *m)
{
	struct context *c = calloc(1, sizeof(*c));

	if (c == NULL) {
		record_reader_free(rd);
		msg_set_nomem(m);
		return NULL;
	}
	c->rd = rd;
	if (read_next(c, m) == 0)
		return c;
	context_free(c);
	return NULL;
}

/* The record's thread; NULL if it is not known, or, if make, no memory. */
static struct thread *
thread_of(struct context *c, const struct record *r, bool make)
{
	uint64_t key[2] = { r->v[REC_PID].u, r->v[REC_TID].u };
	struct thread *v;
	ssize_t i;

	if (!make) {
		i = names_find(&c->keys, (const char *)key, sizeof(key));
		return i != -1 ? &c->thread[i] : NULL;
	}
	i = names_add(&c->keys, (const char *)key, sizeof(key));
	if (i == -1 || (v = names_room(c->thread, &c->cap, (size_t)i,
	    sizeof(*v))) == NULL)
		return NULL;
	c->thread = v;
	return &v[i];
}

int
context_take(struct context *c, const struct record *r, struct msg *m)
{
	struct thread *t = thread_of(c, r, true);
	uint64_t span = r->v[REC_SPAN].u, i;
	int rc = 0;

	if (t == NULL)
		return msg_set_nomem(m);
	i = (uint64_t)(t - c->thread);
	if (r->v[REC_RT].given)
		t->rt = (struct value){ .given = true, .u = r->v[REC_RT].u };
	if (r->kind == KIND_SPAN_START || r->kind == KIND_CTX_INSTALL)
		rc = held_push(&c->held, i, &t->top, span);
	else if (r->kind == KIND_SPAN_END || r->kind == KIND_CTX_REMOVE)
		(void)held_drop(&c->held, i, &t->top, span);
	return rc == -1 ? msg_set_nomem(m) : 0;
}

int
context_join(struct context *c, struct record *r, struct msg *m)
{
	const struct thread *t;

	while (c->have && c->next.v[REC_TS].u <= r->v[REC_TS].u) {
		if (c->next.kind != KIND_OVF &&
		    context_take(c, &c->next, m) == -1)
			return -1;
		if (read_next(c, m) == -1)
			return -1;
	}
	if ((t = thread_of(c, r, false)) == NULL)
		return 0;
	if (!r->v[REC_RT].given && t->rt.given)
		r->v[REC_RT] = t->rt;
	if (!r->v[REC_SPAN].given && t->top != 0)
		record_set_u64(r, REC_SPAN, held_span(&c->held, t->top));
	return 0;
}
