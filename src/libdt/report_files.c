/* The files of report/: written, and compared with the records. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libdt/file.h"
#include "libdt/json.h"
#include "libdt/report.h"
#include "libdt/report_print.h"

static const char *const format_name[REPORT_FORMATS] = {
	[REPORT_JSON] = "json", [REPORT_MD] = "md", [REPORT_HTML] = "html",
	[REPORT_CSV] = "csv",
};

int
report_format_find(const char *name)
{
	size_t i;

	for (i = 0; i < REPORT_FORMATS; i++)
		if (strcmp(name, format_name[i]) == 0)
			return (int)i;
	return -1;
}

int
report_print(const struct report *r, enum report_format format,
    enum schema_family family, struct out *o, struct msg *m)
{
	switch (format) {
	case REPORT_JSON:
		return report_print_json(r, o, m);
	case REPORT_MD:
		return report_print_md(r, o, m);
	case REPORT_HTML:
		return report_print_html(r, o, m);
	case REPORT_CSV:
		return report_print_csv(r, family, o, m);
	case REPORT_FORMATS:
		break;
	}
	return msg_set(m, "usage", "no such format");
}

int
report_files(const struct report *r, report_file_fn *fn, void *arg)
{
	struct report_file f = { .family = FAMILY_ANY };
	int i, rv = 0;

	for (i = REPORT_JSON; i <= REPORT_HTML && rv == 0; i++) {
		f.format = (enum report_format)i;
		(void)snprintf(f.path, sizeof(f.path), "report/report.%s",
		    format_name[i]);
		rv = fn(arg, r, &f);
	}
	f.format = REPORT_CSV;
	for (i = 0; i < FAMILY_COUNT && rv == 0; i++) {
		f.family = (enum schema_family)i;
		(void)snprintf(f.path, sizeof(f.path), "report/%s.csv",
		    schema_family(f.family)->name);
		if (report_csv_table(r, f.family) != NULL)
			rv = fn(arg, r, &f);
	}
	f.folded = true;
	(void)snprintf(f.path, sizeof(f.path), "report/cpu.folded");
	return rv == 0 && r->cpu != NULL ? fn(arg, r, &f) : rv;
}

int
report_file_print(const struct report *r, const struct report_file *f,
    struct out *o, struct msg *m)
{
	if (!f->folded)
		return report_print(r, f->format, f->family, o, m);
	if (fold_write(r->cpu, o) == -1 && o->err == 0)
		return msg_set_nomem(m);
	return 0;
}

struct write {
	int dirfd;
	struct msg *m;
};

static int
write_file(void *arg, const struct report *r, const struct report_file *f)
{
	const struct write *w = arg;
	struct file_new n;

	if (file_new(&n, w->dirfd, f->path, 0644, w->m) == -1)
		return -1;
	if (report_file_print(r, f, &n.out, w->m) == -1) {
		file_abort(&n);
		return -1;
	}
	return file_commit(&n, w->m);
}

int
report_write(const struct bundle *b, int dirfd, struct msg *m)
{
	struct write w = { dirfd, m };
	struct report *r;
	int rv;

	if (mkdirat(dirfd, "report", 0755) == -1 && errno != EEXIST)
		return msg_set_errno(m, "write", "report", "cannot create");
	if ((r = report_new(b, m)) == NULL)
		return -1;
	rv = report_files(r, write_file, &w);
	report_free(r);
	return rv;
}

static int compare(const char *at, const cJSON *want, const cJSON *got,
    const struct msg_sink *sink);

static int
differs(const char *at, const struct msg_sink *sink)
{
	return msg_emit(sink, MSG_ERROR, "report-differs",
	    "report/report.json", 0, "%s is not what the records say", at);
}

/*
 * Members and elements alike: each of want must be in got; another tool's
 * report may have members of its own, but no other rows.
 */
static int
compare_children(const char *at, const cJSON *want, const cJSON *got,
    const struct msg_sink *sink)
{
	const cJSON *w, *g;
	char path[256];
	int rv = 0, i = 0;

	if (cJSON_IsArray(want) &&
	    cJSON_GetArraySize(want) != cJSON_GetArraySize(got))
		return differs(at, sink);
	g = got->child;
	for (w = want->child; w != NULL && rv == 0; w = w->next, i++) {
		if (cJSON_IsObject(want)) {
			(void)snprintf(path, sizeof(path), "%s%s%s", at,
			    *at != '\0' ? "." : "", w->string);
			g = cJSON_GetObjectItemCaseSensitive(got, w->string);
		} else {
			(void)snprintf(path, sizeof(path), "%s[%d]", at, i);
		}
		rv = g == NULL ? differs(path, sink) :
		    compare(path, w, g, sink);
		g = g != NULL ? g->next : NULL;
	}
	return rv;
}

static int
compare(const char *at, const cJSON *want, const cJSON *got,
    const struct msg_sink *sink)
{
	if (want->type != got->type)
		return differs(at, sink);
	if (cJSON_IsObject(want) || cJSON_IsArray(want))
		return compare_children(at, want, got, sink);
	/* numbers are raw text (json.h) */
	if ((cJSON_IsString(want) || cJSON_IsRaw(want)) &&
	    strcmp(want->valuestring, got->valuestring) != 0)
		return differs(at, sink);
	return 0;
}

int
report_check(const struct report *r, int dirfd, const struct msg_sink *sink,
    struct msg *m)
{
	cJSON *want = NULL, *got = NULL;
	int rv = -1;

	if ((want = report_json(r, m)) != NULL &&
	    (got = json_read(dirfd, "report/report.json", m)) != NULL)
		rv = compare("", want, got, sink) < 0 ? -1 : 0;
	cJSON_Delete(want);
	cJSON_Delete(got);
	return rv;
}
