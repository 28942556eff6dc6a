/*
 * Changes of raw/: lines and columns, headers and records.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/schema.h"
#include "mutation.h"

static void
with_line(struct mutation *m, const char *file, struct edit_lines *l,
    size_t at, char *line, const char *what, const char *op)
{
	char name[512], *old = l->v[at];

	l->v[at] = line;
	edit_lines_write(l, m->cwd, file);
	(void)snprintf(name, sizeof(name), "%s:%s:%s", file, what, op);
	mutation_try(m, name);
	l->v[at] = old;
	free(line);
}

/* Drop, double, exchange with the next. */
static void
line_mutants(struct mutation *m, const char *file, struct edit_lines *l,
    size_t i, const char *what)
{
	char *next;

	with_line(m, file, l, i, strdup(""), what, "drop");
	with_line(m, file, l, i, mutation_join(l->v[i], l->v[i]), what,
	    "twice");
	if (i + 1 == l->n)
		return;
	next = l->v[i + 1];
	l->v[i + 1] = "";
	with_line(m, file, l, i, mutation_join(next, l->v[i]), what, "swap");
	l->v[i + 1] = next;
}

/* The line without column c, or with it twice. */
static char *
reshape(const char *line, size_t c, bool twice)
{
	char *f = edit_get(line, c), *s, *t;

	if (twice) {
		if (asprintf(&t, "%s\t%s", f, f) < 0)
			edit_die("out of memory");
		s = edit_field(line, c, t);
		free(t);
	} else {
		s = edit_field(line, c, "\001");
		t = strchr(s, '\001');
		if (t[1] == '\t')
			memmove(t, t + 2, strlen(t + 2) + 1);
		else		/* the last: its tab goes, too */
			memmove(t - 1, t + 1, strlen(t + 1) + 1);
	}
	free(f);
	return s;
}

/* Another value of the column's type. */
static char *
other_field(const char *f)
{
	char *end, *s;
	long long v = strtoll(f, &end, 10);

	if (strcmp(f, "-") == 0)
		return strdup("1");
	if (*f != '\0' && *end == '\0') {
		if (asprintf(&s, "%lld", v + 1) < 0)
			edit_die("out of memory");
		return s;
	}
	return mutation_text(f);
}

static void
column_mutants(struct mutation *m, const char *file, struct edit_lines *l,
    size_t i, enum schema_kind kind)
{
	char what[256], *f, *g;
	size_t c;

	for (c = 0; c < schema_ncols(kind); c++) {
		(void)snprintf(what, sizeof(what), "%s/%s",
		    schema_kind(kind)->name, schema_col(kind, c)->name);
		f = edit_get(l->v[i], c);
		g = other_field(f);
		with_line(m, file, l, i, edit_field(l->v[i], c, g), what,
		    "change");
		if (strcmp(f, "-") != 0)
			with_line(m, file, l, i, edit_field(l->v[i], c, "-"),
			    what, "null");
		with_line(m, file, l, i, reshape(l->v[i], c, false), what,
		    "drop");
		with_line(m, file, l, i, reshape(l->v[i], c, true), what,
		    "twice");
		free(f);
		free(g);
	}
}

static void
header_mutants(struct mutation *m, const char *file, struct edit_lines *l,
    size_t i)
{
	char what[64];

	(void)snprintf(what, sizeof(what), "%.*s", (int)strcspn(l->v[i],
	    " \n"), l->v[i]);
	line_mutants(m, file, l, i, what);
	with_line(m, file, l, i, mutation_join("#x", l->v[i] + 1), what,
	    "rename");
	l->v[i][strlen(l->v[i]) - 1] = '\0';
	with_line(m, file, l, i, mutation_join(l->v[i], "x\n"), what, "change");
	l->v[i][strlen(l->v[i])] = '\n';
}

void
mutate_records(struct mutation *m, const char *file)
{
	struct edit_lines l;
	size_t i, len;
	char *old, *k;
	int kind;

	if (!mutation_wants(m, file))
		return;
	old = edit_read(m->cwd, file, &len);
	edit_lines_read(&l, m->cwd, file);
	for (i = 0; i < l.n; i++) {
		if (l.v[i][0] == '#') {
			header_mutants(m, file, &l, i);
			continue;
		}
		k = edit_get(l.v[i], 1);
		kind = schema_kind_find(k, strlen(k));
		if (kind == -1)
			edit_die("%s: kind %s", file, k);
		line_mutants(m, file, &l, i, k);
		column_mutants(m, file, &l, i, (enum schema_kind)kind);
		free(k);
	}
	edit_write(m->cwd, file, old, len);
	edit_lines_free(&l);
	free(old);
}
