/* report/ against one made anew; what must hold of the raw files as a whole. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/file.h"
#include "libdt/report.h"
#include "libdt/validate_impl.h"

/*
 * No more samples than every processor gives in the window, with room for
 * its edges and for a clock that is off by a twentieth.
 */
static void
check_samples(struct val *v)
{
	const struct bundle_collectors *c = &v->b.collectors;
	double rate = 0, most;
	size_t i;

	if (!v->b.have[BUNDLE_COLLECTORS] || v->window_end == UINT64_MAX ||
	    v->window_end < v->window_start)
		return;
	for (i = 0; i < c->collectors.n; i++)
		if (c->collectors.v[i].rate_hz.known)
			rate += (double)c->collectors.v[i].rate_hz.v;
	most = (double)v->b.manifest.host.cpus * (2 + 1.05 * rate / 1e9 *
	    (double)(v->window_end - v->window_start));
	if (rate > 0 && (double)v->samples > most)
		val_found(v, FINDING_COLLECTOR_RATE, "raw/cpu.tsv", 0,
		    "%" PRIu64 " samples are more than %.0f Hz on %" PRIu64
		    " processors give in the window", v->samples, rate,
		    (uint64_t)v->b.manifest.host.cpus);
}

/* A capture that the target's end ended did not end before that. */
static void
check_ended(struct val *v, const struct bundle_member *t)
{
	const struct bundle_manifest *m = &v->b.manifest;

	if (m->command.ended == ENDED_EXITED && !t->died.known &&
	    !v->procs_lossy)
		val_found(v, FINDING_MANIFEST_END, "manifest.json", 0,
		    "command.ended is exited, and the target did not die");
	if (m->command.ended == ENDED_EXITED && t->died.known &&
	    m->window.workload_done.known &&
	    m->window.workload_done.v < t->died.v)
		val_found(v, FINDING_MANIFEST_END, "manifest.json", 0,
		    "command.ended is exited, and the target died %" PRIu64
		    " ns after window.workload_done",
		    t->died.v - m->window.workload_done.v);
}

/* A target that executed one program: that is the binary which was kept. */
static void
check_kept(struct val *v, const struct bundle_member *t, uint32_t execs)
{
	const struct bundle_manifest *m = &v->b.manifest;
	const struct bundle_artifact *a;
	size_t i;

	for (i = 0; i < m->artifacts.n; i++) {
		a = &m->artifacts.v[i];
		if (a->kind == ARTIFACT_BINARY && execs == 1 &&
		    m->command.mode == MODE_LAUNCH && a->build_id != NULL &&
		    t->exe_build_id != NULL &&
		    strcmp(a->build_id, t->exe_build_id) != 0)
			val_found(v, FINDING_ARTIFACT_EXE, a->path, 0,
			    "the target executed one program, whose build-id "
			    "is %.130s", t->exe_build_id);
	}
}

