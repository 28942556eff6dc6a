/*
 * The mappings of the cohort in the order of time, and what addresses in them
 * are called.
 *
 * Ownership: a struct maps is the caller's until maps_free(); it keeps copies.
 */
#ifndef LIBDT_MAPS_H
#define LIBDT_MAPS_H

#include <stddef.h>
#include <stdint.h>

#include "libdt/msg.h"
#include "libdt/record.h"

struct maps;

struct maps *maps_new(void);
void maps_free(struct maps *ms);		/* may be NULL */
/* Takes a record of procs (births) or maps; in any order. */
int maps_add(struct maps *ms, const struct record *r, struct msg *m);
/* All are there: sorts them. exe is the staging directory's copy, or -1. */
int maps_ready(struct maps *ms, int exe, const char *boot_id, struct msg *m);
/*
 * The build-id of what a process runs after an exec at ts: that of the first
 * file mapped after its mappings went away, or of the mapping of path. NULL if
 * it is not known. Lives as long as ms.
 */
const char *maps_exec_id(struct maps *ms, uint64_t pid, uint64_t ts,
    const char *path, size_t n);
/* Begins a walk through time. */
void maps_rewind(struct maps *ms);
/*
 * A stack with its bare addresses resolved as of ts, which must not go back
 * within a walk, and names demangled. *out and *n are lent until the next
 * call. 0 or -1 with m.
 */
int maps_resolve(struct maps *ms, uint64_t pid, uint64_t ts,
    const struct value *stack, const char **out, size_t *n, struct msg *m);
/* A map record stays in raw/: its file is one of maps_files(). */
void maps_keep(struct maps *ms, const struct record *r);
/* Calls fn for each distinct (path, build-id) that was kept. */
int maps_files(struct maps *ms, int (*fn)(void *arg, const char *path,
    size_t n, const char *build_id), void *arg);

#endif
