/*
 * session.h - what one command line of dt-trace asks for: compiled, listed or
 * run.
 *
 * A struct session is its caller's, zeroed but for t.progname and d.max; all
 * that is made in it is its own until session_free().
 */
#ifndef TRACE_SESSION_H
#define TRACE_SESSION_H

#include "trace/cmdline.h"
#include "trace/diag.h"
#include "trace/source.h"
#include "trace/stats.h"
#include "trace/trace.h"
#include "trace/victim.h"

struct session {
	struct trace t;
	struct cmdline c;
	struct victims victims;
	struct runinfo info;
	struct diag d;
};

/* Does it all; the exit status, or -1 with m or the diag filled. */
int	session_work(struct session *, struct msg *);
/* A message that is about no place in a program, on standard error. */
void	session_tell(const struct session *, const struct msg *);
/* m tells of output that was lost, be it -o's, stdout's or freopen()'s. */
bool	session_lost(const struct msg *);
void	session_free(struct session *);

/* compile.c: parses, matches, types and lowers. -1 with m or the diag. */
int	session_compile(struct session *, struct msg *);
/* With -l: a description and no program, which need not be compiled. */
bool	session_only_lists(const struct session *, const struct source *);

#endif
