/* Sections on the run itself: what ran, the verdict, losses, the cost. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/names.h"
#include "libdt/report_model.h"

#define N(a)	(sizeof(a) / sizeof((a)[0]))

static const char *
word(struct report *r, const char *set, int index)
{
	char buf[64];

	if (bundle_word(set, index, buf, sizeof(buf)) == 0)
		return "?";
	return report_copy(r, buf, strlen(buf));
}

/* Words as a shell would take them: those with odd bytes are quoted. */
static const char *
command_line(struct report *r, const bundle_strings *argv)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
	size_t i, n = 1;
	const char *s;
	char *buf, *p;

	for (i = 0; i < argv->n; i++)
		n += strlen(argv->v[i]) * 4 + 3;
	if ((buf = report_alloc(r, n)) == NULL)
		return "";
	p = buf;
	for (i = 0; i < argv->n; i++) {
		s = argv->v[i];
		if (i > 0)
			*p++ = ' ';
		if (*s != '\0' && strspn(s, plain) == strlen(s)) {
			p = stpcpy(p, s);
			continue;
		}
		*p++ = '\'';
		for (; *s != '\0'; s++)
			if (*s == '\'')
				p = stpcpy(p, "'\\''");
			else
				*p++ = *s;
		*p++ = '\'';
	}
	*p = '\0';
	return buf;
}

static void
ended(struct report *r, struct report_section *s,
    const struct bundle_command *c)
{
	char buf[64];

	if (c->signal.known)
		snprintf(buf, sizeof(buf), "killed by signal %" PRId64,
		    c->signal.v);
	else if (c->exit_code.known)
		snprintf(buf, sizeof(buf), "exit status %" PRId64,
		    c->exit_code.v);
	else
		snprintf(buf, sizeof(buf), "still running");
	report_fact_text(r, s, "outcome", "Outcome", buf);
	report_fact_text(r, s, "ended", "Capture ended by",
	    word(r, BUNDLE_ENDS, c->ended));
}

/* From one point of the window to another; unknown where either is. */
static struct maybe_u64
span_of(struct maybe_u64 from, struct maybe_u64 to)
{
	struct maybe_u64 d = { false, 0 };

	if (from.known && to.known && to.v >= from.v) {
		d.known = true;
		d.v = to.v - from.v;
	}
	return d;
}

static void
window(struct report *r, struct report_section *s, const struct bundle *b)
{
	const struct bundle_window *w = &b->manifest.window;
	const struct bundle_clock *c = &b->manifest.clock;

	report_fact_maybe(r, s, "window_ns", "Window", CELL_NS,
	    span_of(w->workload_start, w->workload_done));
	report_fact_maybe(r, s, "attach_ns", "Time to attach", CELL_NS,
	    span_of(w->ready, w->attached));
	report_fact_maybe(r, s, "drain_ns", "Time to drain", CELL_NS,
	    span_of(w->workload_done, w->drained));
	report_fact_text(r, s, "clock", "Clock", c->name);
	if (c->degraded != NULL)
		report_fact_text(r, s, "clock_degraded", "Clock degraded",
		    c->degraded);
	if (c->suspended_ns > 0)
		report_fact_u64(r, s, "suspended_ns", "Host was suspended",
		    CELL_NS, (uint64_t)c->suspended_ns);
}

static const struct report_col finding_col[] = {
	{ "level", "Level", CELL_TEXT, false },
	{ "id", "Finding", CELL_TEXT, false },
	{ "path", "Where", CELL_TEXT, false },
	{ "line", "Line", CELL_COUNT, false },
	{ "text", "Text", CELL_TEXT, false },
};

static void
verdict(struct report *r, struct report_section *s, const struct bundle *b)
{
	const struct bundle_validation *v = &b->validation;
	struct report_table *t;
	struct cell *c;
	size_t i;

	report_fact_text(r, s, "verdict", "Verdict", r->verdict);
	t = report_table(r, s, "findings", "Reasons of the verdict",
	    finding_col, N(finding_col));
	for (i = 0; i < v->findings.n; i++) {
		c = report_row(r, t);
		cell_text(r, &c[0], word(r, BUNDLE_LEVELS,
		    v->findings.v[i].level));
		cell_text(r, &c[1], v->findings.v[i].id);
		if (v->findings.v[i].path != NULL)
			cell_text(r, &c[2], v->findings.v[i].path);
		cell_maybe(&c[3], v->findings.v[i].line);
		cell_text(r, &c[4], v->findings.v[i].text);
	}
}

int
report_run(struct report *r, const struct bundle *b, struct msg *m)
{
	const struct bundle_manifest *mf = &b->manifest;
	struct report_section *s = report_section(r, "run", "What ran");
	char buf[512];

	(void)m;
	verdict(r, s, b);
	report_fact_text(r, s, "command", "Command",
	    command_line(r, &mf->command.argv));
	report_fact_text(r, s, "mode", "Mode",
	    word(r, BUNDLE_MODES, mf->command.mode));
	report_fact_u64(r, s, "pid", "Process", CELL_INT, mf->command.pid);
	ended(r, s, &mf->command);
	window(r, s, b);
	snprintf(buf, sizeof(buf), "%s, %s %s, %s", mf->host.hostname,
	    mf->host.os, mf->host.release, mf->host.machine);
	report_fact_text(r, s, "host", "Host", buf);
	if (mf->host.cpu_model != NULL)
		report_fact_text(r, s, "cpu_model", "Processor",
		    mf->host.cpu_model);
	report_fact_u64(r, s, "cpus", "Processors", CELL_COUNT,
	    mf->host.cpus);
	report_fact_text(r, s, "created_utc", "Made", mf->created_utc);
	return 0;
}

