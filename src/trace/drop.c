/*
 * drop.c - what was lost, when and on which CPU.
 *
 * The kernel keeps count, first and last time per CPU and kind. Each look at
 * them makes an interval of what is new: from the loss's own first time, or
 * from the look before if there were earlier ones; intervals without a clean
 * look between them are one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "libdt/array.h"
#include "libdt/clock.h"
#include "trace/consume.h"
#include "trace/drop.h"
#include "trace/prog.h"
#include "trace/trace.h"

static const struct {
	const char *name;	/* in --stats */
	const char *text;	/* on stderr, after the number */
	bool cpu;		/* " on CPU n" is added */
} kind_table[DROP_NKIND] = {
	[DROP_PRINCIPAL] = { "principal", "drop%s", true },
	[DROP_AGG] = { "aggregation", "aggregation drop%s", true },
	[DROP_DYNVAR] = { "dynvar", "dynamic variable drop%s", false },
	[DROP_SPEC] = { "speculation", "speculative drop%s", false },
	[DROP_SPECUNAVAIL] = { "speculation-unavailable", "failed "
	    "speculation%s (no speculative buffer available)", false },
	[DROP_SPECBUSY] = { "speculation-busy", "failed speculation%s (no "
	    "speculative buffer free yet)", false },
	[DROP_STKSTR] = { "stack-string", "stack string drop%s", false },
	[DROP_ERROR] = { "error", "error message drop%s", true },
};

struct drops {
	struct trace *t;
	FILE *err;
	int ncpu;
	struct dropcount *now;		/* [cpu], one kind at a time */
	struct dropcount *seen;		/* [kind * ncpu + cpu] */
	uint64_t last_look;
	struct dropspan *span;
	size_t nspan, cap;
	size_t *open;			/* [kind * ncpu + cpu] span + 1, 0 */
};

struct drops *
drops_new(struct trace *t, FILE *err, struct msg *m)
{
	struct drops *d = calloc(1, sizeof(*d));
	size_t n = (size_t)t->kern.ncpu;

	if (d != NULL) {
		d->t = t;
		d->err = err;
		d->ncpu = t->kern.ncpu;
		d->now = calloc(n, sizeof(*d->now));
		d->seen = calloc(n * DROP_NKIND, sizeof(*d->seen));
		d->open = calloc(n * DROP_NKIND, sizeof(*d->open));
		d->last_look = clock_now();
	}
	if (d == NULL || d->now == NULL || d->seen == NULL ||
	    d->open == NULL) {
		drops_free(d);
		msg_set_nomem(m);
		return NULL;
	}
	return d;
}

void
drops_free(struct drops *d)
{
	if (d == NULL)
		return;
	free(d->now);
	free(d->seen);
	free(d->open);
	free(d->span);
	free(d);
}

void
drops_begin(struct drops *d, uint64_t begin_ns)
{
	d->last_look = begin_ns;
}

const char *
drops_kind(int kind)
{
	return kind_table[kind].name;
}

const struct dropspan *
drops_spans(const struct drops *d, size_t *n)
{
	*n = d->nspan;
	return d->span;
}

static int
span_add(struct drops *d, const struct dropspan *s, size_t *open)
{
	struct dropspan *p;

	if (*open != 0) {
		p = &d->span[*open - 1];
		p->count += s->count;
		p->to = s->to;
		return 0;
	}
	if (ARRAY_ROOM(d->span, d->nspan, d->cap) == -1)
		return -1;
	d->span[d->nspan++] = *s;
	*open = d->nspan;
	return 0;
}

static void
drop_tell(const struct drops *d, int kind, int cpu, uint64_t n)
{
	fprintf(d->err, "%s: %" PRIu64 " ", d->t->progname, n);
	fprintf(d->err, kind_table[kind].text, n == 1 ? "" : "s");
	if (kind_table[kind].cpu)
		fprintf(d->err, " on CPU %d", cpu);
	putc('\n', d->err);
}

static int
check_kind(struct drops *d, int kind, struct msg *m)
{
	uint32_t key = (uint32_t)kind;
	uint64_t sum = 0;

	if (bpf_map_lookup_elem(d->t->prog->map[MAP_DROPS].fd, &key,
	    d->now) != 0)
		return msg_set_errno(m, "drops", NULL,
		    "cannot read the drop counters");
	for (int cpu = 0; cpu < d->ncpu; cpu++) {
		size_t i = (size_t)kind * (size_t)d->ncpu + (size_t)cpu;
		struct dropcount *was = &d->seen[i], *now = &d->now[cpu];
		struct dropspan s = { .kind = kind, .cpu = cpu,
		    .count = now->count - was->count,
		    .from = was->count == 0 ? now->first_ns : d->last_look,
		    .to = now->last_ns };

		if (s.count == 0) {
			d->open[i] = 0;
			continue;
		}
		if (s.to < s.from)
			s.to = s.from;
		if (span_add(d, &s, &d->open[i]) == -1)
			return msg_set_nomem(m);
		if (kind_table[kind].cpu)
			drop_tell(d, kind, cpu, s.count);
		sum += s.count;
		*was = *now;
	}
	if (sum > 0 && !kind_table[kind].cpu)
		drop_tell(d, kind, 0, sum);
	return 0;
}

int
drops_note(struct drops *d, int kind, uint64_t n, struct msg *m)
{
	uint64_t now = clock_now();
	struct dropspan s = { .kind = kind, .cpu = 0, .count = n,
	    .from = d->last_look, .to = now };

	if (n == 0)
		return 0;
	if (span_add(d, &s, &d->open[(size_t)kind * (size_t)d->ncpu]) == -1)
		return msg_set_nomem(m);
	drop_tell(d, kind, 0, n);
	return 0;
}

int
drops_check(struct drops *d, struct msg *m)
{
	uint64_t now = clock_now();

	for (int kind = 0; kind < DROP_NKIND; kind++)
		if (check_kind(d, kind, m) == -1)
			return -1;
	d->last_look = now;
	return 0;
}
