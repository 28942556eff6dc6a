/*
 * Changes of JSON members: each at any depth, in every way of mutate_op.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/json.h"
#include "mutation.h"

/* "12" and "-", "sha256:…", words: one that differs and has the same form. */
char *
mutation_text(const char *s)
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
		t = mutation_text(n->valuestring);
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

static const char *const op_names[MUTATE_OPS] = {
	"change", "big", "null", "drop", "twice", "swap",
};

/* Does it to the node at that place of a fresh tree; false if it can't. */
static bool
json_op(cJSON *up, cJSON *node, enum mutate_op op)
{
	cJSON *e;
	int i;

	switch (op) {
	case MUTATE_CHANGE:
		put(up, node, other_node(node));
		return true;
	case MUTATE_BIG:
		if (!cJSON_IsRaw(node))
			return false;
		put(up, node, cJSON_CreateRaw("9223372036854775806"));
		return true;
	case MUTATE_NIL:
		if (cJSON_IsNull(node))
			return false;
		put(up, node, cJSON_CreateNull());
		return true;
	case MUTATE_DROP:
		cJSON_Delete(cJSON_DetachItemViaPointer(up, node));
		return true;
	case MUTATE_TWICE:
		e = cJSON_Duplicate(node, 1);
		if (cJSON_IsArray(up))
			cJSON_AddItemToArray(up, e);
		else
			cJSON_AddItemToObject(up, node->string, e);
		return true;
	case MUTATE_SWAP:
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
	struct mutation *m;
	const char *file;
	const cJSON *tree;
	enum mutate_op last;		/* the last operation tried */
	int at[64];
};

/* The settings' hash made again, here and in the manifest. */
static void
rehash(struct mutation *m, cJSON *tree)
{
	const cJSON *s = cJSON_GetObjectItemCaseSensitive(tree, "settings");
	cJSON *manifest;
	char ref[72];
	struct msg why;

	if (s == NULL || cJSON_GetObjectItemCaseSensitive(tree, "sha256") ==
	    NULL || json_hash(s, NULL, ref, &why) == -1)
		return;
	manifest = edit_json_read(m->cwd, "manifest.json");
	cJSON_ReplaceItemInObjectCaseSensitive(tree, "sha256",
	    cJSON_CreateString(ref));
	cJSON_ReplaceItemInObjectCaseSensitive(manifest, "settings_sha256",
	    cJSON_CreateString(ref));
	edit_json_write(m->cwd, "manifest.json", manifest);
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
		if (json_op(up, node, (enum mutate_op)op)) {
			if (strncmp(place, "settings", 8) == 0 &&
			    strcmp(j->file, "settings.json") == 0)
				rehash(j->m, tree);
			edit_json_write(j->m->cwd, j->file, tree);
			(void)snprintf(name, sizeof(name), "%s:%s:%s",
			    j->file, place, op_names[op]);
			mutation_try(j->m, name);
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

void
mutate_json(struct mutation *m, const char *file, enum mutate_op last)
{
	struct json_run j = { .m = m, .file = file, .last = last };
	static const char man[] = "manifest.json";
	size_t len, mlen;
	cJSON *tree;
	char *old, *manifest;

	if (!mutation_wants(m, file))
		return;
	old = edit_read(m->cwd, file, &len);
	manifest = edit_read(m->cwd, man, &mlen);
	tree = edit_json_read(m->cwd, file);
	j.tree = tree;
	json_walk(&j, tree, 0, "");
	edit_write(m->cwd, man, manifest, mlen);
	edit_write(m->cwd, file, old, len);
	cJSON_Delete(tree);
	free(manifest);
	free(old);
}
