/*
 * type_decl.h - making types: what the declaration parser and the BTF reader
 * need beside type.h. The typeset owns all it makes.
 */
#ifndef TRACE_TYPE_DECL_H
#define TRACE_TYPE_DECL_H

#include "trace/arena.h"
#include "trace/type.h"

struct arena *type_arena(struct typeset *);

/* Registers t under a name ("struct foo", "foo"); the latest one is found. */
int	type_register(struct typeset *, const char *name,
	    const struct dtype *t);
/* "struct", "union" or "enum". */
const char *type_keyword(enum dkind);
/* One of the types every set has from the start? */
bool	type_predefined(const struct typeset *, const struct dtype *);
/* Equal but for typedefs and the spelling of integers. */
bool	type_same(const struct dtype *, const struct dtype *);
/* Like type_lookup, but never opens the kernel's BTF. */
const struct dtype *type_known(struct typeset *, const char *name);

/* An incomplete struct, union or enum (kind), registered when it has a tag:
 * a new one, or the program's own of that tag if that is incomplete still.
 * NULL: no memory. */
struct dtype *type_open(struct typeset *, enum dkind, const char *tag);
/* Completes it: mem is in the typeset's arena; offsets are laid out here for
 * members whose bit_off is LAYOUT, as the x86-64 and arm64 C ABIs do. */
enum { LAYOUT = 0x7fffffff };
void	type_close(struct dtype *, struct dmember *mem, size_t nmem);

const struct dtype *type_typedef(struct typeset *, const char *name,
	    const struct dtype *);
/* Function type; mem: parameters' types. */
const struct dtype *type_func(struct typeset *, const struct dtype *ret,
	    const struct dmember *mem, size_t nmem);
const struct dtype *type_named_int(struct typeset *, const char *name,
	    unsigned size, bool sign);
const struct dtype *type_float(struct typeset *, const char *name,
	    unsigned size);
/* A pointer into user memory. */
const struct dtype *type_userptr(struct typeset *, const struct dtype *to);

/* From now on the set knows no kernel types: what a program means must not
 * depend on the host. */
void	type_no_kernel(struct typeset *);
/* The kernel's BTF (btf.c), opened on demand; NULL: none. */
struct btfidx;
struct btfidx *type_btfidx(struct typeset *);
/* Of size bytes of BTF, which must live as long; data NULL: of the kernel's
 * file, which is read then. */
struct btfidx *btfidx_open(const void *data, size_t size);
void	btfidx_free(struct btfidx *);
const struct dtype *btfidx_lookup(struct btfidx *, struct typeset *,
	    const char *name);
const struct dtype *btfidx_type(struct btfidx *, struct typeset *,
	    uint32_t id);
/* Reads the members of a struct, union or enum that came from BTF. */
void	btfidx_near(const struct btfidx *, enum dkind, const char *name,
	    const char **best, size_t *dist);
int	btfidx_fill(struct btfidx *, struct typeset *, struct dtype *);
/* The base type with its members read: of a forward declaration the full
 * type if there is one. type_member works on what this returns. */
const struct dtype *type_complete(struct typeset *, const struct dtype *);
/* The same for all that it holds by value, for print(). */
void	type_complete_deep(struct typeset *, const struct dtype *);

/* "did you mean": another struct, union, enum (without that keyword) or, of
 * DK_TYPEDEF, type of nearly that name; NULL: none is near. */
const char *type_near(struct typeset *, enum dkind, const char *name);

#endif
