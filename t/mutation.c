/*
 * mutation: changes, drops, doubles, cuts and reorders every JSON member,
 * header, column and file of the bundle that is the working directory, one at
 * a time. What follows from the rest is as if made again: the sums, the
 * settings' hash, the report and the verdict, so that only the meaning is
 * wrong and somebody who knew all of it could have done so.
 *
 *	mutation SURVIVORS [FILE]
 *
 * With FILE only mutants of that file are made. A mutant that still
 * validates must be in SURVIVORS: lines `PATTERN  reason`,
 * PATTERN as fnmatch(3) takes it, of names as this program prints them:
 * `FILE:place/of/member:operation`. Prints the new ones, and patterns that no
 * mutant needs any more; exit status 1 if there are any.
 */
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "edit.h"
#include "libdt/json.h"
#include "libdt/path.h"
#include "libdt/schema.h"

struct pattern {
	char *text;
	bool used;
};

static int cwd;
static bool derived;	/* what is changed is the report or the verdict */
static const char *only;	/* the file, or NULL */
static struct pattern *patterns;
static size_t npatterns;
static unsigned long mutants, survivors, fresh;

static void
read_patterns(const char *path)
{
	struct edit_lines l;
	size_t i;
	char *s;

	edit_lines_read(&l, AT_FDCWD, path);
	patterns = calloc(l.n + 1, sizeof(*patterns));
	if (patterns == NULL)
		edit_die("out of memory");
	for (i = 0; i < l.n; i++) {
		s = l.v[i];
		s[strcspn(s, "\n")] = '\0';
		if (s[0] == '#' || s[0] == '\0')
			continue;
		if (strstr(s, "  ") == NULL)
			edit_die("%s: no reason: %s", path, s);
		*strstr(s, "  ") = '\0';
		patterns[npatterns++].text = s;
	}
}

static bool
expected(const char *name)
{
	size_t i;

	for (i = 0; i < npatterns; i++)
		if (fnmatch(patterns[i].text, name, 0) == 0) {
			patterns[i].used = true;
			return true;
		}
	return false;
}

static bool
complete(const char *name)
{
	struct validate_opt opt = { .threads = 1, .staged = !derived };
	struct validate_result r;
	enum verdict v;
	struct msg m;

	if (derived)
		edit_seal(cwd);
	if (validate_bundle(cwd, "bundle", &opt, &r, &m) == -1)
		edit_die("%s: %s: %s", name, m.path, m.text);
	v = r.verdict;
	validate_free(&r);
	return v == VERDICT_COMPLETE;
}

/* The mutant is in place: does anything tell? */
static void
try(const char *name)
{
	mutants++;
	if (!complete(name))
		return;
	survivors++;
	if (expected(name))
		return;
	printf("new survivor: %s\n", name);
	fresh++;
}

static bool
wanted(const char *file)
{
	return only == NULL || strcmp(only, file) == 0;
}

/* JSON */

/* "12" and "-", "sha256:…", words: one that differs and has the same form. */
static char *
other_text(const char *s)
{
	size_t n = strlen(s);
	char *t = malloc(n + 2);

	if (t == NULL)
		edit_die("out of memory");
	memcpy(t, s, n + 1);
	if (n > 0 && strchr("0123456789abcdef", t[n - 1]) != NULL)
		t[n - 1] = t[n - 1] == '1' ? '2' : '1';
	else
		strcpy(t + n, "x");
	return t;
}

static cJSON *
other_node(const cJSON *n)
{
	char num[32], *t;
	cJSON *c;

	if (cJSON_IsBool(n))
		return cJSON_CreateBool(!cJSON_IsTrue(n));
	if (cJSON_IsNull(n))
		return cJSON_CreateRaw("1");
	if (cJSON_IsString(n)) {
		t = other_text(n->valuestring);
		c = cJSON_CreateString(t);
		free(t);
		return c;
	}
	if (cJSON_IsRaw(n)) {
		(void)snprintf(num, sizeof(num), "%lld",
		    strtoll(n->valuestring, NULL, 10) + 1);
		return cJSON_CreateRaw(num);
	}
	return cJSON_CreateNull();
}

static int
index_of(const cJSON *up, const cJSON *node)
{
	int i = 0;
	const cJSON *e;

	for (e = up->child; e != node; e = e->next)
		i++;
	return i;
}

