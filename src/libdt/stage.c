/* stage.json loaded and built. */
#include <string.h>

#include "libdt/member.h"
#include "libdt/stage.h"

static int
load_families(struct stage *st, struct msg *m)
{
	struct json_ref root = json_root(st->tree, STAGE_JSON), all, e;
	bool ok;
	int f;

	if (json_get_object(&root, "families", &all, m) == -1)
		return -1;
	for (ok = json_first(&all, &e); ok; ok = json_next(&e)) {
		f = schema_family_find(e.name, strlen(e.name));
		if (f < 0)
			return msg_set_at(m, "json-value", STAGE_JSON, 0,
			    "families.%.64s is no family", e.name);
		if (json_get_bool(&e, "required", &st->required[f], m) == -1)
			return -1;
		st->requested[f] = true;
	}
	st->requested[FAMILY_PROCS] = st->requested[FAMILY_MAPS] = true;
	st->required[FAMILY_PROCS] = st->required[FAMILY_MAPS] = true;
	return 0;
}

static int
load(struct stage *st, struct msg *m)
{
	struct json_ref root = json_root(st->tree, STAGE_JSON);
	const char *schema;

	if (json_get_str(&root, "schema", &schema, m) == -1)
		return -1;
	if (strcmp(schema, STAGE_SCHEMA) != 0)
		return msg_set_at(m, "json-schema", STAGE_JSON, 0,
		    "schema is \"%.64s\", not \"%s\"", schema, STAGE_SCHEMA);
	if (member_load(OBJECT_stage, &root, &st->s, &st->mem, NULL, m) == -1)
		return -1;
	return load_families(st, m);
}

int
stage_load(struct stage *st, int dirfd, struct msg *m)
{
	memset(st, 0, sizeof(*st));
	st->tree = json_read(dirfd, STAGE_JSON, m);
	if (st->tree != NULL && load(st, m) == 0)
		return 0;
	stage_close(st);
	return -1;
}

void
stage_close(struct stage *st)
{
	cJSON_Delete(st->tree);
	bundle_mem_free(&st->mem);
	memset(st, 0, sizeof(*st));
}

cJSON *
stage_build(const struct bundle_stage *s, struct msg *m)
{
	return member_build(OBJECT_stage, s, m);
}
