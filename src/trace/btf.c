/*
 * btf.c - the kernel's types: an index of /sys/kernel/btf/vmlinux by name, and
 * conversion of one type at a time. Layout: Documentation/bpf/btf.rst.
 *
 * A struct is converted without its members, which are filled in when they
 * are asked for (type_complete): else one struct would bring in the kernel.
 */
#include <fcntl.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/suggest.h"
#include "trace/type_decl.h"

struct btfidx {
	unsigned char *data;		/* own, or NULL: lent */
	const char *str;
	uint32_t strlen;
	const unsigned char *types, *types_end;
	uint32_t ntype;			/* ids are below it */
	uint32_t *off;			/* [id]: in types */
	const struct dtype **conv;	/* [id]: what it was converted to */
	uint32_t *slot;			/* ids by name, open addressing */
	uint32_t nslot;			/* a power of two */
	int depth;
};

static const char path[] = "/sys/kernel/btf/vmlinux";

static int
read_file(struct btfidx *b, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	size_t n = 0;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0 || st.st_size <= 0 || st.st_size > 1 << 30 ||
	    (b->data = malloc((size_t)st.st_size)) == NULL) {
		close(fd);
		return -1;
	}
	while (n < (size_t)st.st_size) {
		ssize_t r = read(fd, b->data + n, (size_t)st.st_size - n);

		if (r <= 0)
			break;
		n += (size_t)r;
	}
	close(fd);
	*size = n;
	return n == (size_t)st.st_size ? 0 : -1;
}

static const struct btf_type *
at(const struct btfidx *b, uint32_t id)
{
	return (const struct btf_type *)(const void *)(b->types + b->off[id]);
}

/* Bytes that follow struct btf_type. */
static size_t
extra(const struct btf_type *t)
{
	size_t n = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT: return 4;
	case BTF_KIND_ARRAY: return sizeof(struct btf_array);
	case BTF_KIND_STRUCT: case BTF_KIND_UNION:
		return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM: return n * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64: return n * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO: return n * sizeof(struct btf_param);
	case BTF_KIND_VAR: return sizeof(struct btf_var);
	case BTF_KIND_DATASEC: return n * sizeof(struct btf_var_secinfo);
	case BTF_KIND_DECL_TAG: return sizeof(struct btf_decl_tag);
	default: return 0;
	}
}

static const char *
string(const struct btfidx *b, uint32_t off)
{
	return off < b->strlen ? b->str + off : "";
}

/* Types that a D program can name. */
static bool
has_name(const struct btf_type *t)
{
	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_STRUCT: case BTF_KIND_UNION: case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: case BTF_KIND_TYPEDEF:
		return t->name_off != 0;
	default:
		return false;
	}
}

static uint32_t
hash(const char *s, size_t len)
{
	uint32_t h = 2166136261U;

	while (len-- > 0)
		h = (h ^ (unsigned char)*s++) * 16777619U;
	return h;
}

static int
scan(struct btfidx *b)
{
	const unsigned char *p = b->types;
	uint32_t max = 1 + (uint32_t)((b->types_end - b->types) /
	    (ptrdiff_t)sizeof(struct btf_type)), named = 0;

	if ((b->off = malloc(max * sizeof(*b->off))) == NULL)
		return -1;
	b->off[0] = 0;
	for (b->ntype = 1; b->types_end - p >=
	    (ptrdiff_t)sizeof(struct btf_type); b->ntype++) {
		const struct btf_type *t = (const void *)p;
		size_t n = sizeof(*t) + extra(t);

		if ((size_t)(b->types_end - p) < n)
			return -1;
		b->off[b->ntype] = (uint32_t)(p - b->types);
		named += has_name(t);
		p += n;
	}
	for (b->nslot = 1024; b->nslot < named * 2; b->nslot *= 2)
		;
	return 0;
}

static int
make_index(struct btfidx *b)
{
	if (scan(b) < 0 ||
	    (b->slot = calloc(b->nslot, sizeof(*b->slot))) == NULL ||
	    (b->conv = calloc(b->ntype, sizeof(*b->conv))) == NULL)
		return -1;
	for (uint32_t id = 1; id < b->ntype; id++) {
		const struct btf_type *t = at(b, id);
		const char *s;
		uint32_t h;

		if (!has_name(t))
			continue;
		s = string(b, t->name_off);
		h = hash(s, strlen(s)) & (b->nslot - 1);
		while (b->slot[h] != 0)
			h = (h + 1) & (b->nslot - 1);
		b->slot[h] = id;
	}
	return 0;
}

static int
open_data(struct btfidx *b, const unsigned char *data, size_t size)
{
	const struct btf_header *h = (const void *)data;
	size_t left;

	if (size < sizeof(*h))
		return -1;
	if (h->magic != BTF_MAGIC || h->hdr_len > size)
		return -1;
	left = size - h->hdr_len;
	if (h->type_off > left || h->type_len > left - h->type_off ||
	    h->str_off > left || h->str_len > left - h->str_off ||
	    h->str_len == 0)
		return -1;
	b->types = data + h->hdr_len + h->type_off;
	b->types_end = b->types + h->type_len;
	b->str = (const char *)data + h->hdr_len + h->str_off;
	b->strlen = h->str_len;
	return b->str[b->strlen - 1] == '\0' ? make_index(b) : -1;
}

