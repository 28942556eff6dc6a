/*
 * JSON over cJSON, for files that cannot be trusted and numbers that must
 * survive. Every number in a tree made here is a cJSON_Raw node that holds
 * the number's text, since cJSON's doubles lose integers above 2^53: ask with
 * the accessors below, not with cJSON_IsNumber().
 *
 * Ownership: trees and printed buffers are the caller's (cJSON_Delete(),
 * free()); a json_ref only points into a tree and at the refs above it.
 */
#ifndef LIBDT_JSON_H
#define LIBDT_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libdt/msg.h"

#define JSON_BYTES_MAX	(16u << 20)	/* default bound of a file */
#define JSON_DEPTH_MAX	64

/*
 * Parses len bytes strictly (RFC 8259), refusing before cJSON sees them: more
 * than JSON_BYTES_MAX bytes or JSON_DEPTH_MAX levels, NUL bytes and \u0000,
 * invalid UTF-8, lone surrogates, trailing bytes, duplicate members. NULL
 * with m: ids "json-syntax", "json-too-big", "json-depth", "json-nul",
 * "json-utf8", "json-trailing", "json-duplicate", path name, and the line.
 */
cJSON *json_parse(const char *buf, size_t len, const char *name,
    struct msg *m);
/* The same for a regular file beneath dirfd. */
cJSON *json_read(int dirfd, const char *path, struct msg *m);

/* A place in a tree; messages name it as in `cohort.json: members[3].pid`. */
struct json_ref {
	const cJSON *node;
	const struct json_ref *up;	/* NULL at the root */
	const char *name;		/* member; file at the root; or NULL */
	size_t index;			/* in an array, when name is NULL */
};
/* The whole tree of a file; both must outlive it. */
struct json_ref json_root(const cJSON *tree, const char *file);
/* "members[3].pid" (of ref's member name, or of ref itself if NULL) */
void json_where(const struct json_ref *ref, const char *name, char *buf,
    size_t cap);
/* The file given to json_root(). */
const char *json_file(const struct json_ref *ref);

/*
 * Typed members: 0, or -1 with m: id "json-missing" (no such member),
 * "json-type", or "json-range", the file as its path, the member's place in
 * its text. name NULL means ref's own node. A number is an integer if its
 * text has neither fraction nor exponent. Strings live as long as the tree.
 */
int json_get_i64(const struct json_ref *ref, const char *name, int64_t *v,
    struct msg *m);
int json_get_u64(const struct json_ref *ref, const char *name, uint64_t *v,
    struct msg *m);
int json_get_double(const struct json_ref *ref, const char *name, double *v,
    struct msg *m);
int json_get_bool(const struct json_ref *ref, const char *name, bool *v,
    struct msg *m);
int json_get_str(const struct json_ref *ref, const char *name,
    const char **v, struct msg *m);
int json_get_object(const struct json_ref *ref, const char *name,
    struct json_ref *v, struct msg *m);
int json_get_array(const struct json_ref *ref, const char *name,
    struct json_ref *v, struct msg *m);
/* Bytes written by json_add_bytes(), decoded; *v is the caller's to free. */
int json_get_bytes(const struct json_ref *ref, const char *name, char **v,
    size_t *len, struct msg *m);

/* As json_get_*, but a member that is absent or null is 1, v untouched. */
int json_opt_i64(const struct json_ref *ref, const char *name, int64_t *v,
    struct msg *m);
int json_opt_u64(const struct json_ref *ref, const char *name, uint64_t *v,
    struct msg *m);
int json_opt_double(const struct json_ref *ref, const char *name, double *v,
    struct msg *m);
int json_opt_bool(const struct json_ref *ref, const char *name, bool *v,
    struct msg *m);
int json_opt_str(const struct json_ref *ref, const char *name,
    const char **v, struct msg *m);
int json_opt_object(const struct json_ref *ref, const char *name,
    struct json_ref *v, struct msg *m);
int json_opt_array(const struct json_ref *ref, const char *name,
    struct json_ref *v, struct msg *m);

/* There is such a member; it is null. */
bool json_has(const struct json_ref *ref, const char *name);
bool json_is_null(const struct json_ref *ref, const char *name);
/* A number node of a tree made here. */
bool json_is_number(const cJSON *node);
size_t json_count(const struct json_ref *array_or_object);

/*
 * Walks an array's elements or an object's members:
 * for (ok = json_first(&arr, &e); ok; ok = json_next(&e))
 */
bool json_first(const struct json_ref *of, struct json_ref *e);
bool json_next(struct json_ref *e);

/* The members of an object by name, where many are looked up. */
struct json_index { const cJSON **v; size_t n; };
/* 0, or -1 without memory; to be ended by json_index_free() either way. */
int json_index(struct json_index *x, const struct json_ref *object);
/* The one of that name, NULL if there is none. */
const cJSON *json_index_get(const struct json_index *x, const char *name);
void json_index_free(struct json_index *x);

/*
 * Builders. name NULL appends to an array. 0 or -1 (no memory; or, for
 * json_add_str(), text that is no valid UTF-8). Errors may be or-ed together:
 * a NULL parent is -1, so a failed json_add_object() shows in what follows.
 */
cJSON *json_new_object(void);
cJSON *json_new_array(void);
cJSON *json_add_object(cJSON *to, const char *name);
cJSON *json_add_array(cJSON *to, const char *name);
int json_add_node(cJSON *to, const char *name, cJSON *node); /* takes node */
int json_add_i64(cJSON *to, const char *name, int64_t v);
int json_add_u64(cJSON *to, const char *name, uint64_t v);
/* shortest text that reads back the same; NaN and infinity become null */
int json_add_double(cJSON *to, const char *name, double v);
int json_add_bool(cJSON *to, const char *name, bool v);
int json_add_null(cJSON *to, const char *name);
int json_add_str(cJSON *to, const char *name, const char *s); /* NULL: null */
/* Any bytes, in the canonical escape (esc.h). */
int json_add_bytes(cJSON *to, const char *name, const void *p, size_t n);

/* Tab-indented text with a final newline, members in their order. */
char *json_print(const cJSON *tree, size_t *len, struct msg *m);
/* json_print() into a file beneath dirfd, atomically (file_put()). */
int json_write(int dirfd, const char *path, const cJSON *tree, mode_t mode,
    struct msg *m);
/*
 * The text that hashes are made of: no white space, members of every object
 * in byte order, the root's member `skip` (may be NULL) left out.
 */
char *json_canonical(const cJSON *tree, const char *skip, size_t *len,
    struct msg *m);
/* digest_ref_mem() of json_canonical(): the settings hash. */
int json_hash(const cJSON *tree, const char *skip, char ref[72],
    struct msg *m);

#endif
