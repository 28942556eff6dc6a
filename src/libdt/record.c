/* Records' lines parsed, values checked. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libdt/esc.h"
#include "libdt/record.h"

#define MINUS	"\\x2d"		/* how the string "-" is written */
#define SEMI	"\\x3b"		/* `;` and "`" within a frame */
#define TICK	"\\x60"

struct record_key
record_key(const struct record *r)
{
	struct record_key k = { .ts = r->v[REC_TS].u };

	if (r->v[REC_PID].given)
		k.pid = r->v[REC_PID].u;
	if (r->v[REC_TID].given)
		k.tid = r->v[REC_TID].u;
	return k;
}

int
record_key_cmp(const struct record_key *a, const struct record_key *b)
{
	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return 0;
}

/* Strict decimal: 0, 1 for what is no such number, 2 for one too large. */
static int
decimal(const char *s, size_t n, uint64_t *v)
{
	uint64_t u = 0, d;
	bool large = false;
	size_t i;

	*v = 0;
	if (n == 0 || (n > 1 && s[0] == '0'))
		return 1;
	for (i = 0; i < n; i++) {
		d = (uint64_t)(unsigned char)s[i] - '0';
		if (d > 9)
			return 1;
		/* 19 digits always fit */
		if (i >= 19 && u > (UINT64_MAX - d) / 10)
			large = true;
		u = u * 10 + d;
	}
	*v = u;
	return large ? 2 : 0;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int
field_error(struct msg *m, const struct schema_col *col)
{
	return msg_set(m, "record-field", "%s is no %s", col->name,
	    schema_type_name(col->type));
}

static int
range_error(struct msg *m, const struct schema_col *col)
{
	return msg_set(m, "record-range", "%s is out of range", col->name);
}

static int
parse_unsigned(const struct schema_col *col, struct value *v, struct msg *m)
{
	switch (decimal(v->s, v->len, &v->u)) {
	case 1:
		return field_error(m, col);
	case 2:
		return range_error(m, col);
	}
	if ((col->min > 0 && v->u < (uint64_t)col->min) || v->u > col->max)
		return range_error(m, col);
	return 0;
}

static int
parse_signed(const struct schema_col *col, struct value *v, struct msg *m)
{
	bool minus = v->len > 0 && v->s[0] == '-';
	uint64_t u;

	switch (decimal(v->s + minus, v->len - minus, &u)) {
	case 1:
		return field_error(m, col);
	case 2:
		return range_error(m, col);
	}
	if (minus && u == 0)
		return field_error(m, col);
	if (u > (uint64_t)INT64_MAX + minus)
		return range_error(m, col);
	v->i = minus ? (int64_t)(0 - u) : (int64_t)u;
	if (v->i < col->min || v->i > (int64_t)col->max)
		return range_error(m, col);
	return 0;
}

static int
parse_addr(const struct schema_col *col, struct value *v, struct msg *m)
{
	size_t i;
	int d;

	if (v->len < 3 || v->s[0] != '0' || v->s[1] != 'x' ||
	    (v->s[2] == '0' && v->len > 3))
		return field_error(m, col);
	v->u = 0;
	for (i = 2; i < v->len; i++) {
		if ((d = hex_digit(v->s[i])) < 0)
			return field_error(m, col);
		if (v->u >> 60 != 0)
			return range_error(m, col);
		v->u = v->u << 4 | (uint64_t)d;
	}
	if ((col->min > 0 && v->u < (uint64_t)col->min) || v->u > col->max)
		return range_error(m, col);
	return 0;
}

static int
parse_hex(const struct schema_col *col, struct value *v, struct msg *m)
{
	size_t i;

	if (v->len % 2 != 0)
		return field_error(m, col);
	for (i = 0; i < v->len; i++)
		if (hex_digit(v->s[i]) < 0)
			return field_error(m, col);
	if (v->len / 2 < (size_t)col->min || v->len / 2 > col->max)
		return range_error(m, col);
	return 0;
}

/* Bytes that a string in the canonical escape stands for. */
static size_t
decoded(const char *s, size_t n)
{
	size_t i, len = n;

	for (i = 0; i < n; i++)
		if (s[i] == '\\')
			len -= 3;
	return len;
}

static int
parse_str(const struct schema_col *col, struct value *v, struct msg *m)
{
	size_t len;

	if (v->len == sizeof(MINUS) - 1 && memcmp(v->s, MINUS, v->len) == 0)
		len = 1;
	else if (!esc_valid(v->s, v->len))
		return msg_set(m, "record-field",
		    "%s is not in the canonical escape", col->name);
	else
		len = decoded(v->s, v->len);
	if (len < (size_t)col->min || len > col->max)
		return range_error(m, col);
	return 0;
}

/* The escape of a byte that divides frames or their parts, at s. */
static bool
frame_escape(const char *s, size_t n)
{
	return n >= 4 && (memcmp(s, SEMI, 4) == 0 || memcmp(s, TICK, 4) == 0);
}

/* Bytes up to the next such escape, or n. */
static size_t
frame_run(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (s[i] == '\\' && frame_escape(s + i, n - i))
			break;
	return i;
}

/* Bytes in the canonical escape, with that of a divider besides. */
static bool
part_valid(const char *s, size_t n)
{
	size_t i, run;

	for (i = 0; i < n; i += run + 4) {
		run = frame_run(s + i, n - i);
		if (!esc_valid(s + i, run))
			return false;
		if (i + run == n)
			break;
	}
	return n > 0;
}

/* "0x" and hex without leading zeros. */
static bool
hex_valid(const char *s, size_t n)
{
	size_t i;

	if (n < 3 || n > 18 || s[0] != '0' || s[1] != 'x' ||
	    (s[2] == '0' && n > 3))
		return false;
	for (i = 2; i < n; i++)
		if ((s[i] < '0' || s[i] > '9') && (s[i] < 'a' || s[i] > 'f'))
			return false;
	return true;
}

/* Where the offset of "SYMBOL+0xOFFSET" begins, NULL if there is none. */
static const char *
offset_in(const char *s, size_t n)
{
	const char *plus = memrchr(s, '+', n);

	return plus != NULL && s + n - plus > 3 && plus[1] == '0' &&
	    plus[2] == 'x' ? plus : NULL;
}

bool
record_frame_truncated(const char *s, size_t n)
{
	return n == sizeof(RECORD_TRUNCATED) - 1 &&
	    memcmp(s, RECORD_TRUNCATED, n) == 0;
}

bool
record_frame_valid(const char *s, size_t n)
{
	const char *tick = memchr(s, '`', n), *end = s + n, *plus;

	if (tick == NULL)
		return hex_valid(s, n);
	if (memchr(s, '/', (size_t)(tick - s)) != NULL ||
	    !part_valid(s, (size_t)(tick - s)))
		return false;
	s = tick + 1;
	n = (size_t)(end - s);
	if (memchr(s, '`', n) != NULL)
		return false;
	if (n > 2 && s[0] == '0' && s[1] == 'x')
		return hex_valid(s, n);
	if ((plus = offset_in(s, n)) == NULL)
		return part_valid(s, n);
	return hex_valid(plus + 1, (size_t)(end - plus - 1)) &&
	    (plus == s || part_valid(s, (size_t)(plus - s)));
}

static int
parse_stack(const struct schema_col *col, struct value *v, struct msg *m)
{
	const char *s = v->s, *end = v->s + v->len, *semi;

	if (v->len > col->max)
		return range_error(m, col);
	for (;;) {
		semi = memchr(s, ';', (size_t)(end - s));
		if (!record_frame_valid(s,
		    (size_t)((semi != NULL ? semi : end) - s)))
			return msg_set(m, "record-field",
			    "%s has a frame that is none, or not in the "
			    "canonical escape", col->name);
		if (semi == NULL)
			return 0;
		s = semi + 1;
	}
}

static int
parse_word(const struct schema_col *col, struct value *v, struct msg *m)
{
	int i;

	if (col->type == TYPE_KIND)
		i = schema_kind_find(v->s, v->len);
	else
		i = schema_word_find(col->set, v->s, v->len);
	if (i < 0)
		return msg_set(m, "record-field",
		    "%s is none of its words", col->name);
	v->u = (uint64_t)i;
	return 0;
}

typedef int parse_fn(const struct schema_col *, struct value *, struct msg *);

static parse_fn *const parsers[] = {
	[TYPE_TS] = parse_unsigned,
	[TYPE_KIND] = parse_word,
	[TYPE_U64] = parse_unsigned,
	[TYPE_I64] = parse_signed,
	[TYPE_ID] = parse_unsigned,
	[TYPE_ADDR] = parse_addr,
	[TYPE_HEX] = parse_hex,
	[TYPE_ENUM] = parse_word,
	[TYPE_STR] = parse_str,
	[TYPE_STACK] = parse_stack,
};

static int
parse_value(const struct schema_col *col, bool optional, const char *s,
    size_t n, struct value *v, struct msg *m)
{
	v->s = s;
	v->len = n;
	v->u = 0;
	v->given = !(n == 1 && s[0] == '-');
	if (v->given)
		return parsers[col->type](col, v, m);
	if (!optional)
		return msg_set(m, "record-field", "%s is missing", col->name);
	return 0;
}

int
record_parse_value(const struct schema_col *col, const char *s, size_t n,
    struct value *v, struct msg *m)
{
	return parse_value(col, col->optional, s, n, v, m);
}

/*
 * Cuts a line into fields; their number, or max + 1 if there are more. Most
 * are too short for memchr() to be worth its call.
 */
static size_t
split(const char *line, size_t n, struct value *v, size_t max)
{
	const char *end = line + n, *p = line;
	size_t count = 0;

	for (;;) {
		if (count == max)
			return max + 1;
		while (p < end && *p != '\t' && p - line < 32)
			p++;
		if (p < end && *p != '\t') {
			p = memchr(p, '\t', (size_t)(end - p));
			if (p == NULL)
				p = end;
		}
		v[count].s = line;
		v[count].len = (size_t)(p - line);
		count++;
		if (p == end)
			return count;
		line = ++p;
	}
}

/* Markers belong to no thread: they have `-` where others need a value. */
static int
parse_marker_prefix(struct record *r, int i, struct msg *m)
{
	if (r->v[i].len != 1 || r->v[i].s[0] != '-')
		return msg_set(m, "record-field", "%s of %s is not -",
		    schema_col(r->kind, (size_t)i)->name,
		    schema_kind(r->kind)->name);
	r->v[i].given = false;
	return 0;
}

static bool
is_threads(int i)
{
	return i == REC_PID || i == REC_TID || i == REC_RT || i == REC_SPAN;
}

int
record_parse(const char *line, size_t n, enum schema_family family,
    struct record *r, struct msg *m)
{
	const struct schema_col *col;
	size_t count, i;
	int kind, rc;
	bool marker;

	if (memchr(line, '\0', n) != NULL)
		return msg_set(m, "record-nul", "a NUL byte in the line");
	count = split(line, n, r->v, RECORD_COLS_MAX);
	if (count <= REC_KIND)
		return msg_set(m, "record-columns", "a line without a kind");
	kind = schema_kind_find(r->v[REC_KIND].s, r->v[REC_KIND].len);
	if (kind < 0 || (family != FAMILY_ANY &&
	    !schema_kind_in((enum schema_kind)kind, family)))
		return msg_set(m, "record-kind", "\"%.*s\" is no kind%s%s",
		    (int)(r->v[REC_KIND].len > 64 ? 64 : r->v[REC_KIND].len),
		    r->v[REC_KIND].s, family != FAMILY_ANY ? " of " : "",
		    family != FAMILY_ANY ? schema_family(family)->name : "");
	r->kind = (enum schema_kind)kind;
	marker = (schema_kind(r->kind)->flags & KIND_MARKER) != 0;
	if (count != schema_ncols(r->kind))
		return msg_set(m, "record-columns", "%s%zu columns, %s has %zu",
		    count > RECORD_COLS_MAX ? "more than " : "",
		    count > RECORD_COLS_MAX ? RECORD_COLS_MAX : count,
		    schema_kind(r->kind)->name, schema_ncols(r->kind));
	for (i = 0; i < count; i++) {
		col = schema_col(r->kind, i);
		if (i == REC_KIND) {
			r->v[i].given = true;
			r->v[i].u = (uint64_t)kind;
			rc = 0;
		} else if (marker && is_threads((int)i))
			rc = parse_marker_prefix(r, (int)i, m);
		else
			rc = parse_value(col, col->optional, r->v[i].s,
			    r->v[i].len, &r->v[i], m);
		if (rc == -1)
			return -1;
	}
	return 0;
}

size_t
record_escape(char *dst, size_t cap, const void *src, size_t n)
{
	const char *p = src;

	if (n == 1 && p[0] == '-')
		return (size_t)snprintf(dst, cap, "%s", MINUS);
	return esc_encode(dst, cap, src, n);
}

ssize_t
record_unescape(void *dst, const char *s, size_t n)
{
	if (n == sizeof(MINUS) - 1 && memcmp(s, MINUS, n) == 0) {
		*(char *)dst = '-';
		return 1;
	}
	return esc_decode(dst, s, n);
}

size_t
record_escape_frame(char *dst, size_t cap, const void *src, size_t n)
{
	const char *p = src;
	size_t i = 0, run, total = 0, room;

	if (cap > 0)
		dst[0] = '\0';
	while (i < n) {
		for (run = i; run < n && p[run] != ';' && p[run] != '`'; run++)
			;
		room = total < cap ? cap - total : 0;
		total += esc_encode(dst + (room > 0 ? total : 0), room, p + i,
		    run - i);
		if (run == n)
			break;
		room = total < cap ? cap - total : 0;
		if (room > 4)
			memcpy(dst + total, p[run] == ';' ? SEMI : TICK, 5);
		total += 4;
		i = run + 1;
	}
	return total;
}

ssize_t
record_unescape_frame(void *dst, const char *s, size_t n)
{
	char *out = dst;
	size_t i, run, len = 0;
	ssize_t got;

	for (i = 0; i < n; i += run + 4) {
		run = frame_run(s + i, n - i);
		got = esc_decode(out + len, s + i, run);
		if (got == -1)
			return -1;
		len += (size_t)got;
		if (i + run == n)
			break;
		out[len++] = s[i + run + 2] == '3' ? ';' : '`';
	}
	return (ssize_t)len;
}

const char *
record_frame(const struct value *stack, size_t *at, size_t *len)
{
	const char *s, *semi;

	if (!stack->given || *at >= stack->len)
		return NULL;
	s = stack->s + *at;
	semi = memchr(s, ';', stack->len - *at);
	*len = semi != NULL ? (size_t)(semi - s) : stack->len - *at;
	*at += *len + 1;
	return s;
}
