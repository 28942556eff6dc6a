/* Sections of what has a name and a duration: io, gc, spans; allocations. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/names.h"
#include "libdt/report_model.h"

#define N(a)	(sizeof(a) / sizeof((a)[0]))

/* What is counted of one name. */
struct op {
	struct durations dur;
	uint64_t count, samples, errors, cancels, bytes;
	uint64_t from, to;
};

struct ops {
	struct names names;
	struct op *v;
	size_t cap;
	uint64_t ns, bytes, started, ended;
	struct names open;	/* spans: id to name, "ID" */
	uint32_t *open_name;
	size_t open_cap;
};

static struct op *
op(struct ops *o, const char *s, size_t n, uint64_t from, uint64_t to)
{
	ssize_t i = names_add(&o->names, s, n);
	struct op *v;

	if (i == -1 ||
	    (v = names_room(o->v, &o->cap, (size_t)i, sizeof(*v))) == NULL)
		return NULL;
	o->v = v;
	v = &o->v[i];
	v->from = v->from == 0 || from < v->from ? from : v->from;
	v->to = to > v->to ? to : v->to;
	return v;
}

static void
ops_free(struct ops *o)
{
	size_t i;

	for (i = 0; i < o->names.n && i < o->cap; i++)
		durations_free(&o->v[i].dur);
	names_free(&o->names);
	names_free(&o->open);
	free(o->open_name);
	free(o->v);
}

/* Times of one name: all of it, its share, percentiles. */
static void
duration_cells(struct cell *c, struct durations *d, uint64_t all)
{
	cell_u64(&c[0], d->sum);
	cell_u64(&c[1], share(d->sum, all));
	c += 2;
	if (d->n == 0)
		return;
	cell_u64(&c[0], durations_at(d, 500));
	cell_u64(&c[1], durations_at(d, 990));
	cell_u64(&c[2], durations_max(d));
}

/* "A\tB": A, and B where there is one. */
static void
pair_cells(struct report *r, struct cell *a, struct cell *b, const char *s)
{
	const char *tab = strchr(s, '\t');

	if (a != NULL)
		cell_text_n(r, a, s, (size_t)(tab - s));
	if (tab[1] != '\0')
		cell_text(r, b, tab + 1);
}

/* What a section is made of, whatever the family. */
struct ops_section {
	enum schema_family family;
	const char *title, *table_id, *table_title;
	const struct report_col *col;	/* the last is the lower bound */
	size_t ncol, sort;
	int (*add)(void *ops, const struct record *rec);
	void (*row)(struct report *r, const struct ops *o, struct cell *c,
	    const char *name, struct op *v);
	void (*facts)(struct report *r, struct report_section *s,
	    const struct ops *o);
};

static void
fill(struct report *r, const struct ops_section *def, const struct ops *o,
    const struct gaps *g)
{
	struct report_section *s;
	struct report_table *t;
	struct cell *c;
	size_t i;

	s = report_section(r, schema_family(def->family)->name, def->title);
	t = report_table(r, s, def->table_id, def->table_title, def->col,
	    def->ncol);
	t->csv = t->lower = true;
	for (i = 0; i < o->names.n; i++) {
		c = report_row(r, t);
		def->row(r, o, c, o->names.v[i].s, &o->v[i]);
		cell_u64(&c[def->ncol - 1], gaps_overlap(g, o->v[i].from,
		    o->v[i].to));
	}
	report_sort(t, def->sort, 2);
	def->facts(r, s, o);
}

static int
ops_report(struct report *r, const struct bundle *b,
    const struct ops_section *def, struct msg *m)
{
	struct ops o = { 0 };
	struct gaps g;
	int rv;

	rv = report_read(r, b, def->family, def->add, &o, m);
	if (rv == 0 && gaps_of(&g, b, def->family) == -1)
		rv = msg_set_nomem(m);
	if (rv == 0) {
		fill(r, def, &o, &g);
		gaps_free(&g);
	}
	ops_free(&o);
	return rv < 0 ? -1 : 0;
}

static int
add_io(void *arg, const struct record *rec)
{
	uint64_t ts = rec->v[REC_TS].u, dur;
	const struct value *target;
	struct ops *o = arg;
	char name[SCHEMA_PATH_MAX * 4 + 64];
	const char *word;
	struct op *v;
	size_t len;
	int n;

	if (rec->kind == KIND_IO_START)
		o->started++;
	if (rec->kind != KIND_IO_DONE)
		return 0;
	word = schema_word(schema_col(KIND_IO_DONE, REC_IO_DONE_OP)->set,
	    rec->v[REC_IO_DONE_OP].u, &len);
	target = &rec->v[REC_IO_DONE_TARGET];
	n = snprintf(name, sizeof(name), "%.*s\t%.*s", (int)len, word,
	    target->given ? (int)target->len : 0,
	    target->given ? target->s : "");
	if (n < 0 || (size_t)n >= sizeof(name))
		n = (int)sizeof(name) - 1;
	dur = rec->v[REC_IO_DONE_DUR].u;
	v = op(o, name, (size_t)n, ts > dur ? ts - dur : 0, ts);
	if (v == NULL || durations_add(&v->dur, dur) == -1)
		return -1;
	v->count++;
	v->bytes += rec->v[REC_IO_DONE_BYTES].u;
	v->errors += rec->v[REC_IO_DONE_ERRNO].u != 0;
	o->ended++;
	o->ns += dur;
	o->bytes += rec->v[REC_IO_DONE_BYTES].u;
	return 0;
}

