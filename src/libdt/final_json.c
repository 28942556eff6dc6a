/* The JSON files: settings and manifest filled, all of them written. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/clock.h"
#include "libdt/digest.h"
#include "libdt/final.h"
#include "libdt/maps.h"

/* What a family without records has to say for itself. */
static int
state_of(const struct final *f, size_t i)
{
	const struct bundle_stage_collector *c = f->col[i].st;
	size_t k;

	if (c->ack.known || c->builtin)
		return STATE_NONE_FIRED;
	for (k = 0; k < f->b.collectors.collectors.v[i].errors.n; k++)
		if (strstr(f->b.collectors.collectors.v[i].errors.v[k],
		    "does not match any probes") != NULL)
			return STATE_PROBE_ABSENT;
	if (f->col[i].err != NULL &&
	    strstr(f->col[i].err, "does not match any probes") != NULL)
		return STATE_PROBE_ABSENT;
	return c->started.known ? STATE_FAILED : STATE_NOT_ATTACHED;
}

static void
family(struct final *f, size_t family)
{
	struct bundle_family *b = &f->b.manifest.families.of[family];
	size_t i;

	b->required = f->stage.required[family];
	b->state = f->stage.requested[family] ? STATE_UNSUPPORTED :
	    STATE_NOT_REQUESTED;
	for (i = 0; i < f->stage.s.collectors.n; i++) {
		if (f->col[i].st->family != (int)family)
			continue;
		if (b->collector == NULL) {
			b->collector = f->col[i].st->name;
			b->state = state_of(f, i);
		}
		b->records += f->col[i].recorded;
	}
	if (b->records > 0)
		b->state = STATE_OBSERVED;
}

struct libraries {
	size_t cap;
	struct bundle_library *v;
	size_t n;
};

static int
add_library(void *arg, const char *path, size_t n, const char *build_id)
{
	struct libraries *l = arg;

	(void)n;
	if (ARRAY_ROOM(l->v, l->n, l->cap) == -1)
		return -1;
	l->v[l->n++] = (struct bundle_library){ path, build_id };
	return 0;
}

static int
libraries(struct final *f, struct msg *m)
{
	struct libraries l = { 0 };
	struct bundle_manifest *b = &f->b.manifest;
	int rc = maps_files(f->maps, add_library, &l);

	if (rc == 0 && l.n > 0)
		qsort(l.v, l.n, sizeof(*l.v), bundle_library_cmp);
	b->libraries.v = bundle_mem_get(&f->mem, l.n + 1,
	    sizeof(*b->libraries.v));
	if (rc == 0 && b->libraries.v != NULL) {
		if (l.n > 0)
			memcpy(b->libraries.v, l.v, l.n * sizeof(*l.v));
		b->libraries.n = l.n;
	}
	free(l.v);
	return rc == 0 && b->libraries.v != NULL ? 0 : msg_set_nomem(m);
}

/* Facts that make two runs comparable. */
static cJSON *
environment(const struct final *f)
{
	const struct bundle_host *h = &f->stage.s.host;
	const struct bundle_stage_collector *c;
	cJSON *o = json_new_object(), *rates, *tracers, *t;
	size_t i;
	int bad;

	bad = json_add_str(o, "kernel", h->release) |
	    json_add_str(o, "machine", h->machine) |
	    json_add_u64(o, "cpus", h->cpus) |
	    json_add_str(o, "cpu_model", h->cpu_model) |
	    json_add_str(o, "governor", h->governor) |
	    json_add_str(o, "clocksource", h->clocksource);
	tracers = json_add_object(o, "tracers");
	rates = json_add_object(o, "rates_hz");
	for (i = 0; i < f->stage.s.collectors.n; i++) {
		c = f->col[i].st;
		if (c->rate_hz.known)
			bad |= json_add_u64(rates, c->name, c->rate_hz.v);
		if (c->tracer == NULL)
			continue;
		t = json_add_object(tracers, c->name);
		bad |= json_add_str(t, "tracer", c->tracer) |
		    json_add_str(t, "version", c->tracer_version);
	}
	if (!bad && tracers != NULL && rates != NULL)
		return o;
	cJSON_Delete(o);
	return NULL;
}

static int
tools(struct final *f, struct msg *m)
{
	struct bundle_manifest *b = &f->b.manifest;

	b->tools.v = bundle_mem_get(&f->mem, 2, sizeof(*b->tools.v));
	if (b->tools.v == NULL)
		return msg_set_nomem(m);
	b->tools.v[0] = f->stage.s.tool;
	b->tools.v[1] = (struct bundle_tool){ FINAL_TOOL, PACKAGE_VERSION };
	b->tools.n = 2;
	return 0;
}

static int
settings(struct final *f, struct msg *m)
{
	struct bundle_settings *s = &f->b.settings;
	char ref[DIGEST_REF];
	cJSON *knobs;
	int rc;

	s->schema = bundle_file_schema(BUNDLE_SETTINGS);
	s->settings = f->stage.s.settings;
	knobs = member_build(OBJECT_knobs, &s->settings, m);
	rc = knobs != NULL ? json_hash(knobs, NULL, ref, m) : -1;
	cJSON_Delete(knobs);
	if (rc == -1)
		return -1;
	s->sha256 = final_strdup(f, ref, strlen(ref), m);
	f->b.manifest.settings_sha256 = s->sha256;
	return s->sha256 != NULL ? 0 : -1;
}

/* window is filled already: final_cohort() found its start. */
static int
manifest(struct final *f, struct msg *m)
{
	struct bundle_manifest *b = &f->b.manifest;
	const struct bundle_stage *s = &f->stage.s;
	char utc[CLOCK_UTC_SIZE];
	size_t i;

	b->schema = bundle_file_schema(BUNDLE_MANIFEST);
	b->name = s->name;
	/* not "now", so that finalizing once more makes the same bytes */
	clock_utc(s->clock.end.realtime_utc, utc);
	b->created_utc = final_strdup(f, utc, strlen(utc), m);
	b->host = s->host;
	b->clock = s->clock;
	b->command = s->command;
	b->preset = s->preset;
	b->source_refs.v = f->stage.s.source_refs.v;
	b->source_refs.n = f->stage.s.source_refs.n;
	for (i = 0; i < FAMILY_COUNT; i++)
		family(f, i);
	return b->created_utc != NULL && tools(f, m) == 0 ?
	    libraries(f, m) : -1;
}

static int
write_all(struct final *f, struct msg *m)
{
	static const enum bundle_file files[] = { BUNDLE_MANIFEST,
		BUNDLE_COHORT, BUNDLE_SETTINGS, BUNDLE_CAPABILITIES,
		BUNDLE_COLLECTORS };
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (bundle_write(&f->b, files[i], f->tree, m) == -1)
			return -1;
	return 0;
}

int
final_json(struct final *f, struct msg *m)
{
	cJSON *env;
	int rc;

	f->b.capabilities.schema = bundle_file_schema(BUNDLE_CAPABILITIES);
	f->b.capabilities.capabilities.v = f->stage.s.capabilities.v;
	f->b.capabilities.capabilities.n = f->stage.s.capabilities.n;
	if (settings(f, m) == -1 || manifest(f, m) == -1)
		return -1;
	if ((env = environment(f)) == NULL)
		return msg_set_nomem(m);
	f->b.manifest.environment = env;
	rc = write_all(f, m);
	f->b.manifest.environment = NULL;
	cJSON_Delete(env);
	return rc;
}
