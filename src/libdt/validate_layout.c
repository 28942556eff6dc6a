/* The tree: names, types, places, what is missing; changes meanwhile. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/hash.h"
#include "libdt/validate_impl.h"

#define ALWAYS		1u	/* must be there */
#define PUBLISHED	2u	/* must be there once published */

static const struct {
	const char *path;
	enum path_type type;
	unsigned need;		/* 0: may be there */
} known[] = {
	{ "SHA256SUMS",		PATH_FILE,	PUBLISHED },
	{ "XXH3SUMS",		PATH_FILE,	PUBLISHED },
	{ "artifacts",		PATH_DIR,	ALWAYS },
	{ "capabilities.json",	PATH_FILE,	ALWAYS },
	{ "cohort.json",	PATH_FILE,	ALWAYS },
	{ "collectors.json",	PATH_FILE,	ALWAYS },
	{ "logs",		PATH_DIR,	ALWAYS },
	{ "logs/capture.log",	PATH_FILE,	ALWAYS },
	{ "manifest.json",	PATH_FILE,	ALWAYS },
	{ "raw",		PATH_DIR,	ALWAYS },
	{ "raw/allocations.tsv", PATH_FILE,	0 },
	{ "raw/cpu.tsv",	PATH_FILE,	0 },
	{ "raw/gc.tsv",		PATH_FILE,	0 },
	{ "raw/io.tsv",		PATH_FILE,	0 },
	{ "raw/maps.tsv",	PATH_FILE,	ALWAYS },
	{ "raw/procs.tsv",	PATH_FILE,	ALWAYS },
	{ "raw/spans.tsv",	PATH_FILE,	0 },
	{ "raw/syscalls.tsv",	PATH_FILE,	0 },
	{ "report",		PATH_DIR,	PUBLISHED },
	{ "report/report.json",	PATH_FILE,	PUBLISHED },
	{ "report/report.md",	PATH_FILE,	PUBLISHED },
	{ "settings.json",	PATH_FILE,	ALWAYS },
	{ "validation.json",	PATH_FILE,	PUBLISHED },
};
#define NKNOWN	(sizeof(known) / sizeof(known[0]))

static bool
beneath(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && path[n] == '/';
}

static const char *
base(const char *path)
{
	const char *p = strrchr(path, '/');

	return p != NULL ? p + 1 : path;
}

static void
check_name(struct val *v, const char *path)
{
	const unsigned char *p = (const unsigned char *)base(path);

	for (; *p != '\0'; p++)
		if (*p < 0x20 || *p > 0x7e)
			break;
	if (*p != '\0')
		val_found(v, FINDING_LAYOUT_NAME, path, 0,
		    "the name holds byte 0x%02x", *p);
}

static void
check_type(struct val *v, const struct val_entry *e, enum path_type want)
{
	if (e->type != want)
		val_found(v, FINDING_LAYOUT_TYPE, e->path, 0,
		    "is a %s, not a %s", path_type_name(e->type),
		    path_type_name(want));
}

/* artifacts/exe/NAME and artifacts/scripts/NAME.d, and their directories */
static bool
is_artifact(const struct val_entry *e)
{
	const char *exe = "artifacts/exe", *scripts = "artifacts/scripts";
	const char *name = base(e->path);
	size_t n = strlen(name);

	if (e->type == PATH_DIR)
		return strcmp(e->path, exe) == 0 ||
		    strcmp(e->path, scripts) == 0;
	if (beneath(e->path, exe))
		return e->path + strlen(exe) + 1 == name;
	return beneath(e->path, scripts) &&
	    e->path + strlen(scripts) + 1 == name && n > 2 &&
	    strcmp(name + n - 2, ".d") == 0;
}

/* An entry of a kind that no bundle has anywhere. */
static bool
check_kind(struct val *v, const struct val_entry *e)
{
	if (e->type == PATH_FILE || e->type == PATH_DIR)
		return false;
	val_found(v, FINDING_LAYOUT_TYPE, e->path, 0, "is a %s",
	    path_type_name(e->type));
	return true;
}

