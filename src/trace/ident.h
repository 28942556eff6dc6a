/*
 * ident.h - identifiers of a program. The unit owns them.
 */
#ifndef TRACE_IDENT_H
#define TRACE_IDENT_H

#include "trace/ast.h"

struct diag;

/* Global, self-> and this-> names are apart, and so are aggregations. */
enum space { SP_GLOBAL, SP_SELF, SP_THIS, SP_AGG, SP_N };

/* An empty table in the unit, -1: no memory; what a name stands for there,
 * NULL: nothing. */
int	ident_tab_new(struct unit *);
struct ident *ident_find(struct unit *, enum space, const char *name);
/* A new identifier (kind and scope set, seq assigned); NULL: no memory. */
struct ident *ident_add(struct unit *, enum space, enum ikind,
	    const char *name, int line);
/* Found among variables, built-ins, functions, inlines, enumerators. */
bool	ident_known(struct unit *, const char *name);
/* A constant of const.def (errno, signals, …) by its name. */
bool	const_lookup(const char *name, int64_t *value);
/* A scalar turns into an associative array at its first use as one. */
void	ident_morph(struct unit *, struct ident *, enum ikind);
/* "did you mean" for a global name; NULL: nothing is near. */
const char *ident_near(struct unit *, const char *name, bool func);
/* The same for a struct, union or enum that is incomplete, as a hint for the
 * latest message. */
void	ident_hint_type(struct unit *, struct diag *, const struct dtype *);

/* A node in the unit's arena, an integer of a type; NULL: no memory. */
struct node *node_new(struct unit *, enum nkind, int line);
struct node *node_int(struct unit *, int64_t, const struct dtype *, int line);
/* Deep copy, for inlines. */
struct node *node_copy(struct unit *, const struct node *);
/* Puts in the place of each child of n what fn makes of it, up to the first of
 * n's list of which it makes NULL. */
void	node_replace(struct node *n,
	    struct node *(*fn)(void *, struct node *), void *arg);

#endif
