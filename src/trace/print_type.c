/*
 * print_type.c - print(): a value with its type, member by member.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "trace/opt.h"
#include "trace/print_type.h"
#include "trace/prog.h"
#include "trace/trace.h"
#include "trace/type.h"
#include "trace/value.h"

enum { MARGIN = 44, DEPTH_MAX = 32 };

struct dump {
	FILE *fp;
	const uint8_t *data;
	uint64_t have;			/* bytes of data */
	uint64_t limit;			/* what begins past it is cut off */
	bool cut;			/* "..." is out */
};

/* A piece to show: a type at a bit offset, bits wide if it is a bit-field. */
struct piece {
	const struct dtype *type;
	const char *name;		/* NULL: no member */
	uint64_t bit;
	uint32_t bits;
	unsigned depth;
	bool comma;
	uint64_t next;			/* bit where the next sibling begins, */
					/* or an ancestor's; NONE: the end */
};
static const uint64_t NONE = UINT64_MAX;

static void	show(struct dump *, const struct piece *);

static void
margin(const struct dump *d, unsigned depth)
{
	fprintf(d->fp, "%*s", (int)(MARGIN + depth), "");
}

static uint64_t
piece_size(const struct piece *p)
{
	return type_base(p->type)->size;
}

/* The unsigned value of a scalar or a bit-field of at most 64 bits. */
static uint64_t
piece_uint(const struct dump *d, const struct piece *p)
{
	uint64_t v = 0;
	uint32_t i;

	if (p->bits == 0)
		return value_uint(d->data + p->bit / 8, piece_size(p));
	for (i = 0; i < p->bits && i < 64; i++) {
		uint64_t b = p->bit + i;

		v |= (uint64_t)(d->data[b / 8] >> b % 8 & 1) << i;
	}
	return v;
}

static bool
is_zero(const struct dump *d, const struct piece *p)
{
	uint64_t i, end;

	if (p->bits != 0)
		return piece_uint(d, p) == 0;
	end = p->bit / 8 + piece_size(p);
	for (i = p->bit / 8; i < end && i < d->have; i++)
		if (d->data[i] != 0)
			return false;
	return true;
}

/* The piece's bytes are not all there, or begin past the limit. */
static bool
out_of_reach(const struct dump *d, const struct piece *p)
{
	const struct dtype *t = type_base(p->type);
	uint64_t at = p->bit / 8, end = (p->bit + p->bits + 7) / 8;

	if (at >= d->limit)
		return true;
	if (p->bits == 0)
		end = t->kind == DK_STRUCT || t->kind == DK_UNION ||
		    t->kind == DK_ARRAY ? at + 1 : at + t->size;
	return end > d->have;
}

