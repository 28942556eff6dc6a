/* Reports as JSON, Markdown and CSV. */
#include "config.h"

#include <csv.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/json.h"
#include "libdt/report.h"
#include "libdt/report_model.h"
#include "libdt/report_print.h"

#define MD_ROWS	30		/* of a table; CSV and JSON have them all */

static int
json_cell(cJSON *to, const char *name, enum cell_type type,
    const struct cell *c)
{
	if (!c->given)
		return json_add_null(to, name);
	switch (type) {
	case CELL_TEXT:
		return json_add_str(to, name, c->s);
	case CELL_INT:
		return json_add_i64(to, name, c->i);
	case CELL_FLAG:
		return json_add_bool(to, name, c->u != 0);
	case CELL_SHARE:
		return json_add_double(to, name, (double)c->u / 1e6);
	default:
		return json_add_u64(to, name, c->u);
	}
}

static int
json_table(cJSON *to, const struct report_table *t)
{
	cJSON *rows = json_add_array(to, t->id), *row;
	size_t i, j;
	int rv = 0;

	for (i = 0; i < t->nrow; i++) {
		row = json_add_object(rows, NULL);
		for (j = 0; j < t->ncol; j++)
			rv |= json_cell(row, t->col[j].id, t->col[j].type,
			    &t->cell[i * t->ncol + j]);
	}
	return rows == NULL ? -1 : rv;
}

cJSON *
report_json(const struct report *r, struct msg *m)
{
	cJSON *root = json_new_object(), *to;
	const struct report_section *s;
	size_t i, j;
	int rv = 0;

	rv |= json_add_str(root, "schema", REPORT_SCHEMA);
	rv |= json_add_str(root, "name", r->title);
	for (i = 0; i < r->nsection; i++) {
		s = &r->section[i];
		to = json_add_object(root, s->id);
		for (j = 0; j < s->nfact; j++)
			rv |= json_cell(to, s->fact[j].id, s->fact[j].type,
			    &s->fact[j].v);
		for (j = 0; j < s->ntable; j++)
			rv |= json_table(to, &s->table[j]);
	}
	if (rv == 0)
		return root;
	cJSON_Delete(root);
	(void)msg_set_nomem(m);
	return NULL;
}

int
report_print_json(const struct report *r, struct out *o, struct msg *m)
{
	cJSON *tree = report_json(r, m);
	char *text;
	size_t n;

	if (tree == NULL)
		return -1;
	text = json_print(tree, &n, m);
	cJSON_Delete(tree);
	if (text == NULL)
		return -1;
	(void)out_write(o, text, n);
	free(text);
	return 0;
}

/* Text in a Markdown table or line: nothing in it may be markup. */
static void
md_text(struct out *o, const char *s)
{
	for (; *s != '\0'; s++) {
		if (strchr("\\`*_{}[]<>|#", *s) != NULL)
			(void)out_putc(o, '\\');
		(void)out_putc(o, *s);
	}
}

bool
report_col_shown(const struct report_table *t, size_t col)
{
	return (t->hidden >> col & 1) == 0;
}

static bool
is_number(enum cell_type type)
{
	return type != CELL_TEXT && type != CELL_FLAG;
}

static void
md_cell(struct out *o, enum cell_type type, const struct cell *c)
{
	char buf[64];

	if (type == CELL_TEXT && c->given) {
		md_text(o, c->s);
		return;
	}
	(void)cell_show(c, type, buf, sizeof(buf));
	(void)out_puts(o, buf);
}

