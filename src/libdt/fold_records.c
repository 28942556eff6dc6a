/* The stacks of a bundle's records, folded. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libdt/fold.h"
#include "libdt/fold_impl.h"

#define FIRST_SIZE	(SCHEMA_PATH_MAX + 32)

bool
fold_chooses(const struct fold_opt *o)
{
	return o->pid != 0 || o->tid != 0 || o->span != 0 || o->from != 0 ||
	    o->to != 0;
}

static bool
wanted(const struct fold_opt *o, const struct record *r)
{
	uint64_t ts = r->v[REC_TS].u;

	return (o->pid == 0 || r->v[REC_PID].u == o->pid) &&
	    (o->tid == 0 || r->v[REC_TID].u == o->tid) &&
	    (o->span == 0 || (r->v[REC_SPAN].given &&
	    r->v[REC_SPAN].u == o->span)) &&
	    (o->from == 0 || ts >= o->from) && (o->to == 0 || ts <= o->to);
}

/* The name of the member's executable, `;` in it escaped. */
static void
exe_name(const struct bundle_cohort *c, const struct record *r, char *buf,
    size_t cap)
{
	const char *exe, *slash;
	ssize_t i;
	size_t n;

	i = c != NULL ? bundle_member_at(c, r->v[REC_PID].u,
	    r->v[REC_TS].u) : -1;
	if (i < 0 || (exe = c->members.v[i].exe) == NULL) {
		snprintf(buf, cap, "%" PRIu64, r->v[REC_PID].u);
		return;
	}
	if ((slash = strrchr(exe, '/')) != NULL && slash[1] != '\0')
		exe = slash + 1;
	for (n = 0; *exe != '\0' && n + 5 < cap; exe++)
		if (*exe == ';')
			n += (size_t)snprintf(buf + n, cap - n, "\\x3b");
		else
			buf[n++] = *exe;
	buf[n] = '\0';
}

static const char *
first_frame(const struct fold_opt *o, const struct bundle_cohort *c,
    const struct record *r, char *buf, size_t cap)
{
	size_t n;

	switch (o->by) {
	case FOLD_BY_NONE:
		return NULL;
	case FOLD_BY_EXE:
		exe_name(c, r, buf, cap);
		return buf;
	case FOLD_BY_SPAN:
		if (r->v[REC_SPAN].given)
			snprintf(buf, cap, "span %" PRIu64,
			    r->v[REC_SPAN].u);
		else
			snprintf(buf, cap, "no span");
		return buf;
	case FOLD_BY_PID:
	case FOLD_BY_TID:
		break;
	}
	exe_name(c, r, buf, cap - 32);
	n = strlen(buf);
	snprintf(buf + n, cap - n, "-%" PRIu64, r->v[REC_PID].u);
	n = strlen(buf);
	if (o->by == FOLD_BY_TID)
		snprintf(buf + n, cap - n, "/%" PRIu64, r->v[REC_TID].u);
	return buf;
}

/* The stack of a record and what it weighs; false: it has none. */
static bool
weigh(const struct fold_opt *o, const struct record *r,
    const struct value **stack, uint64_t *weight)
{
	switch (r->kind) {
	case KIND_CPU_SAMPLE:
		*stack = &r->v[REC_CPU_SAMPLE_STACK];
		*weight = r->v[REC_CPU_SAMPLE_COUNT].u;
		return true;
	case KIND_ALLOC_SAMPLE:
		*stack = &r->v[REC_ALLOC_SAMPLE_STACK];
		*weight = o->weight == FOLD_BYTES ?
		    r->v[REC_ALLOC_SAMPLE_BYTES].u :
		    (r->v[REC_ALLOC_SAMPLE_WEIGHT].u + 32768) / 65536;
		return true;
	default:
		return false;
	}
}

static int
fold_one(struct fold *f, const struct bundle_cohort *c,
    const struct record *r)
{
	const struct fold_opt *o = fold_options(f);
	const struct value *stack;
	char first[FIRST_SIZE];
	uint64_t weight;

	if (!weigh(o, r, &stack, &weight) || !wanted(o, r))
		return 0;
	return fold_add(f, first_frame(o, c, r, first, sizeof(first)),
	    stack->given ? stack->s : "", stack->given ? stack->len : 0,
	    weight);
}

static void
progress(struct fold *f, const struct record_reader *rd)
{
	const struct fold_opt *o = fold_options(f);

	if (o->progress != NULL && record_line(rd) % 8192 == 0)
		o->progress(o->progress_arg, record_offset(rd));
}

/* As fold_records(); *n gets the records, loss markers apart. */
static int
fold_all(struct fold *f, struct record_reader *rd,
    const struct bundle_cohort *cohort, const struct msg_sink *sink,
    uint64_t *malformed, uint64_t *n, struct msg *m)
{
	enum record_got got;
	struct record r;

	*n = 0;
	while ((got = record_next(rd, &r, m)) != RECORD_END) {
		progress(f, rd);
		if (got == RECORD_MALFORMED) {
			++*malformed;
			msg_forward(sink, m);
		} else if (got == RECORD_FAILED) {
			return -1;
		} else if (fold_one(f, cohort, &r) == -1) {
			return msg_set_nomem(m);
		} else {
			*n += r.kind != KIND_OVF;
		}
	}
	return 0;
}

int
fold_records(struct fold *f, struct record_reader *rd,
    const struct bundle_cohort *cohort, const struct msg_sink *sink,
    uint64_t *malformed, struct msg *m)
{
	uint64_t n;

	return fold_all(f, rd, cohort, sink, malformed, &n, m);
}

/* A file that was cut short between two lines has lines that all are good. */
static void
check_count(const struct bundle *b, enum schema_family family, uint64_t n,
    const struct msg_sink *sink, uint64_t *malformed)
{
	uint64_t want = b->manifest.families.of[family].records;

	if (n == want)
		return;
	++*malformed;
	(void)msg_emit(sink, MSG_ERROR, "family-records",
	    bundle_raw_path(family), 0, "has %ju records, and manifest.json "
	    "says %ju", (uintmax_t)n, (uintmax_t)want);
}

int
fold_bundle(struct fold *f, const struct bundle *b,
    const struct msg_sink *sink, uint64_t *malformed, struct msg *m)
{
	enum schema_family family = fold_options(f)->family;
	uint64_t bad = *malformed, n;
	struct record_reader *rd;
	int rv;

	if (!bundle_has_raw(b, family))
		return msg_set_at(m, "no-family", NULL, 0,
		    "the bundle has no %s records", schema_family(family)->name);
	if ((rd = bundle_raw_open(b, family, m)) == NULL)
		return -1;
	rv = fold_all(f, rd, &b->cohort, sink, malformed, &n, m);
	record_reader_free(rd);
	if (rv == 0 && *malformed == bad)
		check_count(b, family, n, sink, malformed);
	return rv;
}
