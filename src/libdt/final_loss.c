/* Drops, costs and errors of collectors, from --stats and stderr. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/file.h"
#include "libdt/final.h"
#include "libdt/json.h"
#include "libdt/tracerlog.h"

#define ERR_BYTES	(1u << 20)	/* of a tracer's stderr that are read */
#define ERRORS_MAX	20		/* listed of a collector */
#define ERROR_BYTES	250		/* of one of them */
#define DROPS_MAX	65536		/* intervals of one collector */

struct loss {
	struct final *f;
	struct final_collector *c;
	struct bundle_collector *out;
	struct bundle_drop *drop;
	size_t ndrop, cap;
	const char *error[ERRORS_MAX];
	size_t nerror;
	struct msg *m;
};

/* A complaint for `errors`, escaped. */
static int
complain(struct loss *l, const char *s, size_t n)
{
	char text[ERROR_BYTES * 4 + 1];

	if (l->nerror == ERRORS_MAX)
		return 0;
	if (n > ERROR_BYTES)
		n = ERROR_BYTES;
	n = record_escape(text, sizeof(text), s, n);
	l->error[l->nerror] = final_strdup(l->f, text, n, l->m);
	return l->error[l->nerror++] != NULL ? 0 : -1;
}

static int
add_drop(struct loss *l, const struct bundle_drop *d)
{
	if (d->count == 0 || l->ndrop == DROPS_MAX)
		return 0;
	if (ARRAY_ROOM(l->drop, l->ndrop, l->cap) == -1)
		return msg_set_nomem(l->m);
	l->drop[l->ndrop++] = *d;
	return 0;
}

/* Times outside the clock's two readings cannot be told of. */
static uint64_t
clamp(const struct loss *l, uint64_t ts)
{
	const struct bundle_clock *c = &l->f->stage.s.clock;

	if (ts < c->start.mono)
		return c->start.mono;
	return ts > c->end.mono ? c->end.mono : ts;
}

/* One interval of --stats: losses of records, or of something else. */
static int
stats_drop(struct loss *l, const struct json_ref *e)
{
	struct bundle_drop d = { .why = "buffer full" };
	const char *kind;
	char text[128];

	if (json_get_u64(e, "count", &d.count, l->m) == -1 ||
	    json_get_u64(e, "from", &d.from, l->m) == -1 ||
	    json_get_u64(e, "to", &d.to, l->m) == -1 ||
	    json_get_str(e, "kind", &kind, l->m) == -1)
		return -1;
	if (strcmp(kind, "principal") != 0) {
		(void)snprintf(text, sizeof(text), "%" PRIu64 " %.60s drops",
		    d.count, kind);
		return complain(l, text, strlen(text));
	}
	if (json_opt_u64(e, "cpu", &d.cpu.v, l->m) == 0)
		d.cpu.known = d.cpu.v <= SCHEMA_CPU_MAX;
	d.from = clamp(l, d.from);
	d.to = clamp(l, d.to);
	if (d.to < d.from)
		d.to = d.from;
	return add_drop(l, &d);
}

static void
maybe(const struct json_ref *r, const char *name, struct maybe_u64 *v)
{
	if (json_has(r, name) && json_get_u64(r, name, &v->v, NULL) == 0 &&
	    v->v <= INT64_MAX)
		v->known = true;
}

static int
stats_members(struct loss *l, const struct json_ref *root)
{
	struct json_ref drops, e, usage;
	struct bundle_cost *cost = &l->out->cost;
	struct maybe_u64 n = { false, 0 };
	char text[128];
	bool ok;

	if (json_get_array(root, "drops", &drops, l->m) == -1)
		return -1;
	for (ok = json_first(&drops, &e); ok; ok = json_next(&e))
		if (stats_drop(l, &e) == -1)
			return -1;
	maybe(root, "dropped", &l->out->tracer_drops);
	maybe(root, "run_time_ns", &cost->bpf_run_ns);
	maybe(root, "run_cnt", &cost->bpf_run_count);
	if (json_get_object(root, "rusage", &usage, NULL) == 0) {
		maybe(&usage, "user_ns", &cost->cpu_user_ns);
		maybe(&usage, "system_ns", &cost->cpu_system_ns);
	}
	maybe(root, "errors", &n);
	if (n.known && n.v > 0) {
		(void)snprintf(text, sizeof(text), "%" PRIu64
		    " errors in clauses", n.v);
		if (complain(l, text, strlen(text)) == -1)
			return -1;
	}
	n = (struct maybe_u64){ false, 0 };
	maybe(root, "missed", &n);
	if (n.known && n.v > 0) {
		(void)snprintf(text, sizeof(text), "%" PRIu64
		    " firings missed", n.v);
		return complain(l, text, strlen(text));
	}
	return 0;
}

