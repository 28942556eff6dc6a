/* The section of pauses for garbage collection. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "libdt/report_ops.h"

static int
add_gc(void *arg, const struct record *rec)
{
	uint64_t ts = rec->v[REC_TS].u, dur;
	const struct value *why = &rec->v[REC_GC_PAUSE_REASON];
	struct ops *o = arg;
	char name[1100];
	struct op *v;
	int n;

	if (rec->kind == KIND_GC_START)
		o->started++;
	if (rec->kind != KIND_GC_PAUSE)
		return 0;
	n = snprintf(name, sizeof(name), "%" PRIu64 "\t%.*s",
	    rec->v[REC_GC_PAUSE_GENERATION].u, why->given ? (int)why->len : 0,
	    why->given ? why->s : "");
	if (n < 0 || (size_t)n >= sizeof(name))
		n = (int)sizeof(name) - 1;
	dur = rec->v[REC_GC_PAUSE_DUR].u;
	if ((v = ops_add(o, name, (size_t)n, ts, ts + dur)) == NULL ||
	    durations_add(&v->dur, dur) == -1)
		return -1;
	o->ended++;
	o->ns += dur;
	return 0;
}

static const struct report_col gc_col[] = {
	{ "generation", "Generation", CELL_INT, false },
	{ "reason", "Reason", CELL_TEXT, false },
	{ "pauses", "Pauses", CELL_COUNT, false },
	REPORT_DURATION_COLS,
};

static void
gc_row(struct report *r, const struct ops *o, struct cell *c,
    const char *name, struct op *v)
{
	cell_u64(&c[0], strtoull(name, NULL, 10));
	ops_pair(r, NULL, &c[1], name);
	cell_u64(&c[2], v->dur.n);
	duration_cells(&c[3], &v->dur, o->ns);
}

static void
gc_facts(struct report *r, struct report_section *s, const struct ops *o)
{
	report_fact_u64(r, s, "collections", "Collections", CELL_COUNT,
	    o->started);
	report_fact_u64(r, s, "pauses", "Pauses", CELL_COUNT, o->ended);
	report_fact_u64(r, s, "total_ns", "Time stood still", CELL_NS, o->ns);
}

int
report_gc(struct report *r, const struct bundle *b, struct msg *m)
{
	static const struct ops_section def = { FAMILY_GC,
	    "Garbage collection", "by_generation", "Pauses", gc_col,
	    REPORT_N(gc_col), 3, add_gc, gc_row, gc_facts };

	return ops_report(r, b, &def, m);
}
