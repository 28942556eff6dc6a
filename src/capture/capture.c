/* A capture from its first step to its last, each step in its order. */
#include "capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/guard.h"
#include "capture/inflight.h"
#include "libdt/path.h"
#include "libdt/proc.h"

static int
phase_begin(struct capture *c, enum phase p, struct msg *m)
{
	c->phase = p;
	staging_log(&c->st, "phase %s", phase_name(p));
	return staging_phase(&c->st, p, NULL, m) == -1 ||
	    staging_logged(&c->st, m) == -1 ? -1 : stage_write(c, m);
}

static int
clock_read(struct clock_pair *p, int64_t *suspended, struct msg *m)
{
	return clock_pair_read(p, m) == -1 ? -1 :
	    clock_suspended(suspended, m);
}

/* Where the D scripts are: -s, $DT_SCRIPTS, beside bin/, or installed. */
static char *
scripts_find(const struct settings *set, struct msg *m)
{
	const char *env = getenv("DT_SCRIPTS");
	char *dir = self_dir(), *at = NULL;

	if (set->scripts != NULL)
		at = strdup(set->scripts);
	else if (env != NULL && env[0] != '\0')
		at = strdup(env);
	else if (dir != NULL && asprintf(&at, "%s/../d-scripts", dir) != -1 &&
	    access(at, R_OK) == -1) {
		free(at);
		at = strdup(PKGDATADIR "/d-scripts");
	}
	free(dir);
	if (at == NULL)
		msg_set_nomem(m);
	return at;
}

static int
collectors_make(struct capture *c, const struct msg_sink *sink, struct msg *m)
{
	char *dir = scripts_find(c->set, m);
	int f, rc = dir == NULL ? -1 : 0;

	for (f = 0; f < FAMILY_N && rc == 0; f++) {
		struct collector *col = &c->col[c->ncol];

		if (c->set->want[f] == WANT_NOT)
			continue;
		collector_init(col, f, c->set->want[f] == WANT_REQUIRED);
		c->ncol++;
		rc = collector_script(col, &c->st, c->set, dir, m);
		if (rc == 1 && !col->required) {
			collector_error(col, "%s", m->text);
			col->state = COLLECTOR_FAILED;
			msg_emit(sink, MSG_WARNING, m->id, NULL, 0, "%s",
			    m->text);
			rc = 0;
		}
	}
	free(dir);
	return rc == 0 ? 0 : -1;
}

/* Where the target's stdout goes; -1 with m. */
static int
out_open(struct capture *c, struct msg *m)
{
	const char *to = c->set->target_out;

	c->out = -1;
	if (to == NULL || c->set->argv == NULL)
		return 0;
	c->own_stdout = strcmp(to, "-") == 0;
	if (c->own_stdout)
		c->out = path_create(c->st.dir, "logs/target.out", 0600, m);
	else {
		umask(c->umask);
		c->out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		    0666);
		if (c->out == -1)
			msg_set_errno(m, "open", to, "--target-out");
		umask(077);
	}
	return c->out == -1 ? -1 : 0;
}

static int
target_begin(struct capture *c, struct msg *m)
{
	struct target_launch l = {
		.argv = c->set->argv, .user = c->set->user,
		.umask = c->umask, .sigmask = &c->mask,
	};

	if (c->set->argv == NULL)
		return 0;
	if (out_open(c, m) == -1)
		return -1;
	l.out = c->out != -1 ? c->out : 2;
	return target_launch(&c->target, &l, m);
}

/* What can be said before anything is made: the tracer, and the target. */
static enum capture_end
capture_check(struct capture *c, struct msg *m)
{
	int rc;

	capabilities_read(&c->can);
	rc = tracer_find(&c->tracer, c->set->tracer, &c->can, m);
	if (rc != 0)
		return rc == 1 ? CAPTURE_NO_TRACER : CAPTURE_CANNOT;
	c->ack_ns = c->set->ack_ns != 0 ? c->set->ack_ns :
	    c->tracer.own ? TRACER_ACK_OWN_NS : TRACER_ACK_OTHER_NS;
	if (c->set->argv != NULL)
		rc = target_check(c->set->argv[0], c->set->user, m);
	else
		rc = target_open(&c->target, c->set->pid, m);
	if (rc == -1)
		return CAPTURE_CANNOT;
	c->host = host_json(m);
	return c->host == NULL ? CAPTURE_CANNOT : CAPTURE_DONE;
}

