/*
 * Checksum lists of a directory: SHA256SUMS as sha256sum(1) writes and
 * checks it, XXH3SUMS as `xxhsum -c` reads it.
 *
 * Ownership: dirfd stays the caller's; findings are lent to the sink, which
 * is called in the caller's thread only.
 */
#ifndef LIBDT_SUMS_H
#define LIBDT_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "libdt/digest.h"
#include "libdt/msg.h"

#define SUMS_SHA256	"SHA256SUMS"
#define SUMS_XXH3	"XXH3SUMS"

/* Called in the caller's thread from time to time. */
typedef void sums_progress(void *arg, uint64_t files, uint64_t bytes);

struct sums_options {
	unsigned threads;	/* hashing; 0 = one a processor, at most 16 */
	bool quick;		/* check: XXH3SUMS only */
	bool bundle;		/* names must suit a bundle: UTF-8, no control
				   bytes */
	sums_progress *progress;	/* may be NULL */
	void *progress_arg;
};

/*
 * Makes both lists in dirfd, each atomically, mode 0644, sorted by bytes.
 * XXH3SUMS covers every file but the two lists, SHA256SUMS every file but
 * itself. Anything but files and directories, and a file that changes while
 * it is read, is a finding, and then nothing is written. Returns 0, 1 (there
 * were findings), or -1 with m (also: a file could not be read). id, if not
 * NULL, gets the bundle id.
 */
int sums_make(int dirfd, const struct sums_options *o,
    const struct msg_sink *sink, char id[DIGEST_REF], struct msg *m);

/*
 * Checks both lists (quick: XXH3SUMS) against the directory, every file
 * in one read. Returns 0 (all is as it was), 1 (findings), -1 with m (could
 * not tell: something cannot be read; its finding is sums-read with the errno).
 * Finding ids are in sums.def.
 * id gets "sha256:" and the SHA-256 of SHA256SUMS, "" if it has none.
 */
int sums_check(int dirfd, const struct sums_options *o,
    const struct msg_sink *sink, char id[DIGEST_REF], struct msg *m);

/* The bundle id alone: the digest of SHA256SUMS. */
int sums_id(int dirfd, char id[DIGEST_REF], struct msg *m);

#endif
