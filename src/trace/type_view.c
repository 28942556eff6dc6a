/* type_view.c - what types are: layout, members, equality, names. */
#include <stdio.h>
#include <string.h>

#include "trace/type_decl.h"

/* Places one member at or after bit `at`; returns the bit after it. */
static uint64_t
place(struct dmember *m, uint64_t at, bool isunion)
{
	uint64_t unit = m->type->align * 8u, size = m->type->size * 8;

	if (isunion)
		at = 0;
	if (m->bit_size == 0) {
		at = (at + unit - 1) / unit * unit;
		m->bit_off = (uint32_t)at;
		return at + size;
	}
	/* a bit-field does not straddle a unit of its type */
	if (size != 0 && at / size != (at + m->bit_size - 1) / size)
		at = (at + size - 1) / size * size;
	m->bit_off = (uint32_t)at;
	return at + m->bit_size;
}

void
type_close(struct dtype *t, struct dmember *mem, size_t nmem)
{
	uint64_t at = 0, max = 0;

	t->mem = mem;
	t->nmem = nmem;
	if (t->kind == DK_ENUM) {
		t->size = t->align = 4;
		return;
	}
	for (size_t i = 0; i < nmem; i++) {
		if (mem[i].bit_off == LAYOUT)
			at = place(&mem[i], at, t->kind == DK_UNION);
		if (at > max)
			max = at;
		if (mem[i].type->align > t->align)
			t->align = mem[i].type->align;
	}
	t->size = (max + 7) / 8;
	/* DTrace does not pad the end of a union: sizeof says so */
	if (t->kind == DK_STRUCT)
		t->size = (t->size + t->align - 1) / t->align * t->align;
}

static const struct dmember *
member(const struct dtype *t, const char *name, uint64_t *bit_off, int depth)
{
	t = type_base(t);
	if (depth > 16 || (t->kind != DK_STRUCT && t->kind != DK_UNION))
		return NULL;
	for (size_t i = 0; i < t->nmem; i++) {
		const struct dmember *m = &t->mem[i], *in;

		if (m->name != NULL) {
			if (strcmp(m->name, name) == 0) {
				*bit_off += m->bit_off;
				return m;
			}
			continue;
		}
		if ((in = member(m->type, name, bit_off, depth + 1)) != NULL) {
			*bit_off += m->bit_off;
			return in;
		}
	}
	return NULL;
}

const struct dmember *
type_member(const struct dtype *t, const char *name, uint64_t *bit_off)
{
	*bit_off = 0;
	return member(t, name, bit_off, 0);
}

static bool
same(const struct dtype *a, const struct dtype *b, int depth)
{
	a = type_base(a);
	b = type_base(b);
	if (a == b)
		return true;
	if (a->kind != b->kind || a->size != b->size || depth > 32)
		return false;
	switch (a->kind) {
	case DK_INT:
		return a->sign == b->sign;
	case DK_FLOAT: case DK_VOID:
		return true;
	case DK_PTR: case DK_FUNC:
		return same(a->ref, b->ref, depth + 1);
	case DK_ARRAY:
		return a->nelem == b->nelem && same(a->ref, b->ref, depth + 1);
	case DK_STRUCT: case DK_UNION: case DK_ENUM: case DK_FORWARD:
		return a->name != NULL && b->name != NULL &&
		    strcmp(a->name, b->name) == 0;
	default:
		return false;
	}
}

bool
type_same(const struct dtype *a, const struct dtype *b)
{
	return same(a, b, 0);
}

static void
append(char *buf, size_t size, const char *s)
{
	size_t len = strlen(buf);

	if (len < size)
		snprintf(buf + len, size - len, "%s", s);
}

static void
name_inner(const struct dtype *t, char *buf, size_t size, int depth)
{
	char num[32];

	if (depth > 32) {
		append(buf, size, "...");
		return;
	}
	switch (t->kind) {
	case DK_PTR:
		name_inner(t->ref, buf, size, depth + 1);
		append(buf, size, t->ref->kind == DK_PTR ? "*" : " *");
		break;
	case DK_ARRAY:
		name_inner(t->ref, buf, size, depth + 1);
		snprintf(num, sizeof(num), " [%llu]",
		    (unsigned long long)t->nelem);
		append(buf, size, num);
		break;
	case DK_FUNC:
		name_inner(t->ref, buf, size, depth + 1);
		append(buf, size, " ()");
		break;
	case DK_STRUCT: case DK_UNION: case DK_ENUM: case DK_FORWARD:
		append(buf, size, type_keyword(t->kind));
		append(buf, size, t->name != NULL ? " " : " <anonymous>");
		/* FALLTHROUGH */
	default:
		if (t->name != NULL)
			append(buf, size, t->name);
		break;
	}
}

const char *
type_name(const struct dtype *t, char *buf, size_t size)
{
	buf[0] = '\0';
	if (t == NULL)
		append(buf, size, "<unknown>");
	else
		name_inner(t, buf, size, 0);
	return buf;
}
