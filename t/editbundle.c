/*
 * editbundle: breaks one thing in the bundle that is the working directory.
 *
 *	editbundle json FILE PLACE set JSON | add N | drop | twice |
 *	    append JSON | swap
 *	editbundle rec FAMILY KIND[#N] COLUMN=TEXT | COLUMN+N | COLUMN-N ...
 *	editbundle rec FAMILY KIND[#N] drop | twice | swap | after LINE
 *	editbundle rec FAMILY KIND[#N] fill COUNT STEP
 *	editbundle get FILE PLACE | field FAMILY KIND[#N] COLUMN
 *	editbundle lose FAMILY FROM TO COUNT
 *	editbundle seal | verdict | report | changing | limited N BYTES
 *
 * KIND may be a header's name (#clock). PLACE is as in members[1].pid; swap
 * exchanges an element or line with the next. `after` puts a line there whose
 * fields are divided by blanks; a field TS+N or TS-N counts from KIND's ts.
 * `changing` validates the bundle while a log of it grows, `limited` with
 * little memory; both print the ids found.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "edit.h"
#include "libdt/json.h"
#include "libdt/schema.h"

static int cwd;

static cJSON *
parse(const char *text)
{
	struct msg m;
	cJSON *n = json_parse(text, strlen(text), "value", &m);

	if (n == NULL)
		edit_die("%s: %s", text, m.text);
	return n;
}

/* Replaces node by another one of the same name in its parent. */
static void
replace(cJSON *up, cJSON *node, cJSON *by)
{
	int i = 0;
	cJSON *e;

	if (cJSON_IsArray(up)) {
		for (e = up->child; e != node; e = e->next)
			i++;
		cJSON_ReplaceItemInArray(up, i, by);
	} else
		cJSON_ReplaceItemInObjectCaseSensitive(up, node->string, by);
}

static void
json_add_number(cJSON *up, cJSON *node, const char *by)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "%" PRId64,
	    (int64_t)(strtoull(cJSON_IsRaw(node) ? node->valuestring : "0",
	    NULL, 10) + (uint64_t)strtoll(by, NULL, 10)));
	replace(up, node, cJSON_CreateRaw(text));
}

static void
json_swap(cJSON *up, cJSON *node)
{
	int i = 0;
	cJSON *e;

	for (e = up->child; e != node; e = e->next)
		i++;
	e = cJSON_DetachItemFromArray(up, i + 1);
	if (e == NULL || !cJSON_InsertItemInArray(up, i, e))
		edit_die("nothing to swap with");
}

static void
json_edit(cJSON *root, const char *where, int argc, char **argv)
{
	cJSON *up, *copy, *node = edit_place(root, where, &up);
	const char *op = argv[0], *arg = argc > 1 ? argv[1] : NULL;

	if (strcmp(op, "append") == 0 && cJSON_IsArray(node))
		cJSON_AddItemToArray(node, parse(arg));
	else if (strcmp(op, "append") == 0 && node == NULL && up != NULL)
		cJSON_AddItemToObject(up, strrchr(where, '.') != NULL ?
		    strrchr(where, '.') + 1 : where, parse(arg));
	else if (node == NULL)
		edit_die("no %s", where);
	else if (strcmp(op, "set") == 0)
		replace(up, node, parse(arg));
	else if (strcmp(op, "add") == 0)
		json_add_number(up, node, arg);
	else if (strcmp(op, "drop") == 0)
		cJSON_Delete(cJSON_DetachItemViaPointer(up, node));
	else if (strcmp(op, "swap") == 0)
		json_swap(up, node);
	else if (strcmp(op, "twice") == 0) {
		copy = cJSON_Duplicate(node, 1);
		if (cJSON_IsArray(up))
			cJSON_AddItemToArray(up, copy);
		else
			cJSON_AddItemToObject(up, node->string, copy);
	} else
		edit_die("no operation %s", op);
}

static int
json_main(int argc, char **argv)
{
	cJSON *root = edit_json_read(cwd, argv[0]);

	if (argc < 3)
		edit_die("json FILE PLACE OPERATION");
	json_edit(root, argv[1], argc - 2, argv + 2);
	edit_json_write(cwd, argv[0], root);
	cJSON_Delete(root);
	return 0;
}

static size_t
column(const char *kind, const char *name, size_t n)
{
	int k = schema_kind_find(kind, strlen(kind)), c;
	char copy[64];

	(void)snprintf(copy, sizeof(copy), "%.*s", (int)n, name);
	if (k == -1 || (c = schema_col_find((enum schema_kind)k, copy)) == -1)
		edit_die("%s has no column %s", kind, copy);
	return (size_t)c;
}

