/*
 * Processes as the system shows them: identity, facts, threads, mappings.
 * Source: proc(5). Elsewhere than on Linux every call is -1, id "no-proc".
 *
 * Ownership: buffers returned are the caller's to free(); a proc_map is lent
 * to the callback until it returns.
 */
#ifndef LIBDT_PROC_H
#define LIBDT_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libdt/msg.h"

#define PROC_BOOT_SIZE	37	/* a UUID with NUL */
#define PROC_COMM_SIZE	64

/* /proc/sys/kernel/random/boot_id */
int proc_boot_id(char boot[PROC_BOOT_SIZE], struct msg *m);

/* /proc/PID/stat, or of a thread */
struct proc_stat {
	pid_t pid, ppid, pgrp, session;
	char state;
	char comm[PROC_COMM_SIZE];	/* any bytes but NUL */
	uint64_t threads;
	uint64_t start_ticks;		/* field 22, clock ticks after boot */
	uint64_t user_ns, system_ns;	/* cpu time, of clock ticks */
	/*
	 * Field 52 of one that has ended, as waitpid() gives it; 0, too, where
	 * the kernel does not let the caller see it (PTRACE_MODE_READ).
	 */
	int wait_status;
	/*
	 * Start on the bundle's clock and its resolution. Field 22 counts
	 * CLOCK_BOOTTIME in ticks of 1/sysconf(_SC_CLK_TCK) s, rounded down,
	 * so the true start lies in [start_ns, start_ns + res_ns). Time spent
	 * suspended so far is taken off to get CLOCK_MONOTONIC, which is
	 * exact unless the host was suspended since the process started: then
	 * start_ns is early by that suspension, and 0 if that is before boot.
	 */
	uint64_t start_ns, res_ns;
};
/* ids: "no-process" (it has gone), "proc-parse", "read" */
int proc_stat(pid_t pid, struct proc_stat *s, struct msg *m);
int proc_thread_stat(pid_t pid, pid_t tid, struct proc_stat *s,
    struct msg *m);
/* The parser alone, of n bytes of such a file; see clock_suspended(). */
int proc_stat_parse(const char *buf, size_t n, int64_t suspended_ns,
    struct proc_stat *s, struct msg *m);

/* The process is gone, or its pid is another's: start_ticks differ. */
bool proc_is(pid_t pid, uint64_t start_ticks);

/*
 * The executable's path (any bytes) as /proc/PID/exe links to it, without
 * " (deleted)", which *deleted tells (may be NULL). A kernel thread has
 * none: 1 and NULL.
 */
int proc_exe(pid_t pid, char **path, bool *deleted, struct msg *m);

/* The executable itself, open for reading, also when it has been deleted. */
int proc_open_exe(pid_t pid, struct msg *m);

/* The path that an open file has now, without " (deleted)"; the caller frees
 * it. */
int proc_fd_path(int fd, char **path, struct msg *m);

/* Arguments with their NULs, at most max bytes. */
int proc_cmdline(pid_t pid, size_t max, char **buf, size_t *len,
    struct msg *m);
/* Real and effective ids (/proc/PID/status). */
struct proc_ids { uid_t uid, euid; gid_t gid, egid; };
/* 0, or -1 with m. */
int proc_ids(pid_t pid, struct proc_ids *ids, struct msg *m);
/* Thread ids in ascending order; *tids is the caller's to free. */
int proc_threads(pid_t pid, pid_t **tids, size_t *n, struct msg *m);
/* The same of the processes that are its children now, if any. */
int proc_children(pid_t pid, pid_t **pids, size_t *n, struct msg *m);

/* A line of /proc/PID/maps */
struct proc_map {
	uint64_t start, end, offset;	/* bytes; end is the first one after */
	char perms[5];			/* "r-xp" */
	unsigned dev_major, dev_minor;
	uint64_t inode;
	const char *path;	/* unescaped bytes, "" if anonymous, "[vdso]" */
	size_t path_len;
	bool deleted;		/* the " (deleted)" it ended in is taken off */
};
typedef int proc_map_fn(void *arg, const struct proc_map *map);
/* Calls fn for each mapping; 0, fn's value if that is not 0, or -1 with m. */
int proc_maps(pid_t pid, proc_map_fn *fn, void *arg, struct msg *m);
/* Parses one line of n bytes without its newline, unescaping in place. */
int proc_map_parse(char *line, size_t n, struct proc_map *map,
    struct msg *m);
/*
 * The file behind a mapping of a living process, open for reading: through
 * /proc/PID/map_files (needs privilege), else /proc/PID/root and the path if
 * its device and inode are the mapping's.
 */
int proc_open_map(pid_t pid, const struct proc_map *map, struct msg *m);

#endif
