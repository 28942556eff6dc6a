/* raw/procs.tsv: births, execs and deaths, against the cohort. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/hash.h"
#include "libdt/validate_pass.h"

/* While raw/procs.tsv is read. */
struct procs {
	struct pair_map last;	/* (member, tid): its latest life */
};

static int
procs_begin(struct val_pass *p)
{
	const struct bundle_collectors *c = &p->v->b.collectors;
	const struct bundle_collector *k;
	size_t i;

	p->v->procs_lossy = !p->v->b.have[BUNDLE_COLLECTORS];
	for (i = 0; i < c->collectors.n; i++) {
		k = &c->collectors.v[i];
		if (k->family == FAMILY_PROCS && (!k->counters.fired.known ||
		    !k->counters.dropped.known || k->counters.dropped.v > 0 ||
		    k->malformed > 0))
			p->v->procs_lossy = true;
	}
	p->state = calloc(1, sizeof(struct procs));
	return p->state != NULL ? 0 : msg_set_nomem(p->m);
}

static int
add_life(struct val_pass *p, uint64_t tid, uint64_t born, uint64_t died)
{
	struct procs *s = p->state;
	struct val_lives *l = &p->v->lives;

	if (!val_room(p, l->n, &l->full, "threads"))
		return 0;
	if (ARRAY_ROOM(l->v, l->n, l->cap) == -1)
		return msg_set_nomem(p->m);
	l->v[l->n] = (struct val_life){ (uint32_t)p->member, tid, born,
	    died };
	if (pair_map_set(&s->last, (uint64_t)p->member, tid,
	    (uint32_t)l->n) == -1)
		return msg_set_nomem(p->m);
	l->n++;
	return 0;
}

/* Threads the member had when it executed another program are gone. */
static uint64_t
alive_until(const struct val_pass *p, const struct val_life *l)
{
	const struct val_member *m = &p->v->members[l->member];

	if (l->died != VAL_NEVER || l->tid == p->pid || m->last_exec < l->born)
		return l->died;
	return m->last_exec;
}

static int
thread_start(struct val_pass *p)
{
	struct procs *s = p->state;
	ssize_t i = pair_map_get(&s->last, (uint64_t)p->member, p->tid);

	if (i != -1 && alive_until(p, &p->v->lives.v[i]) == VAL_NEVER &&
	    !p->v->procs_lossy)
		PASS_BAD(p, THREAD_TWICE, "thread %" PRIu64 " has started "
		    "already", p->tid);
	return add_life(p, p->tid, p->ts, VAL_NEVER);
}

static int
thread_exit(struct val_pass *p)
{
	const struct bundle_member *b = &p->v->b.cohort.members.v[p->member];
	struct procs *s = p->state;
	struct val_life *l;
	ssize_t i = pair_map_get(&s->last, (uint64_t)p->member, p->tid);

	if (i == -1) {
		if (p->tid != p->pid && (b->start_source == START_BIRTH ||
		    p->v->b.manifest.command.mode == MODE_LAUNCH) &&
		    !p->v->procs_lossy)
			PASS_BAD(p, THREAD_TWICE, "thread %" PRIu64
			    " exits, and never started", p->tid);
		return add_life(p, p->tid, 0, p->ts);
	}
	l = &p->v->lives.v[i];
	if (l->died != VAL_NEVER && p->v->members[p->member].last_exec <
	    l->died && !p->v->procs_lossy)
		PASS_BAD(p, THREAD_TWICE, "thread %" PRIu64 " has exited "
		    "already", p->tid);
	l->died = p->ts;
	return 0;
}

