/* Members of JSON trees, read with their type and place. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/esc.h"
#include "libdt/json.h"

#define WHERE_SIZE	256

struct json_ref
json_root(const cJSON *tree, const char *file)
{
	struct json_ref r = { .node = tree, .name = file };

	return r;
}

const char *
json_file(const struct json_ref *ref)
{
	while (ref->up != NULL)
		ref = ref->up;
	return ref->name;
}

/* Appends ref's place; gives the new length, at most cap - 1. */
static size_t
where_add(const struct json_ref *ref, char *buf, size_t cap)
{
	size_t n;
	int r;

	if (ref->up == NULL)
		return 0;
	n = where_add(ref->up, buf, cap);
	if (ref->name != NULL)
		r = snprintf(buf + n, cap - n, "%s%s", n > 0 ? "." : "",
		    ref->name);
	else
		r = snprintf(buf + n, cap - n, "[%zu]", ref->index);
	if (r < 0)
		return n;
	return (size_t)r < cap - n ? n + (size_t)r : cap - 1;
}

void
json_where(const struct json_ref *ref, const char *name, char *buf,
    size_t cap)
{
	size_t n;

	if (cap == 0)
		return;
	buf[0] = '\0';
	n = where_add(ref, buf, cap);
	if (name != NULL)
		(void)snprintf(buf + n, cap - n, "%s%s", n > 0 ? "." : "",
		    name);
	else if (n == 0)
		(void)snprintf(buf, cap, "the whole");
}

static int
refuse(const struct json_ref *ref, const char *name, const char *id,
    const char *what, struct msg *m)
{
	char where[WHERE_SIZE];

	json_where(ref, name, where, sizeof(where));
	return msg_set_at(m, id, json_file(ref), 0, "%s %s", where, what);
}

/* The node of a member, or of ref itself; NULL if there is none. */
static const cJSON *
node_of(const struct json_ref *ref, const char *name)
{
	if (name == NULL)
		return ref->node;
	if (!cJSON_IsObject(ref->node))
		return NULL;
	return cJSON_GetObjectItemCaseSensitive(ref->node, name);
}

static const cJSON *
need(const struct json_ref *ref, const char *name, struct msg *m)
{
	const cJSON *node = node_of(ref, name);

	if (node == NULL)
		refuse(ref, name, "json-missing", "is missing", m);
	return node;
}

bool
json_is_number(const cJSON *node)
{
	return cJSON_IsRaw(node) && node->valuestring != NULL;
}

/* The text of an integer member, NULL with m. */
static const char *
integer(const struct json_ref *ref, const char *name, struct msg *m)
{
	const cJSON *node = need(ref, name, m);

	if (node == NULL)
		return NULL;
	if (!json_is_number(node) ||
	    strpbrk(node->valuestring, ".eE") != NULL) {
		refuse(ref, name, "json-type", "is no integer", m);
		return NULL;
	}
	return node->valuestring;
}

int
json_get_i64(const struct json_ref *ref, const char *name, int64_t *v,
    struct msg *m)
{
	const char *s = integer(ref, name, m);
	long long n;

	if (s == NULL)
		return -1;
	errno = 0;
	n = strtoll(s, NULL, 10);
	if (errno == ERANGE)
		return refuse(ref, name, "json-range",
		    "does not fit a signed 64-bit integer", m);
	*v = n;
	return 0;
}

int
json_get_u64(const struct json_ref *ref, const char *name, uint64_t *v,
    struct msg *m)
{
	const char *s = integer(ref, name, m);
	unsigned long long n;

	if (s == NULL)
		return -1;
	if (s[0] == '-' && strcmp(s, "-0") != 0)
		return refuse(ref, name, "json-range", "is negative", m);
	errno = 0;
	n = strtoull(s, NULL, 10);
	if (errno == ERANGE)
		return refuse(ref, name, "json-range",
		    "does not fit an unsigned 64-bit integer", m);
	*v = n;
	return 0;
}

int
json_get_double(const struct json_ref *ref, const char *name, double *v,
    struct msg *m)
{
	const cJSON *node = need(ref, name, m);
	double d;

	if (node == NULL)
		return -1;
	if (!json_is_number(node))
		return refuse(ref, name, "json-type", "is no number", m);
	d = strtod(node->valuestring, NULL);
	if (d > 1.7976931348623157e308 || d < -1.7976931348623157e308)
		return refuse(ref, name, "json-range", "is too large", m);
	*v = d;
	return 0;
}

int
json_get_bool(const struct json_ref *ref, const char *name, bool *v,
    struct msg *m)
{
	const cJSON *node = need(ref, name, m);

	if (node == NULL)
		return -1;
	if (!cJSON_IsBool(node))
		return refuse(ref, name, "json-type",
		    "is neither true nor false", m);
	*v = cJSON_IsTrue(node);
	return 0;
}