static void
put(cJSON *up, cJSON *node, cJSON *by)
{
	if (cJSON_IsArray(up))
		cJSON_ReplaceItemInArray(up, index_of(up, node), by);
	else
		cJSON_ReplaceItemInObjectCaseSensitive(up, node->string, by);
}

enum op { CHANGE, BIG, NIL, DROP, TWICE, SWAP, OPS };
static const char *const op_names[OPS] = {
	"change", "big", "null", "drop", "twice", "swap",
};

/* Does it to the node at that place of a fresh tree; false if it can't. */
static bool
json_op(cJSON *up, cJSON *node, enum op op)
{
	cJSON *e;
	int i;

	switch (op) {
	case CHANGE:
		put(up, node, other_node(node));
		return true;
	case BIG:
		if (!cJSON_IsRaw(node))
			return false;
		put(up, node, cJSON_CreateRaw("9223372036854775806"));
		return true;
	case NIL:
		if (cJSON_IsNull(node))
			return false;
		put(up, node, cJSON_CreateNull());
		return true;
	case DROP:
		cJSON_Delete(cJSON_DetachItemViaPointer(up, node));
		return true;
	case TWICE:
		e = cJSON_Duplicate(node, 1);
		if (cJSON_IsArray(up))
			cJSON_AddItemToArray(up, e);
		else
			cJSON_AddItemToObject(up, node->string, e);
		return true;
	case SWAP:
		if (node->next == NULL || !cJSON_IsArray(up))
			return false;
		i = index_of(up, node);
		e = cJSON_DetachItemFromArray(up, i + 1);
		return cJSON_InsertItemInArray(up, i, e);
	default:
		return false;
	}
}

/* What an element is called: its name, path or kind, else its index. */
static const char *
label(const cJSON *node, int i, char *buf, size_t cap)
{
	static const char *const keys[] = { "name", "path", "id" };
	const char *s;
	size_t k;

	for (k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
		s = cJSON_GetStringValue(
		    cJSON_GetObjectItemCaseSensitive(node, keys[k]));
		if (s != NULL) {
			(void)snprintf(buf, cap, "%s", strrchr(s, '/') !=
			    NULL ? strrchr(s, '/') + 1 : s);
			return buf;
		}
	}
	(void)snprintf(buf, cap, "%d", i);
	return buf;
}

/* The node reached by child indices. */
static cJSON *
follow(cJSON *root, const int *at, unsigned depth, cJSON **up)
{
	unsigned i;
	int k;

	*up = NULL;
	for (i = 0; i < depth; i++) {
		*up = root;
		root = root->child;
		for (k = at[i]; k > 0; k--)
			root = root->next;
	}
	return root;
}

struct json_run {
	const char *file;
	const cJSON *tree;
	enum op last;		/* the last operation tried */
	int at[64];
};

/* The settings' hash made again, here and in the manifest. */
static void
rehash(cJSON *tree)
{
	const cJSON *s = cJSON_GetObjectItemCaseSensitive(tree, "settings");
	cJSON *manifest;
	char ref[72];
	struct msg m;

	if (s == NULL || cJSON_GetObjectItemCaseSensitive(tree, "sha256") ==
	    NULL || json_hash(s, NULL, ref, &m) == -1)
		return;
	manifest = edit_json_read(cwd, "manifest.json");
	cJSON_ReplaceItemInObjectCaseSensitive(tree, "sha256",
	    cJSON_CreateString(ref));
	cJSON_ReplaceItemInObjectCaseSensitive(manifest, "settings_sha256",
	    cJSON_CreateString(ref));
	edit_json_write(cwd, "manifest.json", manifest);
	cJSON_Delete(manifest);
}

static void
json_mutants(struct json_run *j, unsigned depth, const char *place)
{
	char name[1024];
	cJSON *tree, *up, *node;
	int op;

	for (op = 0; op <= (int)j->last; op++) {
		tree = cJSON_Duplicate(j->tree, 1);
		node = follow(tree, j->at, depth, &up);
		if (json_op(up, node, (enum op)op)) {
			if (strncmp(place, "settings", 8) == 0 &&
			    strcmp(j->file, "settings.json") == 0)
				rehash(tree);
			edit_json_write(cwd, j->file, tree);
			(void)snprintf(name, sizeof(name), "%s:%s:%s",
			    j->file, place, op_names[op]);
			try(name);
		}
		cJSON_Delete(tree);
	}
}

