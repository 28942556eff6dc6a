/* Reports as one HTML page that needs nothing else, not even a script. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "libdt/report_print.h"

#define ROWS_SHOWN	15	/* the rest is in a <details> */

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
    "'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>";

static const char style[] =
    "</title>\n<style>\n"
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1d2330;--dim:#5c6573;"
    "--line:#dfe3ea;--card:#f6f7f9;--bar:#cfe0f8;--ok:#12713c;"
    "--warn:#8a5a00;--bad:#b3261e}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#14171c;--fg:#e6e9ee;"
    "--dim:#9aa4b2;--line:#2c323b;--card:#1c2027;--bar:#274063;--ok:#5cc689;"
    "--warn:#e0b252;--bad:#ff8a80}}\n"
    "body{margin:0 auto;max-width:1240px;padding:24px 20px 60px;"
    "background:var(--bg);color:var(--fg);"
    "font:14px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif}\n"
    "h1{font-size:24px;margin:0 0 4px;overflow-wrap:anywhere}\n"
    "h2{font-size:18px;margin:40px 0 12px;padding-top:12px;"
    "border-top:1px solid var(--line)}\nh3{font-size:14px;margin:22px 0 8px;"
    "color:var(--dim);font-weight:600}\n"
    ".verdict{display:inline-block;padding:2px 12px;border-radius:99px;"
    "border:1.5px solid;font-weight:600;font-size:14px;vertical-align:middle;"
    "margin-left:10px}\n"
    ".complete{color:var(--ok)}.degraded{color:var(--warn)}"
    ".invalid{color:var(--bad)}\n"
    ".cmd{font-family:ui-monospace,monospace;color:var(--dim);"
    "overflow-wrap:anywhere}\n"
    "dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(190px,"
    "1fr));gap:8px;margin:0}\n"
    "dl div{background:var(--card);border-radius:6px;padding:8px 12px}\n"
    "dt{color:var(--dim);font-size:12px}dd{margin:0;font-weight:600;"
    "overflow-wrap:anywhere;font-variant-numeric:tabular-nums}\n"
    ".scroll{overflow-x:auto}\n"
    "table{border-collapse:collapse;width:100%;"
    "font-variant-numeric:tabular-nums}\n"
    "th{text-align:left;font-weight:600;color:var(--dim);font-size:12px;"
    "border-bottom:1px solid var(--line);padding:4px 10px;"
    "white-space:nowrap}\n"
    "td{padding:4px 10px;border-bottom:1px solid var(--line);"
    "vertical-align:top}\n"
    "td.t{overflow-wrap:anywhere;min-width:9em;"
    "font-family:ui-monospace,monospace;font-size:12.5px}\n"
    ".n{text-align:right;white-space:nowrap}\n"
    "td.b{background:linear-gradient(to left,var(--bar) var(--v),"
    "transparent 0) no-repeat}\n"
    "details{margin-top:8px}summary{cursor:pointer;color:var(--dim)}\n"
    ".note{color:var(--dim)}\n"
    ".flame{width:100%;height:auto;display:block}\n"
    ".flame text{font:11px ui-monospace,monospace;fill:#1a1204;"
    "pointer-events:none}\n"
    ".flame g:hover rect{stroke:var(--fg);stroke-width:1}\n"
    ".u0 rect{fill:#f4a259}.u1 rect{fill:#f6b26b}.u2 rect{fill:#f28f54}"
    ".u3 rect{fill:#f7c27e}.u4 rect{fill:#ef7f4d}.u5 rect{fill:#f9cf8f}\n"
    ".k0 rect{fill:#8fb8de}.k1 rect{fill:#9cc3e6}.k2 rect{fill:#7fabd4}"
    ".k3 rect{fill:#a9cdec}.k4 rect{fill:#739fcb}.k5 rect{fill:#b7d6f0}\n"
    ".key{color:var(--dim);font-size:12px;margin:6px 0 0}"
    ".key i{display:inline-block;width:10px;height:10px;border-radius:2px;"
    "margin:0 4px 0 12px}\n"
    "</style>\n</head>\n<body>\n<main>\n";

static void
cell_html(struct out *o, enum cell_type type, const struct cell *c)
{
	char buf[64];

	if (type == CELL_TEXT && c->given) {
		html_text(o, c->s, strlen(c->s));
		return;
	}
	(void)cell_show(c, type, buf, sizeof(buf));
	html_text(o, buf, strlen(buf));
}

static bool
is_text(enum cell_type type)
{
	return type == CELL_TEXT || type == CELL_FLAG;
}

