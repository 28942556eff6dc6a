/* The tables of member.def as JSON Schema. */
#include <string.h>

#include "libdt/member.h"

#define DRAFT	"https://json-schema.org/draft/2020-12/schema"

static int object(cJSON *to, enum member_object_id id);

/* The form of strings that have one; NULL for others. */
static const char *
pattern(enum member_type type)
{
	switch (type) {
	case MEMBER_HEX:
		return "^([0-9a-f]{2})*$";
	case MEMBER_SHA256:
		return "^sha256:[0-9a-f]{64}$";
	case MEMBER_UTC:
		return "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:"
		    "[0-9]{2}(\\.[0-9]{1,9})?Z$";
	case MEMBER_BOOT:
		return "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$";
	case MEMBER_INCARNATION:
		return "^[0-9a-f-]{36}:[0-9]+:[0-9]+$";
	case MEMBER_PATH:
		return "^[^/]";
	default:
		return NULL;
	}
}

static const char *
base_type(enum member_type type)
{
	switch (type) {
	case MEMBER_U64:
	case MEMBER_I64:
		return "integer";
	case MEMBER_BOOL:
		return "boolean";
	case MEMBER_OBJ:
	case MEMBER_MAYBE:
	case MEMBER_ANY:
		return "object";
	case MEMBER_LIST:
	case MEMBER_STRS:
	case MEMBER_NUMS:
		return "array";
	default:
		return "string";
	}
}

static int
add_type(cJSON *to, const struct member *f)
{
	cJSON *types;

	if (f->need == MEMBER_REQ && f->type != MEMBER_MAYBE)
		return json_add_str(to, "type", base_type(f->type));
	types = json_add_array(to, "type");
	return json_add_str(types, NULL, base_type(f->type)) |
	    json_add_str(types, NULL, "null");
}

static int
add_words(cJSON *to, const struct member *f)
{
	cJSON *words = json_add_array(to, "enum");
	char word[64];
	int i, bad = words == NULL;

	if (f->type == MEMBER_FAMILY) {
		for (i = 0; i < FAMILY_COUNT; i++)
			bad |= json_add_str(words, NULL,
			    schema_family((enum schema_family)i)->name);
		return bad;
	}
	for (i = 0; bundle_word(f->set, i, word, sizeof(word)) > 0; i++)
		bad |= json_add_str(words, NULL, word);
	return bad;
}

/* Bytes are counted, not characters: lengths are told in words alone. */
static int
add_form(cJSON *to, const struct member *f)
{
	const char *form = pattern(f->type);
	cJSON *items;

	switch (f->type) {
	case MEMBER_U64:
	case MEMBER_I64:
		return json_add_i64(to, "minimum", f->min) |
		    json_add_u64(to, "maximum", f->max);
	case MEMBER_WORD:
	case MEMBER_FAMILY:
		return add_words(to, f);
	case MEMBER_OBJ:
	case MEMBER_MAYBE:
		return object(to, f->sub);
	case MEMBER_LIST:
		items = json_add_object(to, "items");
		return json_add_str(items, "type", "object") |
		    object(items, f->sub);
	case MEMBER_STRS:
		items = json_add_object(to, "items");
		return json_add_str(items, "type", "string");
	case MEMBER_NUMS:
		items = json_add_object(to, "items");
		return json_add_str(items, "type", "integer") |
		    json_add_i64(items, "minimum", 0);
	default:
		return form != NULL ? json_add_str(to, "pattern", form) : 0;
	}
}

static int
property(cJSON *to, const struct member *f)
{
	cJSON *p = json_add_object(to, f->name);
	int bad;

	bad = add_type(p, f) | json_add_str(p, "description", f->text) |
	    add_form(p, f);
	if (f->unit[0] != '\0')
		bad |= json_add_str(p, "unit", f->unit);
	if (f->type == MEMBER_BYTES || f->type == MEMBER_STRS)
		bad |= json_add_str(p, "encoding", "canonical escape");
	if (f->type == MEMBER_STR || f->type == MEMBER_BYTES ||
	    f->type == MEMBER_HEX)
		bad |= json_add_i64(p, "min_bytes", f->min) |
		    json_add_u64(p, "max_bytes", f->max);
	return bad;
}

static int
object(cJSON *to, enum member_object_id id)
{
	const struct member_object *o = member_object(id);
	cJSON *all = json_add_object(to, "properties"), *need;
	size_t i;
	int bad = 0;

	for (i = 0; i < o->n; i++)
		bad |= property(all, &o->members[i]);
	need = json_add_array(to, "required");
	for (i = 0; i < o->n; i++)
		if (o->members[i].need != MEMBER_OPT)
			bad |= json_add_str(need, NULL, o->members[i].name);
	return bad;
}

int
member_json_schema(cJSON *to, enum member_object_id id)
{
	return json_add_str(to, "$schema", DRAFT) |
	    json_add_str(to, "title", member_object(id)->text) |
	    json_add_str(to, "type", "object") | object(to, id) ? -1 : 0;
}
