/* type.c - the D type system. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "near.h"
#include "type_decl.h"
#include "xlate.h"

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

static const struct {
	const char *name;
	unsigned size;
	bool sign;
} intname[] = {
	{ "char", 1, true }, { "unsigned char", 1, false },
	{ "short", 2, true }, { "unsigned short", 2, false },
	{ "int", 4, true }, { "unsigned int", 4, false },
	{ "long", 8, true }, { "unsigned long", 8, false },
	{ "long long", 8, true }, { "unsigned long long", 8, false },
	{ "signed char", 1, true }, { "_Bool", 1, false },
	{ "__int128", 16, true }, { "unsigned __int128", 16, false },
};

/* <stdint.h>, <sys/types.h> and D's own; illumos' names of them too */
static const char *const typedefname[][2] = {
	{ "int8_t", "signed char" }, { "int16_t", "short" },
	{ "int32_t", "int" }, { "int64_t", "long" },
	{ "uint8_t", "unsigned char" }, { "uint16_t", "unsigned short" },
	{ "uint32_t", "unsigned int" }, { "uint64_t", "unsigned long" },
	{ "intptr_t", "long" }, { "uintptr_t", "unsigned long" },
	{ "ptrdiff_t", "long" }, { "size_t", "unsigned long" },
	{ "ssize_t", "long" }, { "uchar_t", "unsigned char" },
	{ "ushort_t", "unsigned short" }, { "uint_t", "unsigned int" },
	{ "ulong_t", "unsigned long" }, { "longlong_t", "long long" },
	{ "u_longlong_t", "unsigned long long" }, { "id_t", "int" },
	{ "pid_t", "int" }, { "uid_t", "unsigned int" },
	{ "gid_t", "unsigned int" }, { "zoneid_t", "int" },
	{ "taskid_t", "int" }, { "projid_t", "int" }, { "poolid_t", "int" },
	{ "processorid_t", "int" }, { "psetid_t", "int" },
	{ "chipid_t", "int" }, { "lgrp_id_t", "int" },
	{ "dev_t", "unsigned int" }, { "major_t", "unsigned int" },
	{ "minor_t", "unsigned int" }, { "off_t", "long" },
	{ "offset_t", "long" }, { "hrtime_t", "long long" },
	{ "time_t", "long" }, { "ipaddr_t", "unsigned int" },
	{ "in_addr_t", "unsigned int" },
};

static unsigned
hash(const char *s)
{
	unsigned h = 2166136261U;

	while (*s != '\0')
		h = (h ^ (unsigned char)*s++) * 16777619U;
	return h % NHASH;
}

struct arena *
type_arena(struct typeset *ts)
{
	return ts->arena;
}

static struct itype *
make(struct typeset *ts, enum dkind kind, const char *name)
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

/* interned types are handed out const; this is where they are grown */
static struct itype *
own(const struct dtype *t)
{
	return (struct itype *)(uintptr_t)t;
}

const struct dtype *
type_known(struct typeset *ts, const char *name)
{
	for (struct tname *n = ts->hash[hash(name)]; n != NULL; n = n->next)
		if (strcmp(n->name, name) == 0)
			return n->type;
	return NULL;
}

int
type_register(struct typeset *ts, const char *name, const struct dtype *t)
{
	unsigned h = hash(name);
	struct tname *n;

	if ((n = arena_alloc(ts->arena, sizeof(*n))) == NULL ||
	    (n->name = arena_str(ts->arena, name)) == NULL)
		return -1;
	n->type = t;
	n->next = ts->hash[h];
	ts->hash[h] = n;
	return 0;
}

const struct dtype *
type_named_int(struct typeset *ts, const char *name, unsigned size, bool sign)
{
	struct itype *t = make(ts, DK_INT, name);

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
	struct itype *t = make(ts, DK_FLOAT, name);

	if (t == NULL)
		return NULL;
	t->d.size = t->d.align = size;
	return &t->d;
}

static int
add(struct typeset *ts, const struct dtype *t)
{
	return t == NULL ? -1 : type_register(ts, t->name, t);
}

