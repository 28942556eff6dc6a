#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "edit.h"
#include "libdt/bundle.h"
#include "libdt/file.h"
#include "libdt/json.h"
#include "libdt/report.h"
#include "libdt/sums.h"

#define FILE_MAX	(64u << 20)

void
edit_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

char *
edit_read(int dirfd, const char *path, size_t *len)
{
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	struct msg m;
	char *buf;

	if (fd == -1)
		edit_die("%s: cannot open", path);
	if (file_slurp_fd(fd, path, FILE_MAX, &buf, len, &m) == -1)
		edit_die("%s: %s", path, m.text);
	close(fd);
	return buf;
}

void
edit_write(int dirfd, const char *path, const char *buf, size_t len)
{
	int fd = openat(dirfd, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd == -1 || file_write(fd, buf, len) == -1 || close(fd) == -1)
		edit_die("%s: cannot write", path);
}

void
edit_lines_read(struct edit_lines *l, int dirfd, const char *path)
{
	size_t len, cap = 0;
	char *p;

	l->n = 0;
	l->v = NULL;
	l->buf = edit_read(dirfd, path, &len);
	for (p = l->buf; *p != '\0'; p += strcspn(p, "\n") + 1) {
		if (l->n == cap) {
			cap = cap > 0 ? cap * 2 : 64;
			l->v = reallocarray(l->v, cap, sizeof(*l->v));
			if (l->v == NULL)
				edit_die("out of memory");
		}
		l->v[l->n++] = strndup(p, strcspn(p, "\n") + 1);
		if (p[strcspn(p, "\n")] == '\0')
			break;
	}
}

void
edit_lines_write(const struct edit_lines *l, int dirfd, const char *path)
{
	size_t i, len = 0, n;
	char *buf;

	for (i = 0; i < l->n; i++)
		len += l->v[i] != NULL ? strlen(l->v[i]) : 0;
	if ((buf = malloc(len + 1)) == NULL)
		edit_die("out of memory");
	for (i = len = 0; i < l->n; i++) {
		n = l->v[i] != NULL ? strlen(l->v[i]) : 0;
		memcpy(buf + len, l->v[i] != NULL ? l->v[i] : "", n);
		len += n;
	}
	edit_write(dirfd, path, buf, len);
	free(buf);
}

void
edit_lines_free(struct edit_lines *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
	free(l->buf);
}

char *
edit_get(const char *line, size_t i)
{
	for (; i > 0; i--) {
		line = strchr(line, '\t');
		if (line == NULL)
			return NULL;
		line++;
	}
	return strndup(line, strcspn(line, "\t\n"));
}

char *
edit_field(const char *line, size_t i, const char *text)
{
	const char *p = line;
	char *out;

	for (; i > 0; i--) {
		p = strchr(p, '\t');
		if (p == NULL)
			edit_die("no such column");
		p++;
	}
	if (asprintf(&out, "%.*s%s%s", (int)(p - line), line, text,
	    p + strcspn(p, "\t\n")) < 0)
		edit_die("out of memory");
	return out;
}

size_t
edit_find(const struct edit_lines *l, const char *kind, size_t nth)
{
	size_t i, n = strlen(kind);
	char *k;
	bool is;

	for (i = 0; i < l->n; i++) {
		if (kind[0] == '#')
			is = strncmp(l->v[i], kind, n) == 0 &&
			    (l->v[i][n] == ' ' || l->v[i][n] == '\n');
		else {
			k = l->v[i][0] != '#' ? edit_get(l->v[i], 1) : NULL;
			is = k != NULL && strcmp(k, kind) == 0;
			free(k);
		}
		if (is && --nth == 0)
			return i;
	}
	edit_die("no %s", kind);
}

