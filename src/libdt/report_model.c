/* Reports made: sections, facts and tables, and their memory. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "libdt/fold.h"
#include "libdt/report.h"
#include "libdt/report_model.h"

#define BLOCK_BYTES	65536
#define SECTIONS_MAX	16
#define FACTS_MAX	32	/* in a section */
#define TABLES_MAX	4	/* in a section */

struct report_mem {
	struct report_mem *next;
	size_t used, cap;
	_Alignas(16) char bytes[];
};

void *
report_alloc(struct report *r, size_t n)
{
	struct report_mem *b = r->mem;
	size_t cap;
	void *p;

	n = (n + 15) & ~(size_t)15;
	if (b == NULL || b->cap - b->used < n) {
		cap = n > BLOCK_BYTES ? n : BLOCK_BYTES;
		if ((b = malloc(sizeof(*b) + cap)) == NULL) {
			r->nomem = true;
			return NULL;
		}
		b->next = r->mem;
		b->used = 0;
		b->cap = cap;
		r->mem = b;
	}
	p = b->bytes + b->used;
	b->used += n;
	memset(p, 0, n);
	return p;
}

const char *
report_copy(struct report *r, const char *s, size_t n)
{
	char *p = report_alloc(r, n + 1);

	if (p == NULL)
		return "";
	memcpy(p, s, n);
	return p;
}

/* Stand-ins that take what there is no memory for. */
static struct report_section *
spare_section(struct report *r)
{
	r->nomem = true;
	return &r->section[SECTIONS_MAX];
}

struct report_section *
report_section(struct report *r, const char *id, const char *title)
{
	struct report_section *s;

	if (r->nsection == SECTIONS_MAX)
		return spare_section(r);
	s = &r->section[r->nsection];
	s->fact = report_alloc(r, FACTS_MAX * sizeof(*s->fact));
	s->table = report_alloc(r, TABLES_MAX * sizeof(*s->table));
	if (s->fact == NULL || s->table == NULL)
		return spare_section(r);
	s->id = id;
	s->title = title;
	r->nsection++;
	return s;
}

static struct cell *
add_fact(struct report *r, struct report_section *s, const char *id,
    const char *label, enum cell_type type)
{
	struct report_fact *f;

	if (s->fact == NULL || s->nfact == FACTS_MAX) {
		r->nomem = true;
		return NULL;
	}
	f = &s->fact[s->nfact++];
	f->id = id;
	f->label = label;
	f->type = type;
	return &f->v;
}

void
report_fact_text(struct report *r, struct report_section *s, const char *id,
    const char *label, const char *text)
{
	struct cell *c = add_fact(r, s, id, label, CELL_TEXT);

	if (c != NULL && text != NULL)
		cell_text(r, c, text);
}

void
report_fact_u64(struct report *r, struct report_section *s, const char *id,
    const char *label, enum cell_type type, uint64_t v)
{
	struct cell *c = add_fact(r, s, id, label, type);

	if (c != NULL)
		cell_u64(c, v);
}

void
report_fact_maybe(struct report *r, struct report_section *s, const char *id,
    const char *label, enum cell_type type, struct maybe_u64 v)
{
	struct cell *c = add_fact(r, s, id, label, type);

	if (c != NULL)
		cell_maybe(c, v);
}

struct report_table *
report_table(struct report *r, struct report_section *s, const char *id,
    const char *title, const struct report_col *col, size_t ncol)
{
	struct report_table *t;

	if (s->table == NULL || s->ntable == TABLES_MAX) {
		r->nomem = true;
		return &r->section[SECTIONS_MAX].table[0];
	}
	t = &s->table[s->ntable++];
	t->id = id;
	t->title = title;
	t->col = col;
	t->ncol = ncol;
	return t;
}

struct cell *
report_row(struct report *r, struct report_table *t)
{
	struct cell *v;
	size_t cap;

	if (t->nrow == t->cap) {
		cap = t->cap != 0 ? t->cap * 2 : 16;
		v = report_alloc(r, cap * t->ncol * sizeof(*v));
		if (v == NULL) {
			/* the last row is written over; nomem tells */
			if (t->nrow > 0)
				return &t->cell[(t->nrow - 1) * t->ncol];
			return r->section[SECTIONS_MAX].table[0].cell;
		}
		if (t->nrow > 0)
			memcpy(v, t->cell, t->nrow * t->ncol * sizeof(*v));
		t->cell = v;
		t->cap = cap;
	}
	return &t->cell[t->nrow++ * t->ncol];
}

void
cell_u64(struct cell *c, uint64_t v)
{
	c->given = true;
	c->u = v;
}

void
cell_i64(struct cell *c, int64_t v)
{
	c->given = true;
	c->i = v;
}

void
cell_maybe(struct cell *c, struct maybe_u64 v)
{
	c->given = v.known;
	c->u = v.known ? v.v : 0;
}

