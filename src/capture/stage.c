/* stage.json: what dt-attach knows, in the order of dt-bundle(5). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/capture.h"
#include "config.h"
#include "libdt/json.h"

static int
bytes(cJSON *to, const char *name, const char *s)
{
	return s != NULL && s[0] != '\0' ?
	    json_add_bytes(to, name, s, strlen(s)) : json_add_null(to, name);
}

/* A time that is 0 where it was never reached. */
static int
when(cJSON *to, const char *name, uint64_t ts)
{
	return ts != 0 ? json_add_u64(to, name, ts) : json_add_null(to, name);
}

static int
tool_json(cJSON *to)
{
	cJSON *o = json_add_object(to, "tool");

	return json_add_str(o, "name", "dt-attach") |
	    json_add_str(o, "version", PACKAGE_VERSION);
}

static int
point_json(cJSON *to, const char *name, const struct clock_pair *p,
    int64_t boottime)
{
	cJSON *o = json_add_object(to, name);

	return json_add_u64(o, "mono", p->at_ns) |
	    json_add_i64(o, "realtime_utc", p->wall_ns) |
	    json_add_u64(o, "uncertainty_ns", p->within_ns) |
	    json_add_i64(o, "boottime_offset", boottime);
}

static int
clock_json(cJSON *to, const struct capture *c)
{
	cJSON *o = json_add_object(to, "clock");
	const struct clock_pair *a = &c->clock_start, *z = &c->clock_end;
	int64_t drift = (z->wall_ns - (int64_t)z->at_ns) -
	    (a->wall_ns - (int64_t)a->at_ns);

	return json_add_str(o, "name", "CLOCK_MONOTONIC") |
	    json_add_str(o, "unit", CLOCK_BUNDLE_UNIT) |
	    json_add_u64(o, "resolution_ns", clock_resolution()) |
	    json_add_null(o, "degraded") |
	    point_json(o, "start", a, c->suspended_start) |
	    point_json(o, "end", z, c->suspended_end) |
	    json_add_i64(o, "drift_ns", drift) |
	    json_add_i64(o, "suspended_ns",
	    c->suspended_end - c->suspended_start);
}

static int
window_json(cJSON *to, const struct window *w)
{
	cJSON *o = json_add_object(to, "window");

	return when(o, "ready", w->ready) |
	    when(o, "attached", w->attached) |
	    when(o, "warmup_done", w->warmup_done) |
	    when(o, "workload_start", w->workload_start) |
	    when(o, "workload_done", w->workload_done) |
	    when(o, "drained", w->drained);
}

static int
command_json(cJSON *to, const struct capture *c)
{
	static const char *const ends[] = {
		[BY_EXIT] = "exited", [BY_DURATION] = "duration",
		[BY_SIGNAL] = "interrupted",
	};
	const struct target *t = &c->target;
	cJSON *o = json_add_object(to, "command"), *list;
	char *cwd = getcwd(NULL, 0), *const *a;
	int bad;

	bad = json_add_str(o, "mode", t->launched ? "launch" : "attach") |
	    json_add_str(o, "hold", t->launched ? "pre-exec" : "running");
	list = json_add_array(o, "argv");
	if (t->launched)
		for (a = c->set->argv; *a != NULL; a++)
			bad |= json_add_bytes(list, NULL, *a, strlen(*a));
	else
		for (size_t at = 0; at < t->cmdline_len;
		    at += strlen(t->cmdline + at) + 1)
			bad |= json_add_bytes(list, NULL, t->cmdline + at,
			    strlen(t->cmdline + at));
	bad |= bytes(o, "cwd", cwd != NULL ? cwd : "?") |
	    json_add_u64(o, "uid", t->ids.uid) |
	    json_add_u64(o, "gid", t->ids.gid) |
	    json_add_i64(o, "pid", t->pid);
	bad |= t->exit_code >= 0 ? json_add_i64(o, "exit_code", t->exit_code) :
	    json_add_null(o, "exit_code");
	bad |= t->signal != 0 ? json_add_i64(o, "signal", t->signal) :
	    json_add_null(o, "signal");
	free(cwd);
	return bad | json_add_str(o, "ended", ends[c->ended]);
}

static int
families_json(cJSON *to, const struct settings *set)
{
	cJSON *o = json_add_object(to, "families"), *f;
	int i, bad = 0;

	for (i = 0; i < FAMILY_N; i++) {
		if (set->want[i] == WANT_NOT)
			continue;
		f = json_add_object(o, family_name(i));
		bad |= json_add_bool(f, "required",
		    set->want[i] == WANT_REQUIRED);
	}
	return bad;
}

static int
target_json(cJSON *to, const struct target *t)
{
	cJSON *o = json_add_object(to, "target");
	const char *exe = t->exe_path != NULL ? t->exe_path :
	    t->path != NULL ? t->path : "";

	return json_add_i64(o, "pid", t->pid) |
	    json_add_u64(o, "start", t->st.start_ns) |
	    json_add_u64(o, "start_resolution_ns", t->st.res_ns) |
	    json_add_i64(o, "ppid", t->st.ppid) |
	    json_add_bytes(o, "exe", exe, strlen(exe)) |
	    bytes(o, "exe_build_id", t->exe_id) |
	    bytes(o, "nonce", t->nonce);
}

static const char *
signal_word(int sig)
{
	return sig == SIGINT ? "INT" : sig == SIGTERM ? "TERM" : "KILL";
}

