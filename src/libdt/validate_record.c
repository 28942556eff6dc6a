/* Record files read; each record against window, order and cohort. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/spool.h"
#include "libdt/validate_pass.h"

#define WRONG_FD \
	"fd is given if and only if the call takes one first"

/* Births first, then contexts, then what refers to both. */
static const struct {
	enum schema_family family;
	const struct val_pass_ops *ops;
} order[FAMILY_COUNT] = {
	{ FAMILY_PROCS, &val_procs_ops },
	{ FAMILY_MAPS, &val_maps_ops },
	{ FAMILY_SPANS, &val_spans_ops },
	{ FAMILY_CPU, NULL },
	{ FAMILY_SYSCALLS, &val_syscalls_ops },
	{ FAMILY_IO, &val_io_ops },
	{ FAMILY_ALLOCATIONS, NULL },
	{ FAMILY_GC, &val_gc_ops },
};

bool
val_room(struct val_pass *p, size_t n, bool *full, const char *what)
{
	if (n < p->v->limit)
		return true;
	if (!*full)
		PASS_BAD(p, RECORD_LIMIT, "more than %u %s", p->v->limit, what);
	*full = true;
	return false;
}

static void
check_order(struct val_pass *p, const struct record *r)
{
	struct record_key key = record_key(r);

	if (p->line > 1 && record_key_cmp(&p->last, &key) > 0)
		PASS_BAD(p, RECORD_ORDER, "it belongs before the record "
		    "before it");
	p->last = key;
}

/* When a record that has a duration ends. */
static uint64_t
end_of(const struct record *r)
{
	uint64_t dur = 0, end, ts = r->v[REC_TS].u;

	if (r->kind == KIND_SYSCALL)
		dur = r->v[REC_SYSCALL_DUR].u;
	else if (r->kind == KIND_GC_PAUSE)
		dur = r->v[REC_GC_PAUSE_DUR].u;
	return __builtin_add_overflow(ts, dur, &end) ? UINT64_MAX : end;
}

/*
 * Births of before the window are kept, and mappings of a target that was
 * running: what comes later needs them. Those of one that was launched begin
 * with the unmap of everything within its execve, where the window begins
 * later than that.
 */
static uint64_t
window_of(const struct val_pass *p, const struct record *r)
{
	const struct bundle_manifest *m = &p->v->b.manifest;

	if (p->family == FAMILY_PROCS ||
	    (p->family == FAMILY_MAPS && m->command.mode == MODE_ATTACH))
		return p->v->clock_start;
	if (p->family == FAMILY_MAPS && r->kind == KIND_UNMAP &&
	    p->pid == m->command.pid && r->v[REC_MAP_START].u == 0 &&
	    r->v[REC_MAP_END].u == UINT64_MAX && m->window.attached.known &&
	    p->ts >= m->window.attached.v && p->ts < p->v->window_start)
		return p->ts;
	return p->v->window_start;
}

static bool
check_window(struct val_pass *p, const struct record *r)
{
	if (p->records == 1)
		p->start = window_of(p, r);
	if (p->end < p->start)
		PASS_BAD(p, RECORD_WINDOW, "it ended %" PRIu64 " ns before "
		    "the window", p->start - p->end);
	else if (p->end > p->v->window_end)
		PASS_BAD(p, RECORD_WINDOW, "it ended %" PRIu64 " ns after "
		    "the window", p->end - p->v->window_end);
	else
		return true;
	return false;
}

static bool
pid_known(const struct bundle_cohort *c, uint64_t pid)
{
	size_t i;

	ARRAY_FIRST(i, c->members.n, c->members.v[c->by_pid[i]].pid >= pid);
	return i < c->members.n && c->members.v[c->by_pid[i]].pid == pid;
}

static void
check_member(struct val_pass *p)
{
	const struct bundle_cohort *c = &p->v->b.cohort;
	const struct bundle_member *b;

	if (!p->v->b.have[BUNDLE_COHORT] || p->v->cohort_odd)
		return;
	p->member = bundle_member_at(c, p->pid, p->ts);
	if (p->member == -1) {
		if (pid_known(c, p->pid))
			PASS_BAD(p, MEMBER_LIFE, "process %" PRIu64
			    " did not live then", p->pid);
		else
			PASS_BAD(p, MEMBER_UNKNOWN, "process %" PRIu64
			    " is no member of the cohort", p->pid);
		return;
	}
	b = &c->members.v[p->member];
	if (b->died.known && p->end > b->died.v && p->end <=
	    p->v->window_end)
		PASS_BAD(p, MEMBER_LIFE, "it ended after process %" PRIu64,
		    p->pid);
}