void
cell_text_n(struct report *r, struct cell *c, const char *s, size_t n)
{
	/* how records write "-", which alone means something else there */
	bool minus = n == 4 && memcmp(s, "\\x2d", 4) == 0;

	c->given = true;
	c->s = minus ? "-" : report_copy(r, s, n);
}

void
cell_text(struct report *r, struct cell *c, const char *s)
{
	cell_text_n(r, c, s, strlen(s));
}

struct order {
	const struct report_table *t;
	size_t col[2];
};

static int
row_cmp(const void *va, const void *vb, void *arg)
{
	const struct order *o = arg;
	const struct cell *a = va, *b = vb;
	size_t i;
	int c;

	for (i = 0; i < 2; i++)
		if (a[o->col[i]].u != b[o->col[i]].u)
			return a[o->col[i]].u < b[o->col[i]].u ? 1 : -1;
	for (i = 0; i < o->t->ncol; i++) {
		if (o->t->col[i].type == CELL_TEXT && a[i].given &&
		    b[i].given && (c = strcmp(a[i].s, b[i].s)) != 0)
			return c;
		if (o->t->col[i].type != CELL_TEXT && a[i].u != b[i].u)
			return a[i].u < b[i].u ? -1 : 1;
	}
	return 0;
}

void
report_sort(struct report_table *t, size_t col, size_t col2)
{
	struct order o = { t, { col, col2 } };

	if (t->nrow > 1)
		qsort_r(t->cell, t->nrow, t->ncol * sizeof(*t->cell), row_cmp,
		    &o);
}

/* An empty report with room for its sections and the stand-ins. */
static struct report *
new_report(struct msg *m)
{
	struct report *r;
	struct report_section *spare;

	if ((r = calloc(1, sizeof(*r))) == NULL) {
		(void)msg_set_nomem(m);
		return NULL;
	}
	r->section = report_alloc(r, (SECTIONS_MAX + 1) *
	    sizeof(*r->section));
	if (r->section == NULL)
		goto fail;
	spare = &r->section[SECTIONS_MAX];
	spare->table = report_alloc(r, sizeof(*spare->table));
	if (spare->table == NULL)
		goto fail;
	spare->table->cell = report_alloc(r, 32 * sizeof(struct cell));
	spare->table->ncol = 32;
	if (spare->table->cell == NULL)
		goto fail;
	return r;
fail:
	report_free(r);
	(void)msg_set_nomem(m);
	return NULL;
}

typedef int section_fn(struct report *r, const struct bundle *b,
    struct msg *m);

static section_fn *const sections[] = {
	report_run, report_cohort, report_cpu, report_syscalls, report_io,
	report_allocations, report_gc, report_spans, report_losses,
	report_cost,
};

/* Flags that no row has, looked for once. */
static void
hide_columns(struct report_table *t)
{
	size_t i, j;

	for (j = 0; j < t->ncol; j++) {
		if (t->col[j].type != CELL_FLAG)
			continue;
		for (i = 0; i < t->nrow; i++)
			if (t->cell[i * t->ncol + j].u != 0)
				break;
		if (i == t->nrow)
			t->hidden |= UINT64_C(1) << j;
	}
}

struct report *
report_new(const struct bundle *b, struct msg *m)
{
	struct report *r;
	char word[32];
	size_t i, j;

	if ((r = new_report(m)) == NULL)
		return NULL;
	r->title = b->manifest.name;
	(void)bundle_word(BUNDLE_VERDICTS, b->validation.verdict, word,
	    sizeof(word));
	r->verdict = report_copy(r, word, strlen(word));
	for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (sections[i](r, b, m) == -1) {
			report_free(r);
			return NULL;
		}
	if (r->nomem) {
		report_free(r);
		(void)msg_set_nomem(m);
		return NULL;
	}
	for (i = 0; i < r->nsection; i++)
		for (j = 0; j < r->section[i].ntable; j++)
			hide_columns(&r->section[i].table[j]);
	return r;
}

void
report_free(struct report *r)
{
	struct report_mem *b;

	if (r == NULL)
		return;
	fold_free(r->cpu);
	while ((b = r->mem) != NULL) {
		r->mem = b->next;
		free(b);
	}
	free(r);
}

uint64_t
report_malformed(const struct report *r)
{
	return r->malformed;
}

int
report_read(struct report *r, const struct bundle *b, enum schema_family f,
    int (*fn)(void *, const struct record *), void *arg, struct msg *m)
{
	struct record_reader *rd;
	enum record_got got;
	struct record rec;
	int rv = 0;

	if (!bundle_has_raw(b, f))
		return 1;
	if ((rd = bundle_raw_open(b, f, m)) == NULL)
		return -1;
	while (rv == 0 && (got = record_next(rd, &rec, m)) != RECORD_END) {
		if (got == RECORD_FAILED)
			rv = -1;
		else if (got == RECORD_MALFORMED)
			r->malformed++;
		else if (fn(arg, &rec) == -1)
			rv = msg_set_nomem(m);
	}
	record_reader_free(rd);
	return rv;
}
