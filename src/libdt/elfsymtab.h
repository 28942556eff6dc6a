/*
 * A sorted table of named address ranges: the part of elfsym.c that knows
 * nothing of ELF.
 *
 * Ownership: a struct symtab_list owns its names; zeroed, it is empty.
 */
#ifndef LIBDT_ELFSYMTAB_H
#define LIBDT_ELFSYMTAB_H

#include <stddef.h>
#include <stdint.h>

struct symtab_entry {
	uint64_t start, size;	/* size 0: up to the next start */
	size_t name;		/* offset in names */
	uint8_t rank;		/* of those with one start the least stays */
};

struct symtab_list {
	struct symtab_entry *v;
	size_t n, cap;
	char *names;
	size_t used, ncap;
};

/* Copies a name of len bytes; -1: no memory. */
int symtab_add(struct symtab_list *l, uint64_t start, uint64_t size,
    const char *name, size_t len, uint8_t rank);
/* Sorts, and keeps one entry for each start. To be called before finding. */
void symtab_sort(struct symtab_list *l);
/* The innermost entry that covers addr; NULL: none. */
const char *symtab_find(const struct symtab_list *l, uint64_t addr,
    uint64_t *off);
void symtab_free(struct symtab_list *l);

#endif
