/*
 * print_fmt.c - printing through a D format.
 *
 * The work is left to printf(3), with a specification made of the conversion's
 * own flags, width and precision and the length that fits the value: in D the
 * argument's size decides. Source: the format chapter of the DTrace guide and
 * the reference vectors printf_*; a precision of 0 is none.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#include "trace/aggrow.h"
#include "trace/fmt.h"
#include "trace/print_fmt.h"
#include "trace/prog.h"
#include "trace/symtext.h"
#include "trace/trace.h"
#include "trace/value.h"

enum { SPEC_MAX = 64, NAME_MAX_TEXT = 5120, STAR_MAX = 1 << 24 };

/* One conversion at work. */
struct conv {
	const struct trace *t;
	FILE *fp;
	const struct fmtconv *c;
	int width, prec;		/* 0: none */
	unsigned flags;
};

/* printf(3)'s specification with a length modifier and a letter. */
static const char *
spec(const struct conv *cv, char *buf, const char *len, char letter)
{
	static const struct { unsigned bit; char c; } flag[] = {
		{ FMT_LEFT, '-' }, { FMT_PLUS, '+' }, { FMT_SPACE, ' ' },
		{ FMT_ZERO, '0' }, { FMT_ALT, '#' }, { FMT_GROUP, '\'' },
	};
	char *p = buf;
	size_t i;

	*p++ = '%';
	for (i = 0; i < sizeof(flag) / sizeof(flag[0]); i++)
		if (cv->flags & flag[i].bit)
			*p++ = flag[i].c;
	if (cv->width != 0)
		p += snprintf(p, 16, "%d", cv->width);
	if (cv->prec > 0)
		p += snprintf(p, 16, ".%d", cv->prec);
	snprintf(p, 8, "%s%c", len, letter);
	return buf;
}

/* The specification is made above, from parts that were checked. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void
put_sint(const struct conv *cv, int64_t v)
{
	char buf[SPEC_MAX];

	if (cv->flags == 0 && cv->width == 0 && cv->prec <= 0)
		fprintf(cv->fp, "%" PRId64, v);
	else
		fprintf(cv->fp, spec(cv, buf, "ll", cv->c->libc),
		    (long long)v);
}

static void
put_uint(const struct conv *cv, uint64_t v, char letter)
{
	char buf[SPEC_MAX];

	fprintf(cv->fp, spec(cv, buf, "ll", letter), (unsigned long long)v);
}

static void
put_char(const struct conv *cv, int c)
{
	char buf[SPEC_MAX];

	fprintf(cv->fp, spec(cv, buf, "", 'c'), c);
}

static void
put_text(const struct conv *cv, const char *s, size_t len)
{
	char buf[SPEC_MAX];
	struct conv sub = *cv;

	if (cv->prec > 0 && (size_t)cv->prec < len)
		len = (size_t)cv->prec;
	if (cv->width == 0) {
		fwrite(s, 1, len, cv->fp);
		return;
	}
	sub.prec = 0;
	sub.flags &= FMT_LEFT;
	spec(&sub, buf, ".*", 's');
	fprintf(cv->fp, buf, (int)len, s);
}

static void
put_float(const struct conv *cv, const uint8_t *p, size_t size)
{
	char buf[SPEC_MAX];
	long double ld;
	double d;
	float f;

	if (size == sizeof(ld)) {
		memcpy(&ld, p, sizeof(ld));
		fprintf(cv->fp, spec(cv, buf, "L", cv->c->libc), ld);
		return;
	}
	if (size == sizeof(f)) {
		memcpy(&f, p, sizeof(f));
		d = (double)f;
	} else if (size == sizeof(d))
		memcpy(&d, p, sizeof(d));
	else
		return;
	fprintf(cv->fp, spec(cv, buf, "", cv->c->libc), d);
}
#pragma GCC diagnostic pop

/* The escape of one byte, without the backslash; 0: octal, or none. */
static char
escape_letter(char c)
{
	static const char from[] = "\a\b\f\n\r\t\v\"\\";
	static const char to[] = "abfnrtv\"\\";
	const char *p;

	if (c == '\0')
		return '0';
	p = strchr(from, c);
	return p != NULL ? to[p - from] : 0;
}

