/*
 * type_impl.h - the inside of a struct typeset, for type*.c only.
 *
 * The typeset owns every type and name, in its arena.
 */
#ifndef TRACE_TYPE_IMPL_H
#define TRACE_TYPE_IMPL_H

#include "trace/type_decl.h"

/* Every dtype is the first member of one of these. */
struct itype {
	struct dtype d;
	struct itype *ptr, *userptr;	/* pointers to it */
	struct itype *array;		/* arrays of it, by next */
	struct itype *next;
};

struct tname {
	struct tname *next;
	const char *name;
	const struct dtype *type;
};

enum { NHASH = 512, MAXNAME = 256 };

struct typeset {
	struct arena *arena;
	struct tname *hash[NHASH];
	const struct dtype *base[4][2];	/* log2 size, sign */
	const struct dtype *tvoid, *dyn;
	struct itype *string;
	struct btfidx *btf;
	bool btf_tried;
	type_btf_fn *btf_data;
	void *btf_arg;
	uint32_t nseq, nbase;		/* nbase: predefined ones */
};

/* A new type, of a name or NULL; NULL: no memory. */
struct itype *type_make(struct typeset *, enum dkind, const char *name);
/* Interned types are handed out const; this is where they are grown. */
struct itype *type_own(const struct dtype *);

#endif
