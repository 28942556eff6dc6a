/* Headers of record files against the JSON files. */
#include <string.h>

#include "libdt/validate_pass.h"

enum { R_VERSION, R_FAMILY, R_CLOCK, R_COLLECTOR, R_INCARNATION, R_COLUMNS,
	R_COUNT };

static const struct {
	const char *key;
	bool many;
} ranks[R_COUNT] = {
	[R_VERSION] = { "dt-records", false },
	[R_FAMILY] = { "family", false },
	[R_CLOCK] = { "clock", false },
	[R_COLLECTOR] = { "collector", true },
	[R_INCARNATION] = { "incarnation", true },
	[R_COLUMNS] = { "columns", true },
};

static void
check_value(struct val_headers *h, const char *rest, const char *want)
{
	if (strcmp(rest, want) != 0)
		PASS_BAD(h->p, HEADER_VALUE, "#%s is not \"%.200s\"",
		    ranks[h->rank].key, want);
}

/* The next collector of the family in collectors.json, or NULL. */
static const char *
next_collector(struct val_headers *h)
{
	const struct bundle_collectors *c = &h->p->v->b.collectors;

	for (; h->collector < c->collectors.n; h->collector++)
		if (c->collectors.v[h->collector].family ==
		    (int)h->p->family)
			return c->collectors.v[h->collector++].name;
	return NULL;
}

static void
check_collector(struct val_headers *h, const char *rest)
{
	const char *want;

	if (!h->p->v->b.have[BUNDLE_COLLECTORS] || h->wrong_collector ||
	    h->p->v->collectors_odd)
		return;
	want = next_collector(h);
	if (want != NULL && strcmp(want, rest) == 0)
		return;
	h->wrong_collector = true;
	PASS_BAD(h->p, HEADER_COLLECTORS, "#collector is not \"%.200s\"",
	    want != NULL ? want : "(no more)");
}

static void
check_incarnation(struct val_headers *h, const char *rest)
{
	const struct bundle_cohort *c = &h->p->v->b.cohort;
	size_t i = h->incarnation++;

	if (!h->p->v->b.have[BUNDLE_COHORT] || h->wrong_incarnation ||
	    h->p->v->cohort_odd)
		return;
	if (i < c->members.n &&
	    strcmp(c->members.v[i].incarnation, rest) == 0)
		return;
	h->wrong_incarnation = true;
	PASS_BAD(h->p, HEADER_INCARNATIONS, "#incarnation is not that of "
	    "members[%zu]", i);
}

static bool
next_kind(struct val_headers *h, enum schema_kind *k)
{
	for (; h->kind < KIND_COUNT; h->kind++)
		if (schema_kind_in((enum schema_kind)h->kind, h->p->family)) {
			*k = (enum schema_kind)h->kind++;
			return true;
		}
	return false;
}

static void
check_columns(struct val_headers *h, const char *rest)
{
	char want[512] = "(no more)";
	enum schema_kind k;

	if (next_kind(h, &k))
		record_columns(k, want, sizeof(want));
	check_value(h, rest, want);
}

void
val_header(struct val_headers *h, const char *key, const char *rest)
{
	unsigned i;

	for (i = 0; i < R_COUNT; i++)
		if (strcmp(ranks[i].key, key) == 0)
			break;
	if (i == R_COUNT) {
		PASS_BAD(h->p, HEADER_UNKNOWN, "#%.100s is not known", key);
		return;
	}
	if (i < h->rank || (!ranks[i].many && (h->seen & 1u << i)))
		PASS_BAD(h->p, HEADER_ORDER, "#%s is out of order", key);
	h->rank = i;
	h->seen |= 1u << i;
	if (i == R_FAMILY)
		check_value(h, rest, schema_family(h->p->family)->name);
	else if (i == R_CLOCK)
		check_value(h, rest, "CLOCK_MONOTONIC ns");
	else if (i == R_COLLECTOR)
		check_collector(h, rest);
	else if (i == R_INCARNATION)
		check_incarnation(h, rest);
	else if (i == R_COLUMNS)
		check_columns(h, rest);
}

void
val_headers_end(struct val_headers *h)
{
	const struct val *v = h->p->v;
	enum schema_kind k;

	if (!(h->seen & 1u << R_FAMILY) || !(h->seen & 1u << R_CLOCK))
		PASS_BAD(h->p, HEADER_MISSING, "there is no #%s",
		    h->seen & 1u << R_FAMILY ? "clock" : "family");
	if (next_kind(h, &k))
		PASS_BAD(h->p, HEADER_MISSING, "there is no #columns of %s",
		    schema_kind(k)->name);
	if (v->b.have[BUNDLE_COLLECTORS] && !h->wrong_collector &&
	    !v->collectors_odd &&
	    next_collector(h) != NULL)
		PASS_BAD(h->p, HEADER_COLLECTORS,
		    "a collector of the family is missing");
	if (v->b.have[BUNDLE_COHORT] && !h->wrong_incarnation &&
	    !v->cohort_odd &&
	    h->incarnation < v->b.cohort.members.n)
		PASS_BAD(h->p, HEADER_INCARNATIONS,
		    "members[%zu] is missing", h->incarnation);
}