/* --stats of dt-trace; another tracer has none. */
static int
read_stats(struct loss *l)
{
	char path[128];
	struct json_ref root;
	struct msg why;
	cJSON *tree;
	int rc;

	(void)snprintf(path, sizeof(path), "spool/%s.stats", l->c->st->name);
	msg_clear(&why);
	tree = json_read(l->f->staging, path, &why);
	if (tree == NULL && why.err == ENOENT)
		return 0;
	if (tree == NULL && why.id != NULL &&
	    strncmp(why.id, "json-", 5) == 0)
		return complain(l, "its statistics cannot be read", 29);
	if (tree == NULL) {
		*l->m = why;
		return -1;
	}
	root = json_root(tree, path);
	rc = stats_members(l, &root);
	cJSON_Delete(tree);
	if (rc == -1 && l->m->id != NULL && strncmp(l->m->id, "json-", 5) == 0)
		return complain(l, l->m->text, strlen(l->m->text));
	return rc;
}

/* What the tracer wrote on stderr, where it left no statistics. */
static int
read_err(struct loss *l)
{
	struct maybe_u64 told = { true, 0 };
	char path[128], *line, *next;
	struct msg why;
	size_t n;

	(void)snprintf(path, sizeof(path), "spool/%s.err", l->c->st->name);
	msg_clear(&why);
	if (file_slurp(l->f->staging, path, ERR_BYTES, &l->c->err, &n,
	    &why) == -1) {
		l->c->err = strdup("");
		if (l->c->err == NULL)
			return msg_set_nomem(l->m);
		if (why.err == ENOENT)
			return 0;
		if (why.id != NULL && strcmp(why.id, "too-big") == 0)
			return complain(l,
			    "its messages are more than can be read", 38);
		*l->m = why;
		return -1;
	}
	for (line = l->c->err; *line != '\0'; line = next) {
		n = strcspn(line, "\n");
		next = line + n + (line[n] == '\n');
		line[n] = '\0';
		told.v += tracerlog_drops(line);
		if (!l->out->tracer_drops.known && tracerlog_complaint(line) &&
		    complain(l, line, n) == -1)
			return -1;
		if (line + n < next)
			line[n] = '\n';
	}
	if (!l->out->tracer_drops.known && !l->c->st->builtin &&
	    l->c->spool.ended)
		l->out->tracer_drops = told;
	return 0;
}

static int
drop_cmp(const void *a, const void *b)
{
	const struct bundle_drop *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->cpu.known != y->cpu.known)
		return x->cpu.known ? 1 : -1;
	return x->cpu.v < y->cpu.v ? -1 : x->cpu.v > y->cpu.v;
}

/* When a loss may have been of which no interval is known. */
static void
any_time(const struct loss *l, struct bundle_drop *d)
{
	const struct bundle_stage_collector *c = l->c->st;
	const struct bundle_window *w = &l->f->stage.s.window;

	d->from = clamp(l, c->ack.known ? c->ack.v : 0);
	d->to = clamp(l, c->detach.known ? c->detach.v : w->drained.v);
	if (l->c->spool.malformed > 0 && l->c->spool.bad_from > 0)
		d->from = clamp(l, l->c->spool.bad_from);
	if (l->c->spool.malformed > 0 && l->c->spool.bad_to > 0)
		d->to = clamp(l, l->c->spool.bad_to);
	if (d->to < d->from)
		d->to = d->from;
}

/*
 * The intervals must hold what is missing, no more and no less: what they
 * lack gets an interval of its own, what they have too much is taken off the
 * last ones (balance-tracer tells that the tracer said otherwise).
 */
static int
settle(struct loss *l, uint64_t missing)
{
	struct bundle_drop rest = { .why = l->c->spool.malformed > 0 ?
		"malformed line" : "not accounted for" };
	uint64_t sum = 0;
	size_t i, n;

	for (i = n = 0; i < l->ndrop; i++) {
		if (l->drop[i].count > missing - sum)
			l->drop[i].count = missing - sum;
		sum += l->drop[i].count;
		if (l->drop[i].count > 0)
			l->drop[n++] = l->drop[i];
	}
	l->ndrop = n;
	if (sum == missing)
		return 0;
	rest.count = missing - sum;
	any_time(l, &rest);
	return add_drop(l, &rest);
}

