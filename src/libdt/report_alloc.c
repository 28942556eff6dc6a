/* The section of allocations by place. */
#include <string.h>

#include "libdt/report_ops.h"

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
	if ((v = ops_add(o, s, n, ts, ts)) == NULL)
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
	    "Allocations", "sites", "By bytes", alloc_col,
	    REPORT_N(alloc_col), 3, add_alloc, alloc_row, alloc_facts };

	return ops_report(r, b, &def, m);
}