struct btfidx *
btfidx_open(const void *data, size_t size)
{
	struct btfidx *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return NULL;
	if (data == NULL) {
		if (read_file(b, &size) < 0)
			size = 0;
		data = b->data;
	}
	if (open_data(b, data, size) < 0) {
		btfidx_free(b);
		return NULL;
	}
	return b;
}

void
btfidx_free(struct btfidx *b)
{
	if (b == NULL)
		return;
	free(b->data);
	free(b->off);
	free(b->conv);
	free(b->slot);
	free(b);
}

static bool
kind_is(uint32_t kind, enum dkind want)
{
	switch (want) {
	case DK_STRUCT: return kind == BTF_KIND_STRUCT;
	case DK_UNION: return kind == BTF_KIND_UNION;
	case DK_ENUM:
		return kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64;
	default: return kind == BTF_KIND_TYPEDEF;
	}
}

const struct dtype *
btfidx_lookup(struct btfidx *b, struct typeset *ts, const char *name)
{
	enum dkind want = DK_TYPEDEF;
	const struct dtype *t;
	uint32_t h, id;

	if (strncmp(name, "struct ", 7) == 0)
		want = DK_STRUCT;
	else if (strncmp(name, "union ", 6) == 0)
		want = DK_UNION;
	else if (strncmp(name, "enum ", 5) == 0)
		want = DK_ENUM;
	if (want != DK_TYPEDEF)
		name = strchr(name, ' ') + 1;
	h = hash(name, strlen(name));
	for (;; h++) {
		if ((id = b->slot[h & (b->nslot - 1)]) == 0)
			return NULL;
		t = NULL;
		if (kind_is(BTF_INFO_KIND(at(b, id)->info), want) &&
		    strcmp(string(b, at(b, id)->name_off), name) == 0 &&
		    (t = btfidx_type(b, ts, id)) != NULL)
			return t;
	}
}

void
btfidx_near(const struct btfidx *b, enum dkind want, const char *name,
    const char **best, size_t *dist)
{
	for (uint32_t id = 1; id < b->ntype; id++)
		if (kind_is(BTF_INFO_KIND(at(b, id)->info), want))
			suggest_best(name, string(b, at(b, id)->name_off), best,
			    dist);
}

static const struct dtype *
convert_int(struct typeset *ts, const struct btf_type *t, const char *name)
{
	const uint32_t *enc = (const void *)(t + 1);
	bool sign = (BTF_INT_ENCODING(*enc) & BTF_INT_SIGNED) != 0;

	if (strcmp(name, "char") == 0)
		return type_int(ts, 1, true);
	if (BTF_INT_ENCODING(*enc) & BTF_INT_BOOL)
		return type_known(ts, "_Bool");
	if (t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8)
		return type_int(ts, t->size, sign);
	return type_named_int(ts, name, t->size, sign);
}

static const struct dtype *
convert_enum(struct typeset *ts, const struct btf_type *t, const char *name,
    uint32_t id)
{
	uint32_t n = BTF_INFO_VLEN(t->info);
	struct dtype *d = type_open(ts, DK_ENUM, name);

	if (d == NULL)
		return NULL;
	d->size = d->align = t->size;
	d->btf_id = id;
	(void)n;
	return d;
}

static struct dmember *
enumerators(struct btfidx *b, struct typeset *ts, const struct btf_type *t)
{
	uint32_t n = BTF_INFO_VLEN(t->info);
	struct dmember *m = arena_calloc(type_arena(ts), n, sizeof(*m));
	const struct btf_enum *e = (const void *)(t + 1);
	const struct btf_enum64 *e64 = (const void *)(t + 1);
	bool wide = BTF_INFO_KIND(t->info) == BTF_KIND_ENUM64;

	for (uint32_t i = 0; m != NULL && i < n; i++) {
		m[i].name = string(b, wide ? e64[i].name_off : e[i].name_off);
		m[i].value = wide ? (int64_t)((uint64_t)e64[i].val_hi32 << 32 |
		    e64[i].val_lo32) : BTF_INFO_KFLAG(t->info) ? e[i].val :
		    (int64_t)(uint32_t)e[i].val;
	}
	return m;
}

static const struct dtype *
convert_struct(struct typeset *ts, const struct btf_type *t, const char *name,
    uint32_t id)
{
	struct dtype *d = type_open(ts, BTF_INFO_KIND(t->info) ==
	    BTF_KIND_UNION ? DK_UNION : DK_STRUCT, name);

	if (d == NULL)
		return NULL;
	d->size = t->size;
	d->btf_id = id;
	/* the real one is its members'; all that may need it come by offset */
	d->align = t->size % 8 == 0 ? 8 : t->size % 4 == 0 ? 4 :
	    t->size % 2 == 0 ? 2 : 1;
	return d;
}

