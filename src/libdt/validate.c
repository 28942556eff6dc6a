/* validate_bundle(): all checks in order, the verdict, findings told. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/validate_impl.h"

static const char *const verdicts[] = {
	[VERDICT_COMPLETE] = "complete",
	[VERDICT_DEGRADED] = "degraded",
	[VERDICT_INVALID] = "invalid",
};

const char *
verdict_name(enum verdict v)
{
	return verdicts[v];
}

static int
init(struct val *v, int dirfd, const char *name,
    const struct validate_opt *opt, struct msg *m)
{
	int e;

	memset(v, 0, sizeof(*v));
	v->opt = opt;
	v->dirfd = dirfd;
	v->name = name;
	v->limit = opt->limit > 0 ? opt->limit : VALIDATE_LIMIT;
	v->finds.cap = opt->cap > 0 ? opt->cap : VALIDATE_CAP;
	e = pthread_mutex_init(&v->finds.lock, NULL);
	if (e != 0)
		return msg_set(m, "no-thread", "cannot make a lock: error %d",
		    e);
	bundle_init(&v->b, dirfd, name);
	return 0;
}

static void
fini(struct val *v)
{
	val_lives_free(v);
	val_ctx_free(v->ctx);
	val_tree_free(&v->tree);
	free(v->by_name);
	bundle_close(&v->b);
	free(v->finds.v);
	pthread_mutex_destroy(&v->finds.lock);
}

/* All that can be told while the files are hashed. */
static int
look(struct val *v, struct msg *m)
{
	if (val_json(v, m) == -1)
		return -1;
	val_clock(v);
	if (val_cohort(v, m) == -1 || val_manifest(v, m) == -1 ||
	    val_settings(v, m) == -1)
		return -1;
	val_collectors(v);
	val_knobs(v);
	if (val_artifacts(v, m) == -1)
		return -1;
	val_families(v);
	return 0;
}

static int
look_at_records(struct val *v, struct val_report *p, struct msg *m)
{
	struct msg late;
	int rc;

	if (v->opt->quick)
		return 0;
	if (val_report_start(p, v, m) == -1)
		return -1;
	rc = val_records(v, m);
	val_counts(v);
	val_whole(v);
	if (val_report_join(p, &late) == -1 && rc == 0) {
		/* what broke it is told, or it is to be */
		if (val_has_error(v))
			return 0;
		*m = late;
		rc = -1;
	}
	return rc;
}

/* What failed did so because the bundle changed: that is its own fault. */
static bool
changed(struct val *v, const struct msg *why)
{
	struct msg m;

	if (path_gone(why->err)) {
		/* it was there when the bundle was walked over */
		val_found(v, FINDING_LAYOUT_CHANGED, why->path, 0, "%s",
		    why->text);
		return true;
	}
	msg_clear(&m);
	return val_layout_again(v, &m) == 0 &&
	    v->finds.by_id[FINDING_LAYOUT_CHANGED] > 0;
}

static int
run(struct val *v, struct val_report *p, struct msg *m)
{
	struct val_sums s = { .v = v };
	int rc = val_layout(v, m);

	if (rc != 0)
		return rc == 1 ? 0 : -1;	/* 1: too much to look at */
	if (!v->opt->staged && val_sums_start(&s, v, m) == -1)
		return -1;
	rc = look(v, m);
	if (rc == 0)
		rc = look_at_records(v, p, m);
	if (val_sums_join(&s, rc == 0 ? m : NULL) == -1)
		rc = -1;
	if (rc == 0)
		rc = val_layout_again(v, m);
	else if (changed(v, m))
		rc = 0;
	if (rc == 0 && v->opt->expect != NULL &&
	    strcmp(v->opt->expect, v->id) != 0)
		val_found(v, FINDING_SUMS_EXPECT, "SHA256SUMS", 0,
		    "the bundle's id is %s, not %.100s", v->id[0] != '\0' ?
		    v->id : "not there", v->opt->expect);
	return rc;
}

static int
by_place(const void *a, const void *b)
{
	const struct msg *x = a, *y = b;
	int c = strcmp(x->path, y->path);

	if (c != 0)
		return c;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if ((c = strcmp(x->id, y->id)) != 0)
		return c;
	return strcmp(x->text, y->text);
}

static void
count(const struct val *v, struct validate_result *r)
{
	size_t i;

	memset(r->count, 0, sizeof(r->count));
	memcpy(r->by_id, v->finds.by_id, sizeof(r->by_id));
	for (i = 0; i < FINDING_COUNT; i++)
		r->count[finding_table[i].level] += r->by_id[i];
	r->verdict = r->count[MSG_ERROR] > 0 ? VERDICT_INVALID :
	    r->count[MSG_LOSS] > 0 ? VERDICT_DEGRADED : VERDICT_COMPLETE;
	r->list = v->finds.v;
	r->n = v->finds.n;
	if (r->n > 0)
		qsort(r->list, r->n, sizeof(*r->list), by_place);
}

int
validate_bundle(int dirfd, const char *name, const struct validate_opt *opt,
    struct validate_result *r, struct msg *m)
{
	struct val v;
	struct val_report report = { .v = &v };
	int rc;

	memset(r, 0, sizeof(*r));
	if (init(&v, dirfd, name, opt, m) == -1)
		return -1;
	rc = run(&v, &report, m);
	if (rc == 0) {
		count(&v, r);
		val_verdict(&v, r);
		if (!val_has_error(&v))
			val_report_tell(&report);
	}
	if (rc == 0 && v.finds.nomem)
		rc = msg_set_nomem(m);
	if (rc == 0) {
		count(&v, r);
		memcpy(r->id, v.id, sizeof(r->id));
		r->stamp = val_tree_stamp(&v.tree);
		v.finds.v = NULL;
	} else
		memset(r, 0, sizeof(*r));
	fini(&v);
	return rc;
}

void
validate_free(struct validate_result *r)
{
	free(r->list);
	memset(r, 0, sizeof(*r));
}

/* Findings of an id that were not kept. */
static int
tell_more(const struct validate_result *r, const char *name,
    const struct msg_sink *sink)
{
	uint64_t kept;
	size_t i, k;
	int rc = 0;

	for (i = 0; i < FINDING_COUNT && rc == 0; i++) {
		for (k = kept = 0; k < r->n; k++)
			kept += strcmp(r->list[k].id, finding_table[i].id) ==
			    0;
		if (r->by_id[i] > kept)
			rc = msg_emit(sink, finding_table[i].level,
			    finding_table[i].id, name, 0, "%ju more like this",
			    (uintmax_t)(r->by_id[i] - kept));
	}
	return rc;
}

int
validate_tell(const struct validate_result *r, const char *name,
    const struct msg_sink *sink)
{
	struct msg m;
	size_t i;
	int rc;

	for (i = 0; i < r->n; i++) {
		m = r->list[i];
		msg_within(&m, name);
		if ((rc = msg_forward(sink, &m)) != 0)
			return rc;
	}
	return tell_more(r, name, sink);
}
