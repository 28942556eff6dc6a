/*
 * uelf.h - what can be probed in a program or library: its functions and its
 * USDT notes.
 *
 * A struct uelf owns all it tells until uelf_free().
 */
#ifndef TRACE_UELF_H
#define TRACE_UELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdt/msg.h"

struct ufunc {
	const char *name;
	uint64_t vaddr, size;		/* of the file */
	uint64_t off;			/* file offset of its first byte */
	uint8_t rank;			/* of names of one address: lowest is best */
	bool ifunc;			/* it only chooses the function */
	bool old;			/* not the default version of the name */
};

struct unote {				/* .note.stapsdt, version 3 */
	const char *prov, *name;	/* name with __ made - */
	const char *args;		/* "-4@%eax 8@-16(%rbp)" */
	const char *func;		/* that covers it, or "" */
	uint64_t vaddr, off;
	uint64_t sema;			/* file offset of its semaphore, 0: none */
};

struct uelf {
	void *elf;			/* of libelf */
	int fd;
	char *path;
	const char *base;		/* path's last component */
	struct ufunc *func;		/* by address, best name first */
	size_t nfunc;
	struct unote *note;
	size_t nnote;
	uint64_t entry;			/* where a process begins in it */
	bool exec;			/* not position-independent */
	bool probed;			/* an enabled probe is in it */
	const char *interp;		/* PT_INTERP or NULL */
};

/* NULL with m: cannot be read, or is no ELF file for this machine. */
struct uelf *uelf_open(const char *path, struct msg *m);
void	uelf_free(struct uelf *);
/* The function of that name, its default version before others; NULL: none. */
const struct ufunc *uelf_func(const struct uelf *, const char *name);
/* File offset of a virtual address, 0: in no segment of the file. */
uint64_t uelf_offset(const struct uelf *, uint64_t vaddr);
/* Virtual address of an offset in code that is mapped; 0: in no segment. */
uint64_t uelf_vaddr(const struct uelf *, uint64_t off);
/* Name of the section of code that has an address, NULL: none. */
const char *uelf_section(const struct uelf *, uint64_t vaddr);
/* The file's virtual address of a symbol, 0: none. */
uint64_t uelf_symbol(const struct uelf *, const char *name);

#endif
