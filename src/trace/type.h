/*
 * type.h - the D type system: C types, string, and what D adds to them.
 *
 * A typeset owns every struct dtype it hands out (arena, freed as a whole);
 * callers never free one.  Types are interned: equal derived types (pointer
 * to X, array of N X) are the same pointer.
 */
#ifndef TRACE_TYPE_H
#define TRACE_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dkind {
	DK_VOID, DK_INT, DK_FLOAT, DK_PTR, DK_ARRAY, DK_STRUCT, DK_UNION,
	DK_ENUM, DK_TYPEDEF, DK_FUNC, DK_FORWARD,
	DK_STRING,	/* D's string: at most strsize bytes, NUL-ended */
	DK_DYN,		/* value whose only uses are trace/printf/agg key: */
			/* stack(), ustack(), sym() and their kind */
};

struct dmember {
	const char *name;		/* NULL: anonymous struct/union */
	const struct dtype *type;
	uint32_t bit_off, bit_size;	/* bit_size 0: not a bit-field */
	int64_t value;			/* DK_ENUM: the enumerator's value */
};

struct dtype {
	enum dkind kind;
	const char *name;		/* tag, typedef or base name, or NULL */
	uint64_t size;			/* bytes; 0 for void, incomplete */
	uint32_t align;
	bool sign;			/* DK_INT, DK_ENUM */
	bool user;			/* DK_PTR: points into user memory */
	const struct dtype *ref;	/* PTR, ARRAY, TYPEDEF, FUNC result */
	uint64_t nelem;			/* ARRAY: elements (0: unknown) */
	const struct dmember *mem;	/* STRUCT, UNION, ENUM, FUNC params */
	size_t nmem;
	uint32_t btf_id;		/* 0: not from the kernel's BTF */
	uint32_t seq;			/* dense id inside the typeset */
};

struct typeset;
struct msg;

/* New set with C's base types, <stdint.h>'s and D's own (string, …). strsize
 * is the size in bytes of a string value, its NUL included. */
struct typeset *type_new(uint32_t strsize);
void	type_free(struct typeset *);
void	type_set_strsize(struct typeset *, uint32_t strsize);

/* Where the kernel's BTF is to be had when it is first needed: fn gives bytes
 * that outlive the set, or NULL. Without it /sys/kernel/btf is read. */
typedef const void *type_btf_fn(void *arg, size_t *size);
void	type_set_btf(struct typeset *, type_btf_fn *fn, void *arg);

/* Base types; size in bytes, one of 1 2 4 8. Never NULL. */
const struct dtype *type_int(struct typeset *, unsigned size, bool sign);
const struct dtype *type_void(struct typeset *);
const struct dtype *type_string(struct typeset *);
const struct dtype *type_dyn(struct typeset *);
/* Derived types; NULL when memory is out. */
const struct dtype *type_ptr(struct typeset *, const struct dtype *to);
const struct dtype *type_array(struct typeset *, const struct dtype *of,
	    uint64_t nelem);

/* Looks `struct task_struct`, `uint32_t`, `pid_t` … up: the program's own
 * declarations first, then the kernel's BTF (opened at the first miss, only
 * what is reached is converted). NULL when there is none. */
const struct dtype *type_lookup(struct typeset *, const char *name);
/* The same from a BTF type id of vmlinux (fbt and sdt argument types). */
const struct dtype *type_btf(struct typeset *, uint32_t btf_id);

/* typedefs peeled off; never NULL for non-NULL. */
const struct dtype *type_base(const struct dtype *);
/* Member by name, looking into anonymous members; *bit_off gets the offset in
 * bits from the start of the outer type. NULL: no such member. */
const struct dmember *type_member(const struct dtype *, const char *name,
	    uint64_t *bit_off);
/* C declaration text ("struct foo *", "int [4]", "unsigned int") as DTrace
 * prints it in messages; always NUL-ends buf. */
const char *type_name(const struct dtype *, char *buf, size_t size);

bool	type_is_integer(const struct dtype *);	/* INT, ENUM */
bool	type_is_scalar(const struct dtype *);	/* integer or pointer */
bool	type_is_string(const struct dtype *);

#endif