/* Staging, the guard, and the target held: all before a tracer starts. */
static enum capture_end
capture_hold(struct capture *c, const struct msg_sink *sink, struct msg *m)
{
	if (staging_make(&c->st, c->set->bundle, m) == -1) {
		if (c->st.dir != -1)
			staging_remove(&c->st);
		return CAPTURE_CANNOT;
	}
	c->guard = guard_start(m);
	if (c->guard == -1 || collectors_make(c, sink, m) == -1 ||
	    clock_read(&c->clock_start, &c->suspended_start, m) == -1 ||
	    target_begin(c, m) == -1) {
		staging_remove(&c->st);
		return CAPTURE_CANNOT;
	}
	c->clock_end = c->clock_start;
	c->suspended_end = c->suspended_start;
	c->phase = PHASE_HOLD;
	return CAPTURE_DONE;
}

/* The children that a process has already: they are not followed. */
static void
children_note(struct capture *c, const struct msg_sink *sink)
{
	char list[128] = "";
	size_t n = 0, at = 0, i;
	struct msg m;
	pid_t *pid;

	msg_clear(&m);
	if (proc_children(c->target.pid, &pid, &n, &m) == -1) {
		staging_log(&c->st, "children: %s", m.text);
		return;
	}
	for (i = 0; i < n && at < sizeof(list) - 16; i++)
		at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%ld",
		    i > 0 ? ", " : "", (long)pid[i]);
	free(pid);
	if (n == 0)
		return;
	staging_log(&c->st, "children of before, not followed: %zu: %s%s", n,
	    list, i < n ? ", ..." : "");
	msg_emit(sink, MSG_WARNING, "children", NULL, 0, "process %ld has "
	    "%zu child%s already, not followed: %s%s", (long)c->target.pid, n,
	    n > 1 ? "ren" : "", list, i < n ? ", ..." : "");
}

static int
capture_attach(struct capture *c, const struct msg_sink *sink, struct msg *m)
{
	unsigned i;

	if (phase_begin(c, PHASE_HOLD, m) == -1 ||
	    maps_start(&c->maps, &c->st, c->target.pid, m) == -1 ||
	    members_add(&c->members, c->target.pid) == -1)
		return -1;
	if (!c->target.launched) {
		maps_snapshot(&c->maps, c->target.pid);
		children_note(c, sink);
	}
	c->window.ready = clock_now();
	if (phase_begin(c, PHASE_ATTACH, m) == -1)
		return -1;
	for (i = 0; i < c->ncol; i++) {
		struct collector *col = &c->col[i];

		if (col->state == COLLECTOR_FAILED)
			continue;
		if (run_attach(c, col, m) == -1)
			return -1;
		if (col->state == COLLECTOR_FAILED)
			msg_emit(sink, MSG_WARNING, "collector", NULL, 0,
			    "collector %s: %s", family_name(col->family),
			    col->errors > 0 ? col->error[0] : "failed");
	}
	c->window.attached = clock_now();
	c->window.warmup_done = c->window.attached;
	return 0;
}

static int
capture_release(struct capture *c, struct msg *m)
{
	if (phase_begin(c, PHASE_RELEASE, m) == -1)
		return -1;
	if (c->interrupts > 0)
		return run_interrupted(c, m);
	c->window.workload_start = clock_now();
	if (!c->target.launched) {
		c->window.workload_start = c->window.attached;
		return 0;
	}
	return run_release(c, m);
}

static void
inflight_take(struct capture *c)
{
	struct msg m;
	unsigned i;

	for (i = 0; i < c->ncol; i++)
		if (c->col[i].family == FAMILY_syscalls &&
		    c->col[i].state == COLLECTOR_READY)
			break;
	if (i == c->ncol)
		return;
	msg_clear(&m);
	c->inflight_at = clock_now();
	if (members_read(&c->members, c->col[0].spool) == -1)
		msg_set_errno(&m, "read", "spool/procs.spool",
		    "cannot read it");
	else if (inflight_write(&c->st, &c->members, &m) == 0)
		return;
	snprintf(c->inflight_error, sizeof(c->inflight_error), "%.200s",
	    m.text);
	staging_log(&c->st, "inflight: %s", m.text);
}

