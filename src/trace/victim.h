/*
 * victim.h - the processes of -c and -p.
 *
 * A struct victims belongs to its caller. A command is held right after its
 * exec until victim_release(); a process given by pid is never stopped.
 */
#ifndef TRACE_VICTIM_H
#define TRACE_VICTIM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "libdt/msg.h"

struct trace;

struct victim {
	pid_t pid;
	int pidfd;		/* readable when it has ended */
	bool child;		/* of -c */
	bool held;
	bool gone;
	char *command;		/* -c's text, for messages */
};

struct victims {
	struct victim *v;
	size_t n;
};

/*
 * Starts a command line (words split at blanks, quotes as in sh) and holds it
 * at its first instruction: nothing of it has run, its mappings are those of
 * exec. -1 with m: it cannot be executed.
 */
int	victim_create(struct victims *, const char *command, struct msg *);
/* Watches a process; -1 with m when there is none of that pid. */
int	victim_grab(struct victims *, const char *pid, struct msg *);
/* Lets the held ones run. */
int	victim_release(struct victims *, struct msg *);
/* Notes that it has ended; reaps it if it is a child of ours. */
void	victim_ended(struct victim *);
/* Still running ones; true when there were some and all have ended. */
bool	victim_all_gone(const struct victims *);
/* Commands that have not ended are killed; grabbed processes go on. */
void	victim_free(struct victims *);

#endif
