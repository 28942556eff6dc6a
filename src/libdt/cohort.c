/* The cohort of a struct bundle: members by pid and time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "libdt/array.h"
#include "libdt/bundle.h"

struct order {
	uint64_t pid, start;
	uint32_t index;
};

static int
order_cmp(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

int
bundle_cohort_index(struct bundle_cohort *c, struct maybe_u64 drained,
    struct msg *m)
{
	struct order *o = calloc(c->members.n + 1, sizeof(*o));
	size_t i;

	bundle_cohort_unindex(c);
	c->by_pid = calloc(c->members.n + 1, sizeof(*c->by_pid));
	if (o == NULL || c->by_pid == NULL) {
		free(o);
		bundle_cohort_unindex(c);
		return msg_set_nomem(m);
	}
	for (i = 0; i < c->members.n; i++)
		o[i] = (struct order){ c->members.v[i].pid,
			c->members.v[i].start, (uint32_t)i };
	qsort(o, c->members.n, sizeof(*o), order_cmp);
	for (i = 0; i < c->members.n; i++)
		c->by_pid[i] = o[i].index;
	free(o);
	c->drained = drained.known ? drained.v : UINT64_MAX;
	return 0;
}

void
bundle_cohort_unindex(struct bundle_cohort *c)
{
	free(c->by_pid);
	c->by_pid = NULL;
}

/* The time a member may have lived from: its start, less what is unknown. */
static uint64_t
earliest(const struct bundle_member *x)
{
	return x->start > x->start_resolution_ns ?
	    x->start - x->start_resolution_ns : 0;
}

static bool
is_past(const struct bundle_member *x, uint64_t pid, uint64_t ts)
{
	return x->pid > pid || (x->pid == pid && earliest(x) > ts);
}

ssize_t
bundle_member_before(const struct bundle_cohort *c, uint64_t pid, uint64_t ts)
{
	size_t past;

	ARRAY_FIRST(past, c->members.n,
	    is_past(&c->members.v[c->by_pid[past]], pid, ts));
	if (past == 0 || c->members.v[c->by_pid[past - 1]].pid != pid)
		return -1;
	return (ssize_t)c->by_pid[past - 1];
}

ssize_t
bundle_member_at(const struct bundle_cohort *c, uint64_t pid, uint64_t ts)
{
	ssize_t i = bundle_member_before(c, pid, ts);
	const struct bundle_member *x;

	if (i == -1)
		return -1;
	x = &c->members.v[i];
	return ts <= (x->died.known ? x->died.v : c->drained) ? i : -1;
}

void
bundle_incarnation(char *buf, const char *boot_id, uint64_t pid,
    uint64_t start)
{
	(void)snprintf(buf, BUNDLE_INCARNATION, "%s:%" PRIu64 ":%" PRIu64,
	    boot_id, pid, start);
}
