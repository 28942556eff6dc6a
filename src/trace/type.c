/* type.c - D's types: made, told apart. */
#include <stdio.h>

#include "trace/type_impl.h"

struct itype *
type_make(struct typeset *ts, enum dkind kind, const char *name)
{
	struct itype *t = arena_alloc(ts->arena, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->d.kind = kind;
	t->d.align = 1;
	t->d.seq = ts->nseq++;
	if (name != NULL &&
	    (t->d.name = arena_str(ts->arena, name)) == NULL)
		return NULL;
	return t;
}

struct itype *
type_own(const struct dtype *t)
{
	return (struct itype *)(uintptr_t)t;
}

const struct dtype *
type_named_int(struct typeset *ts, const char *name, unsigned size, bool sign)
{
	struct itype *t = type_make(ts, DK_INT, name);

	if (t == NULL)
		return NULL;
	t->d.size = size;
	t->d.align = size > 0 ? size : 1;
	t->d.sign = sign;
	return &t->d;
}

const struct dtype *
type_float(struct typeset *ts, const char *name, unsigned size)
{
	struct itype *t = type_make(ts, DK_FLOAT, name);

	if (t == NULL)
		return NULL;
	t->d.size = t->d.align = size;
	return &t->d;
}

static const struct dtype *
pointer(struct typeset *ts, const struct dtype *to, bool user)
{
	struct itype *of = type_own(to), **slot, *t;

	if (to == NULL)
		return NULL;
	slot = user ? &of->userptr : &of->ptr;
	if (*slot != NULL)
		return &(*slot)->d;
	if ((t = type_make(ts, DK_PTR, NULL)) == NULL)
		return NULL;
	t->d.size = t->d.align = 8;
	t->d.ref = to;
	t->d.user = user;
	*slot = t;
	return &t->d;
}

const struct dtype *
type_ptr(struct typeset *ts, const struct dtype *to)
{
	return pointer(ts, to, false);
}

const struct dtype *
type_userptr(struct typeset *ts, const struct dtype *to)
{
	return pointer(ts, to, true);
}

const struct dtype *
type_array(struct typeset *ts, const struct dtype *of, uint64_t nelem)
{
	struct itype *e = type_own(of), *t;

	if (of == NULL)
		return NULL;
	for (t = e->array; t != NULL; t = t->next)
		if (t->d.nelem == nelem)
			return &t->d;
	if ((t = type_make(ts, DK_ARRAY, NULL)) == NULL)
		return NULL;
	t->d.ref = of;
	t->d.nelem = nelem;
	t->d.align = of->align;
	if (__builtin_mul_overflow(of->size, nelem, &t->d.size))
		t->d.size = UINT64_MAX;
	t->next = e->array;
	e->array = t;
	return &t->d;
}

const struct dtype *
type_func(struct typeset *ts, const struct dtype *ret,
    const struct dmember *mem, size_t nmem)
{
	struct itype *t = type_make(ts, DK_FUNC, NULL);

	if (t == NULL)
		return NULL;
	t->d.ref = ret;
	t->d.mem = mem;
	t->d.nmem = nmem;
	return &t->d;
}

const struct dtype *
type_typedef(struct typeset *ts, const char *name, const struct dtype *of)
{
	struct itype *t;

	if (of == NULL || (t = type_make(ts, DK_TYPEDEF, name)) == NULL)
		return NULL;
	t->d.ref = of;
	t->d.size = of->size;
	t->d.align = of->align;
	t->d.sign = of->sign;
	return type_register(ts, name, &t->d) < 0 ? NULL : &t->d;
}

const char *
type_keyword(enum dkind kind)
{
	return kind == DK_UNION ? "union" : kind == DK_ENUM ? "enum" : "struct";
}

struct dtype *
type_open(struct typeset *ts, enum dkind kind, const char *tag)
{
	const struct dtype *old;
	struct itype *t;
	char name[MAXNAME];

	if (tag == NULL) {
		t = type_make(ts, kind, tag);
		return t == NULL ? NULL : &t->d;
	}
	snprintf(name, sizeof(name), "%s %s", type_keyword(kind), tag);
	old = type_known(ts, name);
	if (old != NULL && old->btf_id == 0 && old->nmem == 0)
		return &type_own(old)->d;
	if ((t = type_make(ts, kind, tag)) == NULL)
		return NULL;
	return type_register(ts, name, &t->d) < 0 ? NULL : &t->d;
}

const struct dtype *
type_base(const struct dtype *t)
{
	while (t->kind == DK_TYPEDEF && t->ref != NULL)
		t = t->ref;
	return t;
}

bool
type_is_integer(const struct dtype *t)
{
	t = type_base(t);
	return t->kind == DK_INT || t->kind == DK_ENUM;
}

bool
type_is_scalar(const struct dtype *t)
{
	return type_is_integer(t) || type_base(t)->kind == DK_PTR;
}

bool
type_is_string(const struct dtype *t)
{
	return type_base(t)->kind == DK_STRING;
}
