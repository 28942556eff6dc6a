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

static int
write_file(const struct report *r, int dirfd, const char *path,
    enum report_format format, enum schema_family family, struct msg *m)
{
	struct file_new f;

	if (file_new(&f, dirfd, path, 0644, m) == -1)
		return -1;
	if (report_print(r, format, family, &f.out, m) == -1) {
		file_abort(&f);
		return -1;
	}
	return file_commit(&f, m);
}

static int
write_folded(const struct report *r, int dirfd, struct msg *m)
{
	struct file_new f;

	if (r->cpu == NULL)
		return 0;
	if (file_new(&f, dirfd, "report/cpu.folded", 0644, m) == -1)
		return -1;
	if (fold_write(r->cpu, &f.out) == -1 && f.out.err == 0) {
		file_abort(&f);
		return msg_set_nomem(m);
	}
	return file_commit(&f, m);
}

static int
write_all(const struct report *r, int dirfd, struct msg *m)
{
	char path[64];
	int f;

	if (write_file(r, dirfd, "report/report.json", REPORT_JSON,
	    FAMILY_ANY, m) == -1 ||
	    write_file(r, dirfd, "report/report.md", REPORT_MD, FAMILY_ANY,
	    m) == -1 ||
	    write_file(r, dirfd, "report/report.html", REPORT_HTML,
	    FAMILY_ANY, m) == -1 || write_folded(r, dirfd, m) == -1)
		return -1;
	for (f = 0; f < FAMILY_COUNT; f++) {
		if (report_csv_table(r, (enum schema_family)f) == NULL)
			continue;
		(void)snprintf(path, sizeof(path), "report/%s.csv",
		    schema_family((enum schema_family)f)->name);
		if (write_file(r, dirfd, path, REPORT_CSV,
		    (enum schema_family)f, m) == -1)
			return -1;
	}
	return 0;
}

int
report_write(const struct bundle *b, int dirfd, struct msg *m)
{
	struct report *r;
	int rv;

	if (mkdirat(dirfd, "report", 0755) == -1 && errno != EEXIST)
		return msg_set_errno(m, "write", "report", "cannot create");
	if ((r = report_new(b, m)) == NULL)
		return -1;
	rv = write_all(r, dirfd, m);
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

/* Members and elements alike: each of want must be in got, and no more. */
static int
compare_children(const char *at, const cJSON *want, const cJSON *got,
    const struct msg_sink *sink)
{
	const cJSON *w, *g;
	char path[256];
	int rv = 0, i = 0;

	if (cJSON_GetArraySize(want) != cJSON_GetArraySize(got))
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
report_check(const struct bundle *b, const struct msg_sink *sink,
    struct msg *m)
{
	cJSON *want = NULL, *got = NULL;
	struct report *r;
	int rv = -1;

	if ((r = report_new(b, m)) == NULL)
		return -1;
	if ((want = report_json(r, m)) != NULL &&
	    (got = json_read(b->dirfd, "report/report.json", m)) != NULL) {
		/* the verdict and its reasons are compared elsewhere */
		cJSON_DeleteItemFromObjectCaseSensitive(want, "run");
		cJSON_DeleteItemFromObjectCaseSensitive(got, "run");
		rv = compare("", want, got, sink) < 0 ? -1 : 0;
	}
	cJSON_Delete(want);
	cJSON_Delete(got);
	report_free(r);
	return rv;
}