static void
check_place(struct val *v, struct val_entry *e)
{
	size_t i;

	for (i = 0; i < NKNOWN; i++)
		if (strcmp(e->path, known[i].path) == 0) {
			e->used = true;
			check_type(v, e, known[i].type);
			return;
		}
	if (strcmp(e->path, "INCOMPLETE") == 0)
		val_found(v, FINDING_LAYOUT_INCOMPLETE, e->path, 0,
		    "the capture is not finished: run dt-finalize");
	else if (check_kind(v, e))
		return;
	else if ((beneath(e->path, "artifacts") && is_artifact(e)) ||
	    (beneath(e->path, "logs") && e->type == PATH_FILE) ||
	    (beneath(e->path, "report") && e->type == PATH_FILE))
		return;		/* validate_artifact.c, validate_report.c */
	else
		val_found(v, FINDING_LAYOUT_UNKNOWN, e->path, 0,
		    "no %s of this name belongs in a bundle",
		    path_type_name(e->type));
}

static void
check_missing(struct val *v)
{
	unsigned need = ALWAYS | (v->opt->staged ? 0 : PUBLISHED);
	size_t i, k;

	for (i = 0; i < NKNOWN; i++) {
		if ((known[i].need & need) == 0)
			continue;
		for (k = 0; k < v->tree.n; k++)
			if (strcmp(v->tree.v[k].path, known[i].path) == 0)
				break;
		if (k == v->tree.n)
			val_found(v, FINDING_LAYOUT_MISSING, known[i].path, 0,
			    "there is no such %s",
			    path_type_name(known[i].type));
	}
}

static int
fold_cmp(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcasecmp(*x, *y);
}

static int
check_case(struct val *v, struct msg *m)
{
	const char **p = calloc(v->tree.n + 1, sizeof(*p));
	size_t i;

	if (p == NULL)
		return msg_set_nomem(m);
	for (i = 0; i < v->tree.n; i++)
		p[i] = v->tree.v[i].path;
	qsort(p, v->tree.n, sizeof(*p), fold_cmp);
	for (i = 1; i < v->tree.n; i++)
		if (strcasecmp(p[i - 1], p[i]) == 0)
			val_found(v, FINDING_LAYOUT_CASE, p[i], 0,
			    "another entry is named %s", p[i - 1]);
	free(p);
	return 0;
}

/* Entries of one directory come sorted: equal names cannot be. */
static int
add_entry(void *arg, const struct path_entry *e)
{
	struct val_tree *t = arg;
	struct val_entry *p;

	if (ARRAY_ROOM(t->v, t->n, t->cap) == -1)
		return ENOMEM;
	p = &t->v[t->n];
	if ((p->path = strdup(e->path)) == NULL)
		return ENOMEM;
	p->type = e->type;
	p->st = e->st;
	p->used = false;
	t->n++;
	return e->err;
}

static int
walk(int dirfd, struct val_tree *t, struct msg *m)
{
	static const struct path_limits lim = { VAL_ENTRIES, VAL_DEPTH };
	int rc = path_walk(dirfd, &lim, add_entry, t, m);

	if (rc <= 0)
		return rc;
	if (rc == ENOMEM)
		return msg_set_nomem(m);
	errno = rc;
	return msg_set_errno(m, "read", t->v[t->n - 1].path, "cannot look at");
}

/* An entry that goes between two looks at it is a finding: true. */
static bool
gone(struct val *v, const struct msg *m)
{
	if (!path_gone(m->err))
		return false;
	val_found(v, FINDING_LAYOUT_CHANGED, m->path, 0, "%s", m->text);
	return true;
}

int
val_layout(struct val *v, struct msg *m)
{
	struct val_entry *e;
	size_t i;

	if (walk(v->dirfd, &v->tree, m) == -1) {
		if (gone(v, m))
			return 1;
		if (m->id == NULL || strcmp(m->id, "limit") != 0)
			return -1;
		val_found(v, FINDING_LAYOUT_LIMIT, m->path, 0, "%s", m->text);
		return 1;
	}
	for (i = 0; i < v->tree.n; i++) {
		e = &v->tree.v[i];
		check_name(v, e->path);
		check_place(v, e);
		if (e->type == PATH_FILE && e->st.st_nlink > 1)
			val_found(v, FINDING_LAYOUT_HARDLINK, e->path, 0,
			    "has %ju names", (uintmax_t)e->st.st_nlink);
	}
	check_missing(v);
	return check_case(v, m);
}

