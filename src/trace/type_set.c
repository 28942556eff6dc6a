/*
 * type_set.c - a set of types, and those that each has from the start.
 */
#include <stdlib.h>

#include "trace/type_impl.h"

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

	if ((t = type_make(ts, DK_VOID, "void")) == NULL || add(ts, &t->d) < 0)
		return -1;
	ts->tvoid = &t->d;
	if ((t = type_make(ts, DK_DYN, "<DYN>")) == NULL)
		return -1;
	ts->dyn = &t->d;
	if ((t = type_make(ts, DK_STRING, "string")) == NULL || add(ts, &t->d) < 0)
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

struct arena *
type_arena(struct typeset *ts)
{
	return ts->arena;
}

bool
type_predefined(const struct typeset *ts, const struct dtype *t)
{
	return t->seq < ts->nbase;
}
