/* collectors.json: times, ends, arguments, drops and counts. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/validate_impl.h"

#define FILE_NAME	"collectors.json"
#define BAD(v, f, k, fmt, ...) \
	val_found(v, FINDING_##f, FILE_NAME, 0, "%.100s: " fmt, (k)->name, \
	    __VA_ARGS__)

/* Of one name, the first comes first. */
static int
name_cmp(const void *a, const void *b)
{
	const struct bundle_collector *const *x = a, *const *y = b;
	int c = strcmp((*x)->name, (*y)->name);

	return c != 0 ? c : (*x > *y) - (*x < *y);
}

static int
sort_names(struct val *v)
{
	const struct bundle_collectors *c = &v->b.collectors;
	size_t i, n = c->collectors.n;

	v->by_name = calloc(n + 1, sizeof(*v->by_name));
	if (v->by_name == NULL)
		return -1;
	for (i = 0; i < n; i++)
		v->by_name[i] = &c->collectors.v[i];
	qsort(v->by_name, n, sizeof(*v->by_name), name_cmp);
	return 0;
}

ssize_t
val_collector(const struct val *v, const char *name)
{
	const struct bundle_collectors *c = &v->b.collectors;
	size_t i, n = v->by_name != NULL ? c->collectors.n : 0;

	ARRAY_FIRST(i, n, strcmp(v->by_name[i]->name, name) >= 0);
	return i < n && strcmp(v->by_name[i]->name, name) == 0 ?
	    v->by_name[i] - c->collectors.v : -1;
}

static const struct bundle_family *
family_of(const struct val *v, const struct bundle_collector *k)
{
	return v->b.have[BUNDLE_MANIFEST] ?
	    &v->b.manifest.families.of[k->family] : NULL;
}

static void
check_times(struct val *v, const struct bundle_collector *k)
{
	const struct bundle_manifest *m = &v->b.manifest;
	const struct maybe_u64 *p[] = { &k->started, &k->ack, &k->detach };
	static const char *const names[] = { "started", "ack", "detach" };
	uint64_t last = v->clock_start, end = v->window_end;
	size_t i;

	if (v->b.have[BUNDLE_MANIFEST] && !k->builtin &&
	    m->window.ready.known)
		last = m->window.ready.v;
	else if (v->b.have[BUNDLE_MANIFEST] && k->builtin &&
	    k->family == FAMILY_SYSCALLS && m->window.workload_done.known)
		last = m->window.workload_done.v;	/* found in flight */

	for (i = 0; i < 3; i++) {
		if (!p[i]->known)
			continue;
		if (p[i]->v < last) {
			BAD(v, COLLECTOR_ORDER, k, "%s is before what comes "
			    "first", names[i]);
			return;
		}
		last = p[i]->v;
	}
	if (last > end)
		BAD(v, COLLECTOR_ORDER, k, "it lasted %" PRIu64
		    " ns beyond window.drained", last - end);
	else if (k->ack.known && (!k->started.known || !k->detach.known))
		BAD(v, COLLECTOR_ORDER, k, "acknowledged, but has no %s",
		    k->started.known ? "detach" : "started");
	else if (v->b.have[BUNDLE_MANIFEST] && k->detach.known &&
	    k->detach.v < m->window.workload_done.v)
		BAD(v, COLLECTOR_EARLY, k, "detached %" PRIu64
		    " ns before the workload was done",
		    m->window.workload_done.v - k->detach.v);
}

static void
check_ack(struct val *v, const struct bundle_collector *k)
{
	const struct bundle_family *f = family_of(v, k);

	if (k->ack.known)
		return;
	if (k->counters.recorded > 0 || (k->builtin && k->started.known) ||
	    (f != NULL && !k->builtin &&
	    (f->state == STATE_OBSERVED || f->state == STATE_NONE_FIRED)))
		BAD(v, COLLECTOR_ACK, k, "never acknowledged, yet its family "
		    "is %s", "taken as attached");
}

static bool
stopped_by(const struct bundle_collector *k, int64_t sig)
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGKILL };
	size_t i;

	for (i = 0; i < k->stops.n; i++)
		if (k->stops.v[i].signal >= 0 && k->stops.v[i].signal < 3 &&
		    sigs[k->stops.v[i].signal] == sig)
			return true;
	return false;
}

