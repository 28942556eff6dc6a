#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libdt/validate_int.h"

#define FILE_NAME	"manifest.json"

static void
check_name(struct val *v, const struct bundle_manifest *m)
{
	enum path_fault f = path_fault(m->name, strlen(m->name));

	if (f != PATH_GOOD)
		val_found(v, FINDING_MANIFEST_NAME, FILE_NAME, 0,
		    "name %s", path_fault_text(f));
	else if (strchr(m->name, '/') != NULL)
		val_found(v, FINDING_MANIFEST_NAME, FILE_NAME, 0,
		    "name has a slash");
}

/* Seconds since 1970 of "2026-11-29T14:20:00..."; the form was checked. */
static bool
utc_seconds(const char *s, int64_t *t)
{
	struct tm tm = { 0 };

	if (strptime(s, "%Y-%m-%dT%H:%M:%S", &tm) == NULL)
		return false;
	*t = (int64_t)timegm(&tm);
	return true;
}

static void
check_created(struct val *v, const struct bundle_manifest *m)
{
	int64_t t;

	if (utc_seconds(m->created_utc, &t) &&
	    t < m->clock.end.realtime_utc / 1000000000)
		val_found(v, FINDING_MANIFEST_CREATED, FILE_NAME, 0,
		    "created_utc %s is before clock.end.realtime_utc",
		    m->created_utc);
}

static void
check_tools(struct val *v, const struct bundle_manifest *m)
{
	static const char *const need[] = { "dt-attach", "dt-finalize" };
	size_t k;

	for (k = 0; k < 2; k++)
		if (k >= m->tools.n || strcmp(m->tools.v[k].name, need[k]) !=
		    0)
			val_found(v, FINDING_MANIFEST_TOOL, FILE_NAME, 0,
			    "tools[%zu] is not %s", k, need[k]);
	for (k = 2; k < m->tools.n; k++)
		val_found(v, FINDING_MANIFEST_TOOL, FILE_NAME, 0,
		    "tools[%zu] is %.100s, which makes no bundles", k,
		    m->tools.v[k].name);
}

static void
check_command(struct val *v, const struct bundle_command *c)
{
	if ((c->mode == MODE_ATTACH) != (c->hold == HOLD_RUNNING))
		val_found(v, FINDING_MANIFEST_HOLD, FILE_NAME, 0,
		    "command.hold does not go with command.mode");
	if (c->exit_code.known && c->signal.known)
		val_found(v, FINDING_MANIFEST_END, FILE_NAME, 0,
		    "command has both an exit code and a signal");
	else if (c->mode == MODE_ATTACH && (c->exit_code.known ||
	    c->signal.known))
		val_found(v, FINDING_MANIFEST_END, FILE_NAME, 0,
		    "command was attached to, and has an exit");
	else if (c->ended == ENDED_EXITED && c->mode == MODE_LAUNCH &&
	    !c->exit_code.known && !c->signal.known)
		val_found(v, FINDING_MANIFEST_END, FILE_NAME, 0,
		    "command exited, but has neither exit code nor signal");
	if (c->mode == MODE_LAUNCH && c->argv.n == 0)
		val_found(v, FINDING_MANIFEST_COMMAND, FILE_NAME, 0,
		    "command.argv is empty");
}

static void
check_target(struct val *v, const struct bundle_command *c)
{
	const struct bundle_cohort *co = &v->b.cohort;
	size_t i;

	for (i = 0; i < co->members.n; i++)
		if (co->members.v[i].role == ROLE_TARGET &&
		    co->members.v[i].pid != c->pid)
			val_found(v, FINDING_MANIFEST_COMMAND, FILE_NAME, 0,
			    "command.pid is %ju, the cohort's target %ju",
			    (uintmax_t)c->pid,
			    (uintmax_t)co->members.v[i].pid);
}

static int
ref_cmp(const void *a, const void *b)
{
	const struct bundle_source_ref *const *x = a, *const *y = b;
	int c = strcmp((*x)->kind, (*y)->kind);

	return c != 0 ? c : strcmp((*x)->ref, (*y)->ref);
}

