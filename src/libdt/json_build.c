/* JSON trees made, printed, and in canonical form. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/digest.h"
#include "libdt/esc.h"
#include "libdt/file.h"
#include "libdt/json.h"

cJSON *
json_new_object(void)
{
	return cJSON_CreateObject();
}

cJSON *
json_new_array(void)
{
	return cJSON_CreateArray();
}

int
json_add_node(cJSON *to, const char *name, cJSON *node)
{
	cJSON_bool ok;

	if (to == NULL || node == NULL) {
		cJSON_Delete(node);
		return -1;
	}
	if (name != NULL)
		ok = cJSON_AddItemToObject(to, name, node);
	else
		ok = cJSON_AddItemToArray(to, node);
	if (!ok)
		cJSON_Delete(node);
	return ok ? 0 : -1;
}

cJSON *
json_add_object(cJSON *to, const char *name)
{
	cJSON *node = cJSON_CreateObject();

	return json_add_node(to, name, node) == 0 ? node : NULL;
}

cJSON *
json_add_array(cJSON *to, const char *name)
{
	cJSON *node = cJSON_CreateArray();

	return json_add_node(to, name, node) == 0 ? node : NULL;
}

int
json_add_i64(cJSON *to, const char *name, int64_t v)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRId64, v);
	return json_add_node(to, name, cJSON_CreateRaw(text));
}

int
json_add_u64(cJSON *to, const char *name, uint64_t v)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRIu64, v);
	return json_add_node(to, name, cJSON_CreateRaw(text));
}

int
json_add_double(cJSON *to, const char *name, double v)
{
	char text[40];
	int digits;

	if (!isfinite(v))
		return json_add_null(to, name);
	for (digits = 1; digits <= 17; digits++) {
		(void)snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	return json_add_node(to, name, cJSON_CreateRaw(text));
}

int
json_add_bool(cJSON *to, const char *name, bool v)
{
	return json_add_node(to, name, cJSON_CreateBool(v));
}

int
json_add_null(cJSON *to, const char *name)
{
	return json_add_node(to, name, cJSON_CreateNull());
}

int
json_add_str(cJSON *to, const char *name, const char *s)
{
	if (s == NULL)
		return json_add_null(to, name);
	if (!utf8_valid(s, strlen(s)))
		return -1;
	return json_add_node(to, name, cJSON_CreateString(s));
}

int
json_add_bytes(cJSON *to, const char *name, const void *p, size_t n)
{
	size_t len = esc_encode(NULL, 0, p, n);
	char *s = malloc(len + 1);
	int rc;

	if (s == NULL)
		return -1;
	esc_encode(s, len + 1, p, n);
	rc = json_add_node(to, name, cJSON_CreateString(s));
	free(s);
	return rc;
}

char *
json_print(const cJSON *tree, size_t *len, struct msg *m)
{
	char *s = cJSON_Print(tree), *p;
	size_t n;

	if (s == NULL) {
		msg_set_nomem(m);
		return NULL;
	}
	n = strlen(s);
	p = realloc(s, n + 2);
	if (p == NULL) {
		free(s);
		msg_set_nomem(m);
		return NULL;
	}
	p[n] = '\n';
	p[n + 1] = '\0';
	*len = n + 1;
	return p;
}

int
json_write(int dirfd, const char *path, const cJSON *tree, mode_t mode,
    struct msg *m)
{
	size_t len;
	char *s = json_print(tree, &len, m);
	int rc;

	if (s == NULL)
		return -1;
	rc = file_put(dirfd, path, s, len, mode, m);
	free(s);
	return rc;
}

/* A string in the form that `jq -cS` prints it in. */
static void
canon_string(FILE *fp, const char *s)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *at;

	putc('"', fp);
	for (; *s != '\0'; s++) {
		if ((at = strchr(from, *s)) != NULL)
			fprintf(fp, "\\%c", to[at - from]);
		else if ((unsigned char)*s < 0x20 || *s == 0x7f)
			fprintf(fp, "\\u%04x", (unsigned)(unsigned char)*s);
		else
			putc(*s, fp);
	}
	putc('"', fp);
}

static int
member_cmp(const void *a, const void *b)
{
	const cJSON *const *x = a, *const *y = b;

	return strcmp((*x)->string, (*y)->string);
}

static int canon_value(FILE *fp, const cJSON *node, const char *skip);

/* Children of an object or array, sorted if they have names. */
static int
canon_nest(FILE *fp, const cJSON *node, const char *skip)
{
	size_t i, n = 0, cap = (size_t)cJSON_GetArraySize(node);
	const cJSON **v = calloc(cap + 1, sizeof(*v)), *child;
	bool object = cJSON_IsObject(node);
	int rc = 0;

	if (v == NULL)
		return -1;
	for (child = node->child; child != NULL; child = child->next)
		if (!object || skip == NULL || strcmp(child->string, skip) != 0)
			v[n++] = child;
	if (object && n > 1)
		qsort(v, n, sizeof(const cJSON *), member_cmp);
	putc(object ? '{' : '[', fp);
	for (i = 0; rc == 0 && i < n; i++) {
		if (i > 0)
			putc(',', fp);
		if (object) {
			canon_string(fp, v[i]->string);
			putc(':', fp);
		}
		rc = canon_value(fp, v[i], NULL);
	}
	putc(object ? '}' : ']', fp);
	free(v);
	return rc;
}

static int
canon_value(FILE *fp, const cJSON *node, const char *skip)
{
	if (cJSON_IsObject(node) || cJSON_IsArray(node))
		return canon_nest(fp, node, skip);
	if (cJSON_IsString(node))
		canon_string(fp, node->valuestring);
	else if (json_is_number(node))
		fputs(node->valuestring, fp);
	else
		fputs(cJSON_IsTrue(node) ? "true" : cJSON_IsFalse(node) ?
		    "false" : "null", fp);
	return 0;
}

char *
json_canonical(const cJSON *tree, const char *skip, size_t *len,
    struct msg *m)
{
	char *s = NULL;
	FILE *fp = open_memstream(&s, len);
	int bad;

	if (fp == NULL) {
		msg_set_nomem(m);
		return NULL;
	}
	bad = canon_value(fp, tree, skip) == -1 || ferror(fp);
	if (fclose(fp) != 0 || bad) {
		free(s);
		msg_set_nomem(m);
		return NULL;
	}
	return s;
}

int
json_hash(const cJSON *tree, const char *skip, char ref[72], struct msg *m)
{
	size_t len;
	char *s = json_canonical(tree, skip, &len, m);
	int rc;

	if (s == NULL)
		return -1;
	rc = digest_ref_mem(s, len, ref);
	free(s);
	return rc == 0 ? 0 : msg_set_nomem(m);
}