/* What only all of the records can tell of the manifest. */
void
val_whole(struct val *v)
{
	const struct bundle_command *c = &v->b.manifest.command;
	const struct val_member *t = NULL;
	uint64_t start;
	size_t i;

	if (v->b.have[BUNDLE_MANIFEST])
		check_samples(v);
	if (!v->b.have[BUNDLE_MANIFEST] || v->members == NULL ||
	    v->cohort_odd || !v->whole[FAMILY_PROCS])
		return;
	for (i = 0; i < v->b.cohort.members.n; i++)
		if (v->b.cohort.members.v[i].role == ROLE_TARGET)
			t = &v->members[i];
	if (t == NULL)
		return;
	check_ended(v, &v->b.cohort.members.v[t - v->members]);
	if (!v->procs_lossy)
		check_kept(v, &v->b.cohort.members.v[t - v->members],
		    t->execs);
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

static int
note(void *arg, const struct msg *m)
{
	struct val_report *p = arg;

	if (p->n < sizeof(p->found) / sizeof(p->found[0]))
		p->found[p->n++] = *m;
	return 0;
}

static void
found(struct val_report *p, enum finding f, const char *path,
    const char *text)
{
	struct msg m;

	(void)msg_set_at(&m, finding_table[f].id, path, 0, "%s", text);
	(void)note(p, &m);
}

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
compare_text(struct val_report *p, const char *path, const char *text,
    size_t n)
{
	int fd, same;

	if ((fd = path_open_file(p->v->dirfd, path, NULL, &p->m)) == -1)
		return -1;
	same = same_bytes(fd, text, n);
	close(fd);
	if (same == -1)
		return msg_set_errno(&p->m, "read", path, "cannot read");
	if (!same)
		found(p, FINDING_REPORT_DIFFERS, path,
		    "it is not what dt-report makes of the records");
	return 0;
}

static bool
is_there(struct val_report *p, const char *path)
{
	struct val_entry *e = val_file(p->v, path);

	if (e != NULL)
		e->used = true;
	else
		found(p, FINDING_REPORT_MISSING, path,
		    "dt-report makes it of the records, and it is not there");
	return e != NULL;
}

static int
compare_file(void *arg, const struct report *r, const struct report_file *f)
{
	struct val_report *p = arg;
	struct out o = { .name = f->path };
	char *text = NULL;
	size_t n = 0;
	int rc;

	if (!is_there(p, f->path))
		return 0;
	if ((o.fp = open_memstream(&text, &n)) == NULL)
		return msg_set_nomem(&p->m);
	rc = report_file_print(r, f, &o, &p->m);
	if (fclose(o.fp) != 0 || (rc == 0 && o.err != 0))
		rc = msg_set_nomem(&p->m);
	if (rc == 0)
		rc = compare_text(p, f->path, text, n);
	free(text);
	return rc;
}

/* Another tool's report has the same figures in files of the same names. */
static int
compare_figures(void *arg, const struct report *r,
    const struct report_file *f)
{
	struct val_report *p = arg;
	struct msg_sink sink = { note, p };

	if (!is_there(p, f->path) || f->format != REPORT_JSON || f->folded ||
	    report_check(r, p->v->dirfd, &sink, &p->m) == 0)
		return 0;
	if (p->m.id == NULL || strncmp(p->m.id, "json-", 5) != 0)
		return -1;
	return note(p, &p->m);
}

static void *
report_run(void *arg)
{
	struct val_report *p = arg;
	struct report *r;

	p->rc = -1;
	if ((r = report_new(&p->v->b, &p->m)) == NULL)
		return NULL;
	/* what wrote it prints it as this tool would, or it does not */
	p->rc = report_files(r, val_own(p->v) ? compare_file :
	    compare_figures, p);
	p->built = p->rc == 0;
	report_free(r);
	return NULL;
}

/* Building it takes memory in proportion to raw/, so that this is bounded. */
static bool
too_much(struct val *v)
{
	uint64_t bytes = 0, max = v->opt->report_max;
	size_t i;

	if (max == 0)
		max = VALIDATE_REPORT_MAX;
	for (i = 0; i < v->tree.n; i++)
		if (strncmp(v->tree.v[i].path, "raw/", 4) == 0)
			bytes += (uint64_t)v->tree.v[i].st.st_size;
	if (bytes > max)
		val_found(v, FINDING_REPORT_UNCHECKED, "report", 0,
		    "raw/ has %" PRIu64 " MiB, too many to compare with",
		    bytes >> 20);
	return bytes > max;
}

/* Only a bundle that nothing is wrong with so far is worth it. */
int
val_report_start(struct val_report *p, struct val *v, struct msg *m)
{
	size_t i;
	int e;

	memset(p, 0, sizeof(*p));
	p->v = v;
	if (v->opt->quick || too_much(v) || v->opt->staged ||
	    val_has_error(v))
		return 0;
	for (i = 0; i < BUNDLE_FILES; i++)
		if (!v->b.have[i])
			return 0;
	e = pthread_create(&p->thread, NULL, report_run, p);
	if (e != 0)
		return msg_set(m, "no-thread",
		    "cannot start a thread: error %d", e);
	p->running = true;
	return 0;
}

int
val_report_join(struct val_report *p, struct msg *m)
{
	if (!p->running)
		return 0;
	pthread_join(p->thread, NULL);
	p->running = false;
	if (p->rc == -1 && m != NULL)
		*m = p->m;
	return p->rc;
}

void
val_report_tell(struct val_report *p)
{
	struct val_entry *e;
	size_t i;

	for (i = 0; i < p->n; i++)
		(void)val_found_msg(p->v, &p->found[i]);
	for (i = 0; p->built && i < p->v->tree.n; i++) {
		e = &p->v->tree.v[i];
		if (e->type == PATH_FILE && !e->used &&
		    strncmp(e->path, "report/", 7) == 0)
			val_found(p->v, FINDING_REPORT_UNKNOWN, e->path, 0,
			    "dt-report makes no such file of the records");
	}
}