static void
check_end(struct val *v, const struct bundle_collector *k)
{
	size_t i;

	if (k->builtin ? k->exit_code.known || k->signal.known :
	    k->exit_code.known == k->signal.known && k->started.known)
		BAD(v, COLLECTOR_STATUS, k, "%s", k->exit_code.known ?
		    "has an exit code and a signal" : k->signal.known ?
		    "is built in and has a signal" :
		    "has neither an exit code nor a signal");
	else if (k->exit_code.known && k->exit_code.v != 0)
		BAD(v, COLLECTOR_EXIT, k, "its tracer exited with %" PRId64,
		    k->exit_code.v);
	else if (k->signal.known && !stopped_by(k, k->signal.v))
		BAD(v, COLLECTOR_EXIT, k, "its tracer died of signal %"
		    PRId64, k->signal.v);
	if (k->stops.n > 0 && k->ack.known && v->b.have[BUNDLE_MANIFEST] &&
	    k->stops.v[0].at < v->b.manifest.window.workload_done.v)
		BAD(v, COLLECTOR_STOPS, k, "stops[0] is before %s",
		    "window.workload_done");
	else if (k->stops.n > 0 && (!k->started.known ||
	    k->stops.v[0].at < k->started.v))
		BAD(v, COLLECTOR_STOPS, k, "stops[0] is before it was %s",
		    "started");
	for (i = 0; i < k->stops.n; i++) {
		if (i > 0 && (k->stops.v[i].signal <=
		    k->stops.v[i - 1].signal || k->stops.v[i].at <
		    k->stops.v[i - 1].at))
			BAD(v, COLLECTOR_STOPS, k, "stops[%zu] is out of "
			    "order", i);
		else if (k->detach.known && k->stops.v[i].at > k->detach.v)
			BAD(v, COLLECTOR_STOPS, k, "stops[%zu] is after its "
			    "detach", i);
	}
	if (stopped_by(k, SIGKILL))
		BAD(v, COLLECTOR_KILLED, k, "took neither INT nor TERM in "
		    "%s", "time");
}

/* dt-attach's own are maps and inflight. */
static const char *
builtin_fault(const struct bundle_collector *k)
{
	bool maps = strcmp(k->name, "maps") == 0;
	bool own = maps || strcmp(k->name, "inflight") == 0;

	if (own != k->builtin)
		return own ? "is dt-attach's own, and not built in" :
		    "is built in, and none of dt-attach's own";
	if (own && k->family != (maps ? FAMILY_MAPS : FAMILY_SYSCALLS))
		return "is of another family than it can be";
	if (k->builtin)
		return k->script != NULL || k->script_sha256 != NULL ?
		    "is built in and has a script" : k->pid.known ?
		    "is built in and has a pid" : k->tracer != NULL ||
		    k->argv.n > 0 ? "is built in and has a tracer" : NULL;
	if (k->tracer == NULL)
		return "has no tracer";
	if ((k->script == NULL) != (k->script_sha256 == NULL))
		return "has a script without its hash, or the reverse";
	if (!k->started.known)
		return k->pid.known ? "has a pid, and never ran" : NULL;
	return k->script == NULL ? "ran without a script" :
	    k->argv.n == 0 ? "ran without arguments" :
	    !k->pid.known ? "ran without a pid" : NULL;
}

static void
check_kind(struct val *v, const struct bundle_collector *k)
{
	const struct bundle_family *f = family_of(v, k);
	const char *why = builtin_fault(k);

	if (why != NULL)
		BAD(v, COLLECTOR_BUILTIN, k, "%s", why);
	if (k->builtin ? k->required : f != NULL &&
	    f->required != k->required)
		BAD(v, COLLECTOR_REQUIRED, k, "required is %s, %s",
		    k->required ? "true" : "false", k->builtin ?
		    "and it is built in" : "its family's is not");
	if (k->rate_hz.known != (k->family == FAMILY_CPU))
		BAD(v, COLLECTOR_RATE, k, "rate_hz is %s", k->rate_hz.known ?
		    "given, but it samples nothing by rate" : "null");
}

static const char *
base(const char *path)
{
	const char *p = strrchr(path, '/');

	return p != NULL ? p + 1 : path;
}