/* size * weight / 65536, rounded down */
static uint64_t
weighed(const struct value *v)
{
	unsigned __int128 n = (unsigned __int128)v[REC_ALLOC_SAMPLE_SIZE].u *
	    v[REC_ALLOC_SAMPLE_WEIGHT].u >> 16;

	return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

/* The end of everything, which an exec unmaps, is no page's. */
static bool
whole_pages(const struct val_pass *p, const struct record *r)
{
	const struct value *v = r->v;
	const struct bundle_manifest *m = &p->v->b.manifest;
	uint64_t page = m->host.page_size, end = v[REC_MAP_END].u;

	return !p->v->b.have[BUNDLE_MANIFEST] ||
	    (v[REC_MAP_START].u % page == 0 &&
	    v[REC_MAP_OFFSET].u % page == 0 &&
	    (end % page == 0 || (end == UINT64_MAX &&
	    r->kind == KIND_UNMAP && v[REC_MAP_START].u == 0)));
}

/* spool_has_fd(); the same call often comes again. */
static bool
takes_fd(struct val_pass *p, const struct value *name)
{
	if (name->len >= sizeof(p->call))
		return spool_has_fd(name->s, name->len);
	if (strlen(p->call) != name->len ||
	    memcmp(p->call, name->s, name->len) != 0) {
		memcpy(p->call, name->s, name->len);
		p->call[name->len] = '\0';
		p->call_fd = spool_has_fd(name->s, name->len);
	}
	return p->call_fd;
}

static bool
never_returns(const struct value *name)
{
	return (name->len == 4 && memcmp(name->s, "exit", 4) == 0) ||
	    (name->len == 10 && memcmp(name->s, "exit_group", 10) == 0);
}

/* What a call's columns say that cannot be, or NULL. */
static const char *
call_wrong(struct val_pass *p, const struct value *v)
{
	if ((v[REC_SYSCALL_ERRNO].u != 0) != (v[REC_SYSCALL_RET].i == -1))
		return "ret is -1 if and only if errno is not 0";
	if (v[REC_SYSCALL_FD].given != takes_fd(p, &v[REC_SYSCALL_NAME]))
		return WRONG_FD;
	if (never_returns(&v[REC_SYSCALL_NAME]))
		return "exit() and exit_group() never return";
	return NULL;
}

static const char *
mapping_wrong(const struct val_pass *p, const struct record *r)
{
	if (r->v[REC_MAP_START].u >= r->v[REC_MAP_END].u)
		return "end is not after start";
	return whole_pages(p, r) ? NULL :
	    "start, end or offset is within a page";
}

/* What columns of one record say of each other that cannot be, or NULL. */
static const char *
values_wrong(struct val_pass *p, const struct record *r)
{
	const struct value *v = r->v;
	bool context = v[REC_RT].given && v[REC_SPAN].given;

	switch (r->kind) {
	case KIND_MAP:
	case KIND_UNMAP:
		return mapping_wrong(p, r);
	case KIND_SYSCALL:
		return call_wrong(p, v);
	case KIND_SYSCALL_OPEN:
		return v[REC_SYSCALL_OPEN_FD].given == takes_fd(p,
		    &v[REC_SYSCALL_OPEN_NAME]) ? NULL : WRONG_FD;
	case KIND_IO_DONE:
		return v[REC_IO_DONE_ERRNO].u == 0 ||
		    v[REC_IO_DONE_BYTES].u == 0 ? NULL :
		    "an error, and bytes were moved";
	case KIND_ALLOC_SAMPLE:
	case KIND_FREE_SAMPLE:
		return weighed(v) == v[REC_ALLOC_SAMPLE_BYTES].u ? NULL :
		    "bytes is not size times weight";
	case KIND_CTX_INSTALL:
	case KIND_CTX_REMOVE:
		return context ? NULL : "rt or span is not given";
	case KIND_SPAN_START:
	case KIND_SPAN_END:
		return context && v[REC_SPAN].u == v[REC_SPAN_START_ID].u ?
		    NULL : "the prefix's span is not id";
	case KIND_EVENT:
	case KIND_CONTROL:
	case KIND_GC_START:
	case KIND_GC_DONE:
	case KIND_GC_PAUSE:
		return v[REC_RT].given ? NULL : "rt is not given";
	default:
		return NULL;
	}
}

static void
check_values(struct val_pass *p, const struct record *r)
{
	const char *why = values_wrong(p, r);

	if (why != NULL)
		PASS_BAD(p, RECORD_VALUE, "%s", why);
	if (r->kind == KIND_CPU_SAMPLE && __builtin_add_overflow(p->v->samples,
	    r->v[REC_CPU_SAMPLE_COUNT].u, &p->v->samples))
		p->v->samples = UINT64_MAX;
}

/* No processor has a number that is not possible on the host. */
static void
check_cpu(struct val_pass *p, const struct value *cpu)
{
	const struct maybe_u64 *ids = &p->v->b.manifest.host.cpu_ids;

	if (cpu->given && ids->known && cpu->u >= ids->v)
		PASS_BAD(p, RECORD_RANGE, "processor %" PRIu64 " is none of "
		    "the host's %" PRIu64, cpu->u, ids->v);
}

static int
check_record(struct val_pass *p, const struct val_pass_ops *ops,
    const struct record *r)
{
	p->ts = r->v[REC_TS].u;
	check_order(p, r);
	check_cpu(p, &r->v[REC_CPU]);
	if (r->kind == KIND_OVF) {
		val_drops_record(p, r);
		return 0;
	}
	p->records++;
	p->end = end_of(r);
	p->pid = r->v[REC_PID].u;
	p->tid = r->v[REC_TID].u;
	p->member = -1;
	if (check_window(p, r))
		check_member(p);
	check_values(p, r);
	if (p->family == FAMILY_PROCS || p->family == FAMILY_MAPS) {
		if (r->v[REC_RT].given || r->v[REC_SPAN].given)
			PASS_BAD(p, CTX_JOIN, "births and mappings are of no "
			    "runtime or span");
	}
	if (p->family != FAMILY_PROCS && val_thread(p, r) &&
	    p->member != -1 && p->family != FAMILY_MAPS &&
	    p->family != FAMILY_SPANS)
		val_ctx_check(p, r);
	return ops != NULL && ops->record != NULL ? ops->record(p, r) : 0;
}

static void
progress(const struct val_pass *p, const struct record_reader *rd)
{
	if (p->v->opt->progress != NULL && record_line(rd) % 8192 == 0)
		p->v->opt->progress(p->v->opt->progress_arg, p->path,
		    record_offset(rd));
}

static int
read_all(struct val_pass *p, const struct val_pass_ops *ops,
    struct record_reader *rd, struct val_headers *h)
{
	struct record r;
	struct msg m;

	msg_clear(&m);
	for (;;) {
		progress(p, rd);
		switch (record_read(rd, &r, &m)) {
		case RECORD_END:
			return 0;
		case RECORD_FAILED:
			*p->m = m;
			return -1;
		case RECORD_HEADER:
			p->line = record_line(rd);
			val_header(h, record_header_key(rd),
			    record_header_rest(rd));
			break;
		case RECORD_MALFORMED:
			p->bad = true;
			if (val_found_msg(p->v, &m) == -1) {
				*p->m = m;
				return -1;
			}
			msg_clear(&m);
			break;
		case RECORD_GOOD:
			p->line = record_line(rd);
			if (check_record(p, ops, &r) == -1)
				return -1;
			break;
		}
	}
}

static int
run(struct val_pass *p, const struct val_pass_ops *ops,
    struct record_reader *rd)
{
	struct val_headers h = { .p = p };
	int rc = val_drops_begin(p);

	if (rc == 0 && ops != NULL && ops->begin != NULL)
		rc = ops->begin(p);
	if (rc == 0)
		rc = read_all(p, ops, rd, &h);
	if (rc == 0 && record_line(rd) == 0)
		val_found(p->v, FINDING_HEADER_FORMAT, p->path, 0,
		    "the file is empty");
	else if (rc == 0 && (h.seen & 1u) != 0)
		val_headers_end(&h);
	if (ops != NULL && ops->end != NULL && ops->end(p) == -1)
		rc = -1;
	val_drops_end(p);
	return rc;
}

static int
pass(struct val *v, enum schema_family f, const struct val_pass_ops *ops,
    struct msg *m)
{
	struct val_pass p = {
		.v = v, .family = f, .path = bundle_raw_path(f), .m = m,
	};
	struct record_reader *rd;
	int rc;

	if (val_file(v, p.path) == NULL)
		return 0;
	if ((rd = record_reader_open(v->dirfd, p.path, f, m)) == NULL)
		return -1;
	rc = run(&p, ops, rd);
	record_reader_free(rd);
	v->records[f] = p.records;
	v->whole[f] = rc == 0 && !p.bad;
	return rc;
}

int
val_records(struct val *v, struct msg *m)
{
	size_t i;

	v->spans = val_file(v, bundle_raw_path(FAMILY_SPANS)) != NULL;
	if (v->b.have[BUNDLE_COHORT]) {
		v->members = calloc(v->b.cohort.members.n + 1,
		    sizeof(*v->members));
		if (v->members == NULL)
			return msg_set_nomem(m);
	}
	for (i = 0; i < FAMILY_COUNT; i++)
		if (pass(v, order[i].family, order[i].ops, m) == -1)
			return -1;
	return 0;
}