static int
balance(struct loss *l)
{
	struct bundle_counters *k = &l->out->counters;
	const struct spool *s = &l->c->spool;
	size_t i;

	k->fired = s->fired;
	if (l->ndrop > 0)
		qsort(l->drop, l->ndrop, sizeof(*l->drop), drop_cmp);
	if (k->fired.known) {
		k->dropped.known = true;
		if (k->fired.v > s->records)
			k->dropped.v = k->fired.v - s->records;
		if (settle(l, k->dropped.v) == -1)
			return -1;
		if (l->ndrop > 0)
			qsort(l->drop, l->ndrop, sizeof(*l->drop), drop_cmp);
	}
	l->out->drops.v = bundle_mem_get(&l->f->mem, l->ndrop + 1,
	    sizeof(*l->drop));
	if (l->out->drops.v == NULL)
		return msg_set_nomem(l->m);
	for (i = 0; i < l->ndrop; i++)
		l->out->drops.v[i] = l->drop[i];
	l->out->drops.n = l->ndrop;
	return 0;
}

static int
list_errors(struct loss *l)
{
	const bundle_strings *st = &l->c->st->errors;
	const char **v;
	size_t i;

	v = bundle_mem_get(&l->f->mem, st->n + l->nerror + 1, sizeof(*v));
	if (v == NULL)
		return msg_set_nomem(l->m);
	for (i = 0; i < st->n; i++)
		v[i] = st->v[i];
	for (i = 0; i < l->nerror; i++)
		v[st->n + i] = l->error[i];
	l->out->errors.v = v;
	l->out->errors.n = st->n + l->nerror;
	return 0;
}

static int
malformed_lines(struct loss *l)
{
	const struct spool *s = &l->c->spool;
	size_t i, n = s->malformed < BUNDLE_MALFORMED_LINES ?
	    (size_t)s->malformed : BUNDLE_MALFORMED_LINES;

	l->out->malformed = s->malformed;
	l->out->malformed_lines.v = bundle_mem_get(&l->f->mem, n + 1,
	    sizeof(uint64_t));
	if (l->out->malformed_lines.v == NULL)
		return msg_set_nomem(l->m);
	for (i = 0; i < n; i++)
		l->out->malformed_lines.v[i] = s->malformed_lines[i];
	l->out->malformed_lines.n = n;
	return 0;
}

/* What acknowledged did so by the first line of its own spool. */
static int
check_ready(struct loss *l)
{
	const struct spool *s = &l->c->spool;
	char text[128];

	if (!l->c->there || !l->c->st->ack.known)
		return 0;
	if (!s->ready)
		(void)snprintf(text, sizeof(text),
		    "its spool does not begin with READY");
	else if (strcmp(s->name, l->c->st->name) != 0)
		(void)snprintf(text, sizeof(text),
		    "its spool is that of collector %s", s->name);
	else
		return 0;
	return complain(l, text, strlen(text));
}

/* What stage.json says of a collector goes over as it is. */
static void
take_over(struct bundle_collector *o, const struct bundle_stage_collector *s)
{
	o->name = s->name;
	o->family = s->family;
	o->builtin = s->builtin;
	o->required = s->required;
	o->tracer = s->tracer;
	o->tracer_version = s->tracer_version;
	o->argv = s->argv;
	o->pid = s->pid;
	o->started = s->started;
	o->ack = s->ack;
	o->detach = s->detach;
	o->exit_code = s->exit_code;
	o->signal = s->signal;
	o->stops.v = s->stops.v;
	o->stops.n = s->stops.n;
	o->rate_hz = s->rate_hz;
}

static int
one(struct final *f, size_t i, struct msg *m)
{
	struct loss l = { .f = f, .c = &f->col[i],
		.out = &f->b.collectors.collectors.v[i], .m = m };
	int rc = 0;

	take_over(l.out, l.c->st);
	if (read_stats(&l) == -1 || read_err(&l) == -1 ||
	    check_ready(&l) == -1 || balance(&l) == -1 ||
	    list_errors(&l) == -1 || malformed_lines(&l) == -1)
		rc = -1;
	free(l.drop);
	return rc;
}

int
final_losses(struct final *f, struct msg *m)
{
	struct bundle_collectors *c = &f->b.collectors;
	size_t i, n = f->stage.s.collectors.n;

	c->schema = bundle_file_schema(BUNDLE_COLLECTORS);
	c->collectors.v = bundle_mem_get(&f->mem, n + 1,
	    sizeof(*c->collectors.v));
	if (c->collectors.v == NULL)
		return msg_set_nomem(m);
	c->collectors.n = n;
	for (i = 0; i < n; i++)
		if (one(f, i, m) == -1)
			return -1;
	return 0;
}