static int
check_refs(struct val *v, const struct bundle_manifest *m, struct msg *msg)
{
	const struct bundle_source_ref **p;
	size_t i, n = m->source_refs.n;

	if ((p = calloc(n + 1, sizeof(*p))) == NULL)
		return msg_set_nomem(msg);
	for (i = 0; i < n; i++)
		p[i] = &m->source_refs.v[i];
	qsort(p, n, sizeof(*p), ref_cmp);
	for (i = 1; i < n; i++)
		if (ref_cmp(&p[i - 1], &p[i]) == 0)
			val_found(v, FINDING_MANIFEST_REF, FILE_NAME, 0,
			    "source_refs names %.200s twice", p[i]->ref);
	free(p);
	return 0;
}

/* environment.NAME is this string or number; want NULL: null */
static void
check_fact(struct val *v, const struct json_ref *env, const char *name,
    const char *want)
{
	const cJSON *n = cJSON_GetObjectItemCaseSensitive(env->node, name);

	if (n == NULL || (want == NULL ? !cJSON_IsNull(n) :
	    n->valuestring == NULL || strcmp(n->valuestring, want) != 0))
		val_found(v, FINDING_MANIFEST_ENVIRONMENT, FILE_NAME, 0,
		    "environment.%.100s is not %.200s", name,
		    want != NULL ? want : "null");
}

static void
check_tracers(struct val *v, const struct json_ref *env)
{
	const struct bundle_collectors *c = &v->b.collectors;
	struct json_ref rates, tracers, t;
	char rate[32];
	size_t i;

	if (json_get_object(env, "rates_hz", &rates, NULL) == -1 ||
	    json_get_object(env, "tracers", &tracers, NULL) == -1) {
		val_found(v, FINDING_MANIFEST_ENVIRONMENT, FILE_NAME, 0,
		    "environment has no objects rates_hz and tracers");
		return;
	}
	for (i = 0; i < c->collectors.n; i++) {
		const struct bundle_collector *k = &c->collectors.v[i];

		(void)snprintf(rate, sizeof(rate), "%" PRIu64, k->rate_hz.v);
		if (k->rate_hz.known)
			check_fact(v, &rates, k->name, rate);
		if (k->tracer == NULL)
			continue;
		if (json_get_object(&tracers, k->name, &t, NULL) == -1) {
			val_found(v, FINDING_MANIFEST_ENVIRONMENT, FILE_NAME,
			    0, "environment.tracers lacks %.100s", k->name);
			continue;
		}
		check_fact(v, &t, "tracer", k->tracer);
		check_fact(v, &t, "version", k->tracer_version);
	}
}

static void
check_environment(struct val *v, const struct bundle_manifest *m)
{
	struct json_ref env = json_root(m->environment, FILE_NAME);
	char cpus[32];

	(void)snprintf(cpus, sizeof(cpus), "%" PRIu64, m->host.cpus);
	if (m->host.cpu_ids.known && m->host.cpu_ids.v < m->host.cpus)
		val_found(v, FINDING_JSON_RANGE, FILE_NAME, 0,
		    "host.cpu_ids is less than host.cpus");
	check_fact(v, &env, "kernel", m->host.release);
	check_fact(v, &env, "machine", m->host.machine);
	check_fact(v, &env, "cpus", cpus);
	check_fact(v, &env, "cpu_model", m->host.cpu_model);
	check_fact(v, &env, "governor", m->host.governor);
	check_fact(v, &env, "clocksource", m->host.clocksource);
	if (v->b.have[BUNDLE_COLLECTORS] && !v->collectors_odd)
		check_tracers(v, &env);
}

int
val_manifest(struct val *v, struct msg *m)
{
	const struct bundle_manifest *man = &v->b.manifest;

	if (!v->b.have[BUNDLE_MANIFEST])
		return 0;
	check_name(v, man);
	check_created(v, man);
	check_tools(v, man);
	check_command(v, &man->command);
	check_environment(v, man);
	if (v->b.have[BUNDLE_COHORT] && !v->cohort_odd)
		check_target(v, &man->command);
	return check_refs(v, man, m);
}
