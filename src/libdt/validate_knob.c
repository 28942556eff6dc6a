/* What was asked for, and what was done: settings.json against the rest. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libdt/validate_impl.h"

#define FILE_NAME	"collectors.json"
#define BAD(v, ...) \
	val_found(v, FINDING_COLLECTOR_SETTINGS, FILE_NAME, 0, __VA_ARGS__)

/* A blank of a command, or a tab in the canonical escape: its bytes, or 0. */
static size_t
blank(const char *s)
{
	return *s == ' ' ? 1 : strncmp(s, "\\x09", 4) == 0 ? 4 : 0;
}

size_t
val_tracer_words(const struct bundle_collector *k)
{
	const char *s = k->tracer;
	size_t i, n;

	if (s == NULL || k->argv.n == 0)
		return 0;
	if (strcmp(k->argv.v[0], s) == 0)	/* a path may have blanks */
		return 1;
	for (i = 0; i < k->argv.n; i++) {
		while ((n = blank(s)) > 0)
			s += n;
		if (*s == '\0')
			break;
		n = strlen(k->argv.v[i]);
		if (strncmp(s, k->argv.v[i], n) != 0 ||
		    (s[n] != '\0' && blank(s + n) == 0))
			return 0;
		s += n;
	}
	while ((n = blank(s)) > 0)
		s += n;
	return *s == '\0' ? i : 0;
}

static bool
applies(const struct bundle_option *o, const struct bundle_collector *k)
{
	return o->collector == NULL || strcmp(o->collector, k->name) == 0;
}

/* DIR/spool/NAME.stats, where the script is DIR/scripts/NAME.d */
static bool
own_stats(const struct bundle_collector *k, const char *path)
{
	const char *script = k->argv.v[k->argv.n - 2];
	size_t n = strlen(k->name), dir = strlen(script);
	char want[128];

	(void)snprintf(want, sizeof(want), "spool/%s.stats", k->name);
	if (dir < n + 10)	/* scripts/NAME.d */
		return false;
	dir -= n + 10;
	return strncmp(path, script, dir) == 0 &&
	    strcmp(path + dir, want) == 0;
}

/* dt-attach's own: those dt-trace alone takes. */
static bool
own_options(const struct bundle_collector *k, size_t at, size_t n)
{
	const char *const *a = (const char *const *)k->argv.v + at;
	bool own = k->tracer_version != NULL &&
	    strstr(k->tracer_version, "dt-trace") != NULL;

	if (!own)
		return n == 0;
	if (n < 4 || strcmp(a[0], "--stats") != 0 || !own_stats(k, a[1]) ||
	    strcmp(a[2], "-x") != 0 || strcmp(a[3], "noresolve") != 0)
		return false;
	return n == 4 || (n == 6 && k->family == FAMILY_CPU &&
	    strcmp(a[4], "-x") == 0 && strcmp(a[5], "unwind=dwarf") == 0);
}

/* TRACER OWN... -x OPTION... -s SCRIPT PID; the frame was checked. */
static void
check_options(struct val *v, const struct bundle_collector *k)
{
	const struct bundle_knobs *s = &v->b.settings.settings;
	size_t i, n = 0, at = val_tracer_words(k), end = k->argv.n;

	if (at == 0 || end < at + 3)
		return;
	end -= 3;
	for (i = 0; i < s->tracer_options.n; i++)
		n += applies(&s->tracer_options.v[i], k);
	if (end - at < 2 * n || !own_options(k, at, end - at - 2 * n)) {
		BAD(v, "%.100s: argv has other options than dt-attach's "
		    "and the %zu of the settings", k->name, n);
		return;
	}
	at = end - 2 * n;
	for (i = 0; i < s->tracer_options.n; i++) {
		if (!applies(&s->tracer_options.v[i], k))
			continue;
		if (strcmp(k->argv.v[at], "-x") != 0 || strcmp(
		    k->argv.v[at + 1], s->tracer_options.v[i].option) != 0) {
			BAD(v, "%.100s: argv lacks -x %.200s of the "
			    "settings", k->name,
			    s->tracer_options.v[i].option);
			return;
		}
		at += 2;
	}
}

static void
check_rate(struct val *v, const struct bundle_collector *k, const cJSON *n)
{
	struct json_ref r = json_root(n, "settings.json");
	uint64_t rate;

	if ((n == NULL) != !k->rate_hz.known || (k->rate_hz.known &&
	    (json_get_u64(&r, NULL, &rate, NULL) == -1 ||
	    rate != k->rate_hz.v)))
		BAD(v, "%.100s: rate_hz is not that of the settings",
		    k->name);
}

/* Rates and options of collectors that there are not. */
static void
check_names(struct val *v, const struct bundle_knobs *s)
{
	struct json_ref rates = json_root(s->rate_hz, "settings.json"), e;
	const char *name;
	bool ok;
	size_t i;

	for (ok = json_first(&rates, &e); ok; ok = json_next(&e))
		if (val_collector(v, e.name) == -1)
			BAD(v, "there is no %.100s, of which the "
			    "settings have a rate", e.name);
	for (i = 0; i < s->tracer_options.n; i++) {
		name = s->tracer_options.v[i].collector;
		if (name != NULL && schema_family_find(name, strlen(name)) < 0)
			BAD(v, "tracer_options[%zu] of the settings is "
			    "of %.100s, which is no collector", i, name);
	}
}

/* What the settings say of the target. */
static void
check_command(struct val *v, const struct bundle_knobs *s)
{
	const struct bundle_command *c = &v->b.manifest.command;
	const struct bundle_window *w = &v->b.manifest.window;

	if (c->mode == MODE_ATTACH && (s->user != NULL || s->target_out))
		val_found(v, FINDING_MANIFEST_COMMAND, "manifest.json", 0,
		    "command.mode is attach, and the settings have a %s",
		    s->user != NULL ? "user" : "target_out");
	if (c->ended == ENDED_DURATION && (s->duration_ns == 0 ||
	    (w->attached.known && w->workload_done.known &&
	    w->workload_done.v - w->attached.v < s->duration_ns)))
		val_found(v, FINDING_MANIFEST_END, "manifest.json", 0,
		    "command.ended is duration, and the settings' is %" PRIu64
		    " ns", s->duration_ns);
}

void
val_knobs(struct val *v)
{
	const struct bundle_collectors *c = &v->b.collectors;
	const struct bundle_knobs *s = &v->b.settings.settings;
	const struct bundle_collector *k;
	const char *version = NULL;
	struct json_index rates;
	struct json_ref of;
	size_t i;

	if (!v->b.have[BUNDLE_SETTINGS])
		return;
	if (v->b.have[BUNDLE_MANIFEST])
		check_command(v, s);
	if (!v->b.have[BUNDLE_COLLECTORS] || v->collectors_odd)
		return;
	check_names(v, s);
	of = json_root(s->rate_hz, "settings.json");
	if (json_index(&rates, &of) == -1)
		v->finds.nomem = true;
	for (i = 0; i < c->collectors.n; i++) {
		k = &c->collectors.v[i];
		check_rate(v, k, json_index_get(&rates, k->name));
		if (k->builtin || k->tracer == NULL)
			continue;
		if (version == NULL)
			version = k->tracer_version;
		if (version != NULL && (k->tracer_version == NULL ||
		    strcmp(version, k->tracer_version) != 0))
			BAD(v, "%.100s: tracer_version is not that of the "
			    "others", k->name);
		if (strcmp(k->tracer, s->tracer) != 0)
			BAD(v, "%.100s: tracer is not that of the settings",
			    k->name);
		else
			check_options(v, k);
	}
	json_index_free(&rates);
}
