/* The bundle's JSON files into structs and back; its paths and raw files. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/bundle.h"
#include "libdt/esc.h"
#include "libdt/member.h"
#include "libdt/path.h"

#define EXE_NAME	200	/* bytes of an executable's name in the bundle */

static const struct {
	const char *name, *schema;
	enum member_object_id object;
	size_t offset;		/* in struct bundle */
} files[BUNDLE_FILES] = {
#define X(E, o, s) \
	[BUNDLE_##E] = { #o ".json", s, OBJECT_##o, \
	offsetof(struct bundle, o) }
	X(MANIFEST, manifest, "dt-bundle/1"),
	X(COHORT, cohort, "dt-cohort/1"),
	X(SETTINGS, settings, "dt-settings/1"),
	X(CAPABILITIES, capabilities, "dt-capabilities/1"),
	X(COLLECTORS, collectors, "dt-collectors/1"),
	X(VALIDATION, validation, "dt-validation/1"),
#undef X
};

static const char *const raw_paths[FAMILY_COUNT] = {
#define FAMILY(id, name, text)	[FAMILY_##id] = "raw/" name ".tsv",
#include "libdt/schema.def"
};

const char *
bundle_file_name(enum bundle_file f)
{
	return files[f].name;
}

const char *
bundle_file_schema(enum bundle_file f)
{
	return files[f].schema;
}

void
bundle_init(struct bundle *b, int dirfd, const char *name)
{
	memset(b, 0, sizeof(*b));
	b->dirfd = dirfd;
	b->name = name;
}

static void *
file_struct(struct bundle *b, enum bundle_file f)
{
	return (char *)b + files[f].offset;
}

/* The schema is told apart first: another one has other members. */
static int
check_schema(const struct json_ref *root, enum bundle_file f, struct msg *m)
{
	const char *schema;

	if (json_get_str(root, "schema", &schema, m) == -1)
		return -1;
	if (strcmp(schema, files[f].schema) == 0)
		return 0;
	return msg_set_at(m, "json-schema", files[f].name, 0,
	    "schema is \"%.64s\", not \"%s\"", schema, files[f].schema);
}

int
bundle_take(struct bundle *b, enum bundle_file f, cJSON *tree, struct msg *m)
{
	struct json_ref root;

	if (f == BUNDLE_COHORT)
		bundle_cohort_unindex(&b->cohort);
	b->have[f] = false;
	cJSON_Delete(b->tree[f]);
	b->tree[f] = tree;
	if (tree == NULL)
		return -1;
	root = json_root(tree, files[f].name);
	if (check_schema(&root, f, m) == -1 ||
	    member_load(files[f].object, &root, file_struct(b, f), &b->mem,
	    NULL, m) == -1)
		return -1;
	b->have[f] = true;
	return 0;
}

int
bundle_load(struct bundle *b, enum bundle_file f, struct msg *m)
{
	return bundle_take(b, f, json_read(b->dirfd, files[f].name, m), m);
}

int
bundle_open(struct bundle *b, int dirfd, const char *name, bool validated,
    struct msg *m)
{
	int f, end = validated ? BUNDLE_FILES : BUNDLE_VALIDATION;

	bundle_init(b, dirfd, name);
	for (f = 0; f < end; f++) {
		if (bundle_load(b, (enum bundle_file)f, m) == -1) {
			bundle_close(b);
			return -1;
		}
	}
	if (bundle_cohort_index(&b->cohort, b->manifest.window.drained,
	    m) == 0)
		return 0;
	bundle_close(b);
	return -1;
}

void
bundle_close(struct bundle *b)
{
	int f;

	bundle_cohort_unindex(&b->cohort);
	for (f = 0; f < BUNDLE_FILES; f++)
		cJSON_Delete(b->tree[f]);
	bundle_mem_free(&b->mem);
	memset(b, 0, sizeof(*b));
	b->dirfd = -1;
}

bool
bundle_at_fault(const struct msg *m)
{
	return m->err != 0 ? path_gone(m->err) :
	    strcmp(m->id, "no-thread") != 0;
}

int
bundle_check(const struct bundle *b, enum bundle_file f,
    const struct msg_sink *sink)
{
	struct json_ref root = json_root(b->tree[f], files[f].name);
	struct bundle_mem *mem = NULL;
	struct msg m;
	void *scratch;
	int rc;

	msg_clear(&m);
	if (check_schema(&root, f, &m) == -1)
		return msg_forward(sink, &m);
	scratch = bundle_mem_get(&mem, 1, member_object(files[f].object)->size);
	if (scratch == NULL)
		return -1;
	rc = member_load(files[f].object, &root, scratch, &mem, sink, &m);
	bundle_mem_free(&mem);
	return rc;
}

cJSON *
bundle_build(const struct bundle *b, enum bundle_file f, struct msg *m)
{
	return member_build(files[f].object,
	    (const char *)b + files[f].offset, m);
}

int
bundle_write(const struct bundle *b, enum bundle_file f, int dirfd,
    struct msg *m)
{
	cJSON *tree = bundle_build(b, f, m);
	int rc;

	if (tree == NULL)
		return -1;
	rc = json_write(dirfd, files[f].name, tree, 0644, m);
	cJSON_Delete(tree);
	return rc;
}

/* A name in printable ASCII, other bytes and % as %HH. */
static void
plain_name(char *dst, size_t cap, const char *s, size_t n)
{
	size_t i, len = 0;
	unsigned char c;

	for (i = 0; i < n && len + 4 < cap; i++) {
		c = (unsigned char)s[i];
		if (c > 0x20 && c < 0x7f && c != '%' && c != '/')
			dst[len++] = (char)c;
		else
			len += (size_t)snprintf(dst + len, cap - len, "%%%02X",
			    c);
	}
	dst[len] = '\0';
}

void
bundle_exe_path(char path[BUNDLE_EXE_PATH], const char *exe)
{
	char raw[SCHEMA_PATH_MAX + 1], name[EXE_NAME];
	size_t len = strlen(exe);
	ssize_t n = -1, from;

	if (len < sizeof(raw))
		n = esc_decode(raw, exe, len);
	for (from = n; from > 0 && raw[from - 1] != '/'; from--)
		;
	if (n <= 0 || from == n)
		(void)snprintf(name, sizeof(name), "exe");
	else
		plain_name(name, sizeof(name), raw + from, (size_t)(n - from));
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		(void)snprintf(name, sizeof(name), "exe");
	(void)snprintf(path, BUNDLE_EXE_PATH, "artifacts/exe/%s", name);
}

const char *
bundle_raw_path(enum schema_family f)
{
	return raw_paths[f];
}

bool
bundle_has_raw(const struct bundle *b, enum schema_family f)
{
	return b->manifest.families.of[f].state != STATE_NOT_REQUESTED;
}

struct record_reader *
bundle_raw_open(const struct bundle *b, enum schema_family f, struct msg *m)
{
	return record_reader_open(b->dirfd, raw_paths[f], f, m);
}

int
bundle_library_cmp(const void *a, const void *b)
{
	const struct bundle_library *x = a, *y = b;
	int c = strcmp(x->path, y->path);

	if (c != 0)
		return c;
	return strcmp(x->build_id != NULL ? x->build_id : "",
	    y->build_id != NULL ? y->build_id : "");
}

size_t
bundle_word(const char *set, int index, char *buf, size_t cap)
{
	size_t n;
	const char *w;

	if (index < 0 || (w = schema_word(set, (size_t)index, &n)) == NULL)
		n = 0;
	if (cap > 0)
		(void)snprintf(buf, cap, "%.*s", (int)n, n > 0 ? w : "");
	return n;
}