/* COLUMN=TEXT, COLUMN+N, COLUMN-N */
static void
rec_set(struct edit_lines *l, size_t at, const char *kind, const char *arg)
{
	size_t n = strcspn(arg, "=+-"), i;
	char num[32], *old, *line;

	if (arg[n] == '\0')
		edit_die("no operation %s", arg);
	if (kind[0] == '#') {	/* only the whole value of a header */
		if (asprintf(&line, "%s %s\n", kind, arg + n + 1) < 0)
			edit_die("out of memory");
	} else {
		i = column(kind, arg, n);
		old = edit_get(l->v[at], i);
		(void)snprintf(num, sizeof(num), "%llu",
		    strtoull(old, NULL, 10) +
		    (unsigned long long)strtoll(arg + n, NULL, 10));
		line = edit_field(l->v[at], i, arg[n] == '=' ? arg + n + 1 :
		    num);
		free(old);
	}
	free(l->v[at]);
	l->v[at] = line;
}

static void
join(struct edit_lines *l, size_t at, const char *more)
{
	char *both;

	if (asprintf(&both, "%s%s", l->v[at], more) < 0)
		edit_die("out of memory");
	free(l->v[at]);
	l->v[at] = both;
}

static void
rec_after(struct edit_lines *l, size_t at, const char *text)
{
	char *line = strdup(text), *p, *ts = edit_get(l->v[at], 0), *out;
	uint64_t t = strtoull(ts, NULL, 10);

	for (p = line; *p != '\0'; p++)
		if (*p == ' ')
			*p = '\t';
	if (strncmp(line, "TS", 2) == 0) {
		t += (uint64_t)strtoll(line + 2, NULL, 10);
		if (asprintf(&out, "%" PRIu64 "%s\n", t,
		    strchr(line, '\t') != NULL ? strchr(line, '\t') : "") < 0)
			edit_die("out of memory");
	} else if (asprintf(&out, "%s\n", line) < 0)
		edit_die("out of memory");
	join(l, at, out);
	free(out);
	free(line);
	free(ts);
}

/* The record COUNT times more, each STEP ns later. */
static void
rec_fill(struct edit_lines *l, size_t at, const char *count, const char *step)
{
	const char *rest = strchr(l->v[at], '\t');
	size_t i, n = strtoul(count, NULL, 10), len = strlen(rest) + 24;
	uint64_t ts = strtoull(l->v[at], NULL, 10);
	char *buf = malloc(strlen(l->v[at]) + n * len + 1), *p;

	if (buf == NULL)
		edit_die("out of memory");
	p = stpcpy(buf, l->v[at]);
	for (i = 0; i < n; i++) {
		ts += strtoull(step, NULL, 10);
		p += sprintf(p, "%" PRIu64 "%s", ts, rest);
	}
	free(l->v[at]);
	l->v[at] = buf;
}

static void
rec_edit(struct edit_lines *l, char *kind, int argc, char **argv)
{
	char *nth = strchr(kind + 1, '#'), *t;
	size_t at;
	int i;

	if (nth != NULL)
		*nth++ = '\0';
	at = edit_find(l, kind, nth != NULL ? strtoul(nth, NULL, 10) : 1);
	if (strcmp(argv[0], "drop") == 0) {
		free(l->v[at]);
		l->v[at] = NULL;
	} else if (strcmp(argv[0], "twice") == 0) {
		t = strdup(l->v[at]);
		join(l, at, t);
		free(t);
	} else if (strcmp(argv[0], "swap") == 0) {
		t = l->v[at];
		l->v[at] = l->v[at + 1];
		l->v[at + 1] = t;
	} else if (strcmp(argv[0], "fill") == 0 && argc > 2)
		rec_fill(l, at, argv[1], argv[2]);
	else if (strcmp(argv[0], "after") == 0 && argc > 1)
		rec_after(l, at, argv[1]);
	else
		for (i = 0; i < argc; i++)
			rec_set(l, at, kind, argv[i]);
}