static void
proc_fork(struct val_pass *p, const struct record *r)
{
	const struct bundle_cohort *c = &p->v->b.cohort;
	uint64_t child = r->v[REC_PROC_FORK_CHILD].u;
	ssize_t i = bundle_member_at(c, child, p->ts);
	const struct bundle_member *b;

	if (i == -1 || c->members.v[i].start != p->ts) {
		PASS_BAD(p, COHORT_BIRTH, "process %" PRIu64 " was born, and "
		    "is no member", child);
		return;
	}
	b = &c->members.v[i];
	if (p->v->members[i].birth_line > 0)
		PASS_BAD(p, COHORT_BIRTH, "process %" PRIu64 " was born on "
		    "line %" PRIu64, child, p->v->members[i].birth_line);
	else if (b->parent == NULL ||
	    strcmp(b->parent, c->members.v[p->member].incarnation) != 0)
		PASS_BAD(p, COHORT_BIRTH, "process %" PRIu64 " has another "
		    "parent in the cohort", child);
	p->v->members[i].birth_line = p->line;
	p->v->members[i].parent = (uint32_t)p->member;
}

static void
proc_exit(struct val_pass *p, const struct record *r)
{
	const struct bundle_member *b = &p->v->b.cohort.members.v[p->member];
	struct val_member *m = &p->v->members[p->member];
	int64_t status = r->v[REC_PROC_EXIT_STATUS].i;

	if (m->exit_line > 0)
		PASS_BAD(p, COHORT_DEATH, "process %" PRIu64 " died on line %"
		    PRIu64, p->pid, m->exit_line);
	else if (!b->died.known || b->died.v != p->ts)
		PASS_BAD(p, COHORT_DEATH, "members[%zd].died is not its ts",
		    p->member);
	else if (b->exit_status.known && b->exit_status.v != status)
		PASS_BAD(p, COHORT_DEATH, "members[%zd].exit_status is %"
		    PRId64, p->member, b->exit_status.v);
	m->exit_line = p->line;
	m->status = status;
}

/* Something the record's member did at its ts. */
static int
note(struct val_pass *p, struct val_execs *e, uint64_t exe)
{
	if (e->n >= p->v->limit)
		return 0;
	if (ARRAY_ROOM(e->v, e->n, e->cap) == -1)
		return msg_set_nomem(p->m);
	e->v[e->n++] = (struct val_exec){ (uint32_t)p->member, p->ts, exe };
	return 0;
}

static const char *
base_of(const char *s, size_t *n)
{
	size_t i;

	for (i = *n; i > 0 && s[i - 1] != '/'; i--)
		;
	*n -= i;
	return s + i;
}

/*
 * A launched target begins with the file that argv[0] names, or with the
 * shell that runs it; where its path could not be read the record has the
 * kernel's name of it, which is cut.
 */
static void
check_argv(struct val_pass *p, const struct value *exe)
{
	const struct bundle_command *c = &p->v->b.manifest.command;
	const char *a, *b;
	size_t na, nb = exe->len;

	if (c->mode != MODE_LAUNCH || c->argv.n == 0 ||
	    p->v->b.cohort.members.v[p->member].role != ROLE_TARGET)
		return;
	na = strlen(c->argv.v[0]);
	a = base_of(c->argv.v[0], &na);
	b = base_of(exe->s, &nb);
	if (nb == exe->len && na > nb)
		na = nb;
	if ((na == nb && memcmp(a, b, na) == 0) ||
	    (exe->len == 7 && memcmp(exe->s, "/bin/sh", 7) == 0) ||
	    memchr(exe->s, '\\', exe->len) != NULL)
		return;
	val_found(p->v, FINDING_MANIFEST_COMMAND, p->path, p->line,
	    "the target began with %.*s, and not with %.200s",
	    exe->len < 200 ? (int)exe->len : 200, exe->s, c->argv.v[0]);
}

static int
proc_exec(struct val_pass *p, const struct record *r)
{
	const char *exe = p->v->b.cohort.members.v[p->member].exe;
	const struct value *s = &r->v[REC_PROC_EXEC_EXE];
	struct val_member *m = &p->v->members[p->member];

	if (strcmp(exe, "-") == 0)
		exe = "\\x2d";
	m->other_exe = strlen(exe) != s->len || memcmp(exe, s->s, s->len) != 0;
	m->exec_line = p->line;
	m->last_exec = p->ts;
	if (m->first_exec == 0) {
		m->first_exec = p->ts;
		check_argv(p, s);
	}
	m->execs++;
	return note(p, &p->v->execs, hash_bytes(s->s, s->len));
}

