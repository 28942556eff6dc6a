/* artifacts/ and logs/: files copied from staging, and described. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libdt/digest.h"
#include "libdt/elfid.h"
#include "libdt/file.h"
#include "libdt/final.h"
#include "libdt/path.h"

#define COPY_BYTES	65536

static int
copy_bytes(int fd, const char *from, struct out *o, struct msg *m)
{
	char buf[COPY_BYTES];
	ssize_t n;

	while ((n = file_read(fd, buf, sizeof(buf))) > 0)
		if (out_write(o, buf, (size_t)n) == -1)
			return out_flush(o, m);
	return n == 0 ? 0 : msg_set_errno(m, "read", from, "cannot read");
}

/* Copies a file of staging into the bundle: 1 if it is not there. */
static int
copy(const struct final *f, const char *from, const char *to, struct msg *m)
{
	struct file_new new_file;
	struct msg why;
	int fd, rc;

	msg_clear(&why);
	fd = path_open_file(f->staging, from, NULL, &why);
	if (fd == -1) {
		if (why.err == ENOENT)
			return 1;
		*m = why;
		return -1;
	}
	rc = final_in_tree(file_new(&new_file, f->tree, to, 0644, m), m);
	if (rc == 0) {
		rc = copy_bytes(fd, from, &new_file.out, m);
		if (rc == 0)
			rc = final_in_tree(file_commit(&new_file, m), m);
		else
			file_abort(&new_file);
	}
	close(fd);
	return rc;
}

/* The facts of a file that is in the bundle now. */
static int
describe(struct final *f, const char *path, int kind, const char *source,
    struct bundle_artifact *a, struct msg *m)
{
	char ref[DIGEST_REF], id[ELFID_HEX];
	struct digest d;
	int fd, rc;

	a->kind = kind;
	a->source = source;
	a->path = final_strdup(f, path, strlen(path), m);
	if (a->path == NULL ||
	    digest_file(f->tree, path, DIGEST_SHA256, &d, m) == -1)
		return -1;
	digest_ref(&d, ref);
	a->size = d.bytes;
	a->sha256 = final_strdup(f, ref, strlen(ref), m);
	if (a->sha256 == NULL ||
	    (fd = path_open_file(f->tree, path, NULL, m)) == -1)
		return -1;
	rc = elfid_fd(fd, path, id, m);
	close(fd);
	if (rc == 0) {
		a->build_id = final_strdup(f, id, strlen(id), m);
		if (a->build_id == NULL)
			return -1;
	}
	return rc == -1 ? -1 : 0;
}

static int
keep_exe(struct final *f, struct msg *m)
{
	struct bundle_manifest *b = &f->b.manifest;
	char path[BUNDLE_EXE_PATH];
	int rc;

	bundle_exe_path(path, f->stage.s.target.exe);
	rc = copy(f, "exe", path, m);
	if (rc != 0)
		return rc == 1 ? 0 : -1;	/* dt-validate will tell */
	return final_in_tree(describe(f, path, ARTIFACT_BINARY,
	    f->stage.s.target.exe[0] != '\0' ? f->stage.s.target.exe : NULL,
	    &b->artifacts.v[b->artifacts.n++], m), m);
}

static int
keep_script(struct final *f, size_t i, struct msg *m)
{
	struct bundle_manifest *b = &f->b.manifest;
	struct bundle_collector *o = &f->b.collectors.collectors.v[i];
	struct bundle_artifact *a = &b->artifacts.v[b->artifacts.n];
	char path[128];
	int rc;

	if (f->col[i].st->script == NULL)
		return 0;
	(void)snprintf(path, sizeof(path), "artifacts/scripts/%s.d", o->name);
	rc = copy(f, f->col[i].st->script, path, m);
	if (rc == 1) {
		msg_set_at(m, "open", f->col[i].st->script, 0,
		    "the script of collector %s is not there", o->name);
		return 1;
	}
	if (rc == -1 || final_in_tree(describe(f, path, ARTIFACT_SCRIPT, NULL,
	    a, m), m) == -1)
		return -1;
	b->artifacts.n++;
	o->script = a->path;
	o->script_sha256 = a->sha256;
	return 0;
}

static int
keep_log(struct final *f, size_t i, struct msg *m)
{
	struct bundle_collector *o = &f->b.collectors.collectors.v[i];
	char from[128], to[128];
	int rc;

	(void)snprintf(from, sizeof(from), "spool/%s.err", o->name);
	(void)snprintf(to, sizeof(to), "logs/%s.err.log", o->name);
	rc = copy(f, from, to, m);
	if (rc == 0) {
		o->log = final_strdup(f, to, strlen(to), m);
		return o->log != NULL ? 0 : -1;
	}
	return rc == 1 ? 0 : -1;
}

int
final_keep(struct final *f, struct msg *m)
{
	struct bundle_manifest *b = &f->b.manifest;
	size_t i, n = f->stage.s.collectors.n;
	int rc;

	b->artifacts.v = bundle_mem_get(&f->mem, n + 1,
	    sizeof(*b->artifacts.v));
	if (b->artifacts.v == NULL)
		return msg_set_nomem(m);
	rc = keep_exe(f, m);
	for (i = 0; i < n && rc == 0; i++) {
		rc = keep_script(f, i, m);
		if (rc == 0)
			rc = keep_log(f, i, m);
	}
	if (rc != 0)
		return rc;
	if (copy(f, "logs/capture.log", "logs/capture.log", m) == -1 ||
	    copy(f, "logs/target.out", "logs/target.out", m) == -1)
		return -1;
	return 0;
}
