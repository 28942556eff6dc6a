#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/file.h"
#include "libdt/report.h"
#include "libdt/validate_int.h"

/* What only all of the records can tell of the manifest. */
void
val_whole(struct val *v)
{
	const struct bundle_command *c = &v->b.manifest.command;
	const struct val_member *t = NULL;
	uint64_t start;
	size_t i;

	if (!v->b.have[BUNDLE_MANIFEST] || v->members == NULL ||
	    !v->whole[FAMILY_PROCS])
		return;
	for (i = 0; i < v->b.cohort.members.n; i++)
		if (v->b.cohort.members.v[i].role == ROLE_TARGET)
			t = &v->members[i];
	if (t == NULL)
		return;
	start = v->first_execve != 0 ? v->first_execve : t->first_exec;
	if (c->mode == MODE_LAUNCH && (start != 0 || !v->procs_lossy) &&
	    start != v->window_start)
		val_found(v, FINDING_WINDOW_START, "manifest.json", 0,
		    "window.workload_start is not %" PRIu64 ", when the "
		    "target's program began", start);
	if (t->exit_line > 0 && (c->exit_code.known || c->signal.known) &&
	    t->status != (c->exit_code.known ? c->exit_code.v :
	    -c->signal.v))
		val_found(v, FINDING_MANIFEST_STATUS, "manifest.json", 0,
		    "the target's proc-exit record says %" PRId64, t->status);
}

/* A printed file against the one in the bundle. */
struct compare {
	struct val *v;
	struct msg *m;
};

/* Whether the file on fd holds n bytes like text; -1 if it can't be read. */
static int
same_bytes(int fd, const char *text, size_t n)
{
	char buf[65536];
	ssize_t got;

	for (;;) {
		got = file_read(fd, buf, sizeof(buf));
		if (got <= 0)
			return got == -1 ? -1 : n == 0;
		if ((size_t)got > n || memcmp(buf, text, (size_t)got) != 0)
			return 0;
		text += got;
		n -= (size_t)got;
	}
}

static int
compare_text(struct compare *c, const char *path, const char *text, size_t n)
{
	int fd, same;

	if ((fd = path_open_file(c->v->dirfd, path, NULL, c->m)) == -1)
		return -1;
	same = same_bytes(fd, text, n);
	close(fd);
	if (same == -1)
		return msg_set_errno(c->m, "read", path, "cannot read");
	if (!same)
		val_found(c->v, FINDING_REPORT_DIFFERS, path, 0,
		    "it is not what dt-report makes of the records");
	return 0;
}

static int
compare_file(void *arg, const struct report *r, const struct report_file *f)
{
	struct compare *c = arg;
	struct val_entry *e = val_file(c->v, f->path);
	struct out o = { .name = f->path };
	char *text = NULL;
	size_t n = 0;
	int rc;

	if (e == NULL) {
		val_found(c->v, FINDING_REPORT_MISSING, f->path, 0,
		    "dt-report makes it of the records, and it is not there");
		return 0;
	}
	e->used = true;
	if ((o.fp = open_memstream(&text, &n)) == NULL)
		return msg_set_nomem(c->m);
	rc = report_file_print(r, f, &o, c->m);
	if (fclose(o.fp) != 0 || (rc == 0 && o.err != 0))
		rc = msg_set_nomem(c->m);
	if (rc == 0)
		rc = compare_text(c, f->path, text, n);
	free(text);
	return rc;
}

/* Whoever wrote the report prints it as this tool would. */
static bool
same_version(const struct bundle_manifest *m)
{
	size_t i;

	for (i = 0; i < m->tools.n; i++)
		if (strcmp(m->tools.v[i].name, "dt-finalize") == 0)
			return strcmp(m->tools.v[i].version,
			    PACKAGE_VERSION) == 0;
	return false;
}

static int
differs(void *arg, const struct msg *m)
{
	val_found(arg, FINDING_REPORT_DIFFERS, m->path, 0, "%s", m->text);
	return 0;
}

static void
check_strays(struct val *v)
{
	struct val_entry *e;
	size_t i;

	for (i = 0; i < v->tree.n; i++) {
		e = &v->tree.v[i];
		if (e->type == PATH_FILE && !e->used &&
		    strncmp(e->path, "report/", 7) == 0)
			val_found(v, FINDING_REPORT_UNKNOWN, e->path, 0,
			    "dt-report makes no such file of the records");
	}
}

static int
compare_all(struct val *v, struct msg *m)
{
	struct msg_sink sink = { differs, v };
	struct compare c = { v, m };
	struct report *r;
	int rc;

	if (!same_version(&v->b.manifest))
		return report_check(&v->b, &sink, m);
	if ((r = report_new(&v->b, m)) == NULL)
		return -1;
	rc = report_files(r, compare_file, &c);
	report_free(r);
	if (rc == 0)
		check_strays(v);
	return rc;
}

/*
 * Only a sound bundle has one report to compare with. Building it takes
 * memory in proportion to raw/, so that this is bounded.
 */
int
val_report(struct val *v, struct msg *m)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < v->tree.n; i++)
		if (strncmp(v->tree.v[i].path, "raw/", 4) == 0)
			bytes += (uint64_t)v->tree.v[i].st.st_size;
	if (bytes > VAL_REPORT_BYTES) {
		val_found(v, FINDING_REPORT_UNCHECKED, "report", 0,
		    "raw/ has %" PRIu64 " MiB, too many to compare with",
		    bytes >> 20);
		return 0;
	}
	if (v->opt->staged || val_has_error(v))
		return 0;
	for (i = 0; i < BUNDLE_FILES; i++)
		if (!v->b.have[i])
			return 0;
	return compare_all(v, m);
}
