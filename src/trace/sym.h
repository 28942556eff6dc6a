/*
 * sym.h - names of kernel and user addresses.
 *
 * A struct symtab owns all names and mappings it knows; what a lookup returns
 * lives until sym_free (of code made at run time: until the next lookup).
 * Nothing is read before it is needed. User mappings are noted while a process
 * lives and kept after it has gone, so that its addresses have names then too.
 */
#ifndef TRACE_SYM_H
#define TRACE_SYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct symtab;
struct msg;

struct symname {
	const char *mod;	/* "vmlinux", "libc.so.6"; NULL: no mapping */
	const char *path;	/* user: the mapped file's, else NULL */
	const char *name;	/* NULL: no symbol covers the address */
	uint64_t off;		/* address - symbol's start */
	uint64_t fileoff;	/* user: offset in the mapped file */
	uint64_t modstart;	/* an address of the module or mapping, the */
				/* same one for all addresses in it */
};

struct symtab *sym_new(void);
void	sym_free(struct symtab *);
/* To be called first where sym_unwind will be used: files then stay open. */
void	sym_will_unwind(struct symtab *);

/* Looks an address up; false: nothing is known about it. Failure to read
 * symbols leaves name NULL, never an error. */
bool	sym_kernel(struct symtab *, uint64_t addr, struct symname *);
bool	sym_user(struct symtab *, pid_t pid, uint64_t addr, struct symname *);
/* The address of a kernel symbol by name ("max_pfn"), 0: none. mod may be
 * NULL or the module's name. */
uint64_t sym_kernel_addr(struct symtab *, const char *mod, const char *name);

/*
 * Unwinds a user stack from copied registers and the copied stack above its
 * pointer; returns the number of addresses left in pc, the innermost first, at
 * most max. At least one, the program counter, unless it is of no mapping. *cut:
 * the stack goes on where the copy or max ends.
 */
struct symsample {
	const uint64_t *regs;		/* as regs.h says */
	const uint8_t *stack;
	size_t nstack;			/* bytes */
};
size_t	sym_unwind(struct symtab *, pid_t pid, const struct symsample *,
	    uint64_t *pc, size_t max, bool *cut);

/*
 * Notes the mappings of a process while it lives: to be called when its first
 * record is seen, and on its exec (which makes older ones void).
 */
void	sym_note_pid(struct symtab *, pid_t pid);
void	sym_note_exec(struct symtab *, pid_t pid);

/*
 * Listens to the kernel for births, executions and mappings of all processes,
 * so that those too short-lived to be looked at have names too. -1 with *m: it
 * does not let us (the rest works as before).
 */
int	sym_events_open(struct symtab *, struct msg *);
/* Readable when sym_events() should be called; -1: not open. Any call for a
 * user address takes events as well. */
int	sym_events_fd(const struct symtab *);
void	sym_events(struct symtab *);

#endif