/* 0 if it cannot be told. */
static uint64_t
target_pid(const struct val *v)
{
	const struct bundle_cohort *c = &v->b.cohort;
	size_t i;

	for (i = 0; i < c->members.n && !v->cohort_odd; i++)
		if (c->members.v[i].role == ROLE_TARGET)
			return c->members.v[i].pid;
	return 0;
}

/* TRACER ... -s SCRIPT PID */
static void
check_argv(struct val *v, const struct bundle_collector *k, uint64_t target)
{
	const char *const *a = (const char *const *)k->argv.v;
	size_t n = k->argv.n, words = val_tracer_words(k);
	char pid[24];

	if (k->builtin || k->tracer == NULL || n == 0 || k->script == NULL)
		return;		/* told by check_kind() */
	(void)snprintf(pid, sizeof(pid), "%" PRIu64, target);
	if (words == 0 || n < words + 3)
		BAD(v, COLLECTOR_ARGV, k, "argv does not begin with %.100s",
		    k->tracer);
	else if (strcmp(a[n - 3], "-s") != 0 ||
	    strcmp(base(a[n - 2]), base(k->script)) != 0)
		BAD(v, COLLECTOR_ARGV, k, "argv does not run -s %.100s",
		    base(k->script));
	else if (target != 0 && strcmp(a[n - 1], pid) != 0)
		BAD(v, COLLECTOR_ARGV, k, "argv does not end in %s, the "
		    "target's pid", pid);
}

static void
check_malformed(struct val *v, const struct bundle_collector *k)
{
	uint64_t want = k->malformed < BUNDLE_MALFORMED_LINES ?
	    k->malformed : BUNDLE_MALFORMED_LINES;
	size_t i;

	if (k->malformed > 0)
		BAD(v, COLLECTOR_MALFORMED, k, "%" PRIu64 " lines were no "
		    "records", k->malformed);
	if (k->malformed_lines.n != want) {
		BAD(v, COLLECTOR_MALFORMED_LINES, k, "%zu malformed lines "
		    "are listed, not %" PRIu64, k->malformed_lines.n, want);
		return;
	}
	for (i = 1; i < k->malformed_lines.n; i++)
		if (k->malformed_lines.v[i] <= k->malformed_lines.v[i - 1]) {
			BAD(v, COLLECTOR_MALFORMED_LINES, k,
			    "malformed_lines[%zu] is out of order", i);
			return;
		}
}

static void
check_drops(struct val *v, const struct bundle_collector *k)
{
	const struct bundle_drop *d;
	uint64_t sum = 0;
	bool odd = false;
	size_t i;

	for (i = 0; i < k->drops.n; i++) {
		d = &k->drops.v[i];
		sum = d->count > UINT64_MAX - sum ? UINT64_MAX :
		    sum + d->count;
		if (d->from <= d->to && d->count > 0 &&
		    (i == 0 || d->from >= d[-1].from) &&
		    d->from >= v->clock_start && d->to <= v->clock_end)
			continue;
		BAD(v, DROP_INTERVAL, k, "drops[%zu] is empty, reversed, "
		    "unsorted or outside the capture", i);
		odd = true;
	}
	if (odd)
		return;
	if (k->counters.dropped.known && sum != k->counters.dropped.v)
		BAD(v, BALANCE_DROPPED, k, "dropped is %" PRIu64
		    ", its intervals hold %" PRIu64, k->counters.dropped.v,
		    sum);
	else if (sum > 0)
		BAD(v, COLLECTOR_DROPS, k, "lost %" PRIu64 " records", sum);
}

/* Why the rule cannot have removed records of this collector, or NULL. */
static const char *
rule_fault(const struct val *v, const struct bundle_collector *k, int rule)
{
	bool attach = v->b.manifest.command.mode == MODE_ATTACH;

	switch (rule) {
	case RULE_NOT_FOLLOWED:
		return attach && k->family == FAMILY_MAPS ? NULL :
		    "not-followed is of maps where the target was attached to";
	case RULE_BEFORE_WINDOW:
		return k->family == FAMILY_PROCS || (k->family == FAMILY_MAPS
		    && attach) ? "what was before the window is kept of procs, "
		    "and of maps where the target was attached to" : NULL;
	case RULE_RETURNED:
		return k->builtin && k->family == FAMILY_SYSCALLS ? NULL :
		    "returned is of calls that were found in flight";
	default:
		return NULL;
	}
}

