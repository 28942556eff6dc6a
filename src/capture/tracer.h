/*
 * The tracer: which command runs the D scripts, and which kind it is.
 *
 * Ownership: a struct tracer owns its words until tracer_free().
 */
#ifndef CAPTURE_TRACER_H
#define CAPTURE_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capabilities.h"
#include "libdt/msg.h"

#define TRACER_WORDS_MAX	32
#define TRACER_ACK_OWN_NS	(UINT64_C(10) * 1000000000)
#define TRACER_ACK_OTHER_NS	(UINT64_C(60) * 1000000000)

struct tracer {
	char *text;			/* the words, cut at their blanks */
	char *word[TRACER_WORDS_MAX];
	size_t words;
	char *command;			/* as it was given or found */
	char version[128];		/* first line of `TRACER -V` or "" */
	bool own;			/* it is dt-trace: --stats, noresolve */
};

/*
 * The tracer of that command: a path or name, or words split at blanks if no
 * such file exists; without a command, dt-trace beside this program if this
 * host can run it, else a dtrace in PATH that answers -V (the dtrace of
 * systemtap-sdt-dev does not). 0; 1 with m: this host has no tracer, and
 * why; -1 with m.
 */
int tracer_find(struct tracer *t, const char *command,
    const struct capabilities *can, struct msg *m);
void tracer_free(struct tracer *t);

/* Directory of this program, with no slash at its end; caller frees. */
char *self_dir(void);

#endif