static void
table_head(struct out *o, const struct report_table *t)
{
	size_t j;

	/* what scrolls must be reached by the keyboard too */
	(void)out_printf(o, "<div class=\"scroll\" role=\"region\" "
	    "tabindex=\"0\" aria-label=\"%s\"><table><thead><tr>", t->title);
	for (j = 0; j < t->ncol; j++)
		if (report_col_shown(t, j))
			(void)out_printf(o, "<th scope=\"col\"%s>%s</th>",
			    is_text(t->col[j].type) ? "" : " class=\"n\"",
			    t->col[j].label);
	(void)out_puts(o, "</tr></thead><tbody>\n");
}

static void
table_rows(struct out *o, const struct report_table *t, size_t from,
    size_t to)
{
	const struct report_col *col;
	const struct cell *c;
	size_t i, j;

	table_head(o, t);
	for (i = from; i < to; i++) {
		(void)out_puts(o, "<tr>");
		for (j = 0; j < t->ncol; j++) {
			c = &t->cell[i * t->ncol + j];
			col = &t->col[j];
			if (!report_col_shown(t, j))
				continue;
			if (col->bar && c->given)
				(void)out_printf(o, "<td class=\"n b\" "
				    "style=\"--v:%.2f%%\">", c->u > 1000000 ?
				    100.0 : (double)c->u / 1e4);
			else
				(void)out_printf(o, "<td class=\"%s\">",
				    is_text(col->type) ? "t" : "n");
			cell_html(o, col->type, c);
			(void)out_puts(o, "</td>");
		}
		(void)out_puts(o, "</tr>\n");
	}
	(void)out_puts(o, "</tbody></table></div>\n");
}

static void
table(struct out *o, const struct report_table *t)
{
	size_t n = t->nrow;

	if (n == 0)
		return;
	(void)out_printf(o, "<h3>%s</h3>\n", t->title);
	if (n <= ROWS_SHOWN + 3) {
		table_rows(o, t, 0, n);
		return;
	}
	table_rows(o, t, 0, ROWS_SHOWN);
	(void)out_printf(o, "<details><summary>%zu more rows</summary>\n",
	    n - ROWS_SHOWN);
	table_rows(o, t, ROWS_SHOWN, n);
	(void)out_puts(o, "</details>\n");
}

static void
section_facts(struct out *o, const struct report_section *s)
{
	size_t j;

	if (s->nfact > 0)
		(void)out_puts(o, "<dl>\n");
	for (j = 0; j < s->nfact; j++) {
		(void)out_printf(o, "<div><dt>%s</dt><dd>",
		    s->fact[j].label);
		cell_html(o, s->fact[j].type, &s->fact[j].v);
		(void)out_puts(o, "</dd></div>\n");
	}
	if (s->nfact > 0)
		(void)out_puts(o, "</dl>\n");
	if (s->note != NULL)
		(void)out_printf(o, "<p class=\"note\">%s</p>\n", s->note);
}

static int
section(const struct report *r, struct out *o, const struct report_section *s,
    struct msg *m)
{
	size_t j;

	(void)out_printf(o, "<section id=\"%s\"><h2>%s</h2>\n", s->id,
	    s->title);
	section_facts(o, s);
	if (strcmp(s->id, "cpu") == 0) {
		(void)out_puts(o, "<h3>Flame graph</h3>\n");
		if (report_flame(r, o, m) == -1)
			return -1;
		(void)out_puts(o, "<p class=\"key\">Width is samples; "
		    "callers are below.<i style=\"background:#f4a259\"></i>"
		    "user<i style=\"background:#8fb8de\"></i>kernel</p>\n");
	}
	for (j = 0; j < s->ntable; j++)
		table(o, &s->table[j]);
	(void)out_puts(o, "</section>\n");
	return 0;
}

static const struct report_fact *
fact(const struct report_section *s, const char *id)
{
	size_t j;

	for (j = 0; j < s->nfact; j++)
		if (strcmp(s->fact[j].id, id) == 0 && s->fact[j].v.given)
			return &s->fact[j];
	return NULL;
}

int
report_print_html(const struct report *r, struct out *o, struct msg *m)
{
	const struct report_fact *command = fact(&r->section[0], "command");
	size_t i;

	(void)out_puts(o, head);
	html_text(o, r->title, strlen(r->title));
	(void)out_puts(o, style);
	(void)out_puts(o, "<h1>");
	html_text(o, r->title, strlen(r->title));
	(void)out_printf(o, "<span class=\"verdict %s\">%s</span></h1>\n",
	    r->verdict, r->verdict);
	if (command != NULL) {
		(void)out_puts(o, "<p class=\"cmd\">");
		html_text(o, command->v.s, strlen(command->v.s));
		(void)out_puts(o, "</p>\n");
	}
	for (i = 0; i < r->nsection; i++)
		if (section(r, o, &r->section[i], m) == -1)
			return -1;
	(void)out_puts(o, "</main>\n</body>\n</html>\n");
	return 0;
}