static void
check_filters(struct val *v, const struct bundle_collector *k)
{
	uint64_t sum = 0, seen = 0;
	const char *why;
	size_t i;

	for (i = 0; i < k->filters.n; i++) {
		const struct bundle_filter *f = &k->filters.v[i];

		sum = f->count > UINT64_MAX - sum ? UINT64_MAX :
		    sum + f->count;
		if (seen & UINT64_C(1) << f->rule)
			BAD(v, FILTER_RULE, k, "filters[%zu] names its rule "
			    "again", i);
		seen |= UINT64_C(1) << f->rule;
		if (f->rule == RULE_NOT_MEMBER && f->count > 0)
			BAD(v, FILTER_MEMBER, k, "%" PRIu64 " records of "
			    "processes that are no members were removed",
			    f->count);
		why = rule_fault(v, k, f->rule);
		if (why != NULL)
			BAD(v, FILTER_RULE, k, "filters[%zu]: %s", i, why);
	}
	if (sum != k->counters.filtered)
		BAD(v, BALANCE_FILTERED, k, "filtered is %" PRIu64
		    ", its rules removed %" PRIu64, k->counters.filtered,
		    sum);
}

static void
check_balance(struct val *v, const struct bundle_collector *k)
{
	const struct bundle_counters *c = &k->counters;
	uint64_t sum;

	if (!c->fired.known || !c->dropped.known)
		BAD(v, BALANCE_NULL, k, "%s is null: what was lost is not "
		    "known", c->fired.known ? "dropped" : "fired");
	else if (__builtin_add_overflow(c->recorded, c->dropped.v, &sum) ||
	    __builtin_add_overflow(sum, c->filtered, &sum) ||
	    sum != c->fired.v)
		BAD(v, BALANCE_BROKEN, k, "fired %" PRIu64 " is not recorded "
		    "%" PRIu64 " + dropped %" PRIu64 " + filtered %" PRIu64,
		    c->fired.v, c->recorded, c->dropped.v, c->filtered);
	if (k->tracer_drops.known && c->dropped.known &&
	    k->tracer_drops.v != c->dropped.v)
		BAD(v, BALANCE_TRACER, k, "the tracer says it lost %" PRIu64
		    ", the counters say %" PRIu64, k->tracer_drops.v,
		    c->dropped.v);
}

/* Tracers attach one after the other, in the order of the file. */
static void
check_serial(struct val *v, const struct bundle_collectors *c)
{
	const struct bundle_collector *k, *last = NULL, *before = NULL;
	size_t i;

	for (i = 0; i < c->collectors.n; i++) {
		k = &c->collectors.v[i];
		if (k->started.known && before != NULL &&
		    k->started.v < before->started.v)
			BAD(v, COLLECTOR_SERIAL, k, "was started before "
			    "%.100s, and stands after it", before->name);
		if (k->started.known)
			before = k;
		if (k->builtin || !k->started.known)
			continue;
		if (last != NULL && k->started.v < last->ack.v)
			BAD(v, COLLECTOR_SERIAL, k, "was started before "
			    "%.100s acknowledged", last->name);
		if (k->ack.known)
			last = k;
	}
}

void
val_collectors(struct val *v)
{
	const struct bundle_collectors *c = &v->b.collectors;
	const struct bundle_collector *k;
	uint64_t target = target_pid(v);
	size_t i;

	if (!v->b.have[BUNDLE_COLLECTORS])
		return;
	if (sort_names(v) == -1) {
		v->finds.nomem = true;
		return;
	}
	for (i = 0; i < c->collectors.n; i++) {
		k = &c->collectors.v[i];
		if (val_collector(v, k->name) != (ssize_t)i) {
			BAD(v, COLLECTOR_DUPLICATE, k, "%s",
			    "there is another one of this name");
			v->collectors_odd = true;
		}
		check_times(v, k);
		check_ack(v, k);
		check_end(v, k);
		check_kind(v, k);
		check_argv(v, k, target);
		check_malformed(v, k);
		check_drops(v, k);
		check_filters(v, k);
		check_balance(v, k);
		if (k->errors.n > 0)
			BAD(v, COLLECTOR_ERRORS, k, "%.200s",
			    k->errors.v[0]);
		val_cost(v, k);
		val_log(v, k);
	}
	check_serial(v, c);
}