static unsigned
log2size(unsigned size)
{
	return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
}

static int
add_ints(struct typeset *ts)
{
	for (size_t i = 0; i < sizeof(intname) / sizeof(*intname); i++) {
		const struct dtype *t = type_named_int(ts, intname[i].name,
		    intname[i].size, intname[i].sign);

		if (add(ts, t) < 0)
			return -1;
		if (i < 8)
			ts->base[log2size(t->size)][t->sign] = t;
	}
	for (size_t i = 0; i < sizeof(typedefname) / sizeof(*typedefname); i++)
		if (type_typedef(ts, typedefname[i][0],
		    type_known(ts, typedefname[i][1])) == NULL)
			return -1;
	return 0;
}

static int
add_others(struct typeset *ts)
{
	struct itype *t;
	const struct dtype *ch = ts->base[0][1];

	if ((t = make(ts, DK_VOID, "void")) == NULL || add(ts, &t->d) < 0)
		return -1;
	ts->tvoid = &t->d;
	if ((t = make(ts, DK_DYN, "<DYN>")) == NULL)
		return -1;
	ts->dyn = &t->d;
	if ((t = make(ts, DK_STRING, "string")) == NULL || add(ts, &t->d) < 0)
		return -1;
	t->d.ref = ch;
	ts->string = t;
	if (add(ts, type_float(ts, "float", 4)) < 0 ||
	    add(ts, type_float(ts, "double", 8)) < 0 ||
	    add(ts, type_float(ts, "long double", 16)) < 0)
		return -1;
	return type_typedef(ts, "caddr_t", type_ptr(ts, ch)) == NULL ? -1 : 0;
}

struct typeset *
type_new(uint32_t strsize)
{
	struct typeset *ts = calloc(1, sizeof(*ts));

	if (ts == NULL)
		return NULL;
	if ((ts->arena = arena_new(256u << 20)) == NULL ||
	    add_ints(ts) < 0 || add_others(ts) < 0) {
		type_free(ts);
		return NULL;
	}
	ts->nbase = ts->nseq;
	type_set_strsize(ts, strsize);
	return ts;
}

void
type_free(struct typeset *ts)
{
	if (ts == NULL)
		return;
	btfidx_free(ts->btf);
	arena_free(ts->arena);
	free(ts);
}

void
type_set_strsize(struct typeset *ts, uint32_t strsize)
{
	ts->string->d.size = strsize;
}

const struct dtype *
type_int(struct typeset *ts, unsigned size, bool sign)
{
	return ts->base[log2size(size)][sign];
}

const struct dtype *
type_void(struct typeset *ts)
{
	return ts->tvoid;
}

const struct dtype *
type_string(struct typeset *ts)
{
	return &ts->string->d;
}

const struct dtype *
type_dyn(struct typeset *ts)
{
	return ts->dyn;
}

static const struct dtype *
pointer(struct typeset *ts, const struct dtype *to, bool user)
{
	struct itype *of = own(to), **slot, *t;

	if (to == NULL)
		return NULL;
	slot = user ? &of->userptr : &of->ptr;
	if (*slot != NULL)
		return &(*slot)->d;
	if ((t = make(ts, DK_PTR, NULL)) == NULL)
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
	struct itype *e = own(of), *t;

	if (of == NULL)
		return NULL;
	for (t = e->array; t != NULL; t = t->next)
		if (t->d.nelem == nelem)
			return &t->d;
	if ((t = make(ts, DK_ARRAY, NULL)) == NULL)
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
	struct itype *t = make(ts, DK_FUNC, NULL);

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

	if (of == NULL || (t = make(ts, DK_TYPEDEF, name)) == NULL)
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
		t = make(ts, kind, tag);
		return t == NULL ? NULL : &t->d;
	}
	snprintf(name, sizeof(name), "%s %s", type_keyword(kind), tag);
	old = type_known(ts, name);
	if (old != NULL && old->btf_id == 0 && old->nmem == 0)
		return &own(old)->d;
	if ((t = make(ts, kind, tag)) == NULL)
		return NULL;
	return type_register(ts, name, &t->d) < 0 ? NULL : &t->d;
}

