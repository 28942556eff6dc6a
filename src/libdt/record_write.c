/* Records and headers written. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libdt/record.h"

#define SHORT_LINE	4096	/* bytes that are put together before writing */

void
record_init(struct record *r, enum schema_kind kind, uint64_t ts)
{
	size_t i;

	memset(r, 0, sizeof(*r));
	r->kind = kind;
	for (i = 0; i < RECORD_COLS_MAX; i++)
		record_unset(r, (int)i);
	record_set_u64(r, REC_TS, ts);
	record_set_text(r, REC_KIND, schema_kind(kind)->name,
	    strlen(schema_kind(kind)->name));
	r->v[REC_KIND].u = kind;
}

void
record_set_u64(struct record *r, int col, uint64_t v)
{
	r->v[col] = (struct value){ .given = true, .u = v };
}

void
record_set_i64(struct record *r, int col, int64_t v)
{
	r->v[col] = (struct value){ .given = true, .i = v };
}

void
record_set_text(struct record *r, int col, const char *s, size_t n)
{
	r->v[col] = (struct value){ .given = true, .s = s, .len = n };
}

void
record_unset(struct record *r, int col)
{
	r->v[col] = (struct value){ .s = "-", .len = 1 };
}

/* A value that was set as a number, as text; the text, its length in *n. */
static const char *
number(const struct schema_col *col, const struct value *v, char buf[24],
    size_t *n)
{
	const char *word;
	int len;

	switch (col->type) {
	case TYPE_ENUM:
		word = schema_word(col->set, (size_t)v->u, n);
		return word;
	case TYPE_I64:
		len = snprintf(buf, 24, "%" PRId64, v->i);
		break;
	case TYPE_ADDR:
		len = snprintf(buf, 24, "0x%" PRIx64, v->u);
		break;
	default:
		len = snprintf(buf, 24, "%" PRIu64, v->u);
	}
	*n = (size_t)len;
	return buf;
}

static const char *
text(const struct record *r, size_t i, char buf[24], size_t *n)
{
	const struct value *v = &r->v[i];

	if (v->s == NULL)
		return number(schema_col(r->kind, i), v, buf, n);
	*n = v->len;
	return v->s;
}

size_t
record_print(const struct record *r, char *buf, size_t cap)
{
	size_t i, n, total = 0, ncols = schema_ncols(r->kind);
	const char *s;
	char num[24];

	for (i = 0; i < ncols; i++) {
		s = text(r, i, num, &n);
		if (total + n < cap)
			memcpy(buf + total, s, n);
		total += n;
		if (i + 1 < ncols && total + 1 < cap)
			buf[total] = '\t';
		total += i + 1 < ncols;
	}
	if (total < cap)
		buf[total] = '\0';
	return total;
}

int
record_write(struct out *o, const struct record *r)
{
	size_t i, n, ncols = schema_ncols(r->kind);
	char line[SHORT_LINE], num[24];
	const char *s;

	n = record_print(r, line, sizeof(line));
	if (n + 1 < sizeof(line)) {
		line[n] = '\n';
		return out_write(o, line, n + 1);
	}
	for (i = 0; i < ncols; i++) {
		s = text(r, i, num, &n);
		if (out_write(o, s, n) == -1 ||
		    out_putc(o, i + 1 < ncols ? '\t' : '\n') == -1)
			return -1;
	}
	return 0;
}

size_t
record_columns(enum schema_kind kind, char *buf, size_t cap)
{
	size_t i, total;
	int n;

	n = snprintf(buf, cap, "%s", schema_kind(kind)->name);
	total = (size_t)n;
	for (i = 0; i < schema_ncols(kind); i++) {
		n = snprintf(total < cap ? buf + total : NULL,
		    total < cap ? cap - total : 0, "\t%s",
		    schema_col(kind, i)->name);
		total += (size_t)n;
	}
	return total;
}

int
record_write_headers(struct out *o, enum schema_family family,
    const char *const *collectors, size_t ncollectors,
    const char *const *incarnations, size_t nincarnations)
{
	char columns[512];
	size_t i;
	int rc;

	rc = out_printf(o, "#dt-records %d\n#family %s\n"
	    "#clock CLOCK_MONOTONIC ns\n", SCHEMA_RECORDS_VERSION,
	    schema_family(family)->name);
	for (i = 0; i < ncollectors && rc == 0; i++)
		rc = out_printf(o, "#collector %s\n", collectors[i]);
	for (i = 0; i < nincarnations && rc == 0; i++)
		rc = out_printf(o, "#incarnation %s\n", incarnations[i]);
	for (i = 0; i < KIND_COUNT && rc == 0; i++) {
		if (!schema_kind_in((enum schema_kind)i, family))
			continue;
		record_columns((enum schema_kind)i, columns, sizeof(columns));
		rc = out_printf(o, "#columns %s\n", columns);
	}
	return rc;
}
