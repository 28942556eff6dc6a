/* cohort.json: members, their lives and parents. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/validate_impl.h"

#define FILE_NAME	"cohort.json"

static void
check_names(struct val *v, const struct bundle_cohort *c)
{
	char want[BUNDLE_INCARNATION];
	const struct bundle_member *b;
	size_t i, n = strlen(c->boot_id);

	if (v->b.have[BUNDLE_MANIFEST] &&
	    strcmp(v->b.manifest.host.boot_id, c->boot_id) != 0)
		val_found(v, FINDING_COHORT_BOOT, FILE_NAME, 0,
		    "boot_id is not the manifest's host.boot_id");
	for (i = 0; i < c->members.n; i++) {
		b = &c->members.v[i];
		bundle_incarnation(want, c->boot_id, b->pid, b->start);
		if (strcmp(want, b->incarnation) == 0)
			continue;
		if (strncmp(c->boot_id, b->incarnation, n) != 0)
			val_found(v, FINDING_COHORT_BOOT, FILE_NAME, 0,
			    "members[%zu].incarnation is of another boot", i);
		else
			val_found(v, FINDING_COHORT_INCARNATION, FILE_NAME, 0,
			    "members[%zu].incarnation is not %s", i, want);
		v->cohort_odd = true;
	}
}

static void
check_order(struct val *v, const struct bundle_cohort *c)
{
	const struct bundle_member *a, *b;
	size_t i;

	for (i = 1; i < c->members.n; i++) {
		b = &c->members.v[i];
		a = b - 1;
		if (a->start > b->start ||
		    (a->start == b->start && a->pid > b->pid))
			val_found(v, FINDING_COHORT_ORDER, FILE_NAME, 0,
			    "members[%zu] comes after a later one", i);
		else if (a->start == b->start && a->pid == b->pid)
			val_found(v, FINDING_COHORT_DUPLICATE, FILE_NAME, 0,
			    "members[%zu] is members[%zu] once more", i,
			    i - 1);
		else
			continue;
		v->cohort_odd = true;
	}
}

static bool
check_target(struct val *v, const struct bundle_cohort *c)
{
	size_t i, targets = 0;

	for (i = 0; i < c->members.n; i++)
		targets += c->members.v[i].role == ROLE_TARGET;
	if (targets == 1)
		return true;
	val_found(v, FINDING_COHORT_TARGET, FILE_NAME, 0,
	    "%zu members have the role target", targets);
	v->cohort_odd = true;
	return false;
}

static void
check_life(struct val *v, const struct bundle_member *b, size_t i)
{
	if ((b->died.known && b->died.v < b->start) ||
	    b->start > v->window_end)
		v->cohort_odd = true;
	if (b->died.known && (b->died.v < b->start ||
	    b->died.v > v->window_end))
		val_found(v, FINDING_COHORT_LIFE, FILE_NAME, 0,
		    "members[%zu].died is %s", i, b->died.v < b->start ?
		    "before its start" : "after the window's end");
	else if (b->start > v->window_end)
		val_found(v, FINDING_COHORT_LIFE, FILE_NAME, 0,
		    "members[%zu].start is after the window's end", i);
	if (b->died.known != b->exit_status.known)
		val_found(v, FINDING_COHORT_EXIT, FILE_NAME, 0,
		    "members[%zu] has %s", i, b->died.known ?
		    "died, but no exit_status" : "an exit_status, but lives");
}

/* The target was there when it was held or found, one launched not before. */
static void
check_start(struct val *v, const struct bundle_member *b, size_t i)
{
	const struct bundle_manifest *m = &v->b.manifest;

	if (b->role != ROLE_TARGET || !v->b.have[BUNDLE_MANIFEST] ||
	    !m->window.ready.known || m->window.ready.v < v->clock_start)
		return;
	if (b->start > m->window.ready.v)
		val_found(v, FINDING_COHORT_LIFE, FILE_NAME, 0,
		    "members[%zu] is the target, and starts after "
		    "window.ready", i);
	else if (m->command.mode == MODE_LAUNCH && b->start +
	    2 * b->start_resolution_ns < v->clock_start)
		val_found(v, FINDING_COHORT_LIFE, FILE_NAME, 0,
		    "members[%zu] was launched, and starts before "
		    "clock.start", i);
}

static void
check_source(struct val *v, const struct bundle_member *b, size_t i)
{
	bool born = b->start_source == START_BIRTH;
	bool launched = !v->b.have[BUNDLE_MANIFEST] ||
	    v->b.manifest.command.mode == MODE_LAUNCH;

	uint64_t tick = v->b.have[BUNDLE_MANIFEST] ?
	    UINT64_C(1000000000) / v->b.manifest.host.clk_tck :
	    b->start_resolution_ns;

	if (b->start_resolution_ns != (born ? 0 : tick))
		val_found(v, FINDING_COHORT_SOURCE, FILE_NAME, 0,
		    "members[%zu].start_resolution_ns does not go with its "
		    "start_source", i);
	else if (born && b->role == ROLE_TARGET)
		val_found(v, FINDING_COHORT_SOURCE, FILE_NAME, 0,
		    "members[%zu] is the target, and its start a birth", i);
	else if (!born && b->role != ROLE_TARGET && launched)
		val_found(v, FINDING_COHORT_SOURCE, FILE_NAME, 0,
		    "members[%zu] is a descendant of a launched target, and "
		    "its start the system's", i);
}

