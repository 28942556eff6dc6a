/*
 * The operands protocol: bundles named by arguments, by a list on standard
 * input, or by a manifest.json on standard input (dt-bundle(5)).
 *
 * Ownership: operands_each() owns the directory fd and the path it gives to
 * the callback; both end when the callback returns.
 */
#ifndef LIBDT_OPERANDS_H
#define LIBDT_OPERANDS_H

#include <stdbool.h>

#include "libdt/cli.h"
#include "libdt/msg.h"

#define OPERANDS_MANIFEST_MAX	(16u << 20)	/* bytes */

struct operands {
	char *const *argv;	/* what is left after the options */
	int argc;
	bool nul;		/* -0: the list on stdin is NUL-separated */
	const char *dir;	/* -C DIR: the bundle of a manifest on stdin,
				   NULL = found through /proc/self/fd/0 */
	const char *no_manifest;	/* why a manifest on stdin is none of
				   the tool's; NULL = it takes one, and -C */
};

struct operand {
	const char *path;	/* the directory, as it was named */
	int fd;			/* O_RDONLY|O_DIRECTORY */
	const char *manifest;	/* bytes read on stdin, else NULL */
	size_t manifest_len;
};

typedef enum dt_exit operand_fn(void *arg, const struct operand *o);

/*
 * Calls fn for each operand, or for each bundle stdin names where there is
 * none; returns the worst status. An operand that is no directory (nor a
 * manifest.json in one), an empty input, a line longer than PATH_MAX, and a
 * manifest that is not the bundle's own are told through sink and are
 * DT_CANNOT (a differing manifest too); the others still run. In a
 * manifest.json operand the path is that of its directory.
 */
enum dt_exit operands_each(const struct operands *o, operand_fn *fn, void *arg,
    const struct msg_sink *sink);

#endif