static const struct dtype *
convert_func(struct btfidx *b, struct typeset *ts, const struct btf_type *t)
{
	uint32_t n = BTF_INFO_VLEN(t->info);
	const struct btf_param *p = (const void *)(t + 1);
	struct dmember *m = arena_calloc(type_arena(ts), n + 1, sizeof(*m));
	const struct dtype *ret = btfidx_type(b, ts, t->type);

	if (m == NULL || ret == NULL)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		m[i].name = string(b, p[i].name_off);
		m[i].type = btfidx_type(b, ts, p[i].type);
		if (m[i].type == NULL)
			return NULL;
	}
	return type_func(ts, ret, m, n);
}

static const struct dtype *
convert_typedef(struct btfidx *b, struct typeset *ts, const struct btf_type *t,
    const char *name)
{
	const struct dtype *of = type_known(ts, name);

	/* D's own of that name means the same to a program */
	if (of != NULL && type_predefined(ts, of))
		return of;
	return type_typedef(ts, name, btfidx_type(b, ts, t->type));
}

static const struct dtype *
convert(struct btfidx *b, struct typeset *ts, uint32_t id)
{
	const struct btf_type *t = at(b, id);
	const struct btf_array *a = (const void *)(t + 1);
	const char *name = t->name_off != 0 ? string(b, t->name_off) : NULL;
	struct dtype *d;

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
		return convert_int(ts, t, name != NULL ? name : "int");
	case BTF_KIND_FLOAT:
		return type_float(ts, name != NULL ? name : "float", t->size);
	case BTF_KIND_PTR:
		return type_ptr(ts, btfidx_type(b, ts, t->type));
	case BTF_KIND_ARRAY:
		return type_array(ts, btfidx_type(b, ts, a->type), a->nelems);
	case BTF_KIND_STRUCT: case BTF_KIND_UNION:
		return convert_struct(ts, t, name, id);
	case BTF_KIND_ENUM: case BTF_KIND_ENUM64:
		return convert_enum(ts, t, name, id);
	case BTF_KIND_FWD:
		d = type_open(ts, BTF_INFO_KFLAG(t->info) ? DK_UNION :
		    DK_STRUCT, name);
		return d;
	case BTF_KIND_TYPEDEF:
		return name == NULL ? NULL : convert_typedef(b, ts, t, name);
	case BTF_KIND_FUNC_PROTO:
		return convert_func(b, ts, t);
	case BTF_KIND_VOLATILE: case BTF_KIND_CONST: case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG: case BTF_KIND_FUNC: case BTF_KIND_VAR:
		return btfidx_type(b, ts, t->type);
	default:
		return NULL;
	}
}

const struct dtype *
btfidx_type(struct btfidx *b, struct typeset *ts, uint32_t id)
{
	enum { DEPTH = 64 };

	if (id == 0)
		return type_void(ts);
	if (id >= b->ntype)
		return NULL;
	if (b->conv[id] == NULL && b->depth < DEPTH) {
		b->depth++;
		b->conv[id] = convert(b, ts, id);
		b->depth--;
	}
	return b->conv[id];
}

/* One member's place; BTF has bit-fields in two forms. */
static void
member_place(struct btfidx *b, const struct btf_type *t,
    const struct btf_member *m, struct dmember *out)
{
	const struct btf_type *mt = m->type < b->ntype ? at(b, m->type) : NULL;
	uint32_t enc;

	if (BTF_INFO_KFLAG(t->info)) {
		out->bit_off = BTF_MEMBER_BIT_OFFSET(m->offset);
		out->bit_size = BTF_MEMBER_BITFIELD_SIZE(m->offset);
		return;
	}
	out->bit_off = m->offset;
	if (m->type == 0 || mt == NULL ||
	    BTF_INFO_KIND(mt->info) != BTF_KIND_INT)
		return;
	enc = *(const uint32_t *)(const void *)(mt + 1);
	if (BTF_INT_BITS(enc) < mt->size * 8) {
		out->bit_off += BTF_INT_OFFSET(enc);
		out->bit_size = BTF_INT_BITS(enc);
	}
}

int
btfidx_fill(struct btfidx *b, struct typeset *ts, struct dtype *d)
{
	const struct btf_type *t = at(b, d->btf_id);
	uint32_t n = BTF_INFO_VLEN(t->info);
	const struct btf_member *m = (const void *)(t + 1);
	struct dmember *out;

	if (d->nmem > 0 || n == 0)
		return 0;
	if (d->kind == DK_ENUM) {
		if ((out = enumerators(b, ts, t)) == NULL)
			return -1;
		d->mem = out;
		d->nmem = n;
		return 0;
	}
	if ((out = arena_calloc(type_arena(ts), n, sizeof(*out))) == NULL)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		out[i].name = m[i].name_off != 0 ?
		    string(b, m[i].name_off) : NULL;
		out[i].type = btfidx_type(b, ts, m[i].type);
		if (out[i].type == NULL)
			out[i].type = type_void(ts);
		member_place(b, t, &m[i], &out[i]);
		if (out[i].name == NULL)
			type_complete(ts, out[i].type);
	}
	d->mem = out;
	d->nmem = n;
	return 0;
}