static void
json_walk(struct json_run *j, const cJSON *node, unsigned depth,
    const char *place)
{
	char sub[768], buf[128];
	const cJSON *e;
	int i = 0;

	for (e = node->child; e != NULL; e = e->next, i++) {
		(void)snprintf(sub, sizeof(sub), "%s%s%s", place,
		    place[0] != '\0' ? "/" : "", e->string != NULL ?
		    e->string : label(e, i, buf, sizeof(buf)));
		j->at[depth] = i;
		json_mutants(j, depth + 1, sub);
		json_walk(j, e, depth + 1, sub);
	}
}

static void
mutate_json(const char *file, enum op last)
{
	struct json_run j = { .file = file, .last = last };
	static const char man[] = "manifest.json";
	size_t len, mlen;
	cJSON *tree;
	char *old, *manifest;

	if (!wanted(file))
		return;
	old = edit_read(cwd, file, &len);
	manifest = edit_read(cwd, man, &mlen);
	tree = edit_json_read(cwd, file);
	j.tree = tree;
	json_walk(&j, tree, 0, "");
	edit_write(cwd, man, manifest, mlen);
	edit_write(cwd, file, old, len);
	cJSON_Delete(tree);
	free(manifest);
	free(old);
}

/* Records */

static void
with_line(const char *file, struct edit_lines *l, size_t at, char *line,
    const char *what, const char *op)
{
	char name[512], *old = l->v[at];

	l->v[at] = line;
	edit_lines_write(l, cwd, file);
	(void)snprintf(name, sizeof(name), "%s:%s:%s", file, what, op);
	try(name);
	l->v[at] = old;
	free(line);
}

static char *
glue(const char *a, const char *b)
{
	char *s;

	if (asprintf(&s, "%s%s", a, b) < 0)
		edit_die("out of memory");
	return s;
}

/* Drop, double, exchange with the next. */
static void
line_mutants(const char *file, struct edit_lines *l, size_t i,
    const char *what)
{
	char *next;

	with_line(file, l, i, strdup(""), what, "drop");
	with_line(file, l, i, glue(l->v[i], l->v[i]), what, "twice");
	if (i + 1 == l->n)
		return;
	next = l->v[i + 1];
	l->v[i + 1] = "";
	with_line(file, l, i, glue(next, l->v[i]), what, "swap");
	l->v[i + 1] = next;
}

/* The line without column c, or with it twice. */
static char *
reshape(const char *line, size_t c, bool twice)
{
	char *f = edit_get(line, c), *s, *t;

	if (twice) {
		if (asprintf(&t, "%s\t%s", f, f) < 0)
			edit_die("out of memory");
		s = edit_field(line, c, t);
		free(t);
	} else {
		s = edit_field(line, c, "\001");
		t = strchr(s, '\001');
		if (t[1] == '\t')
			memmove(t, t + 2, strlen(t + 2) + 1);
		else		/* the last: its tab goes, too */
			memmove(t - 1, t + 1, strlen(t + 1) + 1);
	}
	free(f);
	return s;
}

/* Another value of the column's type. */
static char *
other_field(const char *f)
{
	char *end, *s;
	long long v = strtoll(f, &end, 10);

	if (strcmp(f, "-") == 0)
		return strdup("1");
	if (*f != '\0' && *end == '\0') {
		if (asprintf(&s, "%lld", v + 1) < 0)
			edit_die("out of memory");
		return s;
	}
	return other_text(f);
}

static void
column_mutants(const char *file, struct edit_lines *l, size_t i,
    enum schema_kind kind)
{
	char what[256], *f, *g;
	size_t c;

	for (c = 0; c < schema_ncols(kind); c++) {
		(void)snprintf(what, sizeof(what), "%s/%s",
		    schema_kind(kind)->name, schema_col(kind, c)->name);
		f = edit_get(l->v[i], c);
		g = other_field(f);
		with_line(file, l, i, edit_field(l->v[i], c, g), what,
		    "change");
		if (strcmp(f, "-") != 0)
			with_line(file, l, i, edit_field(l->v[i], c, "-"),
			    what, "null");
		with_line(file, l, i, reshape(l->v[i], c, false), what,
		    "drop");
		with_line(file, l, i, reshape(l->v[i], c, true), what,
		    "twice");
		free(f);
		free(g);
	}
}

static void
header_mutants(const char *file, struct edit_lines *l, size_t i)
{
	char what[64];

	(void)snprintf(what, sizeof(what), "%.*s", (int)strcspn(l->v[i],
	    " \n"), l->v[i]);
	line_mutants(file, l, i, what);
	with_line(file, l, i, glue("#x", l->v[i] + 1), what, "rename");
	l->v[i][strlen(l->v[i]) - 1] = '\0';
	with_line(file, l, i, glue(l->v[i], "x\n"), what, "change");
	l->v[i][strlen(l->v[i])] = '\n';
}

