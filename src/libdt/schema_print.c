/* The schema as JSON. */
#include <stdlib.h>

#include "libdt/json.h"
#include "libdt/member.h"
#include "libdt/spool.h"
#include "libdt/stage.h"

static int
add_words(cJSON *to, const char *set)
{
	cJSON *words;
	char word[64];
	int i, bad = 0;

	if (set[0] == '\0')
		return 0;
	words = json_add_array(to, "values");
	for (i = 0; bundle_word(set, i, word, sizeof(word)) > 0; i++)
		bad |= json_add_str(words, NULL, word);
	return bad;
}

static bool
ranged(enum schema_type t)
{
	return t == TYPE_TS || t == TYPE_U64 || t == TYPE_I64 ||
	    t == TYPE_ID || t == TYPE_ADDR;
}

static int
add_column(cJSON *list, const struct schema_col *c)
{
	cJSON *o = json_add_object(list, NULL);
	bool bytes = c->type == TYPE_STR || c->type == TYPE_STACK ||
	    c->type == TYPE_HEX;
	int bad;

	bad = json_add_str(o, "name", c->name) |
	    json_add_str(o, "type", schema_type_name(c->type)) |
	    json_add_bool(o, "optional", c->optional) |
	    json_add_str(o, "text", c->text);
	if (c->unit[0] != '\0')
		bad |= json_add_str(o, "unit", c->unit);
	if (ranged(c->type) || bytes)
		bad |= json_add_i64(o, bytes ? "min_bytes" : "min", c->min) |
		    json_add_u64(o, bytes ? "max_bytes" : "max", c->max);
	return bad | add_words(o, c->set);
}

static int
add_kind(cJSON *list, enum schema_kind k)
{
	const struct schema_kind_info *info = schema_kind(k);
	cJSON *o = json_add_object(list, NULL), *cols;
	size_t i;
	int bad;

	bad = json_add_str(o, "name", info->name) |
	    json_add_str(o, "text", info->text);
	cols = json_add_array(o, "columns");
	for (i = 0; i < info->ncols; i++)
		bad |= add_column(cols, &info->cols[i]);
	if ((info->flags & KIND_MARKER) != 0)
		return bad;
	cols = json_add_array(o, "spool");
	for (i = 0; i < info->nspool; i++)
		bad |= add_column(cols, &info->spool[i].col);
	return bad | json_add_bool(o, "frames",
	    (info->flags & KIND_FRAMES) != 0);
}

static int
add_kinds(cJSON *to, enum schema_family f)
{
	cJSON *list = json_add_array(to, "kinds");
	size_t k;
	int bad = list == NULL;

	for (k = 0; k < KIND_COUNT; k++)
		if (schema_kind((enum schema_kind)k)->family == f)
			bad |= add_kind(list, (enum schema_kind)k);
	return bad;
}

static int
add_types(cJSON *to)
{
	static const enum schema_type types[] = {
#define TYPE(id, name, text)	TYPE_##id,
#include "libdt/schema.def"
	};
	cJSON *list = json_add_array(to, "types"), *o;
	size_t i;
	int bad = 0;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		o = json_add_object(list, NULL);
		bad |= json_add_str(o, "name", schema_type_name(types[i])) |
		    json_add_str(o, "text", schema_type_text(types[i]));
	}
	return bad;
}

static int
add_records(cJSON *to)
{
	cJSON *r = json_add_object(to, "records"), *list, *f;
	size_t i;
	int bad;

	bad = json_add_i64(r, "version", SCHEMA_RECORDS_VERSION) |
	    json_add_i64(r, "spool_version", SCHEMA_SPOOL_VERSION) |
	    json_add_u64(r, "line_max_bytes", RECORD_LINE_MAX) | add_types(r);
	list = json_add_array(r, "prefix");
	for (i = 0; i < REC_PREFIX; i++)
		bad |= add_column(list, schema_col((enum schema_kind)0, i));
	list = json_add_array(r, "families");
	for (i = 0; i < FAMILY_COUNT; i++) {
		f = json_add_object(list, NULL);
		bad |= json_add_str(f, "name",
		    schema_family((enum schema_family)i)->name) |
		    json_add_str(f, "text",
		    schema_family((enum schema_family)i)->text) |
		    add_kinds(f, (enum schema_family)i);
	}
	f = json_add_object(r, "any_family");
	bad |= add_kinds(f, FAMILY_ANY);
	list = json_add_array(r, "fd_calls");
	for (i = 0; spool_fd_call(i) != NULL; i++)
		bad |= json_add_str(list, NULL, spool_fd_call(i));
	return bad;
}

static int
add_files(cJSON *to)
{
	static const struct { const char *name; enum member_object_id id; }
	files[] = {
		{ "manifest.json", OBJECT_manifest },
		{ "cohort.json", OBJECT_cohort },
		{ "settings.json", OBJECT_settings },
		{ "capabilities.json", OBJECT_capabilities },
		{ "collectors.json", OBJECT_collectors },
		{ "validation.json", OBJECT_validation },
		{ STAGE_JSON, OBJECT_stage },
	};
	cJSON *all = json_add_object(to, "files"), *o;
	size_t i;
	int bad = 0;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		o = json_add_object(all, files[i].name);
		bad |= member_json_schema(o, files[i].id);
	}
	return bad;
}

int
schema_print_json(struct out *o, struct msg *m)
{
	cJSON *tree = json_new_object();
	char *text = NULL;
	size_t n;
	int rc = -1;

	if (json_add_str(tree, "schema", "dt-contract/1") != 0 ||
	    add_records(tree) != 0 || add_files(tree) != 0)
		msg_set_nomem(m);
	else if ((text = json_print(tree, &n, m)) != NULL) {
		(void)out_write(o, text, n);
		rc = out_flush(o, m);
	}
	cJSON_Delete(tree);
	free(text);
	return rc;
}
