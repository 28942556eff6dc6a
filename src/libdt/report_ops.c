/* What sections of named operations have in common. */
#include <stdlib.h>
#include <string.h>

#include "libdt/report_ops.h"

struct op *
ops_add(struct ops *o, const char *s, size_t n, uint64_t from, uint64_t to)
{
	ssize_t i = names_add(&o->names, s, n);
	struct op *v;

	if (i == -1 ||
	    (v = names_room(o->v, &o->cap, (size_t)i, sizeof(*v))) == NULL)
		return NULL;
	o->v = v;
	v = &o->v[i];
	v->from = v->from == 0 || from < v->from ? from : v->from;
	v->to = to > v->to ? to : v->to;
	return v;
}

static void
ops_free(struct ops *o)
{
	size_t i;

	for (i = 0; i < o->names.n && i < o->cap; i++)
		durations_free(&o->v[i].dur);
	names_free(&o->names);
	names_free(&o->open);
	free(o->open_name);
	free(o->v);
}

void
ops_pair(struct report *r, struct cell *a, struct cell *b, const char *s)
{
	const char *tab = strchr(s, '\t');

	if (a != NULL)
		cell_text_n(r, a, s, (size_t)(tab - s));
	if (tab[1] != '\0')
		cell_text(r, b, tab + 1);
}

static void
fill(struct report *r, const struct ops_section *def, const struct ops *o,
    const struct gaps *g)
{
	struct report_section *s;
	struct report_table *t;
	struct cell *c;
	size_t i;

	s = report_section(r, schema_family(def->family)->name, def->title);
	t = report_table(r, s, def->table_id, def->table_title, def->col,
	    def->ncol);
	t->csv = t->lower = true;
	for (i = 0; i < o->names.n; i++) {
		c = report_row(r, t);
		def->row(r, o, c, o->names.v[i].s, &o->v[i]);
		cell_u64(&c[def->ncol - 1], gaps_overlap(g, o->v[i].from,
		    o->v[i].to));
	}
	report_sort(t, def->sort, 2);
	def->facts(r, s, o);
}

int
ops_report(struct report *r, const struct bundle *b,
    const struct ops_section *def, struct msg *m)
{
	struct ops o = { 0 };
	struct gaps g;
	int rv;

	rv = report_read(r, b, def->family, def->add, &o, m);
	if (rv == 0 && gaps_of(&g, b, def->family) == -1)
		rv = msg_set_nomem(m);
	if (rv == 0) {
		fill(r, def, &o, &g);
		gaps_free(&g);
	}
	ops_free(&o);
	return rv < 0 ? -1 : 0;
}
