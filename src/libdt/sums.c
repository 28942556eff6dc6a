/* Checksum lists of a directory: made and checked. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/array.h"
#include "libdt/file.h"
#include "libdt/path.h"
#include "libdt/sums.h"
#include "libdt/sums_hash.h"
#include "libdt/sums_list.h"

/* A file of the directory, and what the lists say of it. */
struct file {
	char *path;
	const struct sums_entry *listed[SUMS_KINDS];
};

struct sums {
	int dirfd;
	const struct sums_options *o;
	const struct msg_sink *sink;
	struct msg *m;
	uint64_t findings;
	uint64_t unread;	/* of them: it is not the directory's fault */
	int making;
	struct file *files;	/* in byte order of their paths */
	size_t n, cap;
	size_t at;		/* file whose job is told next */
};

static int
find(struct sums *s, const char *id, const char *path, const char *what)
{
	s->findings++;
	if (msg_emit(s->sink, MSG_ERROR, id, path, 0, "%s", what) == 0)
		return 0;
	return msg_set(s->m, "stopped", "stopped");
}

static int
find_errno(struct sums *s, const char *path, const char *what, int err)
{
	struct msg m;

	errno = err;
	msg_set_errno(&m, "sums-read", path, "%s", what);
	s->findings++;
	s->unread += !path_gone(err);
	return msg_forward(s->sink, &m) == 0 ? 0 :
	    msg_set(s->m, "stopped", "stopped");
}

/* 0 all is well, 1 something is not, -1 it cannot be told. */
static int
verdict(const struct sums *s)
{
	if (s->unread > 0)
		return msg_set(s->m, "sums-read", "%ju could not be read: "
		    "no more can be told", (uintmax_t)s->unread);
	return s->findings > 0;
}

static void
sums_free(struct sums *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		free(s->files[i].path);
	free(s->files);
}

/* The list a path in the root is, SUMS_KINDS if it is none. */
static enum sums_kind
list_kind(const char *path)
{
	enum sums_kind k;

	for (k = 0; k < SUMS_KINDS; k++)
		if (strcmp(path, sums_list_name(k)) == 0)
			break;
	return k;
}

/* Whether the list of a kind must cover a path. */
static bool
covers(enum sums_kind kind, const char *path)
{
	enum sums_kind k = list_kind(path);

	return k == SUMS_KINDS ||
	    (kind == SUMS_KIND_SHA256 && k == SUMS_KIND_XXH3);
}

static int
file_add(struct sums *s, const char *path)
{
	if (ARRAY_ROOM(s->files, s->n, s->cap) == -1)
		return msg_set_nomem(s->m);
	memset(&s->files[s->n], 0, sizeof(*s->files));
	if ((s->files[s->n].path = strdup(path)) == NULL)
		return msg_set_nomem(s->m);
	s->n++;
	return 0;
}

static int
on_entry(void *arg, const struct path_entry *e)
{
	struct sums *s = arg;
	char what[80];

	if (s->o->bundle &&
	    path_fault(e->path, strlen(e->path)) != PATH_GOOD &&
	    find(s, "sums-name", e->path,
	    "the name does not suit a bundle") == -1)
		return -1;
	if (e->err != 0)
		return find_errno(s, e->path, "cannot be looked at", e->err);
	if (e->type == PATH_DIR ||
	    (s->making && e->type == PATH_FILE &&
	    list_kind(e->path) != SUMS_KINDS))
		return 0;
	if (e->type == PATH_FILE)
		return file_add(s, e->path);
	(void)snprintf(what, sizeof(what), "is neither a file nor a "
	    "directory but a %s", path_type_name(e->type));
	return find(s, "sums-type", e->path, what);
}

/* Gathers the files; 0 or -1 with m. */
static int
gather(struct sums *s)
{
	return path_walk(s->dirfd, NULL, on_entry, s, s->m) == 0 ? 0 : -1;
}

/* A told job's faults as findings: 0 good, 1 bad, -1 stop. */
static int
job_faults(struct sums *s, const struct sums_job *j)
{
	if (j->fault != NULL)
		return find_errno(s, j->path, j->fault, j->err) == -1 ? -1 :
		    1;
	if (j->changed)
		return find(s, "sums-changed", j->path,
		    "changed while it was read") == -1 ? -1 : 1;
	return 0;
}

static int
made(void *arg, struct sums_job *j)
{
	return job_faults(arg, j) == -1 ? -1 : 0;
}

