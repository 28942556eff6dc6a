#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libdt/validate_int.h"

#define FILE_NAME	"manifest.json"
#define BAD(v, f, i, ...) \
	val_found(v, FINDING_##f, FILE_NAME, 0, __VA_ARGS__)

static const char *
name_of(size_t f)
{
	return schema_family((enum schema_family)f)->name;
}

static bool
attached(int state)
{
	return state == STATE_OBSERVED || state == STATE_NONE_FIRED;
}

static void
check_file(struct val *v, size_t f, const struct bundle_family *b)
{
	const char *path = bundle_raw_path((enum schema_family)f);
	bool there = val_file(v, path) != NULL;

	if (f == FAMILY_PROCS || f == FAMILY_MAPS)
		return;		/* the layout requires them */
	if (there && b->state == STATE_NOT_REQUESTED)
		val_found(v, FINDING_FAMILY_FILE, path, 0,
		    "the family was not requested");
	else if (!there && b->state != STATE_NOT_REQUESTED)
		val_found(v, FINDING_FAMILY_FILE, path, 0,
		    "the family was requested, and has no file");
}

static void
check_collector(struct val *v, size_t f, const struct bundle_family *b)
{
	const struct bundle_collectors *c = &v->b.collectors;
	ssize_t i;

	if (b->collector == NULL) {
		if (attached(b->state))
			val_found(v, FINDING_FAMILY_COLLECTOR, FILE_NAME, 0,
			    "families.%s has no collector", name_of(f));
		return;
	}
	i = val_collector(v, b->collector);
	if (b->state == STATE_NOT_REQUESTED || i == -1 ||
	    c->collectors.v[i].family != (int)f)
		val_found(v, FINDING_FAMILY_COLLECTOR, FILE_NAME, 0,
		    "families.%s.collector %.100s is not one of its own",
		    name_of(f), b->collector);
}

/* Whether any collector of the family ran. */
static bool
any_ran(const struct val *v, size_t f)
{
	const struct bundle_collectors *c = &v->b.collectors;
	size_t i;

	for (i = 0; i < c->collectors.n; i++)
		if (c->collectors.v[i].family == (int)f &&
		    c->collectors.v[i].started.known)
			return true;
	return false;
}

static void
check_state(struct val *v, size_t f, const struct bundle_family *b)
{
	if ((b->state == STATE_OBSERVED) != (b->records > 0)) {
		val_found(v, FINDING_FAMILY_STATE, FILE_NAME, 0,
		    "families.%s has %" PRIu64 " records, which its state "
		    "excludes", name_of(f), b->records);
		return;
	}
	if (v->b.have[BUNDLE_COLLECTORS] && attached(b->state) &&
	    !any_ran(v, f))
		val_found(v, FINDING_FAMILY_STATE, FILE_NAME, 0,
		    "families.%s was attached by no collector", name_of(f));
	if (f == FAMILY_PROCS || f == FAMILY_MAPS) {
		if (!attached(b->state) || !b->required)
			val_found(v, FINDING_FAMILY_PROCS, FILE_NAME, 0,
			    "families.%s was not required and captured",
			    name_of(f));
		return;
	}
	if (b->required && b->state == STATE_NOT_REQUESTED)
		val_found(v, FINDING_FAMILY_STATE, FILE_NAME, 0,
		    "families.%s is required, and was not requested",
		    name_of(f));
	else if (b->required && b->state != STATE_OBSERVED)
		val_found(v, FINDING_FAMILY_REQUIRED, FILE_NAME, 0,
		    "families.%s was required, and not observed", name_of(f));
	else if (b->state == STATE_FAILED || b->state == STATE_NOT_ATTACHED ||
	    b->state == STATE_UNSUPPORTED)
		val_found(v, FINDING_FAMILY_LOST, FILE_NAME, 0,
		    "families.%s could not be captured", name_of(f));
}

void
val_families(struct val *v)
{
	const struct bundle_family *b;
	size_t f;

	if (!v->b.have[BUNDLE_MANIFEST])
		return;
	for (f = 0; f < FAMILY_COUNT; f++) {
		b = &v->b.manifest.families.of[f];
		check_file(v, f, b);
		check_state(v, f, b);
		if (v->b.have[BUNDLE_COLLECTORS])
			check_collector(v, f, b);
	}
}

static uint64_t
recorded_of(const struct val *v, size_t f, bool *any)
{
	const struct bundle_collectors *c = &v->b.collectors;
	uint64_t n, sum = 0;
	size_t i;

	*any = false;
	for (i = 0; i < c->collectors.n; i++) {
		if (c->collectors.v[i].family != (int)f)
			continue;
		*any = true;
		n = c->collectors.v[i].counters.recorded;
		sum = n > UINT64_MAX - sum ? UINT64_MAX : sum + n;
	}
	return sum;
}

void
val_counts(struct val *v)
{
	const char *path;
	uint64_t n, sum;
	bool any;
	size_t f;

	for (f = 0; f < FAMILY_COUNT; f++) {
		path = bundle_raw_path((enum schema_family)f);
		if (v->opt->quick || !v->whole[f])
			continue;
		n = v->records[f];
		if (v->b.have[BUNDLE_MANIFEST] &&
		    v->b.manifest.families.of[f].records != n)
			val_found(v, FINDING_FAMILY_RECORDS, FILE_NAME, 0,
			    "families.%s.records is %" PRIu64 ", %s has %"
			    PRIu64, name_of(f),
			    v->b.manifest.families.of[f].records, path, n);
		if (!v->b.have[BUNDLE_COLLECTORS])
			continue;
		sum = recorded_of(v, f, &any);
		if (sum != n)
			val_found(v, FINDING_BALANCE_RECORDED,
			    "collectors.json", 0, "the collectors of %s "
			    "recorded %" PRIu64 ", %s has %" PRIu64,
			    name_of(f), sum, path, n);
	}
}
