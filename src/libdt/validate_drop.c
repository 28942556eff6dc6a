/* Records of drops (ovf) against the drop intervals of collectors.json. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/validate_pass.h"

static int
u64_cmp(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int
drop_cmp(const void *a, const void *b)
{
	const struct bundle_drop *x = ((const struct val_drop *)a)->d;
	const struct bundle_drop *y = ((const struct val_drop *)b)->d;
	int c;

	if ((c = u64_cmp(x->from, y->from)) != 0 ||
	    (c = u64_cmp(x->to, y->to)) != 0 ||
	    (c = u64_cmp(x->count, y->count)) != 0 ||
	    (c = x->cpu.known - y->cpu.known) != 0 ||
	    (x->cpu.known && (c = u64_cmp(x->cpu.v, y->cpu.v)) != 0))
		return c;
	return strcmp(x->why, y->why);
}

int
val_drops_begin(struct val_pass *p)
{
	const struct bundle_collectors *c = &p->v->b.collectors;
	size_t i, k, n = 0;
	uint64_t least = UINT64_MAX;

	for (i = 0; i < c->collectors.n; i++)
		if (c->collectors.v[i].family == (int)p->family)
			n += c->collectors.v[i].drops.n;
	p->drops = calloc(n + 1, sizeof(*p->drops));
	p->min_to = calloc(n + 1, sizeof(*p->min_to));
	if (p->drops == NULL || p->min_to == NULL)
		return msg_set_nomem(p->m);
	for (i = 0; i < c->collectors.n; i++)
		for (k = 0; c->collectors.v[i].family == (int)p->family &&
		    k < c->collectors.v[i].drops.n; k++)
			p->drops[p->ndrops++].d =
			    &c->collectors.v[i].drops.v[k];
	qsort(p->drops, p->ndrops, sizeof(*p->drops), drop_cmp);
	for (i = p->ndrops; i-- > 0;) {
		if (p->drops[i].d->to < least)
			least = p->drops[i].d->to;
		p->min_to[i] = least;
	}
	return 0;
}

/* The first drop that is not less than d. */
static size_t
lower(const struct val_pass *p, const struct bundle_drop *d)
{
	struct val_drop key = { d, 0 };
	size_t i;

	ARRAY_FIRST(i, p->ndrops, drop_cmp(&p->drops[i], &key) >= 0);
	return i;
}

void
val_drops_record(struct val_pass *p, const struct record *r)
{
	const struct value *why = &r->v[REC_OVF_WHY];
	const struct value *cpu = &r->v[REC_CPU];
	char text[1024];
	struct bundle_drop d = {
		.from = r->v[REC_OVF_FROM].u,
		.to = r->v[REC_OVF_TO].u,
		.count = r->v[REC_OVF_COUNT].u,
		.why = text,
		.cpu = { cpu->given, cpu->given ? cpu->u : 0 },
	};
	struct val_drop key = { &d, 0 };
	size_t i, n;

	if (d.from > d.to || d.from != p->ts) {
		PASS_BAD(p, RECORD_VALUE, "from, to and ts are out of order");
		return;
	}
	if (!p->v->b.have[BUNDLE_COLLECTORS])
		return;
	n = why->len < sizeof(text) ? why->len : sizeof(text) - 1;
	memcpy(text, why->s, n);
	text[n] = '\0';
	i = lower(p, &d);
	if (i == p->ndrops || drop_cmp(&p->drops[i], &key) != 0) {
		PASS_BAD(p, DROP_RECORD, "no drop interval of its collectors "
		    "is like it");
		return;
	}
	n = i + p->drops[i].seen++;
	if (n >= p->ndrops || drop_cmp(&p->drops[n], &key) != 0)
		PASS_BAD(p, DROP_RECORD, "its drop interval has a record "
		    "already");
}

void
val_drops_end(struct val_pass *p)
{
	size_t i, first = 0;

	for (i = 0; p->drops != NULL && i < p->ndrops; i++) {
		if (i > 0 && drop_cmp(&p->drops[i - 1], &p->drops[i]) != 0)
			first = i;
		if (!p->bad && i - first >= p->drops[first].seen)
			val_found(p->v, FINDING_DROP_RECORD, p->path, 0,
			    "there is no ovf record of the drop interval from %"
			    PRIu64 " to %" PRIu64, p->drops[i].d->from,
			    p->drops[i].d->to);
	}
	free(p->drops);
	free(p->min_to);
	p->drops = NULL;
	p->min_to = NULL;
}

bool
val_drops_within(const struct val_pass *p, uint64_t from, uint64_t to)
{
	size_t i;

	ARRAY_FIRST(i, p->ndrops, p->drops[i].d->from > from);
	return i < p->ndrops && p->min_to[i] < to;
}