static int
collector_argv_json(cJSON *o, const struct collector *col)
{
	cJSON *list = json_add_array(o, "argv");
	int bad = 0;
	size_t i;

	for (i = 0; i < col->argc; i++)
		bad |= json_add_bytes(list, NULL, col->argv[i],
		    strlen(col->argv[i]));
	return bad;
}

static int
collector_end_json(cJSON *o, const struct collector *col)
{
	cJSON *list, *e;
	unsigned i;
	int bad = 0;

	bad |= col->exit_code >= 0 ? json_add_i64(o, "exit_code",
	    col->exit_code) : json_add_null(o, "exit_code");
	bad |= col->signal != 0 ? json_add_i64(o, "signal", col->signal) :
	    json_add_null(o, "signal");
	list = json_add_array(o, "stops");
	for (i = 0; i < col->stops; i++) {
		e = json_add_object(list, NULL);
		bad |= json_add_str(e, "signal",
		    signal_word(col->stop[i].signal)) |
		    json_add_u64(e, "at", col->stop[i].at);
	}
	bad |= family_rate(col->family) != 0 ? json_add_u64(o, "rate_hz",
	    family_rate(col->family)) : json_add_null(o, "rate_hz");
	list = json_add_array(o, "errors");
	for (i = 0; i < col->errors; i++)
		bad |= bytes(list, NULL, col->error[i]);
	return bad;
}

static int
collector_json(cJSON *to, const struct capture *c, const struct collector *col)
{
	cJSON *o = json_add_object(to, NULL);
	const char *name = family_name(col->family);
	int bad;

	bad = json_add_str(o, "name", name) | json_add_str(o, "family", name) |
	    json_add_bool(o, "builtin", false) |
	    json_add_bool(o, "required", col->required) |
	    bytes(o, "script", col->script) |
	    bytes(o, "tracer", c->tracer.command) |
	    bytes(o, "tracer_version", c->tracer.version) |
	    collector_argv_json(o, col);
	bad |= col->pid > 0 ? json_add_i64(o, "pid", col->pid) :
	    json_add_null(o, "pid");
	return bad | when(o, "started", col->started) |
	    when(o, "ack", col->ack) | when(o, "detach", col->detach) |
	    collector_end_json(o, col);
}

/* dt-attach's own collectors: maps, and what was in flight. */
static int
builtin_json(cJSON *to, const char *name, const char *family,
    uint64_t started, uint64_t detach, const char *error)
{
	cJSON *o = json_add_object(to, NULL), *list;
	int bad;

	bad = json_add_str(o, "name", name) |
	    json_add_str(o, "family", family) |
	    json_add_bool(o, "builtin", true) |
	    json_add_bool(o, "required", false) |
	    json_add_null(o, "script") | json_add_null(o, "tracer") |
	    json_add_null(o, "tracer_version");
	bad |= json_add_array(o, "argv") == NULL;
	bad |= json_add_null(o, "pid") | when(o, "started", started) |
	    when(o, "ack", started) | when(o, "detach", detach) |
	    json_add_null(o, "exit_code") | json_add_null(o, "signal");
	bad |= json_add_array(o, "stops") == NULL;
	bad |= json_add_null(o, "rate_hz");
	list = json_add_array(o, "errors");
	return bad | (error != NULL && error[0] != '\0' ?
	    bytes(list, NULL, error) : 0) | (list == NULL);
}

static int
collectors_json(cJSON *to, const struct capture *c)
{
	cJSON *list = json_add_array(to, "collectors");
	unsigned i;
	int bad = 0;

	bad |= builtin_json(list, "maps", "maps", c->maps.started,
	    c->maps.detach, c->maps_error);
	for (i = 0; i < c->ncol; i++)
		bad |= collector_json(list, c, &c->col[i]);
	if (c->inflight_at != 0)
		bad |= builtin_json(list, "inflight", "syscalls",
		    c->inflight_at, c->inflight_at, c->inflight_error);
	return bad;
}

static int
capabilities_json(cJSON *to, const struct capture *c)
{
	struct capability live;
	cJSON *list = capabilities_list(&c->can);
	int bad = list == NULL;

	live.ok = c->maps.why[0] == '\0';
	memcpy(live.why, c->maps.why, sizeof(live.why));
	if (!bad)
		bad |= capability_add(list, "live-maps", &live);
	return bad | json_add_node(to, "capabilities", list);
}

static int
aborted_json(cJSON *to, const struct capture *c)
{
	cJSON *o;

	if (c->reason[0] == '\0')
		return json_add_null(to, "aborted");
	o = json_add_object(to, "aborted");
	return json_add_str(o, "phase", phase_name(c->phase)) |
	    bytes(o, "reason", c->reason);
}

int
stage_write(struct capture *c, struct msg *m)
{
	cJSON *o = json_new_object();
	int bad, rc;

	bad = json_add_str(o, "schema", "dt-staging/1") | tool_json(o) |
	    json_add_bytes(o, "name", c->st.name, strlen(c->st.name)) |
	    json_add_node(o, "host", cJSON_Duplicate(c->host, 1)) |
	    clock_json(o, c) | window_json(o, &c->window) |
	    command_json(o, c) | json_add_str(o, "preset", c->set->preset) |
	    families_json(o, c->set) |
	    json_add_node(o, "settings", settings_json(c->set,
	    c->tracer.command, c->ack_ns)) |
	    capabilities_json(o, c) | target_json(o, &c->target) |
	    collectors_json(o, c) | aborted_json(o, c);
	rc = bad ? msg_set_nomem(m) : staging_json(&c->st, o, m);
	cJSON_Delete(o);
	return rc;
}
