/* The schema as mdoc(7), for dt-bundle(5). */
#include <inttypes.h>
#include <string.h>

#include "libdt/member.h"
#include "libdt/schema.h"
#include "libdt/spool.h"

#define LINE	64		/* columns after which a line may end */

/* Text on lines of its own, as mdoc(7) takes it. */
static void
text(struct out *o, const char *s)
{
	size_t col;

	for (col = 0; *s != '\0'; s++) {
		if (col > LINE && *s == ' ') {
			(void)out_putc(o, '\n');
			col = 0;
			continue;
		}
		if (col == 0 && (*s == '.' || *s == '\''))
			(void)out_puts(o, "\\&");
		(void)(*s == '\\' ? out_puts(o, "\\e") : out_putc(o, *s));
		col++;
	}
}

/* Bounds of 2^63 and 2^64 as such: nobody reads nineteen digits. */
static void
bound(struct out *o, int64_t lo, uint64_t hi, bool is_hi)
{
	if (is_hi && hi == UINT64_MAX)
		(void)out_puts(o, "2^64\\-1");
	else if (is_hi && hi == INT64_MAX)
		(void)out_puts(o, "2^63\\-1");
	else if (is_hi)
		(void)out_printf(o, "%" PRIu64, hi);
	else if (lo == INT64_MIN)
		(void)out_puts(o, "\\-2^63");
	else if (lo < 0)
		(void)out_printf(o, "\\-%" PRIu64, 0 - (uint64_t)lo);
	else
		(void)out_printf(o, "%" PRId64, lo);
}

static void
range(struct out *o, int64_t lo, uint64_t hi)
{
	bound(o, lo, 0, false);
	(void)out_puts(o, " to ");
	bound(o, 0, hi, true);
}

static void
words(struct out *o, const char *set)
{
	const char *w;
	size_t i, n;

	for (i = 0; (w = schema_word(set, i, &n)) != NULL; i++)
		(void)out_printf(o, "%s%.*s", i == 0 ? "" : i % 4 == 0 ?
		    ",\n" : ", ", (int)n, w);
}

/* ".It Cm name" and what may stand there. */
static void
column(struct out *o, const struct schema_col *c)
{
	(void)out_printf(o, ".It Cm %s\n", c->name);
	switch (c->type) {
	case TYPE_ENUM:
		words(o, c->set);
		break;
	case TYPE_STR:
	case TYPE_HEX:
	case TYPE_STACK:
		(void)out_printf(o, "%s, ", schema_type_name(c->type));
		range(o, c->min, c->max);
		(void)out_puts(o, " bytes");
		break;
	case TYPE_KIND:
		(void)out_puts(o, "kind");
		break;
	default:
		(void)out_printf(o, "%s, ", schema_type_name(c->type));
		range(o, c->min, c->max);
		if (c->unit[0] != '\0')
			(void)out_printf(o, " %s", c->unit);
	}
	(void)out_printf(o, "%s:\n", c->optional ? ", may be \\-" : "");
	text(o, c->text);
	(void)out_puts(o, ".\n");
}

static void
types(struct out *o)
{
	static const enum schema_type all[] = {
#define TYPE(id, name, text)	TYPE_##id,
#include "libdt/schema.def"
	};
	size_t i;

	(void)out_puts(o, ".Bl -tag -width Ds\n");
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		(void)out_printf(o, ".It Cm %s\n", schema_type_name(all[i]));
		text(o, schema_type_text(all[i]));
		(void)out_puts(o, ".\n");
	}
	(void)out_puts(o, ".El\n");
}

static void
prefix(struct out *o)
{
	size_t i;

	(void)out_puts(o, ".Bl -tag -width Ds\n");
	for (i = 0; i < REC_PREFIX; i++)
		column(o, schema_col((enum schema_kind)0, i));
	(void)out_puts(o, ".El\n");
}

static void
kind(struct out *o, enum schema_kind k, bool spool)
{
	const struct schema_kind_info *info = schema_kind(k);
	size_t i, n = spool ? info->nspool : info->ncols;

	(void)out_printf(o, ".It Cm %s\n", info->name);
	text(o, info->text);
	(void)out_printf(o, ".\n%s", spool && info->flags & KIND_FRAMES ?
	    "Frame lines follow it.\n" : "");
	if (n == 0) {
		(void)out_printf(o, "No %s of its own.\n",
		    spool ? "field" : "column");
		return;
	}
	(void)out_puts(o, ".Bl -tag -width Ds\n");
	for (i = 0; i < n; i++)
		column(o, spool ? &info->spool[i].col : &info->cols[i]);
	(void)out_puts(o, ".El\n");
}

