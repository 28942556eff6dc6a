/*
 * The target: a command that is launched and held before its exec, or a
 * running process that is only watched.
 *
 * Ownership: a struct target owns its descriptors and strings from
 * target_launch() or target_open() to target_close(). Closing never harms the
 * target; one that was still held then ends without having run.
 */
#ifndef CAPTURE_TARGET_H
#define CAPTURE_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/command.h"
#include "libdt/elfid.h"
#include "libdt/msg.h"
#include "libdt/proc.h"

#define NONCE_HEX	33	/* 16 bytes, with NUL */

struct target {
	bool launched;		/* else attached to */
	bool released;		/* its exec has succeeded */
	bool ended;
	pid_t pid;
	int pidfd;
	int go;			/* what releases it; -1 afterwards */
	int verdict;		/* errno of a failed exec, or its end */
	int file;		/* the command's file, open since before exec */
	int exe;		/* /proc/PID/exe since after exec, or -1 */
	char *path;		/* the command's file */
	char *exe_path;
	char exe_id[ELFID_HEX];	/* build-id or "" */
	char nonce[NONCE_HEX];	/* "" where attached to */
	struct proc_stat st;	/* at hold or attach */
	struct proc_ids ids;
	int exit_code, signal;	/* -1, 0 = not known */
	struct runas as;
	char *cmdline;		/* of one attached to, with its NULs */
	size_t cmdline_len;
};

struct target_launch {
	char **argv;
	const char *user;	/* or NULL */
	int out;		/* its stdout */
	mode_t umask;
	const void *sigmask;	/* sigset_t that it runs with */
};

void target_init(struct target *t);

/*
 * Whether target_launch() will find the command, before anything is made:
 * ids "no-command" (with errno), "no-user", "privilege".
 */
int target_check(const char *name, const char *user, struct msg *m);

/*
 * Forks a child that waits before its exec; returns when the child has taken
 * on its identity. ids: "no-command" (with errno), "no-user", "privilege",
 * "launch".
 */
int target_launch(struct target *t, const struct target_launch *l,
    struct msg *m);
/* A running process; ids "no-process", "proc-parse". */
int target_open(struct target *t, pid_t pid, struct msg *m);

/* Lets it exec; -1 with m if it has gone. */
int target_go(struct target *t, struct msg *m);
/* Waits at most ms milliseconds until it has or could not: then true. */
bool target_answers(const struct target *t, int ms);
/* It answers: 0 if it has, -1 with m if it failed. */
int target_released(struct target *t, struct msg *m);

/* Notes what /proc says of the executable (also of a script's). */
void target_note_exe(struct target *t);

/* Its pidfd is readable: takes the exit status of a launched one. */
void target_reap(struct target *t);

void target_close(struct target *t);

#endif