static void
md_table(struct out *o, const struct report_table *t)
{
	size_t i, j, n = t->nrow < MD_ROWS ? t->nrow : MD_ROWS;

	if (t->nrow == 0)
		return;
	(void)out_printf(o, "\n### %s\n\n|", t->title);
	for (j = 0; j < t->ncol; j++)
		if (report_col_shown(t, j))
			(void)out_printf(o, " %s |", t->col[j].label);
	(void)out_puts(o, "\n|");
	for (j = 0; j < t->ncol; j++)
		if (report_col_shown(t, j))
			(void)out_puts(o, is_number(t->col[j].type) ?
			    " ---: |" : " --- |");
	(void)out_putc(o, '\n');
	for (i = 0; i < n; i++) {
		(void)out_putc(o, '|');
		for (j = 0; j < t->ncol; j++) {
			if (!report_col_shown(t, j))
				continue;
			(void)out_putc(o, ' ');
			md_cell(o, t->col[j].type, &t->cell[i * t->ncol + j]);
			(void)out_puts(o, " |");
		}
		(void)out_putc(o, '\n');
	}
	if (n < t->nrow)
		(void)out_printf(o, "\n%zu more rows are in the JSON and CSV "
		    "forms.\n", t->nrow - n);
}

int
report_print_md(const struct report *r, struct out *o, struct msg *m)
{
	const struct report_section *s;
	size_t i, j;

	(void)m;
	(void)out_puts(o, "# ");
	md_text(o, r->title);
	(void)out_printf(o, ": %s\n", r->verdict);
	for (i = 0; i < r->nsection; i++) {
		s = &r->section[i];
		(void)out_printf(o, "\n## %s\n\n", s->title);
		for (j = 0; j < s->nfact; j++) {
			(void)out_printf(o, "- %s: ", s->fact[j].label);
			md_cell(o, s->fact[j].type, &s->fact[j].v);
			(void)out_putc(o, '\n');
		}
		if (s->note != NULL)
			(void)out_printf(o, "\n%s\n", s->note);
		for (j = 0; j < s->ntable; j++)
			md_table(o, &s->table[j]);
	}
	return 0;
}

static int
csv_field(struct out *o, const char *s)
{
	size_t n = csv_write(NULL, 0, s, strlen(s));
	char *buf = malloc(n + 1);

	if (buf == NULL)
		return -1;
	csv_write(buf, n, s, strlen(s));
	(void)out_write(o, buf, n);
	free(buf);
	return 0;
}

static int
csv_cell(struct out *o, enum cell_type type, const struct cell *c)
{
	if (!c->given)
		return 0;
	switch (type) {
	case CELL_TEXT:
		return csv_field(o, c->s);
	case CELL_INT:
		(void)out_printf(o, "%" PRId64, c->i);
		return 0;
	case CELL_SHARE:
		(void)out_printf(o, "%" PRIu64 ".%06" PRIu64,
		    c->u / 1000000, c->u % 1000000);
		return 0;
	default:
		(void)out_printf(o, "%" PRIu64, c->u);
		return 0;
	}
}

const struct report_table *
report_csv_table(const struct report *r, enum schema_family family)
{
	const char *name = schema_family(family)->name;
	const struct report_section *s;
	size_t i, j;

	for (i = 0; i < r->nsection; i++) {
		s = &r->section[i];
		if (strcmp(s->id, name) != 0)
			continue;
		for (j = 0; j < s->ntable; j++)
			if (s->table[j].csv)
				return &s->table[j];
	}
	return NULL;
}

int
report_print_csv(const struct report *r, enum schema_family family,
    struct out *o, struct msg *m)
{
	const struct report_table *t = report_csv_table(r, family);
	size_t i, j;
	int rv = 0;

	if (t == NULL)
		return msg_set_at(m, "no-family", NULL, 0,
		    "the bundle has no %s records",
		    schema_family(family)->name);
	for (j = 0; j < t->ncol; j++) {
		if (j > 0)
			(void)out_putc(o, ',');
		rv |= csv_field(o, t->col[j].id);
	}
	(void)out_puts(o, "\r\n");
	for (i = 0; i < t->nrow && rv == 0; i++) {
		for (j = 0; j < t->ncol; j++) {
			if (j > 0)
				(void)out_putc(o, ',');
			rv |= csv_cell(o, t->col[j].type,
			    &t->cell[i * t->ncol + j]);
		}
		(void)out_puts(o, "\r\n");
	}
	return rv == 0 ? 0 : msg_set_nomem(m);
}