static void
record_file(const char *file)
{
	struct edit_lines l;
	size_t i, len;
	char *old, *k;
	int kind;

	if (!wanted(file))
		return;
	old = edit_read(cwd, file, &len);
	edit_lines_read(&l, cwd, file);
	for (i = 0; i < l.n; i++) {
		if (l.v[i][0] == '#') {
			header_mutants(file, &l, i);
			continue;
		}
		k = edit_get(l.v[i], 1);
		kind = schema_kind_find(k, strlen(k));
		if (kind == -1)
			edit_die("%s: kind %s", file, k);
		line_mutants(file, &l, i, k);
		column_mutants(file, &l, i, (enum schema_kind)kind);
		free(k);
	}
	edit_write(cwd, file, old, len);
	edit_lines_free(&l);
	free(old);
}

/* Files */

static void
try_file(const char *file, const char *op)
{
	char name[512];

	(void)snprintf(name, sizeof(name), "%s::%s", file, op);
	try(name);
}

static int
one_file(void *arg, const struct path_entry *e)
{
	char *old, *more;
	size_t len;

	(void)arg;
	if (e->type != PATH_FILE || strstr(e->path, "SUMS") != NULL ||
	    !wanted(e->path))
		return 0;
	derived = strncmp(e->path, "report/", 7) == 0 ||
	    strcmp(e->path, "validation.json") == 0;
	old = edit_read(cwd, e->path, &len);
	edit_write(cwd, e->path, old, len / 2);
	try_file(e->path, "half");
	edit_write(cwd, e->path, old, 0);
	try_file(e->path, "empty");
	more = malloc(2 * len + 2);
	if (more == NULL)
		edit_die("out of memory");
	memcpy(more, old, len);
	memcpy(more + len, old, len);
	edit_write(cwd, e->path, more, 2 * len);
	try_file(e->path, "twice");
	more[len] = 'x';
	edit_write(cwd, e->path, more, len + 1);
	try_file(e->path, "longer");
	if (unlinkat(cwd, e->path, 0) == -1)
		edit_die("%s: cannot remove", e->path);
	try_file(e->path, "drop");
	edit_write(cwd, e->path, old, len);
	(void)snprintf(more, 2 * len + 2, "x");
	free(more);
	more = glue(e->path, ".x");
	edit_write(cwd, more, old, len);
	try_file(e->path, "copy");
	if (unlinkat(cwd, more, 0) == -1)
		edit_die("%s: cannot remove", more);
	free(more);
	free(old);
	return 0;
}

static void
all(void)
{
	static const char *const json[] = { "manifest.json", "cohort.json",
		"settings.json", "capabilities.json", "collectors.json" };
	char path[64];
	struct msg m;
	size_t i;

	derived = true;
	if (!complete("bundle"))
		edit_die("the bundle itself is not complete");
	derived = false;
	for (i = 0; i < sizeof(json) / sizeof(json[0]); i++)
		mutate_json(json[i], SWAP);
	derived = true;
	mutate_json("validation.json", SWAP);
	mutate_json("report/report.json", CHANGE);
	derived = false;
	for (i = 0; i < FAMILY_COUNT; i++) {
		(void)snprintf(path, sizeof(path), "raw/%s.tsv",
		    schema_family((enum schema_family)i)->name);
		record_file(path);
	}
	if (path_walk(cwd, NULL, one_file, NULL, &m) != 0)
		edit_die("%s: %s", m.path, m.text);
	edit_seal(cwd);
}

int
main(int argc, char **argv)
{
	size_t i, stale = 0;

	cwd = open(".", O_RDONLY | O_DIRECTORY);
	if (cwd == -1 || argc < 2 || argc > 3)
		edit_die("mutation SURVIVORS [FILE]");
	only = argv[2];
	setvbuf(stdout, NULL, _IOLBF, 0);
	read_patterns(argv[1]);
	all();
	for (i = 0; i < npatterns; i++)
		if (!patterns[i].used && only == NULL) {
			printf("needed no more: %s\n", patterns[i].text);
			stale++;
		}
	printf("%lu mutants, %lu survive, %lu of them new\n", mutants,
	    survivors, fresh);
	return fresh > 0 || stale > 0;
}
