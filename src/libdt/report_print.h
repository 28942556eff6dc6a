/*
 * The printers of reports, one function a format. Ownership: see report.h.
 */
#ifndef LIBDT_REPORT_PRINT_H
#define LIBDT_REPORT_PRINT_H

#include <cjson/cJSON.h>

#include "libdt/report.h"
#include "libdt/report_model.h"

/* The tree of report.json, the caller's; NULL with m. */
cJSON *report_json(const struct report *r, struct msg *m);
int report_print_json(const struct report *r, struct out *o, struct msg *m);
int report_print_md(const struct report *r, struct out *o, struct msg *m);
int report_print_html(const struct report *r, struct out *o, struct msg *m);
int report_print_csv(const struct report *r, enum schema_family family,
    struct out *o, struct msg *m);
/* The table of a family's CSV file, NULL: there is none. */
const struct report_table *report_csv_table(const struct report *r,
    enum schema_family family);

/* A column of flags is shown to people only where one is set. */
bool report_col_shown(const struct report_table *t, size_t col);

/* Text within HTML or SVG, markup in it made harmless. */
void html_text(struct out *o, const char *s, size_t n);
/* A flame graph as SVG, root below; nothing where there is no sample. */
int report_flame(const struct report *r, struct out *o, struct msg *m);

#endif
