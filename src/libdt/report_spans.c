/* The section of spans by name. */
#include <inttypes.h>
#include <stdio.h>

#include "libdt/report_ops.h"

/* Remembers which name the span of an id was given. */
static int
span_named(struct ops *o, const struct record *rec, ssize_t *name, bool add)
{
	char key[24];
	uint32_t *v;
	ssize_t i;
	int n;

	/* an id is one span's, whoever ends it */
	n = snprintf(key, sizeof(key), "%" PRIu64, rec->v[add ?
	    REC_SPAN_START_ID : REC_SPAN_END_ID].u);
	if (!add) {
		i = names_find(&o->open, key, (size_t)n);
		*name = i >= 0 ? (ssize_t)o->open_name[i] : -1;
		return 0;
	}
	if ((i = names_add(&o->open, key, (size_t)n)) == -1 ||
	    (v = names_room(o->open_name, &o->open_cap, (size_t)i,
	    sizeof(*v))) == NULL)
		return -1;
	o->open_name = v;
	o->open_name[i] = (uint32_t)*name;
	return 0;
}

static int
add_span(void *arg, const struct record *rec)
{
	uint64_t ts = rec->v[REC_TS].u, dur;
	const struct value *name = &rec->v[REC_SPAN_START_NAME];
	struct ops *o = arg;
	struct op *v;
	ssize_t i = -1;

	if (rec->kind == KIND_SPAN_START) {
		if ((v = ops_add(o, name->s, name->len, ts, ts)) == NULL)
			return -1;
		v->count++;
		o->started++;
		i = v - o->v;
		return span_named(o, rec, &i, true);
	}
	if (rec->kind != KIND_SPAN_END)
		return 0;
	if (span_named(o, rec, &i, false) == -1)
		return -1;
	if (i < 0)		/* opened before the window, or lost */
		v = ops_add(o, "[unknown]", 9, ts, ts);
	else
		v = &o->v[i];
	dur = rec->v[REC_SPAN_END_DUR].u;
	if (v == NULL || durations_add(&v->dur, dur) == -1)
		return -1;
	v->errors += rec->v[REC_SPAN_END_OUTCOME].u == 1;
	v->cancels += rec->v[REC_SPAN_END_OUTCOME].u == 2;
	v->to = ts > v->to ? ts : v->to;
	o->ended++;
	o->ns += dur;
	return 0;
}

static const struct report_col span_col[] = {
	{ "name", "Span", CELL_TEXT, false },
	{ "started", "Started", CELL_COUNT, false },
	{ "ended", "Ended", CELL_COUNT, false },
	{ "errors", "Errors", CELL_COUNT, false },
	{ "cancels", "Cancelled", CELL_COUNT, false },
	REPORT_DURATION_COLS,
};

static void
span_row(struct report *r, const struct ops *o, struct cell *c,
    const char *name, struct op *v)
{
	cell_text(r, &c[0], name);
	cell_u64(&c[1], v->count);
	cell_u64(&c[2], v->dur.n);
	cell_u64(&c[3], v->errors);
	cell_u64(&c[4], v->cancels);
	duration_cells(&c[5], &v->dur, o->ns);
}

static void
span_facts(struct report *r, struct report_section *s, const struct ops *o)
{
	report_fact_u64(r, s, "started", "Started", CELL_COUNT, o->started);
	report_fact_u64(r, s, "ended", "Ended", CELL_COUNT, o->ended);
	report_fact_u64(r, s, "total_ns", "Time", CELL_NS, o->ns);
}

int
report_spans(struct report *r, const struct bundle *b, struct msg *m)
{
	static const struct ops_section def = { FAMILY_SPANS, "Spans",
	    "spans", "By time", span_col, REPORT_N(span_col), 5, add_span,
	    span_row, span_facts };

	return ops_report(r, b, &def, m);
}
