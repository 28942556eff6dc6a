/* manifest.json: name, times, tools, command, environment, references. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libdt/validate_impl.h"

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

/*
 * Whether "2026-11-29T14:20:00.25Z", whose form was checked, is this time to
 * the digits that it has.
 */
static bool
same_utc(const char *s, int64_t ns)
{
	struct tm tm = { 0 };
	const char *p = strptime(s, "%Y-%m-%dT%H:%M:%S", &tm);
	int64_t unit = 1000000000, sub = 0;

	if (p == NULL || (int64_t)timegm(&tm) != ns / 1000000000)
		return false;
	for (p += *p == '.'; unit > 1 && *p >= '0' && *p <= '9'; p++) {
		unit /= 10;
		sub += (*p - '0') * unit;
	}
	return ns % 1000000000 / unit * unit == sub;
}

static void
check_created(struct val *v, const struct bundle_manifest *m)
{
	if (!same_utc(m->created_utc, m->clock.end.realtime_utc))
		val_found(v, FINDING_MANIFEST_CREATED, FILE_NAME, 0,
		    "created_utc %s is not clock.end.realtime_utc",
		    m->created_utc);
}

/* Whatever their names: anyone's tools may keep the contract. */
static void
check_tools(struct val *v, const struct bundle_manifest *m)
{
	if (m->tools.n != 2)
		val_found(v, FINDING_MANIFEST_TOOL, FILE_NAME, 0,
		    "tools are %zu, not the one that captured and the one "
		    "that made the bundle", m->tools.n);
}

bool
val_own(const struct val *v)
{
	const struct bundle_manifest *m = &v->b.manifest;

	return m->tools.n == 2 &&
	    strcmp(m->tools.v[1].name, "dt-finalize") == 0 &&
	    strcmp(m->tools.v[1].version, PACKAGE_VERSION) == 0;
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
	else if (c->ended != ENDED_EXITED && c->mode == MODE_ATTACH &&
	    (c->exit_code.known || c->signal.known))
		val_found(v, FINDING_MANIFEST_END, FILE_NAME, 0,
		    "command was attached to and goes on, but has an end");
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

/* environment.NAME, n, is this string or number; want NULL: null */
static void
check_node(struct val *v, const cJSON *n, const char *name, const char *want)
{
	if (n == NULL || (want == NULL ? !cJSON_IsNull(n) :
	    n->valuestring == NULL || strcmp(n->valuestring, want) != 0))
		val_found(v, FINDING_MANIFEST_ENVIRONMENT, FILE_NAME, 0,
		    "environment.%.100s is not %.200s", name,
		    want != NULL ? want : "null");
}

static void
check_fact(struct val *v, const struct json_ref *env, const char *name,
    const char *want)
{
	check_node(v, cJSON_GetObjectItemCaseSensitive(env->node, name), name,
	    want);
}

/* Nothing but what collectors were told of. */
static void
check_spare(struct val *v, const struct json_ref *o, const char *what,
    size_t known)
{
	if (json_count(o) > known)
		val_found(v, FINDING_MANIFEST_ENVIRONMENT, FILE_NAME, 0,
		    "environment.%s has a member that is no collector's",
		    what);
}

/* What environment.tracers says of a collector's. */
static void
check_tracer(struct val *v, const cJSON *n, const struct bundle_collector *k)
{
	struct json_ref t = json_root(n, FILE_NAME);

	if (!cJSON_IsObject(n)) {
		val_found(v, FINDING_MANIFEST_ENVIRONMENT, FILE_NAME, 0,
		    "environment.tracers lacks %.100s", k->name);
		return;
	}
	check_fact(v, &t, "tracer", k->tracer);
	check_fact(v, &t, "version", k->tracer_version);
}

static void
check_each(struct val *v, const struct json_index *rates,
    const struct json_index *tracers)
{
	const struct bundle_collectors *c = &v->b.collectors;
	const struct bundle_collector *k;
	char rate[32];
	size_t i;

	for (i = 0; i < c->collectors.n; i++) {
		k = &c->collectors.v[i];
		(void)snprintf(rate, sizeof(rate), "%" PRIu64, k->rate_hz.v);
		if (k->rate_hz.known)
			check_node(v, json_index_get(rates, k->name), k->name,
			    rate);
		if (k->tracer != NULL)
			check_tracer(v, json_index_get(tracers, k->name), k);
	}
}

static void
check_tracers(struct val *v, const struct json_ref *env)
{
	const struct bundle_collectors *c = &v->b.collectors;
	struct json_index by_rate = { 0 }, by_tracer = { 0 };
	struct json_ref rates, tracers;
	size_t i, nrates = 0, ntracers = 0;

	if (json_get_object(env, "rates_hz", &rates, NULL) == -1 ||
	    json_get_object(env, "tracers", &tracers, NULL) == -1) {
		val_found(v, FINDING_MANIFEST_ENVIRONMENT, FILE_NAME, 0,
		    "environment has no objects rates_hz and tracers");
		return;
	}
	if (json_index(&by_rate, &rates) == 0 &&
	    json_index(&by_tracer, &tracers) == 0)
		check_each(v, &by_rate, &by_tracer);
	else
		v->finds.nomem = true;
	json_index_free(&by_rate);
	json_index_free(&by_tracer);
	for (i = 0; i < c->collectors.n; i++) {
		nrates += c->collectors.v[i].rate_hz.known;
		ntracers += c->collectors.v[i].tracer != NULL;
	}
	check_spare(v, &rates, "rates_hz", nrates);
	check_spare(v, &tracers, "tracers", ntracers);
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
