/*
 * value.c - one value of a record or key as text.
 *
 * Source of the layouts: the DTrace guide's chapters on data recording actions
 * and aggregations, and the reference vectors (trace_*, agg_*).
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/opt.h"
#include "trace/prog.h"
#include "trace/symtext.h"
#include "trace/trace.h"
#include "trace/type.h"
#include "trace/value.h"

uint64_t
value_uint(const void *p, size_t size)
{
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (size) {
	case 1: memcpy(&u8, p, 1); return u8;
	case 2: memcpy(&u16, p, 2); return u16;
	case 4: memcpy(&u32, p, 4); return u32;
	case 8: memcpy(&u64, p, 8); return u64;
	}
	return 0;
}

int64_t
value_int(const void *p, size_t size)
{
	uint64_t v = value_uint(p, size);

	switch (size) {
	case 1: return (int8_t)v;
	case 2: return (int16_t)v;
	case 4: return (int32_t)v;
	}
	return (int64_t)v;
}

bool
value_signed(const struct dtype *type)
{
	const struct dtype *t = type != NULL ? type_base(type) : NULL;

	return t != NULL && t->kind == DK_INT && t->sign;
}

bool
value_is_str(const struct datum *d)
{
	return d->what == ACT_STRID || (d->what == ACT_TRACE &&
	    d->type != NULL && type_is_string(type_base(d->type)));
}

bool
value_is_sym(const struct datum *d)
{
	return d->what != ACT_TRACE && d->what != ACT_STRID;
}

const char *
value_str(const struct trace *t, const struct datum *d, const uint8_t *base,
    size_t *len)
{
	const char *s = (const char *)base + d->off;
	size_t size = d->size;
	uint64_t i;

	*len = 0;
	if (d->what == ACT_STRID) {
		if ((i = value_uint(s, size)) >= t->prog->nstr)
			return "";
		*len = strlen(t->prog->str[i]);
		return t->prog->str[i];
	}
	if (d->nullable_str) {
		if (size == 0 || *s == 0)
			return "";
		s++;
		size--;
	}
	*len = strnlen(s, size);
	return s;
}

int
value_dump(FILE *fp, const uint8_t *p, size_t n)
{
	size_t i, j;

	fputs("\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f"
	    "  0123456789abcdef\n", fp);
	for (i = 0; i < n; i += 16) {
		fprintf(fp, "%10zx:", i);
		for (j = i; j < i + 16; j++)
			if (j < n)
				fprintf(fp, " %02x", p[j]);
			else
				fputs("   ", fp);
		fputs("  ", fp);
		for (j = i; j < i + 16 && j < n; j++)
			putc(p[j] >= ' ' && p[j] <= '~' ? p[j] : '.', fp);
		putc('\n', fp);
	}
	return ferror(fp) ? -1 : 0;
}

static bool
is_scalar_size(const struct datum *d)
{
	const struct dtype *t = d->type != NULL ? type_base(d->type) : NULL;

	if (t != NULL && (t->kind == DK_STRUCT || t->kind == DK_UNION ||
	    t->kind == DK_ARRAY))
		return false;
	return d->size == 1 || d->size == 2 || d->size == 4 || d->size == 8;
}

static int
trace_string(const struct trace *t, FILE *fp, const struct datum *d,
    const uint8_t *base, bool quiet)
{
	size_t len;
	const char *s = value_str(t, d, base, &len);

	if (quiet)
		fwrite(s, 1, len, fp);
	else
		fprintf(fp, "  %-33.*s", (int)len, s);
	return ferror(fp) ? -1 : 0;
}

static int
trace_int(FILE *fp, const struct datum *d, const uint8_t *base, bool quiet)
{
	const uint8_t *p = base + d->off;
	bool sign = value_signed(d->type);
	int width = d->size == 8 ? 20 - sign : d->size == 4 ? 10 :
	    d->size == 2 ? 5 : 3;

	if (quiet)
		width = 0;
	else
		putc(' ', fp);
	if (sign)
		fprintf(fp, "%*" PRId64, width, value_int(p, d->size));
	else
		fprintf(fp, "%*" PRIu64, width, value_uint(p, d->size));
	return ferror(fp) ? -1 : 0;
}

/* rawbytes: a string is as long as strings can be, and its NUL. */
static int
dump_string(const struct trace *t, FILE *fp, const struct datum *d,
    const uint8_t *base)
{
	size_t size = (size_t)opt_num(&t->opt, O_STRSIZE) + 1, len;
	const char *s = value_str(t, d, base, &len);
	uint8_t *p = calloc(1, size);
	int r;

	if (p == NULL)
		return -1;
	memcpy(p, s, len < size ? len : size - 1);
	r = value_dump(fp, p, size);
	free(p);
	return r;
}

int
value_trace(const struct trace *t, FILE *fp, const struct datum *d,
    const uint8_t *base, bool quiet)
{
	bool raw = opt_flag(&t->opt, O_RAWBYTES);

	if (value_is_sym(d))
		return symtext_print(t, fp, d, base);
	if (value_is_str(d))
		return raw ? dump_string(t, fp, d, base) :
		    trace_string(t, fp, d, base, quiet);
	if (!raw && is_scalar_size(d))
		return trace_int(fp, d, base, quiet);
	return value_dump(fp, base + d->off, d->size);
}

/* Bytes that are text, with nothing but NULs after it. */
static bool
looks_like_text(const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!isprint(p[i]) && !isspace(p[i]) && p[i] != '\b' &&
		    p[i] != '\a')
			break;
	if (i == 0)
		return false;
	while (i < n && p[i] == '\0')
		i++;
	return i == n;
}

int
value_key(const struct trace *t, FILE *fp, const struct datum *d,
    const uint8_t *base)
{
	const uint8_t *p = base + d->off;
	bool raw = opt_flag(&t->opt, O_RAWBYTES);
	const char *s;
	size_t len;

	if (value_is_sym(d))
		return symtext_print(t, fp, d, base);
	if (value_is_str(d)) {
		if (raw)
			return dump_string(t, fp, d, base);
		s = value_str(t, d, base, &len);
		fprintf(fp, "  %-50.*s", (int)len, s);
		return ferror(fp) ? -1 : 0;
	}
	switch (is_scalar_size(d) ? d->size : 0) {
	case 8: fprintf(fp, " %16" PRId64, value_int(p, 8)); break;
	case 4: fprintf(fp, " %8" PRId64, value_int(p, 4)); break;
	case 2: fprintf(fp, " %5" PRIu64, value_uint(p, 2)); break;
	case 1: fprintf(fp, " %3" PRIu64, value_uint(p, 1)); break;
	default:
		if (raw || !looks_like_text(p, d->size))
			return value_dump(fp, p, d->size);
		fprintf(fp, "  %-50.*s", (int)strnlen((const char *)p,
		    d->size), p);
	}
	return ferror(fp) ? -1 : 0;
}
