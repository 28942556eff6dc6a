/* JSON text into trees, with numbers as they were written. */
#include <stdlib.h>
#include <string.h>

#include "libdt/file.h"
#include "libdt/json.h"
#include "libdt/json_check.h"

/* What the pass after cJSON's parse needs: the same text once more. */
struct annotate {
	struct json_scan s;
	const char *name;
	struct msg *m;
};

struct seen {
	const char *name;
	uint64_t line;
};

static int annotate_value(struct annotate *a, cJSON *node);

static int
seen_cmp(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c != 0 ? c : x->line < y->line ? -1 : x->line > y->line;
}

static int
seen_check(struct annotate *a, struct seen *v, size_t n)
{
	size_t i;

	if (n > 1)
		qsort(v, n, sizeof(*v), seen_cmp);
	for (i = 1; i < n; i++)
		if (strcmp(v[i - 1].name, v[i].name) == 0)
			return msg_set_at(a->m, "json-duplicate", a->name,
			    v[i].line, "member \"%.100s\" appears twice",
			    v[i].name);
	return 0;
}

/* The members or elements of node, whose opening bracket has been read. */
static int
annotate_children(struct annotate *a, cJSON *node, struct seen *v)
{
	cJSON *child;
	size_t n = 0, len;

	for (child = node->child; child != NULL; child = child->next) {
		if (v != NULL) {
			(void)json_token(&a->s, &len);
			v[n].name = child->string;
			v[n++].line = a->s.line;
			(void)json_token(&a->s, &len);	/* : */
		}
		if (annotate_value(a, child) == -1)
			return -1;
		if (child->next != NULL)
			(void)json_token(&a->s, &len);	/* , */
	}
	(void)json_token(&a->s, &len);			/* } or ] */
	return v != NULL ? seen_check(a, v, n) : 0;
}

static int
annotate_object(struct annotate *a, cJSON *node)
{
	size_t n = (size_t)cJSON_GetArraySize(node);
	struct seen *v = calloc(n + 1, sizeof(*v));
	int rc;

	if (v == NULL)
		return msg_set_nomem(a->m);
	rc = annotate_children(a, node, v);
	free(v);
	return rc;
}

/*
 * Goes through node and the text it came from side by side: numbers get their
 * text, duplicate members are found.
 */
static int
annotate_value(struct annotate *a, cJSON *node)
{
	size_t len;
	const char *t = json_token(&a->s, &len);

	switch (*t) {
	case '{':
		return annotate_object(a, node);
	case '[':
		return annotate_children(a, node, NULL);
	case '"':
	case 't':
	case 'f':
	case 'n':
		return 0;
	}
	node->valuestring = strndup(t, len);
	if (node->valuestring == NULL)
		return msg_set_nomem(a->m);
	node->type = (node->type & ~0xff) | cJSON_Raw;
	return 0;
}

cJSON *
json_parse(const char *buf, size_t len, const char *name, struct msg *m)
{
	struct annotate a = {
		.s = { .p = buf, .end = buf + len, .line = 1 },
		.name = name,
		.m = m,
	};
	cJSON *tree;

	if (json_check(buf, len, name, m) == -1)
		return NULL;
	tree = cJSON_ParseWithLengthOpts(buf, len, NULL, 0);
	if (tree == NULL) {
		msg_set_at(m, "json-syntax", name, 0,
		    "cannot be parsed, or out of memory");
		return NULL;
	}
	if (annotate_value(&a, tree) == -1) {
		cJSON_Delete(tree);
		return NULL;
	}
	return tree;
}

cJSON *
json_read(int dirfd, const char *path, struct msg *m)
{
	char *buf;
	size_t len;
	cJSON *tree;

	if (file_slurp(dirfd, path, JSON_BYTES_MAX, &buf, &len, m) == -1) {
		if (m != NULL && m->id != NULL &&
		    strcmp(m->id, "too-big") == 0)
			m->id = "json-too-big";
		return NULL;
	}
	tree = json_parse(buf, len, path, m);
	free(buf);
	return tree;
}