/* Who forks, executes or exits is a thread that was seen to start. */
static void
check_actor(struct val_pass *p, const struct record *r)
{
	struct procs *s = p->state;
	bool launched = p->v->b.manifest.command.mode == MODE_LAUNCH ||
	    p->v->b.cohort.members.v[p->member].start_source == START_BIRTH;

	if (p->tid == p->pid || p->v->procs_lossy || !launched ||
	    r->kind == KIND_THREAD_START || r->kind == KIND_THREAD_EXIT)
		return;
	if (r->kind == KIND_PROC_EXEC)
		PASS_BAD(p, RECORD_VALUE, "after an execve the thread's id is "
		    "the process's");
	else if (pair_map_get(&s->last, (uint64_t)p->member, p->tid) == -1)
		PASS_BAD(p, THREAD_UNKNOWN, "thread %" PRIu64 " was never "
		    "seen to start", p->tid);
}

static int
procs_record(struct val_pass *p, const struct record *r)
{
	if (p->member == -1)
		return 0;
	check_actor(p, r);
	switch (r->kind) {
	case KIND_PROC_FORK:
		proc_fork(p, r);
		return note(p, &p->v->births, 0);
	case KIND_PROC_EXEC:
		return proc_exec(p, r);
	case KIND_PROC_EXIT:
		proc_exit(p, r);
		return 0;
	case KIND_THREAD_START:
		return thread_start(p) == -1 ? -1 :
		    note(p, &p->v->births, 0);
	case KIND_THREAD_EXIT:
		return thread_exit(p);
	default:
		return 0;
	}
}

/* A member that executed nothing runs what its parent ran at its birth. */
static void
check_inherited(struct val_pass *p, size_t i)
{
	const struct bundle_cohort *c = &p->v->b.cohort;
	const struct val_member *m = &p->v->members[i], *up;
	const struct bundle_member *b = &c->members.v[i], *q;

	if (m->birth_line == 0 || m->execs > 0)
		return;
	up = &p->v->members[m->parent];
	q = &c->members.v[m->parent];
	if (up->last_exec >= b->start)
		return;		/* the parent runs something else now */
	if (strcmp(b->exe, q->exe) != 0 ||
	    !val_same_text(b->exe_build_id, q->exe_build_id))
		val_found(p->v, FINDING_COHORT_EXE, "cohort.json", 0,
		    "members[%zu].exe is not that of its parent, and it "
		    "executed nothing", i);
}

/* What only the whole file can tell of the members. */
static void
check_members(struct val_pass *p)
{
	const struct bundle_cohort *c = &p->v->b.cohort;
	const struct bundle_member *b;
	const struct val_member *m;
	size_t i;

	for (i = 0; i < c->members.n; i++) {
		b = &c->members.v[i];
		m = &p->v->members[i];
		if (m->exec_line > 0 && m->other_exe)
			val_found(p->v, FINDING_COHORT_EXE, p->path,
			    m->exec_line, "members[%zu].exe is another", i);
		if (p->v->procs_lossy || p->bad)
			continue;
		check_inherited(p, i);
		if (b->start_source == START_BIRTH && m->birth_line == 0)
			val_found(p->v, FINDING_COHORT_BIRTH, "cohort.json",
			    0, "members[%zu] has no proc-fork record", i);
		if (b->died.known && m->exit_line == 0)
			val_found(p->v, FINDING_COHORT_DEATH, "cohort.json",
			    0, "members[%zu] has no proc-exit record", i);
	}
}

static int
procs_end(struct val_pass *p)
{
	struct procs *s = p->state;
	struct val *v = p->v;

	if (s != NULL)
		pair_map_free(&s->last);
	free(s);
	val_lives_close(v);
	if (v->members == NULL || v->cohort_odd)
		return 0;
	check_members(p);
	return v->procs_lossy || v->lives.full ? 0 : val_lives_holders(p);
}

const struct val_pass_ops val_procs_ops = {
	procs_begin, procs_record, procs_end,
};