/* Jobs for all files; NULL with m. */
static struct sums_job *
make_jobs(struct sums *s, unsigned which)
{
	struct sums_job *jobs = calloc(s->n + 1, sizeof(*jobs));
	size_t i;

	if (jobs == NULL) {
		msg_set_nomem(s->m);
		return NULL;
	}
	for (i = 0; i < s->n; i++) {
		jobs[i].path = s->files[i].path;
		jobs[i].which = which;
	}
	return jobs;
}

static void
line_put(struct file_new *f, struct digest_run *r, enum sums_kind kind,
    const char *path, const struct digest *d)
{
	char line[SUMS_LINE_MAX];
	size_t n = sums_list_line(kind, path, d, line);

	(void)out_write(&f->out, line, n);
	(void)digest_add(r, line, n);
}

/*
 * Writes one list: the jobs in their order, and also in its place, if given,
 * the other list. own gets the digest of the list itself.
 */
static int
list_write(struct sums *s, enum sums_kind kind, const struct sums_job *jobs,
    const struct digest *other, struct digest *own)
{
	const char *also = sums_list_name(SUMS_KIND_XXH3);
	struct digest_run *r = digest_begin(DIGEST_BOTH);
	struct file_new f;
	size_t i;

	if (r == NULL)
		return msg_set_nomem(s->m);
	if (file_new(&f, s->dirfd, sums_list_name(kind), 0644, s->m) == -1) {
		digest_drop(r);
		return -1;
	}
	for (i = 0; i < s->n; i++) {
		if (other != NULL && strcmp(also, jobs[i].path) < 0) {
			line_put(&f, r, kind, also, other);
			other = NULL;
		}
		line_put(&f, r, kind, jobs[i].path, &jobs[i].d);
	}
	if (other != NULL)
		line_put(&f, r, kind, also, other);
	if (digest_end(r, own) == -1) {
		file_abort(&f);
		return msg_set_nomem(s->m);
	}
	return file_commit(&f, s->m);
}

static int
lists_write(struct sums *s, const struct sums_job *jobs, char *id)
{
	struct digest xxh3, sha256;

	if (list_write(s, SUMS_KIND_XXH3, jobs, NULL, &xxh3) == -1 ||
	    list_write(s, SUMS_KIND_SHA256, jobs, &xxh3, &sha256) == -1 ||
	    path_sync_dir(s->dirfd, ".", s->m) == -1)
		return -1;
	if (id != NULL)
		digest_ref(&sha256, id);
	return 0;
}

/* What a killed sums_make() may have left (file.h). */
static int
drop_leftovers(struct sums *s)
{
	static const char *const names[] = {
		"." SUMS_SHA256 ".tmp", "." SUMS_XXH3 ".tmp",
	};
	size_t i;

	for (i = 0; i < 2; i++)
		if (unlinkat(s->dirfd, names[i], 0) == -1 && errno != ENOENT)
			return msg_set_errno(s->m, "write", names[i],
			    "cannot remove");
	return 0;
}

int
sums_make(int dirfd, const struct sums_options *o,
    const struct msg_sink *sink, char id[DIGEST_REF], struct msg *m)
{
	struct sums s = { .dirfd = dirfd, .o = o, .sink = sink, .m = m,
		.making = 1 };
	struct sums_job *jobs = NULL;
	int rc = -1;

	if (drop_leftovers(&s) == 0 && gather(&s) == 0 &&
	    (jobs = make_jobs(&s, DIGEST_BOTH)) != NULL)
		rc = sums_hash(dirfd, jobs, s.n, o, made, &s, m);
	if (rc == 0)
		rc = s.findings > 0 ? verdict(&s) : lists_write(&s, jobs, id);
	free(jobs);
	sums_free(&s);
	return rc;
}

/*
 * Goes through the files and one list, both sorted, side by side: ties each
 * file to its entry, and tells what is in only one of them.
 */
