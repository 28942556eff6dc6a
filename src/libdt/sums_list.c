/* Checksum lists: lines written and parsed. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/file.h"
#include "libdt/sums.h"
#include "libdt/sums_list.h"

static const struct {
	const char *name;
	const char *escaped;	/* bytes that make a line an escaped one */
} kinds[SUMS_KINDS] = {
	[SUMS_KIND_SHA256] = { SUMS_SHA256, "\\\n\r" },
	[SUMS_KIND_XXH3] = { SUMS_XXH3, "\n" },
};

#define XXH3_HEAD	"XXH3 ("
#define XXH3_TAIL	") = "

struct parse {
	enum sums_kind kind;
	int bundle;
	const struct msg_sink *sink;
	uint64_t *findings;
	struct sums_list *l;
};

const char *
sums_list_name(enum sums_kind kind)
{
	return kinds[kind].name;
}

/* Escapes path for a line and gives the end of what it wrote. */
static char *
escape(char *to, const char *path)
{
	for (; *path != '\0'; path++) {
		if (*path == '\\' || *path == '\n' || *path == '\r')
			*to++ = '\\';
		*to++ = *path == '\n' ? 'n' : *path == '\r' ? 'r' : *path;
	}
	return to;
}

size_t
sums_list_line(enum sums_kind kind, const char *path, const struct digest *d,
    char line[SUMS_LINE_MAX])
{
	bool esc = strpbrk(path, kinds[kind].escaped) != NULL;
	char hex[SHA256_HEX], *p = line;

	if (esc)
		*p++ = '\\';
	if (kind == SUMS_KIND_SHA256) {
		digest_sha256_hex(d, hex);
		p += sprintf(p, "%s  ", hex);
	} else {
		p += sprintf(p, XXH3_HEAD);
	}
	if (esc)
		p = escape(p, path);
	else
		p = stpcpy(p, path);
	if (kind == SUMS_KIND_XXH3) {
		digest_xxh3_hex(d, hex);
		p += sprintf(p, XXH3_TAIL "%s", hex);
	}
	*p++ = '\n';
	*p = '\0';
	return (size_t)(p - line);
}

/* Undoes escape() in place; false if it did not make this. */
static bool
unescape(char *s)
{
	char *to = s;

	for (; *s != '\0'; s++) {
		if (*s == '\r')
			return false;
		if (*s != '\\') {
			*to++ = *s;
			continue;
		}
		s++;
		if (*s != '\\' && *s != 'n' && *s != 'r')
			return false;
		*to++ = *s == 'n' ? '\n' : *s == 'r' ? '\r' : *s;
	}
	*to = '\0';
	return true;
}

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* n bytes from 2n lower-case hex digits */
static bool
unhex(const char *s, uint8_t *to, size_t n)
{
	int hi, lo;

	for (; n > 0; n--, s += 2) {
		if ((hi = hex_value(s[0])) == -1 ||
		    (lo = hex_value(s[1])) == -1)
			return false;
		*to++ = (uint8_t)(hi << 4 | lo);
	}
	return true;
}

/* Splits a NUL-terminated line of n bytes; true if it is a line at all. */
static bool
split(enum sums_kind kind, char *s, size_t n, struct sums_entry *e)
{
	static const size_t head = sizeof(XXH3_HEAD) - 1;
	static const size_t tail = sizeof(XXH3_TAIL) - 1;
	bool esc = s[0] == '\\', lone;
	uint8_t x[8];
	size_t i;
	char *path;

	s += esc;
	n -= esc;
	if (kind == SUMS_KIND_SHA256) {
		if (n < 67 || !unhex(s, e->sha256, 32) || s[64] != ' ' ||
		    s[65] != ' ')
			return false;
		path = s + 66;
	} else {
		if (n < head + 1 + tail + 16 ||
		    memcmp(s, XXH3_HEAD, head) != 0 ||
		    memcmp(s + n - 16 - tail, XXH3_TAIL, tail) != 0 ||
		    !unhex(s + n - 16, x, 8))
			return false;
		for (e->xxh3 = 0, i = 0; i < 8; i++)
			e->xxh3 = e->xxh3 << 8 | x[i];
		s[n - 16 - tail] = '\0';
		path = s + head;
	}
	if (esc && !unescape(path))
		return false;
	/* Escaped where there was a need, and only there. */
	lone = strpbrk(path, kinds[kind].escaped) != NULL;
	e->path = path;
	return lone == esc;
}

