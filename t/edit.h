/*
 * Edits of a bundle for tests: JSON members, record columns and lines, and
 * the sums and verdict made again, so that only the meaning is wrong.
 *
 * Ownership: everything returned is the caller's; failures end the program,
 * since a test that cannot make its case has failed.
 */
#ifndef T_EDIT_H
#define T_EDIT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "libdt/validate.h"

void edit_die(const char *fmt, ...) __attribute__((format(printf, 1, 2),
    noreturn));

/* A whole file, and how it is written back; NUL-terminated. */
char *edit_read(int dirfd, const char *path, size_t *len);
void edit_write(int dirfd, const char *path, const char *buf, size_t len);

/* The file's lines, each with its newline. */
struct edit_lines {
	char *buf;
	char **v;
	size_t n;
};
void edit_lines_read(struct edit_lines *l, int dirfd, const char *path);
void edit_lines_write(const struct edit_lines *l, int dirfd,
    const char *path);
void edit_lines_free(struct edit_lines *l);
/* The nth (from 1) line of a record kind ("cpu-sample") or header ("#clock") */
size_t edit_find(const struct edit_lines *l, const char *kind, size_t nth);
/* A line with its field i (from 0) replaced. */
char *edit_field(const char *line, size_t i, const char *text);
/* Field i of a line. */
char *edit_get(const char *line, size_t i);

/* The place "members[1].pid" in a tree; its parent in *up; NULL if none. */
cJSON *edit_place(cJSON *root, const char *where, cJSON **up);
cJSON *edit_json_read(int dirfd, const char *path);
void edit_json_write(int dirfd, const char *path, cJSON *tree);

/* Both lists made again. */
void edit_seal(int dirfd);
/* validation.json made again, by the dt-finalize the manifest names. */
void edit_verdict(int dirfd);
/* report/ made again. */
void edit_report(int dirfd);

#endif
