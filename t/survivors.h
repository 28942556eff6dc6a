/*
 * Mutants that validate, and why they may: lines `PATTERN  reason`.
 *
 * Ownership: a struct survivors owns its patterns until the program ends.
 */
#ifndef T_SURVIVORS_H
#define T_SURVIVORS_H

#include <stdbool.h>
#include <stddef.h>

struct survivors {
	struct pattern { char *text; bool used; } *v;
	size_t n;
};

void survivors_read(struct survivors *s, const char *path);
/* A pattern has the name. */
bool survivors_have(struct survivors *s, const char *name);
/* Prints the patterns that no name needed; their number. */
size_t survivors_stale(const struct survivors *s);

#endif
