/* The cohort from the records of procs; where the window begins. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/final.h"
#include "libdt/maps.h"
#include "libdt/names.h"

struct building {
	struct final *f;
	struct msg *m;
	struct born { struct bundle_member b; ssize_t parent; } *v;
	size_t n, cap;
	struct names pids;	/* pid as bytes: number in last */
	ssize_t *last;		/* the latest member of that pid */
	size_t nlast, last_cap;
};

/* Where a pid's latest member is kept; NULL: no memory. */
static ssize_t *
latest(struct building *c, uint64_t pid)
{
	ssize_t i = names_add(&c->pids, (const char *)&pid, sizeof(pid));

	if (i == -1)
		return NULL;
	if ((size_t)i == c->nlast) {
		if (ARRAY_ROOM(c->last, c->nlast, c->last_cap) == -1)
			return NULL;
		c->last[c->nlast++] = -1;
	}
	return &c->last[i];
}

static int
add(struct building *c, const struct bundle_member *b, ssize_t parent)
{
	ssize_t *last = latest(c, b->pid);

	if (ARRAY_ROOM(c->v, c->n, c->cap) == -1)
		return msg_set_nomem(c->m);
	if (last == NULL)
		return msg_set_nomem(c->m);
	*last = (ssize_t)c->n;
	c->v[c->n].b = *b;
	c->v[c->n++].parent = parent;
	return 0;
}

static int
add_target(struct building *c)
{
	const struct bundle_stage_target *t = &c->f->stage.s.target;
	struct bundle_member b = {
		.pid = t->pid, .start = t->start,
		.start_resolution_ns = t->start_resolution_ns,
		.start_source = START_SYSTEM, .nonce = t->nonce,
		.role = ROLE_TARGET, .exe = t->exe,
		.exe_build_id = t->exe_build_id,
	};

	return add(c, &b, -1);
}

/* The living member of a record's process, NULL if there is none. */
static struct born *
alive(struct building *c, uint64_t pid)
{
	ssize_t i = names_find(&c->pids, (const char *)&pid, sizeof(pid));

	if (i == -1 || c->last[i] == -1 || c->v[c->last[i]].b.died.known)
		return NULL;
	return &c->v[c->last[i]];
}

static int
on_fork(struct building *c, const struct record *r, struct born *p)
{
	struct bundle_member b = {
		.pid = r->v[REC_PROC_FORK_CHILD].u, .start = r->v[REC_TS].u,
		.start_source = START_BIRTH, .role = ROLE_DESCENDANT,
		.exe = p->b.exe, .exe_build_id = p->b.exe_build_id,
	};

	return add(c, &b, p - c->v);
}

static int
on_exec(struct building *c, const struct record *r, struct born *p)
{
	const struct value *exe = &r->v[REC_PROC_EXEC_EXE];
	const char *s = exe->s;
	size_t n = exe->len;

	if (n == 4 && memcmp(s, "\\x2d", 4) == 0) {
		s = "-";
		n = 1;
	}
	p->b.exe = final_strdup(c->f, s, n, c->m);
	p->b.exe_build_id = maps_exec_id(c->f->maps, p->b.pid,
	    r->v[REC_TS].u, s, n);
	return p->b.exe != NULL ? 0 : -1;
}

static int
on_record(struct building *c, const struct record *r)
{
	struct born *p = alive(c, r->v[REC_PID].u);

	if (p == NULL || r->v[REC_TS].u > c->f->stage.s.window.drained.v)
		return 0;
	switch (r->kind) {
	case KIND_PROC_FORK:
		return on_fork(c, r, p);
	case KIND_PROC_EXEC:
		return on_exec(c, r, p);
	case KIND_PROC_EXIT:
		p->b.died = (struct maybe_u64){ true, r->v[REC_TS].u };
		p->b.exit_status = (struct maybe_i64){ true,
			r->v[REC_PROC_EXIT_STATUS].i };
		return 0;
	default:
		return 0;
	}
}

static int
walk(struct building *c)
{
	struct record_sort *s = c->f->sort[FAMILY_PROCS];
	const char *line;
	struct record r;
	uint32_t tag;
	size_t n;
	int got;

	while ((got = record_sort_next(s, &line, &n, &tag, c->m)) == 1)
		if (record_parse(line, n, FAMILY_PROCS, &r, c->m) == -1 ||
		    on_record(c, &r) == -1)
			return -1;
	return got == -1 ? -1 : record_sort_rewind(s, c->m);
}

/* Where the members stand once they are sorted. */
struct place { uint64_t start, pid; size_t index; };