/* An element: [1], [-1] the last, [name=cpu] the one with such a member. */
static cJSON *
element(cJSON *list, const char *what, size_t n)
{
	const char *eq = memchr(what, '=', n), *s;
	char name[64];
	cJSON *e;
	long i = strtol(what, NULL, 10);

	if (eq == NULL)
		return cJSON_GetArrayItem(list, i < 0 ?
		    cJSON_GetArraySize(list) + (int)i : (int)i);
	(void)snprintf(name, sizeof(name), "%.*s", (int)(eq - what), what);
	cJSON_ArrayForEach(e, list) {
		s = cJSON_GetStringValue(
		    cJSON_GetObjectItemCaseSensitive(e, name));
		if (s != NULL && strlen(s) == n - (size_t)(eq - what) - 1 &&
		    strncmp(s, eq + 1, strlen(s)) == 0)
			return e;
	}
	return NULL;
}

cJSON *
edit_place(cJSON *root, const char *where, cJSON **up)
{
	char name[256];
	cJSON *at = root;
	size_t n;

	*up = NULL;
	while (*where != '\0' && at != NULL) {
		*up = at;
		if (*where == '[') {
			n = strcspn(where + 1, "]");
			at = element(at, where + 1, n);
			where += n + 2;
		} else {
			where += *where == '.';
			n = strcspn(where, ".[");
			(void)snprintf(name, sizeof(name), "%.*s", (int)n,
			    where);
			at = cJSON_GetObjectItemCaseSensitive(at, name);
			where += n;
		}
	}
	return at;
}

cJSON *
edit_json_read(int dirfd, const char *path)
{
	struct msg m;
	cJSON *tree = json_read(dirfd, path, &m);

	if (tree == NULL)
		edit_die("%s: %s", path, m.text);
	return tree;
}

void
edit_json_write(int dirfd, const char *path, cJSON *tree)
{
	struct msg m;
	size_t len;
	char *text = json_print(tree, &len, &m);

	if (text == NULL)
		edit_die("%s: %s", path, m.text);
	edit_write(dirfd, path, text, len);
	free(text);
}

static int
unsealed(void *arg, const struct msg *m)
{
	(void)arg;
	if (strcmp(m->id, "sums-type") == 0 || strcmp(m->id, "sums-name") == 0)
		return 0;
	edit_die("%s: %s", m->path, m->text);
}

void
edit_seal(int dirfd)
{
	struct sums_options o = { .threads = 1 };
	struct msg_sink sink = { unsealed, NULL };
	struct msg m;

	(void)unlinkat(dirfd, SUMS_SHA256, 0);
	(void)unlinkat(dirfd, SUMS_XXH3, 0);
	if (sums_make(dirfd, &o, &sink, NULL, &m) == -1)
		edit_die("sums: %s", m.text);
}

static const char *
finalize_version(cJSON *manifest)
{
	cJSON *up, *t, *tools = edit_place(manifest, "tools", &up);
	const char *name;

	cJSON_ArrayForEach(t, tools) {
		name = cJSON_GetStringValue(edit_place(t, "name", &up));
		if (name != NULL && strcmp(name, "dt-finalize") == 0)
			return cJSON_GetStringValue(edit_place(t, "version",
			    &up));
	}
	return "0";
}

void
edit_verdict(int dirfd)
{
	struct validate_opt opt = { .threads = 1, .staged = true };
	struct validate_result r;
	cJSON *tree, *manifest = edit_json_read(dirfd, "manifest.json");
	struct msg m;

	if (validate_bundle(dirfd, "bundle", &opt, &r, &m) == -1)
		edit_die("%s: %s", m.path, m.text);
	tree = validate_json(&r, "dt-finalize", finalize_version(manifest),
	    &m);
	if (tree == NULL)
		edit_die("%s", m.text);
	edit_json_write(dirfd, "validation.json", tree);
	cJSON_Delete(tree);
	cJSON_Delete(manifest);
	validate_free(&r);
}

void
edit_report(int dirfd)
{
	struct bundle b;
	struct msg m;

	if (bundle_open(&b, dirfd, "bundle", true, &m) == -1 ||
	    report_write(&b, dirfd, &m) == -1)
		edit_die("%s: %s", m.path, m.text);
	bundle_close(&b);
}
