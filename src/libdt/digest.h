/*
 * Digests: SHA-256 (mbedTLS) and XXH3 of 64 bits with seed 0, as
 * `xxhsum -H3` prints it, from one read.
 *
 * Ownership: a struct digest_run is freed by digest_end() or digest_drop();
 * everything else is the caller's.
 */
#ifndef LIBDT_DIGEST_H
#define LIBDT_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "libdt/msg.h"

#define DIGEST_SHA256	1u
#define DIGEST_XXH3	2u
#define DIGEST_BOTH	(DIGEST_SHA256 | DIGEST_XXH3)

#define SHA256_HEX	65	/* bytes with NUL */
#define XXH3_HEX	17
#define DIGEST_REF	72	/* "sha256:" and the hex, with NUL */

struct digest {
	uint8_t sha256[32];	/* zero if not asked for */
	uint64_t xxh3;
	uint64_t bytes;
};

/*
 * Piece by piece. digest_add() cannot fail but by misuse (-1); digest_end(),
 * which frees r as digest_drop() does, gives -1 once anything failed.
 */
struct digest_run;
struct digest_run *digest_begin(unsigned which);	/* NULL: no memory */
int digest_add(struct digest_run *r, const void *buf, size_t n);
int digest_end(struct digest_run *r, struct digest *d);
void digest_drop(struct digest_run *r);

/* Of n bytes; -1: no memory. */
int digest_mem(const void *buf, size_t n, unsigned which, struct digest *d);
/* From the fd's offset to its end; -1 with m (id "read"). */
int digest_fd(int fd, const char *name, unsigned which, struct digest *d,
    struct msg *m);
/* A regular file beneath dirfd. */
int digest_file(int dirfd, const char *path, unsigned which,
    struct digest *d, struct msg *m);

/* Lower-case hex; digest_ref() is "sha256:HEX", the form in JSON members. */
void digest_sha256_hex(const struct digest *d, char hex[SHA256_HEX]);
void digest_xxh3_hex(const struct digest *d, char hex[XXH3_HEX]);
void digest_ref(const struct digest *d, char ref[DIGEST_REF]);
/* "sha256:" and the SHA-256 of n bytes. */
int digest_ref_mem(const void *buf, size_t n, char ref[DIGEST_REF]);

#endif