static int
tie(struct sums *s, enum sums_kind kind, const struct sums_list *l)
{
	const char *name = sums_list_name(kind);
	size_t i = 0, k = 0;
	char what[120];
	int c, rc = 0;

	while (rc == 0 && (i < s->n || k < l->n)) {
		c = i == s->n ? 1 : k == l->n ? -1 :
		    strcmp(s->files[i].path, l->v[k].path);
		if (c >= 0 && !covers(kind, l->v[k].path)) {
			s->findings++;
			if (msg_emit(s->sink, MSG_ERROR, "sums-listed-list",
			    name, l->v[k].line, "this list must not cover %s",
			    l->v[k].path) != 0)
				rc = msg_set(s->m, "stopped", "stopped");
		} else if (c > 0) {
			s->findings++;
			if (msg_emit(s->sink, MSG_ERROR, "sums-no-file",
			    l->v[k].path, 0, "is in line %ju of %s but not "
			    "there", (uintmax_t)l->v[k].line, name) != 0)
				rc = msg_set(s->m, "stopped", "stopped");
		} else if (c == 0) {
			s->files[i].listed[kind] = &l->v[k];
		} else if (covers(kind, s->files[i].path)) {
			(void)snprintf(what, sizeof(what), "is not in %s",
			    name);
			rc = find(s, "sums-not-covered", s->files[i].path,
			    what);
		}
		i += c <= 0;
		k += c >= 0;
	}
	return rc;
}

static int
checked(void *arg, struct sums_job *j)
{
	struct sums *s = arg;
	const struct file *f;
	const struct sums_entry *sha, *xxh;
	int rc = job_faults(s, j);

	while (strcmp(s->files[s->at].path, j->path) != 0)
		s->at++;
	f = &s->files[s->at];
	if (rc != 0)
		return rc == -1 ? -1 : 0;
	sha = f->listed[SUMS_KIND_SHA256];
	xxh = f->listed[SUMS_KIND_XXH3];
	if (sha != NULL && (j->which & DIGEST_SHA256) != 0 &&
	    memcmp(sha->sha256, j->d.sha256, 32) != 0)
		return find(s, "sums-mismatch", j->path,
		    "is not what SHA256SUMS says");
	if (xxh != NULL && xxh->xxh3 != j->d.xxh3)
		return find(s, "sums-mismatch", j->path,
		    "is not what XXH3SUMS says");
	return 0;
}

/* One job for each file that a list has a digest of. */
static int
check_files(struct sums *s)
{
	struct sums_job *jobs = calloc(s->n + 1, sizeof(*jobs));
	const struct file *f;
	size_t i, n = 0;
	int rc;

	if (jobs == NULL)
		return msg_set_nomem(s->m);
	for (i = 0; i < s->n; i++) {
		f = &s->files[i];
		jobs[n].path = f->path;
		if (f->listed[SUMS_KIND_SHA256] != NULL)
			jobs[n].which |= DIGEST_SHA256;
		if (f->listed[SUMS_KIND_XXH3] != NULL)
			jobs[n].which |= DIGEST_XXH3;
		n += jobs[n].which != 0;
	}
	rc = sums_hash(s->dirfd, jobs, n, s->o, checked, s, s->m);
	free(jobs);
	return rc;
}

static int
check_lists(struct sums *s, struct sums_list *lists)
{
	enum sums_kind k;

	for (k = s->o->quick ? SUMS_KIND_XXH3 : 0; k < SUMS_KINDS; k++)
		if (sums_list_read(&lists[k], s->dirfd, k, s->o->bundle,
		    s->sink, &s->findings, s->m) == -1)
			return -1;
	for (k = s->o->quick ? SUMS_KIND_XXH3 : 0; k < SUMS_KINDS; k++)
		/* A missing list is told once, not once a file. */
		if (lists[k].text != NULL && tie(s, k, &lists[k]) == -1)
			return -1;
	return 0;
}

int
sums_check(int dirfd, const struct sums_options *o,
    const struct msg_sink *sink, char id[DIGEST_REF], struct msg *m)
{
	struct sums s = { .dirfd = dirfd, .o = o, .sink = sink, .m = m };
	struct sums_list lists[SUMS_KINDS] = { 0 };
	enum sums_kind k;
	int rc = -1;

	if (id != NULL && sums_id(dirfd, id, NULL) == -1)
		id[0] = '\0';
	if (gather(&s) == 0 && check_lists(&s, lists) == 0)
		rc = check_files(&s);
	if (rc == 0)
		rc = verdict(&s);
	for (k = 0; k < SUMS_KINDS; k++)
		sums_list_free(&lists[k]);
	sums_free(&s);
	return rc;
}

int
sums_id(int dirfd, char id[DIGEST_REF], struct msg *m)
{
	struct digest d;

	if (digest_file(dirfd, SUMS_SHA256, DIGEST_SHA256, &d, m) == -1)
		return -1;
	digest_ref(&d, id);
	return 0;
}
