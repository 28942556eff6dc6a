/*
 * The members of the JSON files as tables made of member.def.
 *
 * Ownership: every table is constant and lives as long as the program.
 */
#ifndef LIBDT_MEMBER_H
#define LIBDT_MEMBER_H

#include <stddef.h>
#include <stdint.h>

#include "libdt/bundle.h"
#include "libdt/json.h"
#include "libdt/msg.h"

enum member_type {
	MEMBER_STR, MEMBER_BYTES, MEMBER_HEX, MEMBER_SHA256, MEMBER_UTC,
	MEMBER_BOOT, MEMBER_INCARNATION, MEMBER_PATH,	/* const char * */
	MEMBER_U64, MEMBER_I64, MEMBER_BOOL, MEMBER_WORD, MEMBER_FAMILY,
	MEMBER_OBJ, MEMBER_LIST, MEMBER_MAYBE,
	MEMBER_STRS, MEMBER_NUMS, MEMBER_ANY,
};

enum member_need { MEMBER_REQ, MEMBER_NUL, MEMBER_OPT };

enum member_object_id {
	OBJECT_none,
#define OBJECT(id, text)	OBJECT_##id,
#include "libdt/member.def"
	OBJECT_COUNT,
};

struct member {
	const char *name;
	enum member_type type;
	enum member_need need;
	const char *unit;	/* "" = none */
	int64_t min;		/* of a number, or of a string's bytes */
	uint64_t max;
	enum member_object_id sub;
	const char *set;	/* MEMBER_WORD: words divided by | */
	const char *text;
	size_t offset;		/* in the struct */
};

struct member_object {
	const char *name;
	const char *text;
	size_t size;		/* of the struct */
	const struct member *members;
	size_t n;
};

/* A row of the table of member.def. */
const struct member_object *member_object(enum member_object_id id);
/* "string", "escaped bytes" ... for people */
const char *member_type_text(enum member_type t);

/* Memory that is freed all at once: n zeroed elements, NULL without memory. */
struct bundle_mem;
void *bundle_mem_get(struct bundle_mem **mem, size_t n, size_t size);
void bundle_mem_free(struct bundle_mem **mem);

/*
 * Reads the object at ref into dst, which is zeroed first; arrays come from
 * *mem, strings point into the tree. With a sink, goes on after an error and
 * gives each to it, and a note of each unknown member; the value is what the
 * sink returned. Without, -1 with m at the first error, else 0.
 */
int member_load(enum member_object_id id, const struct json_ref *ref,
    void *dst, struct bundle_mem **mem, const struct msg_sink *sink,
    struct msg *m);

/* The struct as a tree; NULL with m. */
cJSON *member_build(enum member_object_id id, const void *src, struct msg *m);

/* The JSON Schema of an object and those it holds, under `to`; 0 or -1. */
int member_json_schema(cJSON *to, enum member_object_id id);

#endif