static int
maps_end(struct capture *c, struct msg *m)
{
	struct msg lost;

	maps_tick(&c->maps, &c->members, c->maps.perf == NULL);
	msg_clear(&lost);
	if (maps_stop(&c->maps, &lost) == 0) {
		memcpy(c->maps_error, c->maps.unread, sizeof(c->maps.unread));
		return 0;
	}
	snprintf(c->maps_error, sizeof(c->maps_error), "%.200s", lost.text);
	return msg_set(m, "maps", "%.400s", lost.text);
}

/*
 * Stops what runs and notes how; also after an abort. procs is the last, so
 * that there is no record of a process whose birth it has not seen.
 */
static int
capture_drain(struct capture *c, struct msg *m)
{
	struct msg late;
	int rc = run_stop(c, false, m);

	/* the first failure is the reason */
	rc |= maps_end(c, rc == 0 ? m : NULL);
	rc |= run_stop(c, true, rc == 0 ? m : NULL);
	c->window.drained = clock_now();
	msg_clear(&late);
	if (clock_read(&c->clock_end, &c->suspended_end, &late) == -1)
		staging_log(&c->st, "clock: %s", late.text);
	return rc;
}

/* The executable itself, when it no longer disturbs anybody. */
static int
exe_copy(struct capture *c, struct msg *m)
{
	if (c->target.exe == -1 || staging_copy(&c->st, c->target.exe,
	    c->target.exe_path, "exe", m) == 0)
		return 0;
	staging_log(&c->st, "exe: %s", m->text);
	return -1;
}

static enum capture_end
capture_abort(struct capture *c, struct msg *m)
{
	enum phase p = c->phase;
	struct msg late;

	snprintf(c->reason, sizeof(c->reason), "%s", m->text);
	msg_clear(&late);
	staging_log(&c->st, "aborted in phase %s: %s", phase_name(p),
	    c->reason);
	staging_phase(&c->st, p, c->reason, &late);
	capture_drain(c, &late);
	(void)exe_copy(c, &late);
	if (stage_write(c, &late) == -1)
		staging_log(&c->st, "stage.json: %s", late.text);
	return CAPTURE_ABORTED;
}

static enum capture_end
capture_body(struct capture *c, const struct msg_sink *sink, struct msg *m)
{
	if (capture_attach(c, sink, m) == -1 || capture_release(c, m) == -1 ||
	    phase_begin(c, PHASE_RUN, m) == -1 || run_window(c, m) == -1)
		return capture_abort(c, m);
	inflight_take(c);
	if (phase_begin(c, PHASE_DRAIN, m) == -1)
		return capture_abort(c, m);
	if (capture_drain(c, m) == -1 || exe_copy(c, m) == -1)
		return capture_abort(c, m);
	run_end_target(c);
	return phase_begin(c, PHASE_DONE, m) == -1 ? capture_abort(c, m) :
	    CAPTURE_DONE;
}

static void
capture_end(struct capture *c)
{
	unsigned i;

	target_close(&c->target);
	for (i = 0; i < c->ncol; i++)
		collector_close(&c->col[i]);
	if (c->guard != -1)
		close(c->guard);
	if (c->out != -1)
		close(c->out);
	members_free(&c->members);
	tracer_free(&c->tracer);
	cJSON_Delete(c->host);
	staging_close(&c->st);
	loop_close(c);
}

enum capture_end
capture_run(const struct settings *set, const struct msg_sink *sink,
    const struct capture_watch *watch, char *path, size_t cap, struct msg *m)
{
	struct capture *c = calloc(1, sizeof(*c));
	enum capture_end end;

	path[0] = '\0';
	if (c == NULL) {
		msg_set_nomem(m);
		return CAPTURE_CANNOT;
	}
	c->set = set;
	c->watch = watch;
	c->guard = c->out = c->sigfd = -1;
	c->st.dir = c->st.incomplete = c->st.log = -1;
	target_init(&c->target);
	c->umask = umask(077);
	end = loop_open(c, m) == -1 ? CAPTURE_CANNOT : capture_check(c, m);
	if (end == CAPTURE_DONE)
		end = capture_hold(c, sink, m);
	if (end == CAPTURE_DONE) {
		end = capture_body(c, sink, m);
		snprintf(path, cap, "%s", c->st.path);
	}
	capture_end(c);
	free(c);
	return end;
}