static int
inc_cmp(const void *a, const void *b)
{
	const struct bundle_member *const *x = a, *const *y = b;

	return strcmp((*x)->incarnation, (*y)->incarnation);
}

static void
check_parent(struct val *v, const struct bundle_member **sorted,
    const struct bundle_member *b, size_t i)
{
	struct bundle_member key = { .incarnation = b->parent }, *k = &key;
	const struct bundle_member **p, *q;

	if (b->parent == NULL) {
		if (b->role != ROLE_TARGET)
			val_found(v, FINDING_COHORT_PARENT, FILE_NAME, 0,
			    "members[%zu] is a descendant without a parent",
			    i);
		return;
	}
	if (b->role == ROLE_TARGET) {
		val_found(v, FINDING_COHORT_PARENT, FILE_NAME, 0,
		    "members[%zu] is the target and has a parent", i);
		return;
	}
	p = bsearch(&k, sorted, v->b.cohort.members.n, sizeof(*sorted),
	    inc_cmp);
	if (p == NULL) {
		val_found(v, FINDING_COHORT_PARENT, FILE_NAME, 0,
		    "members[%zu].parent is no member", i);
		v->cohort_odd = true;
		return;
	}
	q = *p;
	if (q == b || q->start > b->start)
		val_found(v, FINDING_COHORT_PARENT_AGE, FILE_NAME, 0,
		    "members[%zu] is not younger than its parent", i);
	else if (q->died.known && q->died.v < b->start)
		val_found(v, FINDING_COHORT_PARENT_AGE, FILE_NAME, 0,
		    "members[%zu] was born after its parent's death", i);
	else
		return;
	v->cohort_odd = true;
}

static int
check_parents(struct val *v, struct msg *m)
{
	const struct bundle_cohort *c = &v->b.cohort;
	const struct bundle_member **sorted;
	size_t i;

	sorted = calloc(c->members.n + 1, sizeof(*sorted));
	if (sorted == NULL)
		return msg_set_nomem(m);
	for (i = 0; i < c->members.n; i++)
		sorted[i] = &c->members.v[i];
	qsort(sorted, c->members.n, sizeof(*sorted), inc_cmp);
	for (i = 0; i < c->members.n; i++)
		check_parent(v, sorted, &c->members.v[i], i);
	free(sorted);
	return 0;
}

static void
check_overlap(struct val *v, const struct bundle_cohort *c)
{
	const struct bundle_member *a, *b;
	size_t i;

	for (i = 1; i < c->members.n; i++) {
		a = &c->members.v[c->by_pid[i - 1]];
		b = &c->members.v[c->by_pid[i]];
		if (a->pid != b->pid || a->start == b->start)
			continue;
		if (!a->died.known ||
		    a->died.v > b->start + b->start_resolution_ns) {
			v->cohort_odd = true;
			val_found(v, FINDING_COHORT_OVERLAP, FILE_NAME, 0,
			    "members[%zu] starts while pid %" PRIu64
			    " is members[%zu]", (size_t)(b - c->members.v),
			    b->pid, (size_t)(a - c->members.v));
		}
	}
}

int
val_cohort(struct val *v, struct msg *m)
{
	struct bundle_cohort *c = &v->b.cohort;
	struct maybe_u64 end = { v->window_end != UINT64_MAX, v->window_end };
	const struct bundle_window *w = &v->b.manifest.window;
	bool target;
	size_t i;

	if (!v->b.have[BUNDLE_COHORT])
		return 0;
	if (bundle_cohort_index(c, end, m) == -1)
		return -1;
	check_names(v, c);
	check_order(v, c);
	target = check_target(v, c);
	for (i = 0; i < c->members.n; i++) {
		check_life(v, &c->members.v[i], i);
		check_start(v, &c->members.v[i], i);
		if (target)
			check_source(v, &c->members.v[i], i);
	}
	check_overlap(v, c);
	if (!c->sealed)
		val_found(v, FINDING_COHORT_SEAL, FILE_NAME, 0,
		    "sealed is false");
	else if (v->b.have[BUNDLE_MANIFEST] && w->drained.known &&
	    c->sealed_at != w->drained.v)
		val_found(v, FINDING_COHORT_SEAL, FILE_NAME, 0,
		    "sealed_at is not window.drained");
	return target ? check_parents(v, m) : 0;
}
