/*
 * One checksum list: its lines read and written.
 *
 * Ownership: a struct sums_list owns its entries and the text their paths
 * point into until sums_list_free().
 */
#ifndef LIBDT_SUMS_LIST_H
#define LIBDT_SUMS_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "libdt/digest.h"
#include "libdt/msg.h"
#include "libdt/path.h"

#define SUMS_LIST_MAX	(256u << 20)	/* bytes of a list */
/* of a line: a path with every byte escaped, a digest, the rest */
#define SUMS_LINE_MAX	(2 * PATH_BYTES_MAX + SHA256_HEX + 32)

enum sums_kind {
	SUMS_KIND_SHA256,
	SUMS_KIND_XXH3,
	SUMS_KINDS,
};

struct sums_entry {
	const char *path;	/* unescaped */
	uint64_t line;
	uint8_t sha256[32];	/* of that kind of list */
	uint64_t xxh3;
};

struct sums_list {
	char *text;
	struct sums_entry *v;	/* sorted by path, then line */
	size_t n, cap;
};

/* "XXH3SUMS", "SHA256SUMS". */
const char *sums_list_name(enum sums_kind kind);

/*
 * Reads and parses a list. Each line that is not exactly what sums_list_line()
 * makes, an unsafe path, a duplicate, a path out of order is a finding, and
 * so is a list that is missing or cannot be read; unsafe paths and what comes
 * again are left out. *findings counts. -1 with m only for lack of memory or
 * if the sink stops.
 */
int sums_list_read(struct sums_list *l, int dirfd, enum sums_kind kind,
    int bundle, const struct msg_sink *sink, uint64_t *findings,
    struct msg *m);
/*
 * The same of text at hand: len bytes and one more, malloc()ed, which the
 * list takes over.
 */
int sums_list_parse(struct sums_list *l, char *text, size_t len,
    enum sums_kind kind, int bundle, const struct msg_sink *sink,
    uint64_t *findings, struct msg *m);
void sums_list_free(struct sums_list *l);

/*
 * The line of a path, with its newline and a NUL; returns its length.
 *
 * SHA256SUMS: "HEX  PATH"; a path with \, newline or CR has these as \\, \n,
 * \r and the line a leading \ (sha256sum of coreutils 9).
 * XXH3SUMS: "XXH3 (PATH) = HEX"; a path with a newline has \, newline and CR
 * escaped so and the line a leading \, as xxhsum writes and reads them from
 * 0.8.2 on. Earlier ones cannot name such a file; other paths they read raw.
 */
size_t sums_list_line(enum sums_kind kind, const char *path,
    const struct digest *d, char line[SUMS_LINE_MAX]);

#endif