static int
find(struct parse *p, const char *id, uint64_t line, const char *what,
    const char *path)
{
	++*p->findings;
	return msg_emit(p->sink, MSG_ERROR, id, kinds[p->kind].name, line,
	    "%s%s%.400s", what, path != NULL ? ": " : "",
	    path != NULL ? path : "");
}

static int
entry_add(struct sums_list *l, const struct sums_entry *e)
{
	if (ARRAY_ROOM(l->v, l->n, l->cap) == -1)
		return -1;
	l->v[l->n++] = *e;
	return 0;
}

static bool
path_suits(const char *path, int bundle)
{
	enum path_fault f = path_fault(path, strlen(path));

	return f == PATH_GOOD ||
	    (!bundle && (f == PATH_CONTROL || f == PATH_UTF8));
}

/* One line; 0, 1 if the sink stops, -1 without memory. */
static int
parse_line(struct parse *p, char *s, size_t n, uint64_t line,
    const char **last)
{
	struct sums_entry e = { .line = line };

	if (memchr(s, '\0', n) != NULL || !split(p->kind, s, n, &e))
		return find(p, "sums-malformed", line,
		    "this line is not in the list's format", NULL);
	if (!path_suits(e.path, p->bundle))
		return find(p, "sums-path", line,
		    "the path is unsafe or not in normal form", e.path);
	if (*last != NULL && strcmp(*last, e.path) > 0 &&
	    find(p, "sums-order", line, "this path stands too late",
	    e.path) != 0)
		return 1;
	*last = e.path;
	return entry_add(p->l, &e);
}

static int
entry_cmp(const void *a, const void *b)
{
	const struct sums_entry *x = a, *y = b;
	int c = strcmp(x->path, y->path);

	return c != 0 ? c : x->line < y->line ? -1 : x->line > y->line;
}

/* Sorts the entries and drops, as findings, what comes again. */
static int
sort(struct parse *p)
{
	struct sums_list *l = p->l;
	size_t i, n = 0;

	if (l->n > 1)
		qsort(l->v, l->n, sizeof(*l->v), entry_cmp);
	for (i = 0; i < l->n; i++) {
		if (n == 0 || strcmp(l->v[n - 1].path, l->v[i].path) != 0)
			l->v[n++] = l->v[i];
		else if (find(p, "sums-duplicate", l->v[i].line,
		    "this path is listed already", l->v[i].path) != 0)
			return 1;
	}
	l->n = n;
	return 0;
}

int
sums_list_parse(struct sums_list *l, char *text, size_t len,
    enum sums_kind kind, int bundle, const struct msg_sink *sink,
    uint64_t *findings, struct msg *m)
{
	struct parse p = { kind, bundle, sink, findings, l };
	const char *last = NULL;
	char *s = text, *end = text + len, *nl;
	uint64_t line = 0;
	int rc = 0;

	memset(l, 0, sizeof(*l));
	l->text = text;
	for (; rc == 0 && s < end; s = nl + 1) {
		line++;
		nl = memchr(s, '\n', (size_t)(end - s));
		if (nl == NULL) {
			nl = end;
			rc = find(&p, "sums-malformed", line,
			    "the last line has no end", NULL);
		}
		*nl = '\0';
		if (rc == 0)
			rc = parse_line(&p, s, (size_t)(nl - s), line, &last);
	}
	if (rc == 0)
		rc = sort(&p);
	if (rc == -1)
		return msg_set_nomem(m);
	return rc == 0 ? 0 : msg_set(m, "stopped", "stopped");
}

int
sums_list_read(struct sums_list *l, int dirfd, enum sums_kind kind,
    int bundle, const struct msg_sink *sink, uint64_t *findings,
    struct msg *m)
{
	const char *name = kinds[kind].name;
	struct msg why;
	char *text;
	size_t len;

	memset(l, 0, sizeof(*l));
	if (file_slurp(dirfd, name, SUMS_LIST_MAX, &text, &len, &why) == 0)
		return sums_list_parse(l, text, len, kind, bundle, sink,
		    findings, m);
	if (why.err != 0 && !path_gone(why.err)) {
		if (m != NULL)
			*m = why;
		return -1;
	}
	++*findings;
	return msg_emit(sink, MSG_ERROR, why.err == ENOENT ? "sums-missing" :
	    "sums-read", name, 0, "%s", why.err == ENOENT ?
	    "this checksum list is not there" : why.text) == 0 ? 0 :
	    msg_set(m, "stopped", "stopped");
}

void
sums_list_free(struct sums_list *l)
{
	free(l->text);
	free(l->v);
	memset(l, 0, sizeof(*l));
}