static void
show_int(struct dump *d, const struct piece *p, const struct dtype *t)
{
	uint64_t v = piece_uint(d, p);
	unsigned bits = p->bits != 0 ? p->bits : (unsigned)t->size * 8;

	if (t->sign && bits < 64)
		v = (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
	if (t->sign && t->size == 1 && p->bits == 0 && isprint((int)v & 0xff))
		fprintf(d->fp, "'%c'", (int)v);
	else if (t->sign)
		fprintf(d->fp, "%" PRId64, (int64_t)v);
	else
		fprintf(d->fp, "%" PRIu64, v);
}

static void
show_enum(struct dump *d, const struct piece *p, const struct dtype *t)
{
	int64_t v = value_int(d->data + p->bit / 8, t->size);
	size_t i;

	for (i = 0; i < t->nmem; i++)
		if (t->mem[i].value == v && t->mem[i].name != NULL) {
			fputs(t->mem[i].name, d->fp);
			return;
		}
	fprintf(d->fp, "%" PRId64, v);
}

static void
show_float(struct dump *d, const struct piece *p, const struct dtype *t)
{
	const uint8_t *at = d->data + p->bit / 8;
	double v = 0;
	float f;

	if (t->size == sizeof(f)) {
		memcpy(&f, at, sizeof(f));
		v = (double)f;
	} else if (t->size == sizeof(v))
		memcpy(&v, at, sizeof(v));
	fprintf(d->fp, "%f", v);
}

static void
cut_off(struct dump *d, unsigned depth)
{
	if (d->cut)
		return;
	d->cut = true;
	margin(d, depth);
	fputs("...\n", d->fp);
}

static void
show_members(struct dump *d, const struct piece *p, const struct dtype *t)
{
	size_t i;

	fputs("{\n", d->fp);
	for (i = 0; i < t->nmem && !d->cut; i++) {
		const struct dmember *mb = &t->mem[i];
		struct piece sub = { .type = mb->type, .name = mb->name,
		    .bit = p->bit + mb->bit_off, .bits = mb->bit_size,
		    .depth = p->depth + 1, .comma = true, .next = p->next };

		if (i + 1 < t->nmem)
			sub.next = p->bit + t->mem[i + 1].bit_off;
		if (out_of_reach(d, &sub))
			cut_off(d, sub.depth);
		else if (!is_zero(d, &sub))
			show(d, &sub);
	}
	/* the marks stand as deep as the last member before the cut */
	if (p->next != NONE && p->next / 8 >= d->limit)
		cut_off(d, p->depth + 1);
	margin(d, p->depth);
	putc('}', d->fp);
}

/* Characters end at a NUL; other elements of zero are left out. */
static void
show_elements(struct dump *d, const struct piece *p, const struct dtype *t)
{
	const struct dtype *el = type_base(t->ref);
	bool text = el->kind == DK_INT && el->size == 1 && el->sign;
	uint64_t i;

	fputs("[\n", d->fp);
	for (i = 0; i < t->nelem && el->size != 0; i++) {
		struct piece sub = { .type = t->ref,
		    .bit = p->bit + i * el->size * 8,
		    .depth = p->depth + 1, .comma = true, .next = NONE };

		if (sub.bit / 8 + (text ? 1 : el->size) > d->have) {
			cut_off(d, sub.depth);
			break;
		}
		if (!is_zero(d, &sub))
			show(d, &sub);
		else if (text)
			break;
	}
	margin(d, p->depth);
	putc(']', d->fp);
}

static void
show_value(struct dump *d, const struct piece *p)
{
	const struct dtype *t = type_base(p->type);

	switch (t->kind) {
	case DK_INT:
		show_int(d, p, t);
		break;
	case DK_ENUM:
		show_enum(d, p, t);
		break;
	case DK_FLOAT:
		show_float(d, p, t);
		break;
	case DK_STRUCT: case DK_UNION:
		if (p->depth < DEPTH_MAX)
			show_members(d, p, t);
		break;
	case DK_ARRAY:
		if (p->depth < DEPTH_MAX)
			show_elements(d, p, t);
		break;
	case DK_STRING:
		fprintf(d->fp, "\"%.*s\"", (int)strnlen((const char *)d->data,
		    d->have), d->data);
		break;
	default:
		fprintf(d->fp, "0x%" PRIx64, piece_uint(d, p));
	}
}

static void
show(struct dump *d, const struct piece *p)
{
	const struct dtype *t = type_base(p->type);
	char name[256];

	margin(d, p->depth);
	if (p->name != NULL)
		fprintf(d->fp, ".%s = ", p->name);
	if (t->name == NULL && t->kind == DK_STRUCT)
		snprintf(name, sizeof(name), "struct");
	else if (t->name == NULL && t->kind == DK_UNION)
		snprintf(name, sizeof(name), "union");
	else
		type_name(p->type, name, sizeof(name));
	if (p->bits != 0)
		fprintf(d->fp, "(%s:%u)", name, p->bits);
	else
		fprintf(d->fp, "(%s)", name);
	if (t->kind == DK_STRUCT || t->kind == DK_UNION ||
	    t->kind == DK_ARRAY)
		putc(' ', d->fp);
	show_value(d, p);
	fputs(p->comma ? ",\n" : "\n", d->fp);
}

int
print_type(const struct trace *t, FILE *fp, const struct action *a,
    const uint8_t *rec)
{
	const struct datum *v;
	struct dump d = { .fp = fp };
	struct piece p = { .next = NONE };

	if (a->ndatum == 0)
		return 0;
	v = &a->datum[a->ndatum > 1];
	if (a->ndatum > 1)
		fprintf(fp, "0x%" PRIx64 " = *\n",
		    value_uint(rec + a->datum[0].off, a->datum[0].size));
	d.data = rec + v->off;
	d.have = v->size;
	d.limit = (uint64_t)opt_num(&t->opt, O_PRINTSIZE);
	p.type = v->type;
	if (out_of_reach(&d, &p))
		cut_off(&d, 0);
	else
		show(&d, &p);
	return ferror(fp) ? -1 : 0;
}
