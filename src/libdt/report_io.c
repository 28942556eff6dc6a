/* The section of reads, writes and connections. */
#include <stdio.h>
#include <string.h>

#include "libdt/report_ops.h"

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
	v = ops_add(o, name, (size_t)n, ts > dur ? ts - dur : 0, ts);
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
	ops_pair(r, &c[0], &c[1], name);
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
	    "Input and output", "operations", "By time", io_col,
	    REPORT_N(io_col), 5, add_io, io_row, io_facts };

	return ops_report(r, b, &def, m);
}
