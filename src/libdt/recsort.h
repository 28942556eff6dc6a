/*
 * Sorting records by (ts, pid, tid), stably, in bounded memory: runs that are
 * sorted in memory go to unnamed temporary files and are merged.
 *
 * Ownership: a sorter owns its memory and files until record_sort_free(); a
 * line is lent until the next call.
 */
#ifndef LIBDT_RECSORT_H
#define LIBDT_RECSORT_H

#include <stddef.h>
#include <stdint.h>

#include "libdt/msg.h"
#include "libdt/record.h"

#define RECORD_SORT_MEM	((size_t)64 << 20)	/* bytes, the usual bound */

struct record_sort;

/*
 * Temporary files are made in dirfd, which must outlive the sorter. mem is
 * how many bytes it keeps in memory before it writes a run (at least one
 * line); merging takes about 64 KiB a run besides.
 */
struct record_sort *record_sort_new(int dirfd, size_t mem, struct msg *m);

/* Takes a copy of the record, and a number that comes back with it. */
int record_sort_add(struct record_sort *s, const struct record *r,
    uint32_t tag, struct msg *m);

/*
 * The next record's line in order, without newline: 1, 0 after the last, or
 * -1 with m. The first call ends the adding.
 */
int record_sort_next(struct record_sort *s, const char **line, size_t *n,
    uint32_t *tag, struct msg *m);
/* Begins again from the first. */
int record_sort_rewind(struct record_sort *s, struct msg *m);

void record_sort_free(struct record_sort *s);	/* may be NULL */

#endif