static const struct report_col io_col[] = {
	{ "op", "Operation", CELL_TEXT, false },
	{ "target", "Target", CELL_TEXT, false },
	{ "count", "Times", CELL_COUNT, false },
	{ "errors", "Errors", CELL_COUNT, false },
	{ "bytes", "Bytes", CELL_BYTES, false },
	REPORT_DURATION_COLS,
};

static void
io_row(struct report *r, const struct ops *o, struct cell *c,
    const char *name, struct op *v)
{
	pair_cells(r, &c[0], &c[1], name);
	cell_u64(&c[2], v->count);
	cell_u64(&c[3], v->errors);
	cell_u64(&c[4], v->bytes);
	duration_cells(&c[5], &v->dur, o->ns);
}

static void
io_facts(struct report *r, struct report_section *s, const struct ops *o)
{
	report_fact_u64(r, s, "started", "Started", CELL_COUNT, o->started);
	report_fact_u64(r, s, "done", "Done", CELL_COUNT, o->ended);
	report_fact_u64(r, s, "bytes", "Bytes", CELL_BYTES, o->bytes);
	report_fact_u64(r, s, "total_ns", "Time", CELL_NS, o->ns);
}

int
report_io(struct report *r, const struct bundle *b, struct msg *m)
{
	static const struct ops_section def = { FAMILY_IO,
	    "Input and output", "operations", "By time", io_col, N(io_col),
	    5, add_io, io_row, io_facts };

	return ops_report(r, b, &def, m);
}

/* The innermost frame, without its offset. */
static void
leaf(const struct value *stack, const char **s, size_t *n)
{
	size_t at = 0, len;
	const char *p;

	*s = "[unknown]";
	*n = strlen(*s);
	while (stack->given && (p = record_frame(stack, &at, &len)) != NULL) {
		*s = p;
		*n = len;
	}
	*n = fold_frame_name(s, *n);
}

static int
add_alloc(void *arg, const struct record *rec)
{
	uint64_t ts = rec->v[REC_TS].u;
	struct ops *o = arg;
	const char *s;
	struct op *v;
	size_t n;

	if (rec->kind == KIND_FREE_SAMPLE)
		o->ended++;
	if (rec->kind != KIND_ALLOC_SAMPLE)
		return 0;
	leaf(&rec->v[REC_ALLOC_SAMPLE_STACK], &s, &n);
	if ((v = op(o, s, n, ts, ts)) == NULL)
		return -1;
	v->count += rec->v[REC_ALLOC_SAMPLE_WEIGHT].u;
	v->samples++;
	o->started++;
	v->bytes += rec->v[REC_ALLOC_SAMPLE_BYTES].u;
	o->bytes += rec->v[REC_ALLOC_SAMPLE_BYTES].u;
	return 0;
}

static const struct report_col alloc_col[] = {
	{ "site", "Site", CELL_TEXT, false },
	{ "samples", "Samples", CELL_COUNT, false },
	{ "allocations", "Allocations (estimate)", CELL_COUNT, false },
	{ "bytes", "Bytes (estimate)", CELL_BYTES, false },
	{ "share", "Share", CELL_SHARE, true },
	{ "lower_bound", "≥", CELL_FLAG, false },
};

static void
alloc_row(struct report *r, const struct ops *o, struct cell *c,
    const char *name, struct op *v)
{
	cell_text(r, &c[0], name);
	cell_u64(&c[1], v->samples);
	cell_u64(&c[2], (v->count + 32768) / 65536);
	cell_u64(&c[3], v->bytes);
	cell_u64(&c[4], share(v->bytes, o->bytes));
}

static void
alloc_facts(struct report *r, struct report_section *s, const struct ops *o)
{
	report_fact_u64(r, s, "samples", "Samples", CELL_COUNT, o->started);
	report_fact_u64(r, s, "bytes", "Bytes (estimate)", CELL_BYTES,
	    o->bytes);
	report_fact_u64(r, s, "freed_samples", "Samples freed", CELL_COUNT,
	    o->ended);
}

int
report_allocations(struct report *r, const struct bundle *b, struct msg *m)
{
	static const struct ops_section def = { FAMILY_ALLOCATIONS,
	    "Allocations", "sites", "By bytes", alloc_col, N(alloc_col), 3,
	    add_alloc, alloc_row, alloc_facts };

	return ops_report(r, b, &def, m);
}

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
	if ((v = op(o, name, (size_t)n, ts, ts + dur)) == NULL ||
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
	pair_cells(r, NULL, &c[1], name);
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
	    N(gc_col), 3, add_gc, gc_row, gc_facts };

	return ops_report(r, b, &def, m);
}

/* Remembers which name the span of an id was given. */
static int
span_named(struct ops *o, const struct record *rec, ssize_t *name, bool add)
{
	char key[64];
	uint32_t *v;
	ssize_t i;
	int n;

	n = snprintf(key, sizeof(key), "%" PRIu64 ":%" PRIu64 ":%" PRIu64,
	    rec->v[REC_PID].u, rec->v[REC_RT].given ? rec->v[REC_RT].u : 0,
	    rec->v[add ? REC_SPAN_START_ID : REC_SPAN_END_ID].u);
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
		if ((v = op(o, name->s, name->len, ts, ts)) == NULL)
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
		v = op(o, "[unknown]", 9, ts, ts);
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
	    "spans", "By time", span_col, N(span_col), 5, add_span, span_row,
	    span_facts };

	return ops_report(r, b, &def, m);
}