static const struct report_col member_col[] = {
	{ "pid", "Process", CELL_INT, false },
	{ "parent", "Parent", CELL_INT, false },
	{ "role", "Role", CELL_TEXT, false },
	{ "exe", "Executable", CELL_TEXT, false },
	{ "incarnation", "Incarnation", CELL_TEXT, false },
	{ "life_ns", "Life", CELL_NS, false },
	{ "exit_status", "Exit", CELL_INT, false },
};

/* Members by incarnation: the first one's number of each. */
struct incarnations {
	struct names names;
	size_t *first;
};

static int
incarnations_of(struct incarnations *x, const struct bundle_cohort *c)
{
	const char *s;
	size_t i, n;
	ssize_t k;

	memset(x, 0, sizeof(*x));
	if ((x->first = calloc(c->members.n + 1, sizeof(*x->first))) == NULL)
		return -1;
	for (i = 0; i < c->members.n; i++) {
		s = c->members.v[i].incarnation;
		n = x->names.n;
		if ((k = names_add(&x->names, s, strlen(s))) == -1)
			return -1;
		if ((size_t)k == n)
			x->first[k] = i;
	}
	return 0;
}

static void
incarnations_free(struct incarnations *x)
{
	names_free(&x->names);
	free(x->first);
}

static void
member_rows(struct report *r, struct report_table *t,
    const struct bundle_cohort *c, const struct incarnations *x)
{
	const struct bundle_member *p;
	struct cell *cell;
	ssize_t parent;
	size_t i;

	for (i = 0; i < c->members.n; i++) {
		p = &c->members.v[i];
		cell = report_row(r, t);
		cell_u64(&cell[0], p->pid);
		parent = p->parent != NULL ? names_find(&x->names, p->parent,
		    strlen(p->parent)) : -1;
		if (parent >= 0)
			cell_u64(&cell[1],
			    c->members.v[x->first[parent]].pid);
		cell_text(r, &cell[2], word(r, BUNDLE_ROLES, p->role));
		cell_text(r, &cell[3], p->exe);
		cell_text(r, &cell[4], p->incarnation);
		if (p->died.known && p->died.v >= p->start)
			cell_u64(&cell[5], p->died.v - p->start);
		if (p->exit_status.known)
			cell_i64(&cell[6], p->exit_status.v);
	}
}

int
report_cohort(struct report *r, const struct bundle *b, struct msg *m)
{
	const struct bundle_cohort *c = &b->cohort;
	struct report_section *s = report_section(r, "cohort", "Processes");
	struct incarnations x;
	struct report_table *t;
	int rv;

	report_fact_u64(r, s, "processes", "Processes", CELL_COUNT,
	    c->members.n);
	t = report_table(r, s, "members", "Cohort", member_col,
	    N(member_col));
	if ((rv = incarnations_of(&x, c)) == 0)
		member_rows(r, t, c, &x);
	incarnations_free(&x);
	return rv == 0 ? 0 : msg_set_nomem(m);
}

static const struct report_col balance_col[] = {
	{ "collector", "Collector", CELL_TEXT, false },
	{ "family", "Family", CELL_TEXT, false },
	{ "state", "Family is", CELL_TEXT, false },
	{ "fired", "Fired", CELL_COUNT, false },
	{ "recorded", "Recorded", CELL_COUNT, false },
	{ "dropped", "Dropped", CELL_COUNT, false },
	{ "filtered", "Filtered", CELL_COUNT, false },
	{ "malformed", "Malformed", CELL_COUNT, false },
};

static const struct report_col drop_col[] = {
	{ "collector", "Collector", CELL_TEXT, false },
	{ "cpu", "CPU", CELL_INT, false },
	{ "count", "Lost", CELL_COUNT, false },
	{ "from_ns", "From", CELL_NS, false },
	{ "to_ns", "To", CELL_NS, false },
	{ "why", "Why", CELL_TEXT, false },
};

static const struct report_col capability_col[] = {
	{ "name", "Capability", CELL_TEXT, false },
	{ "reason", "Why not", CELL_TEXT, false },
};

/* A time within the window, from its start. */
static void
cell_offset(struct cell *c, uint64_t ts, struct maybe_u64 start)
{
	if (start.known)
		cell_u64(c, ts > start.v ? ts - start.v : 0);
}

