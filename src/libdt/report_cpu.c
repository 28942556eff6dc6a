/* The cpu section: functions by self and total samples, hot stacks. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "libdt/names.h"
#include "libdt/report_model.h"

#define N(a)		(sizeof(a) / sizeof((a)[0]))
#define STACKS_SHOWN	20

struct function {
	uint64_t self, total;
	uint64_t last;		/* sample that counted it, from 1 */
	uint64_t from, to;	/* first and last sample */
};

struct cpu {
	struct names names;
	struct function *fn;
	size_t cap;
	uint64_t samples, kernel, truncated, records;
	struct fold *fold;
};

static const struct report_col function_col[] = {
	{ "function", "Function", CELL_TEXT, false },
	{ "module", "Module", CELL_TEXT, false },
	{ "self", "Self", CELL_COUNT, false },
	{ "self_share", "Self share", CELL_SHARE, true },
	{ "total", "Total", CELL_COUNT, false },
	{ "total_share", "Total share", CELL_SHARE, true },
	{ "lower_bound", "≥", CELL_FLAG, false },
};

static const struct report_col stack_col[] = {
	{ "samples", "Samples", CELL_COUNT, false },
	{ "share", "Share", CELL_SHARE, true },
	{ "stack", "Stack", CELL_TEXT, false },
};

static struct function *
function(struct cpu *c, const char *s, size_t n)
{
	struct function *fn;
	ssize_t i;

	n = fold_frame_name(&s, n);
	if ((i = names_add(&c->names, s, n)) == -1 ||
	    (fn = names_room(c->fn, &c->cap, (size_t)i, sizeof(*fn))) == NULL)
		return NULL;
	c->fn = fn;
	return &c->fn[i];
}

static int
add_sample(void *arg, const struct record *rec)
{
	const struct value *stack = &rec->v[REC_CPU_SAMPLE_STACK];
	uint64_t count, ts = rec->v[REC_TS].u;
	struct function *fn = NULL;
	struct cpu *c = arg;
	const char *s;
	size_t at = 0, n;

	if (rec->kind != KIND_CPU_SAMPLE)
		return 0;
	count = rec->v[REC_CPU_SAMPLE_COUNT].u;
	c->samples += count;
	c->records++;
	if (rec->v[REC_CPU_SAMPLE_MODE].u == 1)
		c->kernel += count;
	while (stack->given && (s = record_frame(stack, &at, &n)) != NULL) {
		if (s == stack->s && record_frame_truncated(s, n)) {
			c->truncated += count;
			continue;
		}
		if ((fn = function(c, s, n)) == NULL)
			return -1;
		if (fn->last != c->records)
			fn->total += count;
		fn->last = c->records;
		fn->from = fn->from == 0 ? ts : fn->from;
		fn->to = ts;
	}
	if (fn != NULL)
		fn->self += count;
	return fold_add(c->fold, NULL, stack->given ? stack->s : "",
	    stack->given ? stack->len : 0, count);
}

static void
function_rows(struct report *r, struct report_table *t, const struct cpu *c,
    const struct gaps *g)
{
	const char *s, *mark;
	struct cell *cell;
	size_t i;

	for (i = 0; i < c->names.n; i++) {
		cell = report_row(r, t);
		s = c->names.v[i].s;
		mark = strchr(s, '`');
		if (mark != NULL) {
			cell_text(r, &cell[0], mark + 1);
			cell_text_n(r, &cell[1], s, (size_t)(mark - s));
		} else {
			cell_text(r, &cell[0], s);
		}
		cell_u64(&cell[2], c->fn[i].self);
		cell_u64(&cell[3], share(c->fn[i].self, c->samples));
		cell_u64(&cell[4], c->fn[i].total);
		cell_u64(&cell[5], share(c->fn[i].total, c->samples));
		cell_u64(&cell[6], gaps_overlap(g, c->fn[i].from,
		    c->fn[i].to));
	}
	report_sort(t, 2, 4);
}

struct rows {
	struct report *r;
	struct report_table *t;
	uint64_t all;
};

static int
stack_row(void *arg, const char *stack, size_t n, uint64_t count)
{
	struct rows *rows = arg;
	struct cell *cell = report_row(rows->r, rows->t);

	cell_u64(&cell[0], count);
	cell_u64(&cell[1], share(count, rows->all));
	if (n > 0)
		cell_text_n(rows->r, &cell[2], stack, n);
	return 0;
}

static int
fill(struct report *r, const struct bundle *b, struct cpu *c, struct msg *m)
{
	struct report_section *s = report_section(r, "cpu", "Processor");
	struct report_table *t;
	struct rows rows = { r, NULL, c->samples };
	struct gaps g;
	size_t i;

	if (gaps_of(&g, b, FAMILY_CPU) == -1)
		return msg_set_nomem(m);
	report_fact_u64(r, s, "samples", "Samples", CELL_COUNT, c->samples);
	report_fact_u64(r, s, "kernel_share", "In the kernel", CELL_SHARE,
	    share(c->kernel, c->samples));
	report_fact_u64(r, s, "truncated_share", "Stacks without their root",
	    CELL_SHARE, share(c->truncated, c->samples));
	for (i = 0; i < b->collectors.collectors.n; i++) {
		const struct bundle_collector *col =
		    &b->collectors.collectors.v[i];

		if (col->family != FAMILY_CPU || !col->rate_hz.known ||
		    col->rate_hz.v == 0)
			continue;
		report_fact_u64(r, s, "rate_hz", "Samples a second and CPU",
		    CELL_COUNT, col->rate_hz.v);
		report_fact_u64(r, s, "cpu_ns", "Processor time (estimate)",
		    CELL_NS, (uint64_t)((unsigned __int128)c->samples *
		    1000000000u / col->rate_hz.v));
		break;
	}
	t = report_table(r, s, "functions", "Functions", function_col,
	    N(function_col));
	t->csv = t->lower = true;
	function_rows(r, t, c, &g);
	gaps_free(&g);
	rows.t = report_table(r, s, "stacks", "Hottest stacks", stack_col,
	    N(stack_col));
	if (fold_each(c->fold, stack_row, &rows) == -1)
		return msg_set_nomem(m);
	report_sort(rows.t, 0, 0);
	if (rows.t->nrow > STACKS_SHOWN)
		rows.t->nrow = STACKS_SHOWN;
	return 0;
}

int
report_cpu(struct report *r, const struct bundle *b, struct msg *m)
{
	struct fold_opt opt = { .family = FAMILY_CPU };
	struct cpu c = { 0 };
	int rv;

	if ((c.fold = fold_new(&opt)) == NULL)
		return msg_set_nomem(m);
	rv = report_read(r, b, FAMILY_CPU, add_sample, &c, m);
	if (rv == 0 && (rv = fill(r, b, &c, m)) == 0) {
		r->cpu = c.fold;
		c.fold = NULL;
	}
	fold_free(c.fold);
	names_free(&c.names);
	free(c.fn);
	return rv < 0 ? -1 : 0;
}