static bool
same(const struct val_entry *a, const struct val_entry *b)
{
	return strcmp(a->path, b->path) == 0 && a->type == b->type &&
	    a->st.st_dev == b->st.st_dev && a->st.st_ino == b->st.st_ino &&
	    a->st.st_size == b->st.st_size &&
	    a->st.st_mtim.tv_sec == b->st.st_mtim.tv_sec &&
	    a->st.st_mtim.tv_nsec == b->st.st_mtim.tv_nsec &&
	    a->st.st_ctim.tv_sec == b->st.st_ctim.tv_sec &&
	    a->st.st_ctim.tv_nsec == b->st.st_ctim.tv_nsec;
}

int
val_layout_again(struct val *v, struct msg *m)
{
	struct val_tree t = { 0 };
	size_t i, n;
	int rc = walk(v->dirfd, &t, m);

	if (rc == -1 && gone(v, m)) {
		val_tree_free(&t);
		return 0;
	}
	if (rc == -1 && m->id != NULL && strcmp(m->id, "limit") == 0)
		rc = 0;
	n = t.n < v->tree.n ? t.n : v->tree.n;
	for (i = 0; rc == 0 && i < n; i++)
		if (!same(&t.v[i], &v->tree.v[i])) {
			val_found(v, FINDING_LAYOUT_CHANGED, t.v[i].path, 0,
			    "changed while the bundle was read");
			break;
		}
	if (rc == 0 && i == n && t.n != v->tree.n)
		val_found(v, FINDING_LAYOUT_CHANGED, t.n > n ? t.v[n].path :
		    v->tree.v[n].path, 0, "%s while the bundle was read",
		    t.n > n ? "appeared" : "went away");
	val_tree_free(&t);
	return rc;
}

uint64_t
val_tree_stamp(const struct val_tree *t)
{
	const struct val_entry *e;
	uint64_t h = 0;
	size_t i;

	for (i = 0; i < t->n; i++) {
		e = &t->v[i];
		const uint64_t of[] = { h, e->type, e->st.st_dev,
		    e->st.st_ino, (uint64_t)e->st.st_size,
		    (uint64_t)e->st.st_mtim.tv_sec,
		    (uint64_t)e->st.st_mtim.tv_nsec,
		    (uint64_t)e->st.st_ctim.tv_sec,
		    (uint64_t)e->st.st_ctim.tv_nsec,
		    hash_bytes(e->path, strlen(e->path)) };

		h = hash_bytes(of, sizeof(of));
	}
	return h;
}

int
validate_still(int dirfd, const struct validate_result *r, struct msg *m)
{
	struct val_tree t = { 0 };
	int rc = walk(dirfd, &t, m);

	if (rc == -1 && (path_gone(m->err) || (m->id != NULL &&
	    strcmp(m->id, "limit") == 0)))
		rc = 0;		/* told by the stamp */
	if (rc == 0 && val_tree_stamp(&t) != r->stamp)
		rc = msg_set(m, "layout-changed",
		    "the bundle changed after it was validated");
	val_tree_free(&t);
	return rc;
}

void
val_tree_free(struct val_tree *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		free(t->v[i].path);
	free(t->v);
}

static int
entry_cmp(const void *key, const void *e)
{
	return strcmp(key, ((const struct val_entry *)e)->path);
}

struct val_entry *
val_file(struct val *v, const char *path)
{
	struct val_entry *e = NULL;

	if (v->tree.n > 0)
		e = bsearch(path, v->tree.v, v->tree.n, sizeof(*e),
		    entry_cmp);
	return e != NULL && e->type == PATH_FILE ? e : NULL;
}
