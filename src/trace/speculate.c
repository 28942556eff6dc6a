/*
 * speculate.c - speculative records, and the errors among records.
 *
 * Records of a speculation are kept in order as they come out of the ring. A
 * commit prints them before the record of the clause that committed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/ast.h"
#include "trace/opt.h"
#include "trace/print.h"
#include "trace/probe.h"
#include "trace/prog.h"
#include "trace/speculate.h"
#include "trace/trace.h"
#include "trace/value.h"

struct kept {
	struct kept *next;
	size_t size;
	uint64_t rec[];			/* aligned as in the ring */
};

struct spec {
	struct trace *t;
	FILE *err;
	struct specbuf {
		struct kept *head, **tail;
		uint32_t tag;		/* of the records, see prog.h */
		size_t size;
	} *buf;
	size_t nbuf;			/* by number, from 1 */
	size_t limit;			/* bytes of a buffer */
	uint64_t dropped;		/* records over it, not told yet */
};

struct spec *
spec_new(struct trace *t, FILE *err, struct msg *m)
{
	struct spec *sp = calloc(1, sizeof(*sp));

	if (sp == NULL) {
		msg_set_nomem(m);
		return NULL;
	}
	sp->t = t;
	sp->err = err;
	sp->limit = (size_t)opt_num(&t->opt, O_SPECSIZE);
	return sp;
}

static void
buf_drop(struct specbuf *b)
{
	for (struct kept *k = b->head, *n; k != NULL; k = n) {
		n = k->next;
		free(k);
	}
	b->head = NULL;
	b->tail = &b->head;
	b->size = 0;
}

void
spec_free(struct spec *sp)
{
	if (sp == NULL)
		return;
	for (size_t i = 0; i < sp->nbuf; i++)
		buf_drop(&sp->buf[i]);
	free(sp->buf);
	free(sp);
}

/* The buffer of a tag; what an earlier owner of the number left is gone. NULL:
 * no such speculation, or no memory. */
static struct specbuf *
buf_of(struct spec *sp, uint64_t tag)
{
	size_t n = sp->t->prog->nspec, id = tag & 0xffff;
	struct specbuf *b;

	if (sp->buf == NULL && n > 0) {
		sp->buf = calloc(n, sizeof(*sp->buf));
		if (sp->buf == NULL)
			return NULL;
		sp->nbuf = n;
		for (size_t i = 0; i < n; i++)
			sp->buf[i].tail = &sp->buf[i].head;
	}
	if (id == 0 || id > sp->nbuf)
		return NULL;
	b = &sp->buf[id - 1];
	if (b->tag != tag)
		buf_drop(b);
	b->tag = (uint32_t)tag;
	return b;
}

static int
keep(struct spec *sp, const struct rechead *rec, size_t size, struct msg *m)
{
	struct specbuf *b = buf_of(sp, rec->spec);
	struct kept *k;
	size_t room;

	if (b == NULL)
		return msg_set(m, "record", "a record of speculation %u, "
		    "which there is none", rec->spec & 0xffff);
	/* what DTrace's record would take: the clause's number and the data */
	room = size - sizeof(*rec) + sizeof(uint64_t);
	if (b->size + room > sp->limit) {
		sp->dropped++;
		return 0;
	}
	k = malloc(sizeof(*k) + size);
	if (k == NULL)
		return msg_set_nomem(m);
	k->next = NULL;
	k->size = size;
	memcpy(k->rec, rec, size);
	b->size += room;
	*b->tail = k;
	b->tail = &k->next;
	return 0;
}

static int
commit(struct spec *sp, uint64_t id, struct msg *m)
{
	struct specbuf *b = buf_of(sp, id);

	if (b == NULL)
		return 0;
	for (const struct kept *k = b->head; k != NULL; k = k->next)
		if (print_record(sp->t, k->rec, k->size, m) == -1)
			return -1;
	buf_drop(b);
	return 0;
}

/* The record's clause commits or discards: do so. */
static int
commits(struct spec *sp, const struct rechead *rec, size_t size,
    struct msg *m)
{
	const struct reclayout *rl = &sp->t->prog->layout[rec->clause];
	const uint8_t *p = (const uint8_t *)rec;
	struct specbuf *b;

	for (size_t i = 0; i < rl->naction; i++) {
		const struct action *a = &rl->action[i];
		uint64_t id;

		if ((a->act != ACT_COMMIT && a->act != ACT_DISCARD) ||
		    a->ndatum == 0 || size < rl->size ||
		    (a->ran_off != 0 && p[a->ran_off] == 0))
			continue;
		id = value_uint(p + a->datum[0].off, a->datum[0].size);
		b = buf_of(sp, id);
		if (a->act == ACT_DISCARD && b != NULL)
			buf_drop(b);
		else if (a->act == ACT_COMMIT && commit(sp, id, m) == -1)
			return -1;
	}
	return 0;
}

static const char *
fault_text(uint32_t fault)
{
	static const char *const text[] = {
		[FLT_BADADDR] = "invalid address",
		[FLT_BADALIGN] = "invalid alignment",
		[FLT_ILLOP] = "illegal operation",
		[FLT_DIVZERO] = "divide-by-zero",
		[FLT_NOSCRATCH] = "out of scratch space",
		[FLT_KPRIV] = "invalid kernel access",
		[FLT_UPRIV] = "invalid user access",
		[FLT_TUPOFLOW] = "tuple size too large",
		[FLT_BADSTACK] = "bad stack",
		[FLT_BADINDEX] = "index out of bounds",
		[FLT_LIBRARY] = "library-level fault",
	};

	return fault < sizeof(text) / sizeof(text[0]) && text[fault] != NULL
	    ? text[fault] : "unknown fault";
}

static int
tell_error(struct spec *sp, const struct rechead *rec, size_t size,
    struct msg *m)
{
	const struct prog *pr = sp->t->prog;
	const struct probe *p;
	struct recerr e;

	if (size < sizeof(*rec) + sizeof(e) || rec->probe >= pr->nprobe)
		return msg_set(m, "record", "an error record is too short");
	memcpy(&e, rec + 1, sizeof(e));
	p = pr->probe[rec->probe];
	fprintf(sp->err, "%s: error in action #%u of clause %u for probe ID "
	    "%u (%s:%s:%s:%s): %s", sp->t->progname, e.action, e.clause + 1,
	    p->id, p->prov, p->mod, p->func, p->name, fault_text(e.fault));
	if (e.fault == FLT_BADADDR || e.fault == FLT_BADALIGN)
		fprintf(sp->err, " (0x%" PRIx64 ")", e.value);
	else if (e.fault == FLT_BADINDEX)
		fprintf(sp->err, " (%" PRId64 ")", (int64_t)e.value);
	putc('\n', sp->err);
	return 0;
}

uint64_t
spec_dropped(struct spec *sp)
{
	uint64_t n = sp->dropped;

	sp->dropped = 0;
	return n;
}

int
spec_record(struct spec *sp, const struct rechead *rec, size_t size,
    struct msg *m)
{
	if (rec->clause == REC_ERROR)
		return tell_error(sp, rec, size, m);
	if (rec->clause >= sp->t->prog->nlayout)
		return msg_set(m, "record", "a record of clause %u, which "
		    "there is none", rec->clause);
	if (rec->spec != 0)
		return keep(sp, rec, size, m);
	if (commits(sp, rec, size, m) == -1)
		return -1;
	return print_record(sp->t, rec, size, m);
}
