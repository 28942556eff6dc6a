/*
 * module.h - the files that a process executes: its program and libraries.
 *
 * A struct modules (in struct trace) owns the processes and files it has
 * read; a process is looked at once.
 */
#ifndef TRACE_MODULE_H
#define TRACE_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libdt/msg.h"

struct trace;
struct uelf;

struct module {
	struct uelf *elf;
	bool program;			/* the one that was executed: a.out */
	bool mapped;			/* else its loader will map it */
	uint64_t start, offset;		/* where what of the file is mapped */
};

struct procmods {
	struct procmods *next;
	pid_t pid;
	struct module *mod;
	size_t n;
};

/*
 * The executable mappings of a process; of one held before its first
 * instruction also the libraries its loader will map, as the loader itself
 * tells. NULL with m: no such process, or no right to look at it.
 */
const struct procmods *modules_of(struct trace *, pid_t, struct msg *);
/* A file by its path, whoever may execute it. NULL with m. */
struct uelf *modules_file(struct trace *, const char *path,
	    struct msg *);
/*
 * Makes the pages of probed files present in the processes that have mapped
 * them, since a probe cannot wait for the disk: copyinstr() of a constant
 * string that its program has not touched yet would fault. Stops nobody.
 */
void	modules_touch(struct trace *);
void	modules_free(struct trace *);

/* Does a description's module field mean it? Its file name, that without
 * what follows ".so", without ".so" too, or "a.out" for the program. */
bool	module_match(const struct module *, const char *pattern);

#endif
