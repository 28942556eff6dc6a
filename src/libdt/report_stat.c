/* Numbers of reports: durations, shares, loss intervals, how they read. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/report_model.h"

int
durations_add(struct durations *d, uint64_t ns)
{
	if (ARRAY_ROOM(d->v, d->n, d->cap) == -1)
		return -1;
	d->v[d->n++] = ns;
	d->sum += ns;
	d->sorted = false;
	return 0;
}

static int
u64_cmp(const void *va, const void *vb)
{
	uint64_t a = *(const uint64_t *)va, b = *(const uint64_t *)vb;

	return (a > b) - (a < b);
}

uint64_t
durations_at(struct durations *d, unsigned permille)
{
	size_t rank;

	if (d->n == 0)
		return 0;
	if (!d->sorted) {
		qsort(d->v, d->n, sizeof(*d->v), u64_cmp);
		d->sorted = true;
	}
	rank = (size_t)(((unsigned __int128)d->n * permille + 999) / 1000);
	return d->v[rank > 0 ? rank - 1 : 0];
}

uint64_t
durations_max(struct durations *d)
{
	return durations_at(d, 1000);
}

void
durations_free(struct durations *d)
{
	free(d->v);
	memset(d, 0, sizeof(*d));
}

uint64_t
share(uint64_t part, uint64_t whole)
{
	if (whole == 0)
		return 0;
	return (uint64_t)(((unsigned __int128)part * 1000000 + whole / 2) /
	    whole);
}

static int
gap_cmp(const void *va, const void *vb)
{
	const struct gap *a = va, *b = vb;

	return (a->from > b->from) - (a->from < b->from);
}

static size_t
drops_of(const struct bundle *b, enum schema_family f, struct gap *v)
{
	const struct bundle_collectors *all = &b->collectors;
	const struct bundle_collector *c;
	size_t i, k, n = 0;

	for (i = 0; i < all->collectors.n; i++) {
		c = &all->collectors.v[i];
		if (c->family != (int)f)
			continue;
		for (k = 0; v != NULL && k < c->drops.n; k++)
			v[n + k] = (struct gap){ c->drops.v[k].from,
				c->drops.v[k].to };
		n += c->drops.n;
	}
	return n;
}

int
gaps_of(struct gaps *g, const struct bundle *b, enum schema_family f)
{
	size_t i;

	g->v = NULL;
	g->n = drops_of(b, f, NULL);
	if (g->n == 0)
		return 0;
	if ((g->v = calloc(g->n, sizeof(*g->v))) == NULL)
		return -1;
	(void)drops_of(b, f, g->v);
	qsort(g->v, g->n, sizeof(*g->v), gap_cmp);
	for (i = 1; i < g->n; i++)
		if (g->v[i].to < g->v[i - 1].to)
			g->v[i].to = g->v[i - 1].to;
	return 0;
}

bool
gaps_overlap(const struct gaps *g, uint64_t from, uint64_t to)
{
	size_t i;

	ARRAY_FIRST(i, g->n, g->v[i].from > to);
	return i > 0 && from <= g->v[i - 1].to;
}

void
gaps_free(struct gaps *g)
{
	free(g->v);
	g->v = NULL;
	g->n = 0;
}

/* Decimal digits in groups of three. */
static size_t
grouped(uint64_t v, char *buf, size_t cap)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, v), i;
	size_t at = 0;

	for (i = 0; i < n && at + 2 < cap; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
	return at;
}

static size_t
scaled(double v, const char *const *unit, double step, char *buf, size_t cap)
{
	while (v >= step && unit[1] != NULL) {
		v /= step;
		unit++;
	}
	return (size_t)snprintf(buf, cap, v >= 100 ? "%.0f %s" :
	    v >= 10 ? "%.1f %s" : "%.2f %s", v, *unit);
}

size_t
cell_show(const struct cell *c, enum cell_type type, char *buf, size_t cap)
{
	static const char *const time_unit[] = { "µs", "ms", "s", NULL };
	static const char *const byte_unit[] = { "KiB", "MiB", "GiB", "TiB",
	    NULL };

	if (!c->given)
		return (size_t)snprintf(buf, cap, "–");
	switch (type) {
	case CELL_TEXT:
		return (size_t)snprintf(buf, cap, "%s", c->s);
	case CELL_COUNT:
		return grouped(c->u, buf, cap);
	case CELL_INT:
		return (size_t)snprintf(buf, cap, "%" PRId64, c->i);
	case CELL_NS:
		if (c->u < 1000)
			return (size_t)snprintf(buf, cap, "%" PRIu64 " ns",
			    c->u);
		return scaled((double)c->u / 1e3, time_unit, 1e3, buf, cap);
	case CELL_BYTES:
		if (c->u < 1024)
			return (size_t)snprintf(buf, cap, "%" PRIu64 " B",
			    c->u);
		return scaled((double)c->u / 1024, byte_unit, 1024, buf, cap);
	case CELL_SHARE:
		return (size_t)snprintf(buf, cap, "%.2f %%",
		    (double)c->u / 1e4);
	case CELL_FLAG:
		return (size_t)snprintf(buf, cap, "%s", c->u ? "≥" : "");
	}
	return 0;
}

void
duration_cells(struct cell *c, struct durations *d, uint64_t all)
{
	cell_u64(&c[0], d->sum);
	cell_u64(&c[1], share(d->sum, all));
	c += 2;
	if (d->n == 0)
		return;
	cell_u64(&c[0], durations_at(d, 500));
	cell_u64(&c[1], durations_at(d, 990));
	cell_u64(&c[2], durations_max(d));
}