int
json_get_str(const struct json_ref *ref, const char *name, const char **v,
    struct msg *m)
{
	const cJSON *node = need(ref, name, m);

	if (node == NULL)
		return -1;
	if (!cJSON_IsString(node) || node->valuestring == NULL)
		return refuse(ref, name, "json-type", "is no string", m);
	*v = node->valuestring;
	return 0;
}

/* A ref of ref's member name that hangs below it. */
static struct json_ref
below(const struct json_ref *ref, const char *name, const cJSON *node)
{
	struct json_ref r = { .node = node, .up = ref, .name = name };

	return name != NULL ? r : *ref;
}

int
json_get_object(const struct json_ref *ref, const char *name,
    struct json_ref *v, struct msg *m)
{
	const cJSON *node = need(ref, name, m);

	if (node == NULL)
		return -1;
	if (!cJSON_IsObject(node))
		return refuse(ref, name, "json-type", "is no object", m);
	*v = below(ref, name, node);
	return 0;
}

int
json_get_array(const struct json_ref *ref, const char *name,
    struct json_ref *v, struct msg *m)
{
	const cJSON *node = need(ref, name, m);

	if (node == NULL)
		return -1;
	if (!cJSON_IsArray(node))
		return refuse(ref, name, "json-type", "is no array", m);
	*v = below(ref, name, node);
	return 0;
}

int
json_get_bytes(const struct json_ref *ref, const char *name, char **v,
    size_t *len, struct msg *m)
{
	const char *s;
	char *p;
	ssize_t n;
	size_t sl;

	if (json_get_str(ref, name, &s, m) == -1)
		return -1;
	sl = strlen(s);
	p = malloc(sl + 1);
	if (p == NULL)
		return msg_set_nomem(m);
	n = esc_decode(p, s, sl);
	if (n == -1) {
		free(p);
		return refuse(ref, name, "json-type",
		    "is not in the canonical escape", m);
	}
	p[n] = '\0';
	*v = p;
	*len = (size_t)n;
	return 0;
}

bool
json_has(const struct json_ref *ref, const char *name)
{
	return node_of(ref, name) != NULL;
}

bool
json_is_null(const struct json_ref *ref, const char *name)
{
	const cJSON *node = node_of(ref, name);

	return node != NULL && cJSON_IsNull(node);
}

/* The optional form of each accessor: absent and null are 1. */
#define OPT(type, c_type) \
	int \
	json_opt_##type(const struct json_ref *ref, const char *name, \
	    c_type *v, struct msg *m) \
	{ \
		if (!json_has(ref, name) || json_is_null(ref, name)) \
			return 1; \
		return json_get_##type(ref, name, v, m); \
	}
OPT(i64, int64_t)
OPT(u64, uint64_t)
OPT(double, double)
OPT(bool, bool)
OPT(str, const char *)
OPT(object, struct json_ref)
OPT(array, struct json_ref)
#undef OPT

size_t
json_count(const struct json_ref *of)
{
	return (size_t)cJSON_GetArraySize(of->node);
}

bool
json_first(const struct json_ref *of, struct json_ref *e)
{
	const cJSON *child = of->node->child;

	if ((!cJSON_IsArray(of->node) && !cJSON_IsObject(of->node)) ||
	    child == NULL)
		return false;
	e->node = child;
	e->up = of;
	e->name = cJSON_IsObject(of->node) ? child->string : NULL;
	e->index = 0;
	return true;
}

bool
json_next(struct json_ref *e)
{
	if (e->node->next == NULL)
		return false;
	e->node = e->node->next;
	e->index++;
	if (e->name != NULL)
		e->name = e->node->string;
	return true;
}

static int
named_cmp(const void *a, const void *b)
{
	const cJSON *const *x = a, *const *y = b;

	return strcmp((*x)->string, (*y)->string);
}

int
json_index(struct json_index *x, const struct json_ref *object)
{
	struct json_ref e;
	bool ok;

	x->n = 0;
	x->v = calloc(json_count(object) + 1, sizeof(*x->v));
	if (x->v == NULL)
		return -1;
	for (ok = json_first(object, &e); ok; ok = json_next(&e))
		x->v[x->n++] = e.node;
	qsort(x->v, x->n, sizeof(*x->v), named_cmp);
	return 0;
}

const cJSON *
json_index_get(const struct json_index *x, const char *name)
{
	size_t i;

	ARRAY_FIRST(i, x->n, strcmp(x->v[i]->string, name) >= 0);
	return i < x->n && strcmp(x->v[i]->string, name) == 0 ?
	    x->v[i] : NULL;
}

void
json_index_free(struct json_index *x)
{
	free(x->v);
	x->v = NULL;
	x->n = 0;
}
