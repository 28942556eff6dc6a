/* Structs to JSON, by the tables of member.def. */
#include "libdt/member.h"

typedef LIST(void) list;

static int build_object(cJSON *to, enum member_object_id id, const void *src);

static int
build_text(cJSON *to, const struct member *f, const char *s)
{
	if (s == NULL && f->need == MEMBER_OPT)
		return 0;
	return json_add_str(to, f->name, s);
}

static int
build_u64(cJSON *to, const struct member *f, const void *src)
{
	const struct maybe_u64 *v = src;

	if (f->need == MEMBER_REQ)
		return json_add_u64(to, f->name, *(const uint64_t *)src);
	if (v->known)
		return json_add_u64(to, f->name, v->v);
	return json_add_null(to, f->name);
}

static int
build_i64(cJSON *to, const struct member *f, const void *src)
{
	const struct maybe_i64 *v = src;

	if (f->need == MEMBER_REQ)
		return json_add_i64(to, f->name, *(const int64_t *)src);
	if (v->known)
		return json_add_i64(to, f->name, v->v);
	return json_add_null(to, f->name);
}

static int
build_word(cJSON *to, const struct member *f, int index)
{
	char word[64];

	if (f->type == MEMBER_FAMILY)
		return json_add_str(to, f->name,
		    schema_family((enum schema_family)index)->name);
	if (bundle_word(f->set, index, word, sizeof(word)) == 0)
		return -1;
	return json_add_str(to, f->name, word);
}

static int
build_list(cJSON *to, const struct member *f, const list *src)
{
	cJSON *arr = json_add_array(to, f->name);
	size_t i, size = member_object(f->sub)->size;
	int rc = arr != NULL ? 0 : -1;

	for (i = 0; i < src->n && rc == 0; i++)
		rc = build_object(json_add_object(arr, NULL), f->sub,
		    (const char *)src->v + i * size);
	return rc;
}

static int
build_strs(cJSON *to, const struct member *f, const bundle_strings *src)
{
	cJSON *arr = json_add_array(to, f->name);
	int rc = arr != NULL ? 0 : -1;
	size_t i;

	for (i = 0; i < src->n && rc == 0; i++)
		rc = json_add_str(arr, NULL, src->v[i]);
	return rc;
}

static int
build_nums(cJSON *to, const struct member *f, const list *src)
{
	cJSON *arr = json_add_array(to, f->name);
	int rc = arr != NULL ? 0 : -1;
	size_t i;

	for (i = 0; i < src->n && rc == 0; i++)
		rc = json_add_u64(arr, NULL, ((const uint64_t *)src->v)[i]);
	return rc;
}

static int
build_any(cJSON *to, const struct member *f, const cJSON *src)
{
	if (src != NULL)
		return json_add_node(to, f->name, cJSON_Duplicate(src, 1));
	if (f->need == MEMBER_OPT)
		return 0;
	return f->need == MEMBER_NUL ? json_add_null(to, f->name) : -1;
}

static int
build_member(cJSON *to, const struct member *f, const void *src)
{
	switch (f->type) {
	case MEMBER_U64:
		return build_u64(to, f, src);
	case MEMBER_I64:
		return build_i64(to, f, src);
	case MEMBER_BOOL:
		return json_add_bool(to, f->name, *(const bool *)src);
	case MEMBER_WORD:
	case MEMBER_FAMILY:
		return build_word(to, f, *(const int *)src);
	case MEMBER_OBJ:
		return build_object(json_add_object(to, f->name), f->sub, src);
	case MEMBER_MAYBE:
		if (*(const void *const *)src == NULL)
			return json_add_null(to, f->name);
		return build_object(json_add_object(to, f->name), f->sub,
		    *(const void *const *)src);
	case MEMBER_LIST:
		return build_list(to, f, src);
	case MEMBER_STRS:
		return build_strs(to, f, src);
	case MEMBER_NUMS:
		return build_nums(to, f, src);
	case MEMBER_ANY:
		return build_any(to, f, *(const cJSON *const *)src);
	default:
		return build_text(to, f, *(const char *const *)src);
	}
}

static int
build_object(cJSON *to, enum member_object_id id, const void *src)
{
	const struct member_object *o = member_object(id);
	size_t i;
	int rc = to != NULL ? 0 : -1;

	for (i = 0; i < o->n && rc == 0; i++)
		rc = build_member(to, &o->members[i],
		    (const char *)src + o->members[i].offset);
	return rc;
}

cJSON *
member_build(enum member_object_id id, const void *src, struct msg *m)
{
	cJSON *tree = json_new_object();

	if (build_object(tree, id, src) == 0)
		return tree;
	cJSON_Delete(tree);
	msg_set(m, "no-memory", "cannot build %s: out of memory, or text "
	    "that is no UTF-8", member_object(id)->name);
	return NULL;
}