size_t
print_escape(char *dst, const char *src, size_t n)
{
	char *q = dst, e;
	size_t i;

	for (i = 0; i < n; i++) {
		unsigned char c = (unsigned char)src[i];

		if ((e = escape_letter(src[i])) != 0) {
			*q++ = '\\';
			*q++ = e;
		} else if (c < ' ' || c > '~') {
			*q++ = '\\';
			*q++ = (char)('0' + (c >> 6));
			*q++ = (char)('0' + (c >> 3 & 7));
			*q++ = (char)('0' + (c & 7));
		} else
			*q++ = src[i];
	}
	return (size_t)(q - dst);
}

static int
conv_estr(const struct conv *cv, const char *s, size_t len)
{
	char small[1024], *buf = small;

	if (len > sizeof(small) / 4 && (buf = malloc(len * 4)) == NULL)
		return -1;
	put_text(cv, buf, print_escape(buf, s, len));
	if (buf != small)
		free(buf);
	return 0;
}

/* UTF-8, whatever the locale; what is no character becomes U+FFFD. */
static size_t
utf8(char *p, uint32_t c)
{
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	if (c < 0x80) {
		p[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		p[0] = (char)(0xc0 | c >> 6);
		p[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		p[0] = (char)(0xe0 | c >> 12);
		p[1] = (char)(0x80 | (c >> 6 & 0x3f));
		p[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	p[0] = (char)(0xf0 | c >> 18);
	p[1] = (char)(0x80 | (c >> 12 & 0x3f));
	p[2] = (char)(0x80 | (c >> 6 & 0x3f));
	p[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static int
conv_wstr(const struct conv *cv, const uint8_t *p, size_t size)
{
	char *buf = malloc(size + 1);
	size_t i, n = 0;
	uint32_t c;

	if (buf == NULL)
		return -1;
	for (i = 0; i + 4 <= size; i += 4) {
		if ((c = (uint32_t)value_uint(p + i, 4)) == 0)
			break;
		n += utf8(buf + n, c);
	}
	put_text(cv, buf, n);
	free(buf);
	return 0;
}

/* ns since 1970, as local time: "2001 Sep  9 01:46:40", or as in RFC 822. */
static void
conv_time(const struct conv *cv, int64_t ns)
{
	time_t sec = (time_t)(ns / 1000000000);
	const char *how = cv->c->cls == FC_TIME ? "%Y %b %e %H:%M:%S" :
	    "%a, %d %b %Y %T %Z";
	char buf[128];
	struct tm tm;
	size_t n = 0;

	if (localtime_r(&sec, &tm) != NULL)
		n = strftime(buf, sizeof(buf), how, &tm);
	put_text(cv, buf, n);
}

static void
conv_addr(const struct conv *cv, const struct datum *d, const uint8_t *base)
{
	char buf[NAME_MAX_TEXT];
	uint64_t a = value_uint(base + d->off, d->size);

	if (value_is_sym(d))
		symtext_datum(cv->t, d, base, buf, sizeof(buf));
	else if (cv->c->cls == FC_KADDR)
		symtext_kaddr(cv->t, a, buf, sizeof(buf));
	else
		symtext_uaddr(cv->t, cv->t->target, a, buf, sizeof(buf));
	put_text(cv, buf, strlen(buf));
}

static int
conv_datum(const struct conv *cv, const struct datum *d, const uint8_t *base)
{
	const uint8_t *p = base + d->off;
	const char *s;
	size_t len;
	char c;

	switch (cv->c->cls) {
	case FC_INT:
		if (value_signed(d->type))
			put_sint(cv, value_int(p, d->size));
		else
			put_uint(cv, value_uint(p, d->size), 'u');
		break;
	case FC_UINT: case FC_PTR:
		put_uint(cv, value_uint(p, d->size), cv->c->libc);
		break;
	case FC_CHAR:
		put_char(cv, (int)value_int(p, d->size));
		break;
	case FC_ECHAR:
		c = (char)value_uint(p, d->size);
		return conv_estr(cv, &c, 1);
	case FC_WCHAR:
		return conv_wstr(cv, p, d->size);
	case FC_FLOAT:
		put_float(cv, p, d->size);
		break;
	case FC_KADDR: case FC_UADDR:
		conv_addr(cv, d, base);
		break;
	case FC_STACK:
		if (cv->width == 0 || !value_is_sym(d))
			return symtext_print(cv->t, cv->fp, d, base);
		return symtext_stack(cv->t, cv->fp, d, base, cv->width);
	case FC_STR:
		s = value_str(cv->t, d, base, &len);
		put_text(cv, s, len);
		break;
	case FC_ESTR:
		s = value_str(cv->t, d, base, &len);
		return conv_estr(cv, s, len);
	case FC_WSTR:
		return conv_wstr(cv, p, d->size);
	case FC_TIME: case FC_TIME822:
		conv_time(cv, value_int(p, d->size));
		break;
	case FC_LITERAL:
		break;
	}
	return 0;
}

/* %@: the value of an aggregation, or its drawing. */
static int
conv_agg(const struct conv *cv, const struct aggrow *row)
{
	char c;

	if (aggrow_drawn(row))
		return aggrow_draw(cv->t, cv->fp, row);
	switch (cv->c->cls) {
	case FC_INT:
		put_sint(cv, aggrow_signed(row));
		break;
	case FC_CHAR:
		put_char(cv, (int)aggrow_signed(row));
		break;
	case FC_ECHAR:
		c = (char)aggrow_signed(row);
		return conv_estr(cv, &c, 1);
	default:
		put_uint(cv, aggrow_unsigned(row), cv->c->libc);
	}
	return 0;
}

/* The next argument as a width or precision, within reason. */
static int
take_star(const struct fmtin *in, size_t *next)
{
	const struct datum *d;
	int64_t v;

	if (*next >= in->narg)
		return 0;
	d = &in->arg[(*next)++];
	v = value_int(in->base + d->off, d->size);
	return v > STAR_MAX ? STAR_MAX : v < -STAR_MAX ? -STAR_MAX : (int)v;
}

static void
conv_sizes(struct conv *cv, const struct fmtin *in, size_t *next)
{
	const struct fmtconv *c = cv->c;

	cv->flags = c->flags;
	cv->width = c->dynwidth ? take_star(in, next) :
	    c->ptrwidth ? 16 : c->width > 0 ? c->width : 0;
	cv->prec = c->dynprec ? take_star(in, next) : c->prec;
	if (cv->width < 0) {
		cv->width = -cv->width;
		cv->flags |= FMT_LEFT;
	}
}

int
print_fmt(const struct trace *t, FILE *fp, const struct fmt *f,
    const struct fmtin *in)
{
	struct conv cv = { .t = t, .fp = fp };
	size_t i, next = 0, agg = 0;

	for (i = 0; i < f->nconv; i++) {
		cv.c = &f->conv[i];
		fwrite(cv.c->lit, 1, cv.c->litlen, fp);
		if (cv.c->cls == FC_LITERAL)
			continue;
		conv_sizes(&cv, in, &next);
		if (cv.c->agg) {
			if (in->nrow != 0 && conv_agg(&cv, in->row[agg]) == -1)
				return -1;
			if (agg + 1 < in->nrow)
				agg++;
		} else if (next < in->narg) {
			if (conv_datum(&cv, &in->arg[next], in->base) == -1)
				return -1;
			next++;
		}
	}
	return ferror(fp) ? -1 : 0;
}
