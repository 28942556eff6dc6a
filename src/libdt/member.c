/* The tables made of member.def, and the memory of structs loaded by them. */
#include <stdlib.h>

#include "libdt/member.h"
#include "libdt/stage.h"

#define F(object, f, fname, ftext) \
	{ .name = fname, .type = MEMBER_OBJ, .need = MEMBER_REQ, \
	.unit = "", .sub = OBJECT_family, .set = "", .text = ftext, \
	.offset = offsetof(struct bundle_##object, of[FAMILY_##f]) },

#define OBJECT(id, text) \
	static const struct member id##_members[] = {
#define MEMBER(object, mname, mtype, mneed, munit, lo, hi, msub, mset, mtext) \
	{ .name = #mname, .type = MEMBER_##mtype, .need = MEMBER_##mneed, \
	.unit = munit, .min = lo, .max = hi, .sub = OBJECT_##msub, \
	.set = mset, .text = mtext, \
	.offset = offsetof(struct bundle_##object, mname) },
#define FAMILIES(object) \
	F(object, PROCS, "procs", "always captured") \
	F(object, MAPS, "maps", "always captured") \
	F(object, CPU, "cpu", "samples") \
	F(object, SYSCALLS, "syscalls", "system calls") \
	F(object, IO, "io", "input and output") \
	F(object, ALLOCATIONS, "allocations", "memory") \
	F(object, GC, "gc", "garbage collection") \
	F(object, SPANS, "spans", "spans and events")
#define OBJECT_END(id)	};
#include "libdt/member.def"

static const struct member_object objects[OBJECT_COUNT] = {
#define OBJECT(id, otext) \
	[OBJECT_##id] = { .name = #id, .text = otext, \
	.size = sizeof(struct bundle_##id), .members = id##_members, \
	.n = sizeof(id##_members) / sizeof(id##_members[0]) },
#include "libdt/member.def"
};

static const char *const type_texts[] = {
	[MEMBER_STR] = "string",
	[MEMBER_BYTES] = "escaped bytes",
	[MEMBER_HEX] = "hex",
	[MEMBER_SHA256] = "sha256:HEX",
	[MEMBER_UTC] = "RFC 3339 time",
	[MEMBER_BOOT] = "UUID",
	[MEMBER_INCARNATION] = "incarnation",
	[MEMBER_PATH] = "path",
	[MEMBER_U64] = "unsigned",
	[MEMBER_I64] = "integer",
	[MEMBER_BOOL] = "boolean",
	[MEMBER_WORD] = "word",
	[MEMBER_FAMILY] = "family",
	[MEMBER_OBJ] = "object",
	[MEMBER_LIST] = "array of objects",
	[MEMBER_MAYBE] = "object",
	[MEMBER_STRS] = "array of escaped bytes",
	[MEMBER_NUMS] = "array of unsigned",
	[MEMBER_ANY] = "object",
};

const struct member_object *
member_object(enum member_object_id id)
{
	return &objects[id];
}

const char *
member_type_text(enum member_type t)
{
	return type_texts[t];
}

struct bundle_mem {
	struct bundle_mem *next;
	max_align_t data[];
};

void *
bundle_mem_get(struct bundle_mem **mem, size_t n, size_t size)
{
	struct bundle_mem *b;

	if (size != 0 && n > (SIZE_MAX - sizeof(*b)) / size)
		return NULL;
	b = calloc(1, sizeof(*b) + n * size);
	if (b == NULL)
		return NULL;
	b->next = *mem;
	*mem = b;
	return b->data;
}

void
bundle_mem_free(struct bundle_mem **mem)
{
	struct bundle_mem *b;

	while ((b = *mem) != NULL) {
		*mem = b->next;
		free(b);
	}
}