static uint64_t
drops(struct report *r, struct report_table *t,
    const struct bundle_collector *c, struct maybe_u64 start)
{
	uint64_t lost = 0;
	struct cell *cell;
	size_t i;

	for (i = 0; i < c->drops.n; i++) {
		cell = report_row(r, t);
		cell_text(r, &cell[0], c->name);
		cell_maybe(&cell[1], c->drops.v[i].cpu);
		cell_u64(&cell[2], c->drops.v[i].count);
		cell_offset(&cell[3], c->drops.v[i].from, start);
		cell_offset(&cell[4], c->drops.v[i].to, start);
		cell_text(r, &cell[5], c->drops.v[i].why);
		lost += c->drops.v[i].count;
	}
	return lost;
}

static void
missing(struct report *r, struct report_section *s,
    const struct bundle_capabilities *c)
{
	struct report_table *t;
	struct cell *cell;
	size_t i;

	t = report_table(r, s, "missing", "What the host could not do",
	    capability_col, N(capability_col));
	for (i = 0; i < c->capabilities.n; i++) {
		if (c->capabilities.v[i].available)
			continue;
		cell = report_row(r, t);
		cell_text(r, &cell[0], c->capabilities.v[i].name);
		if (c->capabilities.v[i].reason != NULL)
			cell_text(r, &cell[1], c->capabilities.v[i].reason);
	}
}

int
report_losses(struct report *r, const struct bundle *b, struct msg *m)
{
	struct report_section *s = report_section(r, "losses", "Losses");
	const struct bundle_collector *c;
	struct report_table *balance, *lost;
	struct cell *cell;
	uint64_t n = 0;
	size_t i;

	(void)m;
	balance = report_table(r, s, "balance", "Counters", balance_col,
	    N(balance_col));
	lost = report_table(r, s, "drops", "Loss intervals", drop_col,
	    N(drop_col));
	for (i = 0; i < b->collectors.collectors.n; i++) {
		c = &b->collectors.collectors.v[i];
		cell = report_row(r, balance);
		cell_text(r, &cell[0], c->name);
		cell_text(r, &cell[1],
		    schema_family((enum schema_family)c->family)->name);
		cell_text(r, &cell[2], word(r, BUNDLE_STATES,
		    b->manifest.families.of[c->family].state));
		cell_maybe(&cell[3], c->counters.fired);
		cell_u64(&cell[4], c->counters.recorded);
		cell_maybe(&cell[5], c->counters.dropped);
		cell_u64(&cell[6], c->counters.filtered);
		cell_u64(&cell[7], c->malformed);
		n += drops(r, lost, c, b->manifest.window.workload_start);
	}
	report_fact_u64(r, s, "lost", "Records lost", CELL_COUNT, n);
	report_fact_u64(r, s, "malformed", "Malformed lines", CELL_COUNT,
	    r->malformed);
	missing(r, s, &b->capabilities);
	if (n > 0)
		s->note = "Rows marked with ≥ overlap a loss and are lower "
		    "bounds.";
	return 0;
}

static const struct report_col cost_col[] = {
	{ "collector", "Collector", CELL_TEXT, false },
	{ "bpf_run_count", "Runs in the kernel", CELL_COUNT, false },
	{ "bpf_run_ns", "Time in the kernel", CELL_NS, false },
	{ "ns_per_run", "A run", CELL_NS, false },
	{ "cpu_ns", "Time of the tracer", CELL_NS, false },
	{ "share", "Of the window", CELL_SHARE, true },
};

int
report_cost(struct report *r, const struct bundle *b, struct msg *m)
{
	struct report_section *s = report_section(r, "cost",
	    "Cost of measuring");
	const struct bundle_window *w = &b->manifest.window;
	struct maybe_u64 whole = span_of(w->workload_start,
	    w->workload_done);
	const struct bundle_collector *c;
	uint64_t cpu, all = 0;
	struct report_table *t;
	struct cell *cell;
	size_t i;

	(void)m;
	t = report_table(r, s, "collectors", "Collectors", cost_col,
	    N(cost_col));
	for (i = 0; i < b->collectors.collectors.n; i++) {
		c = &b->collectors.collectors.v[i];
		cell = report_row(r, t);
		cell_text(r, &cell[0], c->name);
		cell_maybe(&cell[1], c->cost.bpf_run_count);
		cell_maybe(&cell[2], c->cost.bpf_run_ns);
		if (c->cost.bpf_run_count.v > 0 && c->cost.bpf_run_ns.known)
			cell_u64(&cell[3], c->cost.bpf_run_ns.v /
			    c->cost.bpf_run_count.v);
		cpu = c->cost.cpu_user_ns.v + c->cost.cpu_system_ns.v;
		if (c->cost.cpu_user_ns.known && c->cost.cpu_system_ns.known)
			cell_u64(&cell[4], cpu);
		if (c->cost.bpf_run_ns.known)
			cpu += c->cost.bpf_run_ns.v;
		if (whole.known && whole.v > 0)
			cell_u64(&cell[5], share(cpu, whole.v));
		all += cpu;
	}
	report_fact_u64(r, s, "total_ns", "Processor time in all", CELL_NS,
	    all);
	if (whole.known && whole.v > 0)
		report_fact_u64(r, s, "share", "Of the window (one CPU)",
		    CELL_SHARE, share(all, whole.v));
	return 0;
}