static void
kinds(struct out *o, bool spool)
{
	size_t f, k;

	for (f = 0; f <= FAMILY_ANY; f++) {
		if (f == FAMILY_ANY && spool)
			break;
		if (f == FAMILY_ANY)
			(void)out_puts(o, ".Ss any family\n");
		else
			(void)out_printf(o, ".Ss %s: %s\n",
			    schema_family((enum schema_family)f)->name,
			    schema_family((enum schema_family)f)->text);
		(void)out_puts(o, ".Bl -tag -width Ds\n");
		for (k = 0; k < KIND_COUNT; k++)
			if (schema_kind((enum schema_kind)k)->family ==
			    (enum schema_family)f)
				kind(o, (enum schema_kind)k, spool);
		(void)out_puts(o, ".El\n");
	}
}

/* What a member may hold. */
static void
member_form(struct out *o, const struct member *f)
{
	switch (f->type) {
	case MEMBER_WORD:
		words(o, f->set);
		break;
	case MEMBER_U64:
	case MEMBER_I64:
		(void)out_puts(o, "integer, ");
		range(o, f->min, f->max);
		if (f->unit[0] != '\0')
			(void)out_printf(o, " %s", f->unit);
		break;
	case MEMBER_STR:
	case MEMBER_BYTES:
	case MEMBER_HEX:
		(void)out_printf(o, "%s, ", member_type_text(f->type));
		range(o, f->min, f->max);
		(void)out_puts(o, " bytes");
		break;
	default:
		(void)out_puts(o, member_type_text(f->type));
	}
	if (f->need == MEMBER_NUL || f->type == MEMBER_MAYBE)
		(void)out_puts(o, ", may be null");
	else if (f->need == MEMBER_OPT)
		(void)out_puts(o, ", may be absent");
	(void)out_puts(o, ":\n");
}

/* The members of an object, and of those in it, with their whole paths. */
static void
members(struct out *o, enum member_object_id id, const char *path)
{
	const struct member_object *obj = member_object(id);
	const struct member *f;
	char full[256];
	size_t i;

	for (i = 0; i < obj->n; i++) {
		f = &obj->members[i];
		(void)snprintf(full, sizeof(full), "%s%s%s", path, f->name,
		    f->type == MEMBER_LIST || f->type == MEMBER_STRS ||
		    f->type == MEMBER_NUMS ? "[]" : "");
		if (id == OBJECT_families && i > 0)
			continue;	/* they are all alike */
		if (id == OBJECT_families)
			(void)snprintf(full, sizeof(full), "%sFAMILY", path);
		(void)out_printf(o, ".It Cm %s\n", full);
		member_form(o, f);
		text(o, id == OBJECT_families ? "one of each family" : f->text);
		(void)out_puts(o, ".\n");
		if (f->sub == OBJECT_none)
			continue;
		(void)strncat(full, ".", sizeof(full) - strlen(full) - 1);
		members(o, f->sub, full);
	}
}

/* The calls that have an fd, in the lines of a paragraph. */
static void
fd_calls(struct out *o)
{
	size_t i, col = 0;
	const char *s;

	for (i = 0; (s = spool_fd_call(i)) != NULL; i++) {
		(void)out_printf(o, "%s%s", i == 0 ? "" : col > LINE ? ",\n" :
		    ", ", s);
		col = col > LINE ? strlen(s) : col + strlen(s) + 2;
	}
	(void)out_puts(o, ".\n");
}

int
schema_print_mdoc(struct out *o, const char *which, struct msg *m)
{
	size_t i;

	if (strcmp(which, "types") == 0)
		types(o);
	else if (strcmp(which, "prefix") == 0)
		prefix(o);
	else if (strcmp(which, "kinds") == 0)
		kinds(o, false);
	else if (strcmp(which, "spool") == 0)
		kinds(o, true);
	else if (strcmp(which, "fdcalls") == 0)
		fd_calls(o);
	else {
		for (i = 1; i < OBJECT_COUNT; i++)
			if (strcmp(member_object((enum member_object_id)i)->
			    name, which) == 0)
				break;
		if (i == OBJECT_COUNT)
			return msg_set(m, "usage", "no table \"%s\"", which);
		(void)out_puts(o, ".Bl -tag -width Ds\n");
		members(o, (enum member_object_id)i, "");
		(void)out_puts(o, ".El\n");
	}
	return out_flush(o, m);
}
