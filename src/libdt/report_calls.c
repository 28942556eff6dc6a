/* The system call section: calls by time, errors by name. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/names.h"
#include "libdt/report_model.h"

#define N(a)	(sizeof(a) / sizeof((a)[0]))

struct call {
	struct durations dur;
	uint64_t errors, open;
	uint64_t from, to;
};

struct calls {
	struct names names;
	struct call *v;
	size_t cap;
	struct names errs;	/* "CALL\tERRNO" */
	uint64_t *nerr;
	size_t errcap;
	uint64_t total, errors, open, ns;
};

static const struct report_col call_col[] = {
	{ "name", "Call", CELL_TEXT, false },
	{ "calls", "Calls", CELL_COUNT, false },
	{ "errors", "Errors", CELL_COUNT, false },
	{ "open", "Unfinished", CELL_COUNT, false },
	REPORT_DURATION_COLS,
};

static const struct report_col error_col[] = {
	{ "name", "Call", CELL_TEXT, false },
	{ "errno", "Error", CELL_TEXT, false },
	{ "count", "Times", CELL_COUNT, false },
};

static struct call *
call(struct calls *c, const struct value *name)
{
	ssize_t i = names_add(&c->names, name->s, name->len);
	struct call *v;

	if (i == -1 ||
	    (v = names_room(c->v, &c->cap, (size_t)i, sizeof(*v))) == NULL)
		return NULL;
	c->v = v;
	return &c->v[i];
}

static int
add_error(struct calls *c, const struct value *name, uint64_t err)
{
	char key[160];
	uint64_t *v;
	ssize_t i;
	int n;

	n = snprintf(key, sizeof(key), "%.*s\t%" PRIu64, (int)name->len,
	    name->s, err);
	if (n < 0 || (size_t)n >= sizeof(key))
		n = (int)sizeof(key) - 1;
	if ((i = names_add(&c->errs, key, (size_t)n)) == -1 ||
	    (v = names_room(c->nerr, &c->errcap, (size_t)i,
	    sizeof(*v))) == NULL)
		return -1;
	c->nerr = v;
	c->nerr[i]++;
	return 0;
}

static int
add_call(void *arg, const struct record *rec)
{
	uint64_t ts = rec->v[REC_TS].u, dur = 0, err;
	struct calls *c = arg;
	struct call *v;

	if (rec->kind == KIND_SYSCALL_OPEN) {
		if ((v = call(c, &rec->v[REC_SYSCALL_OPEN_NAME])) == NULL)
			return -1;
		v->open++;
		c->open++;
	} else if (rec->kind == KIND_SYSCALL) {
		if ((v = call(c, &rec->v[REC_SYSCALL_NAME])) == NULL)
			return -1;
		dur = rec->v[REC_SYSCALL_DUR].u;
		if (durations_add(&v->dur, dur) == -1)
			return -1;
		c->total++;
		c->ns += dur;
		if ((err = rec->v[REC_SYSCALL_ERRNO].u) != 0) {
			v->errors++;
			c->errors++;
			if (add_error(c, &rec->v[REC_SYSCALL_NAME],
			    err) == -1)
				return -1;
		}
	} else {
		return 0;
	}
	v->from = v->from == 0 || ts < v->from ? ts : v->from;
	v->to = ts + dur > v->to ? ts + dur : v->to;
	return 0;
}

static void
call_rows(struct report *r, struct report_table *t, struct calls *c,
    const struct gaps *g)
{
	struct cell *cell;
	struct call *v;
	size_t i;

	for (i = 0; i < c->names.n; i++) {
		v = &c->v[i];
		cell = report_row(r, t);
		cell_text(r, &cell[0], c->names.v[i].s);
		cell_u64(&cell[1], v->dur.n);
		cell_u64(&cell[2], v->errors);
		cell_u64(&cell[3], v->open);
		duration_cells(&cell[4], &v->dur, c->ns);
		cell_u64(&cell[9], gaps_overlap(g, v->from, v->to));
	}
	report_sort(t, 4, 1);
}

/*
 * What a call that a signal interrupted returns within the kernel, which then
 * restarts it or makes it EINTR: no program sees these, strace and the
 * probes do.
 */
static const char *
error_name(int err)
{
	static const struct { int err; const char *name; } own[] = {
		{ 512, "ERESTARTSYS" }, { 513, "ERESTARTNOINTR" },
		{ 514, "ERESTARTNOHAND" }, { 516, "ERESTART_RESTARTBLOCK" },
	};
	size_t i;

	for (i = 0; i < N(own); i++)
		if (own[i].err == err)
			return own[i].name;
	return strerrorname_np(err);
}

static void
error_rows(struct report *r, struct report_table *t, const struct calls *c)
{
	const char *s, *tab, *name;
	struct cell *cell;
	char buf[32];
	int err;
	size_t i;

	for (i = 0; i < c->errs.n; i++) {
		s = c->errs.v[i].s;
		tab = strrchr(s, '\t');
		err = tab != NULL ? atoi(tab + 1) : 0;
		cell = report_row(r, t);
		cell_text_n(r, &cell[0], s, tab != NULL ?
		    (size_t)(tab - s) : strlen(s));
		if ((name = error_name(err)) == NULL) {
			snprintf(buf, sizeof(buf), "errno %d", err);
			name = buf;
		}
		cell_text(r, &cell[1], name);
		cell_u64(&cell[2], c->nerr[i]);
	}
	report_sort(t, 2, 2);
}

static int
fill(struct report *r, const struct bundle *b, struct calls *c,
    struct msg *m)
{
	struct report_section *s = report_section(r, "syscalls",
	    "System calls");
	struct report_table *t;
	struct gaps g;

	if (gaps_of(&g, b, FAMILY_SYSCALLS) == -1)
		return msg_set_nomem(m);
	report_fact_u64(r, s, "calls", "Calls", CELL_COUNT, c->total);
	report_fact_u64(r, s, "errors", "Errors", CELL_COUNT, c->errors);
	report_fact_u64(r, s, "open", "Unfinished", CELL_COUNT, c->open);
	report_fact_u64(r, s, "total_ns", "Time in them", CELL_NS, c->ns);
	t = report_table(r, s, "by_name", "By time", call_col, N(call_col));
	t->csv = t->lower = true;
	call_rows(r, t, c, &g);
	gaps_free(&g);
	t = report_table(r, s, "by_errno", "Errors", error_col, N(error_col));
	error_rows(r, t, c);
	return 0;
}

int
report_syscalls(struct report *r, const struct bundle *b, struct msg *m)
{
	struct calls c = { 0 };
	size_t i;
	int rv;

	rv = report_read(r, b, FAMILY_SYSCALLS, add_call, &c, m);
	if (rv == 0)
		rv = fill(r, b, &c, m);
	for (i = 0; i < c.names.n && i < c.cap; i++)
		durations_free(&c.v[i].dur);
	names_free(&c.names);
	names_free(&c.errs);
	free(c.v);
	free(c.nerr);
	return rv < 0 ? -1 : 0;
}