/* An ovf record at its place, and as collectors.json has the interval. */
static int
lose(const char *family, uint64_t from, const char *to, const char *count)
{
	struct edit_lines l;
	char path[256], *line, *ts;
	bool there;
	size_t i;

	(void)snprintf(path, sizeof(path), "raw/%s.tsv", family);
	edit_lines_read(&l, cwd, path);
	for (i = 0; i < l.n; i++) {
		ts = l.v[i][0] != '#' ? edit_get(l.v[i], 0) : NULL;
		there = ts != NULL && strtoull(ts, NULL, 10) >= from;
		free(ts);
		if (there)
			break;
	}
	if (asprintf(&line, "%" PRIu64 "\tovf\t-\t-\t0\t-\t-\t%s\t%" PRIu64
	    "\t%s\tbuffer\n", from, count, from, to) < 0)
		edit_die("out of memory");
	join(&l, i - 1, line);
	free(line);
	edit_lines_write(&l, cwd, path);
	edit_lines_free(&l);
	return 0;
}

static int
field(const char *family, char *kind, const char *col)
{
	char path[256], *nth = strchr(kind + 1, '#'), *text;
	struct edit_lines l;
	size_t at;

	if (nth != NULL)
		*nth++ = '\0';
	(void)snprintf(path, sizeof(path), "raw/%s.tsv", family);
	edit_lines_read(&l, cwd, path);
	at = edit_find(&l, kind, nth != NULL ? strtoul(nth, NULL, 10) : 1);
	text = edit_get(l.v[at], column(kind, col, strlen(col)));
	puts(text);
	free(text);
	edit_lines_free(&l);
	return 0;
}

static int
rec_main(int argc, char **argv)
{
	struct edit_lines l;
	char path[256];

	if (argc < 3)
		edit_die("rec FAMILY KIND OPERATION");
	(void)snprintf(path, sizeof(path), "raw/%s.tsv", argv[0]);
	edit_lines_read(&l, cwd, path);
	rec_edit(&l, argv[1], argc - 2, argv + 2);
	edit_lines_write(&l, cwd, path);
	edit_lines_free(&l);
	return 0;
}

static void
grow(void *arg, const char *what, uint64_t bytes)
{
	int fd = openat(cwd, "logs/capture.log", O_WRONLY | O_APPEND);

	(void)arg;
	(void)what;
	(void)bytes;
	if (fd == -1 || write(fd, "x", 1) != 1)
		edit_die("cannot write the log");
	close(fd);
}

static int
ids(const struct validate_opt *o)
{
	struct validate_result r;
	struct msg m;
	size_t i;

	if (validate_bundle(cwd, "bundle", o, &r, &m) == -1)
		edit_die("%s: %s", m.path, m.text);
	for (i = 0; i < FINDING_COUNT; i++)
		if (r.by_id[i] > 0)
			puts(finding_table[i].id);
	validate_free(&r);
	return 0;
}

static int
changing(void)
{
	struct validate_opt o = { .staged = true, .progress = grow };

	return ids(&o);
}

static int
limited(const char *limit, const char *report)
{
	struct validate_opt o = {
		.staged = true,
		.limit = (uint32_t)strtoul(limit, NULL, 10),
		.report_max = strtoull(report, NULL, 10),
	};

	return ids(&o);
}

static int
get(const char *file, const char *place)
{
	cJSON *up, *root = edit_json_read(cwd, file);
	cJSON *n = edit_place(root, place, &up);
	char *text = n != NULL ? cJSON_PrintUnformatted(n) : NULL;

	if (text == NULL)
		edit_die("no %s", place);
	puts(text);
	free(text);
	cJSON_Delete(root);
	return 0;
}

int
main(int argc, char **argv)
{
	cwd = open(".", O_RDONLY | O_DIRECTORY);
	if (cwd == -1 || argc < 2)
		edit_die("editbundle OPERATION ...");
	if (strcmp(argv[1], "json") == 0)
		return json_main(argc - 2, argv + 2);
	if (strcmp(argv[1], "rec") == 0)
		return rec_main(argc - 2, argv + 2);
	if (strcmp(argv[1], "seal") == 0)
		edit_seal(cwd);
	else if (strcmp(argv[1], "verdict") == 0)
		edit_verdict(cwd);
	else if (strcmp(argv[1], "report") == 0)
		edit_report(cwd);
	else if (strcmp(argv[1], "changing") == 0)
		return changing();
	else if (strcmp(argv[1], "limited") == 0 && argc == 4)
		return limited(argv[2], argv[3]);
	else if (strcmp(argv[1], "lose") == 0 && argc == 6)
		return lose(argv[2], strtoull(argv[3], NULL, 10), argv[4],
		    argv[5]);
	else if (strcmp(argv[1], "field") == 0 && argc == 5)
		return field(argv[2], argv[3], argv[4]);
	else if (strcmp(argv[1], "get") == 0 && argc == 4)
		return get(argv[2], argv[3]);
	else
		edit_die("no operation %s", argv[1]);
	return 0;
}
