/* The tables of schema.def, and names looked up in them. */
#include <string.h>

#include "libdt/schema.h"

#define REQ	false
#define OPT	true
#define F_FRAMES	KIND_FRAMES
#define F_MARKER	KIND_MARKER

static const struct schema_family_info families[FAMILY_COUNT] = {
#define FAMILY(id, fname, ftext) \
	[FAMILY_##id] = { .name = fname, .text = ftext },
#include "libdt/schema.def"
};

static const struct {
	const char *name, *text;
} types[] = {
#define TYPE(id, tname, ttext)	[TYPE_##id] = { tname, ttext },
#include "libdt/schema.def"
};

static const struct schema_col prefix[REC_PREFIX] = {
#define PREFIX(id, cname, ctype, cunit, lo, hi, need, ctext) \
	[REC_##id] = { .name = cname, .type = TYPE_##ctype, .unit = cunit, \
	.min = lo, .max = hi, .optional = need, .set = "", .text = ctext },
#include "libdt/schema.def"
};

/*
 * All kinds' columns in one array, and where each kind's begin and end: at
 * KIND and KIND_END an enumerator takes the next index without using it up.
 */
static const struct schema_col cols[] = {
#define COL(kind, id, cname, ctype, cunit, lo, hi, need, cset, ctext) \
	{ .name = cname, .type = TYPE_##ctype, .unit = cunit, .min = lo, \
	.max = hi, .optional = need, .set = cset, .text = ctext },
#include "libdt/schema.def"
};

enum {
#define KIND(family, id, name, flags, text)	COLS_##id, \
	COLS_##id##_ = COLS_##id - 1,
#define COL(kind, id, name, type, unit, min, max, need, set, text) \
	COLS_##kind##_##id,
#define KIND_END(id)	COLS_END_##id, COLS_END_##id##_ = COLS_END_##id - 1,
#include "libdt/schema.def"
};

static const struct schema_field fields[] = {
#define SPOOL(kind, id, cname, ctype, lo, hi, need, cset, dest, ctext) \
	{ .col = { .name = cname, .type = TYPE_##ctype, .unit = "", \
	.min = lo, .max = hi, .optional = need, .set = cset, \
	.text = ctext }, .to = dest },
#include "libdt/schema.def"
};

enum {
#define KIND(family, id, name, flags, text)	SPOOL_##id, \
	SPOOL_##id##_ = SPOOL_##id - 1,
#define SPOOL(kind, id, name, type, min, max, need, set, to, text) \
	SPOOL_##kind##_##id,
#define KIND_END(id)	SPOOL_END_##id, SPOOL_END_##id##_ = SPOOL_END_##id - 1,
#include "libdt/schema.def"
};

static const struct schema_kind_info kinds[KIND_COUNT] = {
#define KIND(fam, id, kname, kflags, ktext) \
	[KIND_##id] = { .family = FAMILY_##fam, .name = kname, \
	.flags = kflags, .text = ktext, .cols = cols + COLS_##id, \
	.ncols = COLS_END_##id - COLS_##id, .spool = fields + SPOOL_##id, \
	.nspool = SPOOL_END_##id - SPOOL_##id },
#include "libdt/schema.def"
};

#define KIND(family, id, name, flags, text) \
	_Static_assert(COLS_END_##id - COLS_##id + REC_PREFIX <= \
	RECORD_COLS_MAX, name); \
	_Static_assert(SPOOL_END_##id - SPOOL_##id <= SPOOL_FIELDS_MAX, name);
#include "libdt/schema.def"

const struct schema_family_info *
schema_family(enum schema_family f)
{
	return &families[f];
}

const struct schema_kind_info *
schema_kind(enum schema_kind k)
{
	return &kinds[k];
}

const struct schema_col *
schema_col(enum schema_kind k, size_t i)
{
	if (i < REC_PREFIX)
		return &prefix[i];
	i -= REC_PREFIX;
	return i < kinds[k].ncols ? &kinds[k].cols[i] : NULL;
}

size_t
schema_ncols(enum schema_kind k)
{
	return REC_PREFIX + kinds[k].ncols;
}

const char *
schema_type_name(enum schema_type t)
{
	return types[t].name;
}

const char *
schema_type_text(enum schema_type t)
{
	return types[t].text;
}

static bool
same(const char *name, const char *s, size_t n)
{
	return strlen(name) == n && memcmp(name, s, n) == 0;
}

int
schema_family_find(const char *name, size_t n)
{
	int i;

	for (i = 0; i < FAMILY_COUNT; i++)
		if (same(families[i].name, name, n))
			return i;
	return -1;
}

int
schema_kind_find(const char *name, size_t n)
{
	int i;

	for (i = 0; i < KIND_COUNT; i++)
		if (same(kinds[i].name, name, n))
			return i;
	return -1;
}

int
schema_col_find(enum schema_kind k, const char *name)
{
	size_t i;

	for (i = 0; i < schema_ncols(k); i++)
		if (strcmp(schema_col(k, i)->name, name) == 0)
			return (int)i;
	return -1;
}

bool
schema_kind_in(enum schema_kind k, enum schema_family f)
{
	return kinds[k].family == f || kinds[k].family == FAMILY_ANY;
}

const char *
schema_word(const char *set, size_t i, size_t *len)
{
	for (; i > 0; i--) {
		set = strchr(set, '|');
		if (set == NULL)
			return NULL;
		set++;
	}
	*len = strcspn(set, "|");
	return *len > 0 ? set : NULL;
}

int
schema_word_find(const char *set, const char *word, size_t n)
{
	const char *w;
	size_t i, len;

	for (i = 0; (w = schema_word(set, i, &len)) != NULL; i++)
		if (len == n && memcmp(w, word, n) == 0)
			return (int)i;
	return -1;
}
