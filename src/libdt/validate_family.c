/* Families in the manifest against collectors and record files. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libdt/validate_impl.h"

#define FILE_NAME	"manifest.json"
#define BAD(v, f, ...) \
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

/* The first collector of a family, NULL if it has none. */
static const struct bundle_collector *
first_of(const struct val *v, size_t f)
{
	const struct bundle_collectors *c = &v->b.collectors;
	size_t i;

	for (i = 0; i < c->collectors.n; i++)
		if (c->collectors.v[i].family == (int)f)
			return &c->collectors.v[i];
	return NULL;
}

static void
check_collector(struct val *v, size_t f, const struct bundle_family *b)
{
	const struct bundle_collector *k = first_of(v, f);

	if (k == NULL && b->collector != NULL)
		BAD(v, FAMILY_COLLECTOR, "families.%s.collector %.100s is not "
		    "one of its own", name_of(f), b->collector);
	else if (k == NULL && attached(b->state))
		BAD(v, FAMILY_COLLECTOR, "families.%s has no collector",
		    name_of(f));
	else if (k != NULL && (b->collector == NULL ||
	    strcmp(b->collector, k->name) != 0))
		BAD(v, FAMILY_COLLECTOR, "families.%s.collector is not %.100s",
		    name_of(f), k->name);
	else if (k != NULL && b->state == STATE_NOT_REQUESTED)
		BAD(v, FAMILY_COLLECTOR, "families.%s was not requested, and "
		    "has the collector %.100s", name_of(f), k->name);
}

/* How far the family's first collector came is its state. */
static bool
state_goes(const struct bundle_collector *k, int state)
{
	switch (state) {
	case STATE_OBSERVED:
	case STATE_NONE_FIRED:
		return k == NULL || k->ack.known;
	case STATE_PROBE_ABSENT:
	case STATE_FAILED:
		return k != NULL && !k->ack.known && k->started.known;
	case STATE_NOT_ATTACHED:
		return k != NULL && !k->started.known;
	default:
		return k == NULL;
	}
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
	if (v->b.have[BUNDLE_COLLECTORS] && !v->collectors_odd &&
	    first_of(v, f) != NULL && b->state != STATE_NOT_REQUESTED &&
	    !state_goes(first_of(v, f), b->state))
		BAD(v, FAMILY_STATE, "families.%s.state is not what became of "
		    "its collector %.100s", name_of(f),
		    first_of(v, f)->name);
	else if (v->b.have[BUNDLE_COLLECTORS] && first_of(v, f) == NULL &&
	    !state_goes(NULL, b->state))
		BAD(v, FAMILY_STATE, "families.%s.state is that of a "
		    "collector, and there is none", name_of(f));
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

/* Whether a family is in "cpu,syscalls". */
static bool
listed(const char *list, const char *name)
{
	size_t n;

	for (;; list += n + 1) {
		n = strcspn(list, ",");
		if (strlen(name) == n && memcmp(list, name, n) == 0)
			return true;
		if (list[n] == '\0')
			return false;
	}
}

/* A preset brings its families along; others were asked for by name. */
static void
check_preset(struct val *v, const struct bundle_manifest *m)
{
	static const struct { const char *name, *list; } presets[] = {
#define PRESET(n, l)	{ #n, l },
#include "libdt/preset.def"
#undef PRESET
	};
	const size_t n = sizeof(presets) / sizeof(presets[0]);
	const struct bundle_family *b;
	size_t i, f;
	bool in;

	for (i = 0; m->preset != NULL && i < n; i++)
		if (strcmp(presets[i].name, m->preset) == 0)
			break;
	if (i == n) {
		BAD(v, FAMILY_PRESET, "there is no preset %.64s", m->preset);
		return;
	}
	for (f = 0; f < FAMILY_COUNT; f++) {
		b = &m->families.of[f];
		in = m->preset != NULL && listed(presets[i].list, name_of(f));
		if (in && b->state == STATE_NOT_REQUESTED)
			BAD(v, FAMILY_PRESET, "families.%s was not requested, "
			    "and is of the preset %.64s", name_of(f),
			    m->preset);
		else if (!in && b->state != STATE_NOT_REQUESTED &&
		    !b->required && f != FAMILY_PROCS && f != FAMILY_MAPS)
			BAD(v, FAMILY_PRESET, "families.%s is neither "
			    "required nor of the preset", name_of(f));
	}
}

void
val_families(struct val *v)
{
	const struct bundle_family *b;
	size_t f;

	if (!v->b.have[BUNDLE_MANIFEST])
		return;
	check_preset(v, &v->b.manifest);
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
