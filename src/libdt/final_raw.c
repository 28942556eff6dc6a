/* raw/: records sorted, joined with contexts and names, drops marked. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/array.h"
#include "libdt/context.h"
#include "libdt/file.h"
#include "libdt/final.h"
#include "libdt/maps.h"
#include "libdt/names.h"

/* Spans first: what other records are joined with is read from there. */
static const enum schema_family order[FAMILY_COUNT] = {
	FAMILY_SPANS, FAMILY_PROCS, FAMILY_MAPS, FAMILY_CPU, FAMILY_SYSCALLS,
	FAMILY_IO, FAMILY_ALLOCATIONS, FAMILY_GC,
};

struct raw {
	struct final *f;
	struct msg *m;
	enum schema_family family;
	struct out *out;
	struct context *context;
	const struct bundle_drop **drop;	/* of the family, by from */
	uint64_t *least;	/* the least `to` of a drop and those after */
	size_t ndrop, written;	/* markers written so far */
	struct names threads;	/* pid and tid as bytes: number in end */
	uint64_t *end;		/* when its last call ended */
	size_t endcap;
};

static int
drop_cmp(const void *a, const void *b)
{
	const struct bundle_drop *const *x = a, *const *y = b;

	if ((*x)->from != (*y)->from)
		return (*x)->from < (*y)->from ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

static int
collect_drops(struct raw *w)
{
	const struct bundle_collectors *c = &w->f->b.collectors;
	size_t i, k, n = 0;

	for (i = 0; i < c->collectors.n; i++)
		n += c->collectors.v[i].drops.n;
	w->drop = calloc(n + 1, sizeof(*w->drop));
	w->least = calloc(n + 1, sizeof(*w->least));
	if (w->drop == NULL || w->least == NULL)
		return msg_set_nomem(w->m);
	for (i = 0; i < c->collectors.n; i++)
		for (k = 0; c->collectors.v[i].family == (int)w->family &&
		    k < c->collectors.v[i].drops.n; k++)
			w->drop[w->ndrop++] = &c->collectors.v[i].drops.v[k];
	if (w->ndrop > 0)
		qsort(w->drop, w->ndrop, sizeof(*w->drop), drop_cmp);
	for (i = w->ndrop; i-- > 0;) {
		w->least[i] = w->drop[i]->to;
		if (i + 1 < w->ndrop && w->least[i + 1] < w->least[i])
			w->least[i] = w->least[i + 1];
	}
	return 0;
}

/* The markers of losses that began up to ts. */
static void
write_markers(struct raw *w, uint64_t ts)
{
	const struct bundle_drop *d;
	struct record r;

	for (; w->written < w->ndrop && w->drop[w->written]->from <= ts;
	    w->written++) {
		d = w->drop[w->written];
		record_init(&r, KIND_OVF, d->from);
		if (d->cpu.known)
			record_set_u64(&r, REC_CPU, d->cpu.v);
		record_set_u64(&r, REC_OVF_COUNT, d->count);
		record_set_u64(&r, REC_OVF_FROM, d->from);
		record_set_u64(&r, REC_OVF_TO, d->to);
		record_set_text(&r, REC_OVF_WHY, d->why, strlen(d->why));
		(void)record_write(w->out, &r);
	}
}

/* When what a record tells of was over. */
static uint64_t
end_of(const struct record *r)
{
	uint64_t ts = r->v[REC_TS].u, dur = 0;

	if (r->kind == KIND_SYSCALL)
		dur = r->v[REC_SYSCALL_DUR].u;
	else if (r->kind == KIND_GC_PAUSE)
		dur = r->v[REC_GC_PAUSE_DUR].u;
	return ts + dur;
}

/* Births, deaths and mappings of before the window matter within it. */
static bool
before_window(const struct raw *w, uint64_t end)
{
	const struct bundle_manifest *b = &w->f->b.manifest;

	if (w->family == FAMILY_PROCS || (w->family == FAMILY_MAPS &&
	    w->f->stage.s.command.mode != MODE_LAUNCH))
		return false;
	return end < (w->family == FAMILY_MAPS ? w->f->maps_start :
	    b->window.workload_start.v);
}

/* The rule that removes a record by its time and process, -1 = none. */
static int
rule_of(const struct raw *w, const struct record *r)
{
	const struct bundle_cohort *c = &w->f->b.cohort;
	uint64_t ts = r->v[REC_TS].u, pid = r->v[REC_PID].u, end = end_of(r);
	ssize_t i;

	if (before_window(w, end))
		return RULE_BEFORE_WINDOW;
	if (end > c->drained)
		return RULE_AFTER_WINDOW;
	if (bundle_member_at(c, pid, ts) != -1)
		return -1;
	i = bundle_member_before(c, pid, ts);
	if (i != -1 && c->members.v[i].died.known)
		return RULE_AFTER_EXIT;
	/* a child of the target from before procs was attached to it */
	return w->family == FAMILY_MAPS &&
	    w->f->stage.s.command.mode == MODE_ATTACH ?
	    RULE_NOT_FOLLOWED : RULE_NOT_MEMBER;
}

/* Where the end of a thread's last call is kept; NULL: no memory. */
static uint64_t *
last_end(struct raw *w, const struct record *r)
{
	uint64_t key[2] = { r->v[REC_PID].u, r->v[REC_TID].u }, *v;
	ssize_t i = names_add(&w->threads, (const char *)key, sizeof(key));

	if (i == -1 || (v = names_room(w->end, &w->endcap, (size_t)i,
	    sizeof(*v))) == NULL)
		return NULL;
	w->end = v;
	return &v[i];
}

/* A call from before a loss to after it: its return may be another one's. */
static bool
across_gap(const struct raw *w, uint64_t ts, uint64_t end)
{
	size_t i;

	ARRAY_FIRST(i, w->ndrop, w->drop[i]->from > ts);
	return i < w->ndrop && w->least[i] < end;	/* none is reversed */
}

static void
make_open(struct record *r)
{
	struct value name = r->v[REC_SYSCALL_NAME], fd = r->v[REC_SYSCALL_FD];
	struct record open = *r;

	record_init(&open, KIND_SYSCALL_OPEN, r->v[REC_TS].u);
	open.v[REC_PID] = r->v[REC_PID];
	open.v[REC_TID] = r->v[REC_TID];
	open.v[REC_CPU] = r->v[REC_CPU];
	open.v[REC_RT] = r->v[REC_RT];
	open.v[REC_SPAN] = r->v[REC_SPAN];
	open.v[REC_SYSCALL_OPEN_NAME] = name;
	open.v[REC_SYSCALL_OPEN_FD] = fd;
	*r = open;
}

/* Calls: 0, -1, or 1 if the record goes (it was in flight, and returned). */
static int
on_call(struct raw *w, struct record *r, bool builtin)
{
	uint64_t ts = r->v[REC_TS].u, end = end_of(r);
	uint64_t *last = last_end(w, r);

	if (last == NULL)
		return msg_set_nomem(w->m);
	if (r->kind == KIND_SYSCALL_OPEN)
		return builtin && ts <= *last ? 1 : 0;
	if (end > *last)
		*last = end;
	if (across_gap(w, ts, end))
		make_open(r);
	return 0;
}

static int
join(struct raw *w, struct record *r)
{
	int rc = 0;

	switch (w->family) {
	case FAMILY_SPANS:
		rc = context_take(w->context, r, w->m);
		if (rc == 0 && (r->kind == KIND_EVENT ||
		    r->kind == KIND_CONTROL))
			rc = context_join(w->context, r, w->m);
		break;
	case FAMILY_CPU:
	case FAMILY_SYSCALLS:
	case FAMILY_IO:
	case FAMILY_ALLOCATIONS:
	case FAMILY_GC:
		rc = context_join(w->context, r, w->m);
		break;
	default:
		break;
	}
	return rc;
}

static int
name_frames(struct raw *w, struct record *r)
{
	int col = schema_col_find(r->kind, "stack");
	const char *s;
	size_t n;

	if (col == -1 || !r->v[col].given)
		return 0;
	if (maps_resolve(w->f->maps, r->v[REC_PID].u, r->v[REC_TS].u,
	    &r->v[col], &s, &n, w->m) == -1)
		return -1;
	record_set_text(r, col, s, n);
	return 0;
}

static int
on_record(struct raw *w, struct record *r, struct final_collector *c)
{
	int rule = rule_of(w, r), rc = 0;

	if (rule == -1 && w->family == FAMILY_SYSCALLS &&
	    (rc = on_call(w, r, c->st->builtin)) == 1)
		rule = RULE_RETURNED;
	if (rc == -1)
		return -1;
	if (rule != -1) {
		c->filtered[rule]++;
		return 0;
	}
	if (join(w, r) == -1 || name_frames(w, r) == -1)
		return -1;
	if (w->family == FAMILY_MAPS)
		maps_keep(w->f->maps, r);
	write_markers(w, r->v[REC_TS].u);
	c->recorded++;
	return record_write(w->out, r);
}

static int
write_records(struct raw *w)
{
	struct record_sort *s = w->f->sort[w->family];
	const char *line;
	struct record r;
	uint32_t tag;
	size_t n;
	int got;

	while ((got = record_sort_next(s, &line, &n, &tag, w->m)) == 1) {
		if (record_parse(line, n, w->family, &r, w->m) == -1)
			return -1;
		if (on_record(w, &r, &w->f->col[tag]) == -1)
			return w->out->err != 0 ? out_flush(w->out, w->m) :
			    -1;
	}
	write_markers(w, UINT64_MAX);
	return got == -1 ? -1 : out_flush(w->out, w->m);
}

static int
write_headers(struct raw *w)
{
	const struct bundle_collectors *c = &w->f->b.collectors;
	const char **names = calloc(c->collectors.n + 1, sizeof(*names));
	size_t i, n = 0;

	if (names == NULL)
		return msg_set_nomem(w->m);
	for (i = 0; i < c->collectors.n; i++)
		if (c->collectors.v[i].family == (int)w->family)
			names[n++] = c->collectors.v[i].name;
	(void)record_write_headers(w->out, w->family, names, n,
	    w->f->incarnations, w->f->b.cohort.members.n);
	free(names);
	return out_flush(w->out, w->m);
}

/* Spans are joined with themselves, others with the file of spans. */
static int
open_context(struct raw *w)
{
	struct record_reader *rd = NULL;

	if (w->family != FAMILY_SPANS && w->f->sort[FAMILY_SPANS] != NULL) {
		rd = record_reader_open(w->f->tree,
		    bundle_raw_path(FAMILY_SPANS), FAMILY_SPANS, w->m);
		if (rd == NULL)
			return -1;
	}
	w->context = context_new(rd, w->m);
	return w->context != NULL ? 0 : -1;
}

static int
one(struct final *f, enum schema_family family, struct msg *m)
{
	struct raw w = { .f = f, .m = m, .family = family };
	struct file_new file;
	int rc = -1;

	if (open_context(&w) == -1)
		return -1;
	maps_rewind(f->maps);
	if (collect_drops(&w) == 0 && file_new(&file, f->tree,
	    bundle_raw_path(family), 0644, m) == 0) {
		w.out = &file.out;
		if (write_headers(&w) == 0 && write_records(&w) == 0)
			rc = file_commit(&file, m);
		else
			file_abort(&file);
	}
	context_free(w.context);
	names_free(&w.threads);
	free(w.drop);
	free(w.least);
	free(w.end);
	return rc;
}

/* The balance of a collector is known once its family is written. */
static int
count(struct final *f, size_t i, struct msg *m)
{
	struct bundle_collector *o = &f->b.collectors.collectors.v[i];
	const struct final_collector *c = &f->col[i];
	int r;

	o->counters.recorded = c->recorded;
	o->filters.v = bundle_mem_get(&f->mem, RULE_COUNT,
	    sizeof(*o->filters.v));
	if (o->filters.v == NULL)
		return msg_set_nomem(m);
	for (r = 0; r < RULE_COUNT; r++) {
		if (c->filtered[r] == 0)
			continue;
		o->counters.filtered += c->filtered[r];
		o->filters.v[o->filters.n++] = (struct bundle_filter){ r,
			c->filtered[r] };
	}
	return 0;
}

int
final_raw(struct final *f, struct msg *m)
{
	size_t i;

	for (i = 0; i < FAMILY_COUNT; i++)
		if (f->sort[order[i]] != NULL && one(f, order[i], m) == -1)
			return -1;
	for (i = 0; i < f->stage.s.collectors.n; i++)
		if (count(f, i, m) == -1)
			return -1;
	return 0;
}