static int
place_cmp(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int
name_all(struct building *c)
{
	const char *boot = c->f->stage.s.host.boot_id;
	char name[BUNDLE_INCARNATION];
	size_t i;

	for (i = 0; i < c->n; i++) {
		bundle_incarnation(name, boot, c->v[i].b.pid, c->v[i].b.start);
		c->v[i].b.incarnation = final_strdup(c->f, name, strlen(name),
		    c->m);
		if (c->v[i].b.incarnation == NULL)
			return -1;
	}
	for (i = 0; i < c->n; i++)
		if (c->v[i].parent != -1)
			c->v[i].b.parent = c->v[c->v[i].parent].b.incarnation;
	return 0;
}

static int
seal(struct building *c)
{
	struct final *f = c->f;
	struct bundle_cohort *co = &f->b.cohort;
	struct place *p = calloc(c->n + 1, sizeof(*p));
	size_t i;

	co->members.v = bundle_mem_get(&f->mem, c->n + 1,
	    sizeof(*co->members.v));
	f->incarnations = bundle_mem_get(&f->mem, c->n + 1,
	    sizeof(*f->incarnations));
	if (p == NULL || co->members.v == NULL || f->incarnations == NULL) {
		free(p);
		return msg_set_nomem(c->m);
	}
	for (i = 0; i < c->n; i++)
		p[i] = (struct place){ c->v[i].b.start, c->v[i].b.pid, i };
	qsort(p, c->n, sizeof(*p), place_cmp);
	for (i = 0; i < c->n; i++) {
		co->members.v[i] = c->v[p[i].index].b;
		f->incarnations[i] = co->members.v[i].incarnation;
	}
	co->members.n = c->n;
	free(p);
	co->schema = bundle_file_schema(BUNDLE_COHORT);
	co->boot_id = f->stage.s.host.boot_id;
	co->sealed = true;
	co->sealed_at = f->stage.s.window.drained.v;
	return bundle_cohort_index(co, f->stage.s.window.drained, c->m);
}

/*
 * Launched: the window begins with the target's first successful execve, at
 * its entry where the call was captured.
 */
static int
find_start(struct final *f, struct msg *m)
{
	struct maybe_u64 *start = &f->b.manifest.window.workload_start;
	struct record_sort *s = f->sort[FAMILY_PROCS];
	const char *line;
	struct record r;
	uint32_t tag;
	size_t n, i;
	int got;

	f->b.manifest.window = f->stage.s.window;
	if (f->stage.s.command.mode != MODE_LAUNCH)
		return 0;
	while ((got = record_sort_next(s, &line, &n, &tag, m)) == 1) {
		if (record_parse(line, n, FAMILY_PROCS, &r, m) == -1)
			return -1;
		if (r.kind == KIND_PROC_EXEC &&
		    r.v[REC_PID].u == f->stage.s.target.pid)
			break;
	}
	if (got == 1) {
		start->v = r.v[REC_TS].u;
		for (i = 0; i < f->nexecve; i++)
			if (f->execve[i].from <= r.v[REC_TS].u &&
			    f->execve[i].to >= r.v[REC_TS].u)
				start->v = f->execve[i].from;
	}
	return got == -1 ? -1 : record_sort_rewind(s, m);
}

/* An execve took everything away. */
static bool
all_unmapped(const struct record *r)
{
	return r->kind == KIND_UNMAP && r->v[REC_MAP_START].u == 0 &&
	    r->v[REC_MAP_END].u == UINT64_MAX;
}

/*
 * The target's program was mapped within its execve: where the window begins
 * with the proc-exec record, which comes late in it, its mappings begin when
 * those of before went away.
 */
static int
find_maps_start(struct final *f, struct msg *m)
{
	uint64_t start = f->b.manifest.window.workload_start.v;
	struct record_sort *s = f->sort[FAMILY_MAPS];
	const char *line;
	struct record r;
	uint32_t tag;
	size_t n;
	int got;

	f->maps_start = start;
	if (f->stage.s.command.mode != MODE_LAUNCH)
		return 0;
	while ((got = record_sort_next(s, &line, &n, &tag, m)) == 1) {
		if (record_parse(line, n, FAMILY_MAPS, &r, m) == -1)
			return -1;
		if (r.v[REC_TS].u > start)
			break;
		if (r.v[REC_PID].u == f->stage.s.target.pid &&
		    all_unmapped(&r))
			f->maps_start = r.v[REC_TS].u;
	}
	return got == -1 ? -1 : record_sort_rewind(s, m);
}

int
final_cohort(struct final *f, struct msg *m)
{
	struct building c = { .f = f, .m = m };
	int rc = 0;

	if (add_target(&c) == -1 || walk(&c) == -1 || name_all(&c) == -1 ||
	    seal(&c) == -1)
		rc = -1;
	free(c.v);
	free(c.last);
	names_free(&c.pids);
	if (rc == 0)
		rc = find_start(f, m);
	return rc == 0 ? find_maps_start(f, m) : rc;
}
