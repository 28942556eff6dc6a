/* artifacts/ against the manifest: digests, build-ids, scripts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/array.h"
#include "libdt/elfid.h"
#include "libdt/validate_impl.h"

#define FILE_NAME	"manifest.json"

/* One read of the file for its digest, one of its headers for the id. */
static int
check_content(struct val *v, const struct bundle_artifact *a, struct msg *m)
{
	char ref[DIGEST_REF], hex[ELFID_HEX] = "";
	struct digest d;
	int fd, rc;

	if (digest_file(v->dirfd, a->path, DIGEST_SHA256, &d, m) == -1)
		return -1;
	digest_ref(&d, ref);
	if (strcmp(ref, a->sha256) != 0)
		val_found(v, FINDING_ARTIFACT_HASH, a->path, 0,
		    "its SHA-256 is %s, the manifest says %s", ref,
		    a->sha256);
	if ((fd = path_open_file(v->dirfd, a->path, NULL, m)) == -1)
		return -1;
	rc = elfid_fd(fd, a->path, hex, m);
	close(fd);
	if (rc == -1)
		return -1;
	if (!val_same_text(hex[0] != '\0' ? hex : NULL, a->build_id))
		val_found(v, FINDING_ARTIFACT_BUILD_ID, a->path, 0,
		    "its build-id is %s, the manifest says %.130s",
		    hex[0] != '\0' ? hex : "not there",
		    a->build_id != NULL ? a->build_id : "null");
	return 0;
}

static int
check_artifact(struct val *v, const struct bundle_artifact *a, size_t i,
    struct msg *m)
{
	struct val_entry *e = val_file(v, a->path);

	if (strncmp(a->path, "artifacts/", 10) != 0) {
		val_found(v, FINDING_JSON_PATH, FILE_NAME, 0,
		    "artifacts[%zu].path is not beneath artifacts/", i);
		return 0;
	}
	if (e == NULL) {
		val_found(v, FINDING_ARTIFACT_MISSING, FILE_NAME, 0,
		    "artifacts[%zu].path %.200s is not there", i, a->path);
		return 0;
	}
	if (e->used)
		val_found(v, FINDING_ARTIFACT_DUPLICATE, FILE_NAME, 0,
		    "artifacts[%zu].path %.200s is listed twice", i, a->path);
	e->used = true;
	if ((uint64_t)e->st.st_size != a->size)
		val_found(v, FINDING_ARTIFACT_SIZE, a->path, 0,
		    "it has %jd bytes, the manifest says %" PRIu64,
		    (intmax_t)e->st.st_size, a->size);
	return v->opt->quick ? 0 : check_content(v, a, m);
}

/* The file of the binary, where it was mapped, has the binary's build-id. */
static void
check_mapped(struct val *v, const struct bundle_artifact *bin)
{
	const struct bundle_manifest *m = &v->b.manifest;
	const struct bundle_library *l, *other = NULL;
	size_t i;

	for (i = 0; bin->source != NULL && i < m->libraries.n; i++) {
		l = &m->libraries.v[i];
		if (strcmp(l->path, bin->source) != 0)
			continue;
		if (l->build_id == NULL ||
		    val_same_text(l->build_id, bin->build_id))
			return;
		other = l;
	}
	if (other != NULL)
		val_found(v, FINDING_ARTIFACT_EXE, FILE_NAME, 0,
		    "%.200s is not the %.200s that was mapped, whose build-id "
		    "is %s", bin->path, bin->source, other->build_id);
}

/* One binary; it is the target's, unless that ran others later on. */
static void
check_exe(struct val *v)
{
	const struct bundle_manifest *m = &v->b.manifest;
	const struct bundle_artifact *a, *bin = NULL;
	const struct bundle_member *t;
	char path[BUNDLE_EXE_PATH];
	size_t i, n = 0;

	for (i = 0; i < m->artifacts.n; i++) {
		a = &m->artifacts.v[i];
		if (a->kind != ARTIFACT_BINARY)
			continue;
		bin = a;
		n++;
	}
	if (n != 1) {
		val_found(v, FINDING_ARTIFACT_EXE, FILE_NAME, 0,
		    "%zu artifacts are binaries, not one", n);
		return;
	}
	if (bin->source != NULL) {
		bundle_exe_path(path, bin->source);
		if (strcmp(bin->path, path) != 0)
			val_found(v, FINDING_ARTIFACT_EXE, FILE_NAME, 0,
			    "%.250s is not %s, as %.200s is named", bin->path,
			    path, bin->source);
	}
	check_mapped(v, bin);
	for (i = 0; v->b.have[BUNDLE_COHORT] && i < v->b.cohort.members.n;
	    i++) {
		t = &v->b.cohort.members.v[i];
		if (t->role == ROLE_TARGET && bin->source != NULL &&
		    strcmp(t->exe, bin->source) == 0 &&
		    !val_same_text(t->exe_build_id, bin->build_id))
			val_found(v, FINDING_ARTIFACT_EXE, "cohort.json", 0,
			    "members[%zu].exe_build_id is not that of %.200s",
			    i, bin->path);
	}
}