bool
type_predefined(const struct typeset *ts, const struct dtype *t)
{
	return t->seq < ts->nbase;
}

void
type_no_kernel(struct typeset *ts)
{
	ts->btf_tried = true;
}

void
type_set_btf(struct typeset *ts, type_btf_fn *fn, void *arg)
{
	ts->btf_data = fn;
	ts->btf_arg = arg;
}

struct btfidx *
type_btfidx(struct typeset *ts)
{
	if (!ts->btf_tried) {
		size_t size = 0;
		const void *data = ts->btf_data == NULL ? NULL
		    : ts->btf_data(ts->btf_arg, &size);

		ts->btf_tried = true;
		ts->btf = btfidx_open(data, size);
	}
	return ts->btf;
}

static const struct dtype *
lookup(struct typeset *ts, const char *name)
{
	const struct dtype *t = type_known(ts, name);
	struct btfidx *b;

	if (t == NULL)
		t = xlate_type(ts, name);
	if (t != NULL || (b = type_btfidx(ts)) == NULL)
		return t;
	return btfidx_lookup(b, ts, name);
}

/* "struct foo *": stars make pointers; a scope before ` is dropped */
const struct dtype *
type_lookup(struct typeset *ts, const char *name)
{
	const char *tick = strrchr(name, '`');
	const struct dtype *t;
	char buf[MAXNAME];
	size_t len, star = 0;

	if (tick != NULL)
		name = tick + 1;
	len = strlen(name);
	for (; len > 0 && (name[len - 1] == '*' || name[len - 1] == ' ');
	    len--)
		star += name[len - 1] == '*';
	if (len == 0 || len >= sizeof(buf))
		return NULL;
	memcpy(buf, name, len);
	buf[len] = '\0';
	t = lookup(ts, buf);
	while (t != NULL && star-- > 0)
		t = type_ptr(ts, t);
	return t;
}

const struct dtype *
type_btf(struct typeset *ts, uint32_t id)
{
	struct btfidx *b = type_btfidx(ts);

	return b == NULL ? NULL : btfidx_type(b, ts, id);
}

const struct dtype *
type_base(const struct dtype *t)
{
	while (t->kind == DK_TYPEDEF && t->ref != NULL)
		t = t->ref;
	return t;
}

/* The full type of a forward-declared tag; t where there is none. */
static const struct dtype *
full_type(struct typeset *ts, const struct dtype *t)
{
	char name[MAXNAME];
	const struct dtype *full;

	if (t->name == NULL)
		return t;
	snprintf(name, sizeof(name), "%s %s", type_keyword(t->kind), t->name);
	full = lookup(ts, name);
	return full != NULL ? full : t;
}

const struct dtype *
type_complete(struct typeset *ts, const struct dtype *t)
{
	t = type_base(t);
	if (t->kind != DK_STRUCT && t->kind != DK_UNION && t->kind != DK_ENUM)
		return t;
	if (t->nmem == 0 && t->btf_id == 0)
		t = full_type(ts, t);
	if (t->btf_id != 0 && t->nmem == 0 && ts->btf != NULL)
		btfidx_fill(ts->btf, ts, &own(t)->d);
	return t;
}

static void
deep(struct typeset *ts, const struct dtype *t, int depth)
{
	t = type_complete(ts, t);
	if (depth > 16)
		return;
	if (t->kind == DK_ARRAY)
		deep(ts, t->ref, depth + 1);
	if (t->kind == DK_STRUCT || t->kind == DK_UNION)
		for (size_t i = 0; i < t->nmem; i++)
			deep(ts, t->mem[i].type, depth + 1);
}

void
type_complete_deep(struct typeset *ts, const struct dtype *t)
{
	deep(ts, t, 0);
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

void
type_near(struct typeset *ts, const char *name, const char **best,
    size_t *dist)
{
	for (size_t i = 0; i < NHASH; i++)
		for (struct tname *n = ts->hash[i]; n != NULL; n = n->next)
			near_best(name, n->name, best, dist);
}
