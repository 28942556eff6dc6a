/*
 * sym_impl.h - what sym.h's parts share: symkern.c (kallsyms), symfile.c
 * (symbols of one file), symproc.c (processes and their mappings), symjit.c
 * (perf maps).
 *
 * struct symtab owns everything below.
 */
#ifndef TRACE_SYM_IMPL_H
#define TRACE_SYM_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A sorted table of named ranges, names in one pool. */
struct symrange {
	uint64_t start, size;		/* size 0: up to the next one */
	const char *name;
	uint8_t rank;			/* among equal starts the lowest wins */
};
struct symlist {
	struct symrange *sym;
	size_t n, cap;
	char **pool;			/* chunks that names are in */
	size_t npool, left;		/* left: bytes free in the last one */
};
/* -1: no memory; the name is copied. */
int	symlist_add(struct symlist *, uint64_t start, uint64_t size,
	    const char *name, size_t len, uint8_t rank);
/* Orders it, and leaves one symbol per start. */
void	symlist_sort(struct symlist *);
/* The narrowest symbol that covers addr, NULL: none. */
struct symrange *symlist_find(struct symlist *, uint64_t addr);
char	*symlist_dup(struct symlist *, const char *s, size_t len);
void	symlist_free(struct symlist *);

struct elfsym;
struct symshown;

/* Symbols of one mapped file, whoever maps it. */
struct symfile {
	struct symfile *next;		/* in its hash chain */
	unsigned dev_major, dev_minor;
	uint64_t inode;
	char *path;
	const char *mod;		/* its last component */
	int fd;				/* until the symbols are read, or -1 */
	bool keepopen;			/* until the end */
	bool loaded;
	struct elfsym *elf;		/* NULL: no symbols */
	struct symshown *shown;		/* demangled names, by name's address */
	size_t nshown, cap;
};
/* The symbol of a file offset; reads the symbols when first asked. NULL: none.
 * *voff gets the distance from the symbol's start. */
const char *symfile_find(struct symfile *, uint64_t fileoff, uint64_t *voff);
void	symfile_load(struct symfile *);
void	symfile_free(struct symfile *);

struct symmap {
	uint64_t start, end, off;
	struct symfile *file;		/* NULL: anonymous, perhaps a JIT's */
};
struct symgen {				/* mappings between two execs */
	struct symgen *older;
	struct symmap *map;		/* by start, not overlapping */
	size_t nmap, cap;
	unsigned refs;			/* a fork's child shares its parent's */
};
struct symgen *symgen_new(void);
struct symgen *symgen_ref(struct symgen *);
void	symgen_unref(struct symgen *);	/* may be NULL; older ones too */
/* Puts a mapping in the place of what it overlaps. -1: no memory. */
int	symgen_add(struct symgen *, const struct symmap *);
/* A copy that is nobody else's, or the same where it already is. NULL: no
 * memory. */
struct symgen *symgen_own(struct symgen *);
/* In this one alone. */
bool	symgen_has(const struct symgen *, uint64_t addr);
/* In this one or an older one; NULL: none. */
const struct symmap *symgen_find(const struct symgen *, uint64_t addr);
struct symevents;
struct symjit;
struct symsample;
struct symunwind;
struct symproc {
	struct symproc *next;		/* in its hash chain */
	pid_t pid;
	uint64_t start_ticks;
	uint64_t read_ns;		/* when the mappings were last read */
	uint64_t died_ns;		/* once dead: when we heard */
	bool dead;
	bool told;			/* the kernel tells its mappings */
	struct symgen *gen;
	struct symjit *jit;
	struct symunwind *unwind;	/* NULL: nothing was unwound yet */
};

enum { SYM_HASH = 1024 };
struct symtab {
	struct symlist kern;
	const char **kmod;		/* names of modules */
	size_t nkmod;
	uint64_t *kmodstart;		/* their first symbols' addresses */
	uint16_t *kmodof;		/* [symbol]: index in kmod */
	bool kern_read;
	struct symfile *file[SYM_HASH];
	size_t nfd;			/* files still open */
	struct symproc *proc[SYM_HASH];
	size_t nproc;
	struct symevents *ev;		/* NULL: not open */
	bool keepopen;			/* files, for their frame information */
	size_t nunwind;			/* processes with an unwinder */
	uint64_t unwound;		/* stacks so far */
	uint64_t drained_ns;
};

/* Unwinds by the frame information of the mappings in gen (symunwind.c);
 * *cut as sym_unwind()'s; *missing gets an address that is in none of them, or
 * 0. */
size_t	symunwind_run(struct symtab *, struct symproc *,
	    const struct symgen *, const struct symsample *, uint64_t *pc,
	    size_t max, bool *cut, uint64_t *missing);
void	symunwind_free(struct symunwind *);

/* JIT symbols of /tmp/perf-PID.map, read again when it has grown. */
const char *symjit_find(struct symproc *, uint64_t addr, uint64_t *off);
void	symjit_free(struct symjit *);

#endif