static void
check_libraries(struct val *v)
{
	const struct bundle_manifest *m = &v->b.manifest;
	size_t i;
	int c;

	for (i = 1; i < m->libraries.n; i++) {
		c = bundle_library_cmp(&m->libraries.v[i - 1],
		    &m->libraries.v[i]);
		if (c == 0)
			val_found(v, FINDING_LIBRARY_DUPLICATE, FILE_NAME, 0,
			    "libraries[%zu] is the one before it", i);
		else if (c > 0)
			val_found(v, FINDING_LIBRARY_ORDER, FILE_NAME, 0,
			    "libraries[%zu] belongs before the one before it",
			    i);
	}
}

/* Whatever nobody named under artifacts/ and logs/. */
static void
check_strays(struct val *v)
{
	struct val_entry *e;
	size_t i;

	for (i = 0; i < v->tree.n; i++) {
		e = &v->tree.v[i];
		if (e->used || e->type != PATH_FILE)
			continue;
		if (v->b.have[BUNDLE_MANIFEST] &&
		    strncmp(e->path, "artifacts/", 10) == 0)
			val_found(v, FINDING_ARTIFACT_UNLISTED, e->path, 0,
			    "the manifest does not list it");
		if (v->b.have[BUNDLE_COLLECTORS] &&
		    strncmp(e->path, "logs/", 5) == 0 &&
		    (strcmp(e->path, "logs/target.out") != 0 ||
		    (v->b.have[BUNDLE_SETTINGS] &&
		    !v->b.settings.settings.target_out)))
			val_found(v, FINDING_LOG_UNKNOWN, e->path, 0,
			    "no collector names it as its log");
	}
}

/* Artifacts that are scripts, by path; of one path, the first comes first. */
struct scripts {
	const struct bundle_artifact **v;
	size_t n;
};

static int
script_cmp(const void *a, const void *b)
{
	const struct bundle_artifact *const *x = a, *const *y = b;
	int c = strcmp((*x)->path, (*y)->path);

	return c != 0 ? c : (*x > *y) - (*x < *y);
}

static int
scripts_of(struct scripts *s, const struct bundle_manifest *m)
{
	size_t i;

	s->n = 0;
	s->v = calloc(m->artifacts.n + 1, sizeof(*s->v));
	if (s->v == NULL)
		return -1;
	for (i = 0; i < m->artifacts.n; i++)
		if (m->artifacts.v[i].kind == ARTIFACT_SCRIPT)
			s->v[s->n++] = &m->artifacts.v[i];
	qsort(s->v, s->n, sizeof(*s->v), script_cmp);
	return 0;
}

static const struct bundle_artifact *
script_at(const struct scripts *s, const char *path)
{
	size_t i;

	ARRAY_FIRST(i, s->n, strcmp(s->v[i]->path, path) >= 0);
	return i < s->n && strcmp(s->v[i]->path, path) == 0 ? s->v[i] : NULL;
}

/* Scripts and logs that collectors name. */
static void
check_named(struct val *v, const struct scripts *all,
    const struct bundle_collector *c)
{
	const struct bundle_artifact *a;
	struct val_entry *e;
	char log[96], script[96];

	(void)snprintf(log, sizeof(log), "logs/%s.err.log", c->name);
	(void)snprintf(script, sizeof(script), "artifacts/scripts/%s.d",
	    c->name);
	if (c->log != NULL && strcmp(c->log, log) != 0)
		val_found(v, FINDING_COLLECTOR_LOG, "collectors.json", 0,
		    "%.100s: log is not %s", c->name, log);
	else if (c->log != NULL && (e = val_file(v, c->log)) == NULL)
		val_found(v, FINDING_COLLECTOR_LOG, "collectors.json", 0,
		    "%.100s: log %s is not there", c->name, log);
	else if (c->log != NULL)
		e->used = true;
	if (c->script == NULL || !v->b.have[BUNDLE_MANIFEST])
		return;
	if (strcmp(c->script, script) != 0) {
		val_found(v, FINDING_COLLECTOR_SCRIPT, "collectors.json", 0,
		    "%.100s: script is not %s", c->name, script);
		return;
	}
	a = script_at(all, c->script);
	if (a == NULL)
		val_found(v, FINDING_COLLECTOR_SCRIPT, "collectors.json", 0,
		    "%.100s: script %.200s is no script of the manifest",
		    c->name, c->script);
	else if (c->script_sha256 != NULL &&
	    strcmp(c->script_sha256, a->sha256) != 0)
		val_found(v, FINDING_COLLECTOR_SCRIPT, "collectors.json", 0,
		    "%.100s: script_sha256 is not that of %.200s", c->name,
		    c->script);
}

int
val_artifacts(struct val *v, struct msg *m)
{
	const struct bundle_manifest *man = &v->b.manifest;
	struct scripts all;
	size_t i;

	if (v->b.have[BUNDLE_MANIFEST]) {
		for (i = 0; i < man->artifacts.n; i++)
			if (check_artifact(v, &man->artifacts.v[i], i, m) ==
			    -1)
				return -1;
		check_exe(v);
		check_libraries(v);
	}
	if (v->b.have[BUNDLE_COLLECTORS]) {
		if (scripts_of(&all, man) == -1)
			return msg_set_nomem(m);
		for (i = 0; i < v->b.collectors.collectors.n; i++)
			check_named(v, &all, &v->b.collectors.collectors.v[i]);
		free(all.v);
	}
	check_strays(v);
	return 0;
}
