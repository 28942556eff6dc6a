/* JSON text checked strictly, before cJSON sees it. */
#include <stdbool.h>
#include <string.h>

#include "libdt/esc.h"
#include "libdt/json.h"
#include "libdt/json_check.h"

#define NUMBER_MAX	60	/* bytes; cJSON takes up to 63 */
#define NODES_MAX	(1u << 20)

struct check {
	struct json_scan s;
	const char *name;
	struct msg *m;
	unsigned depth;
	size_t nodes;
};

static int
fault(struct check *c, const char *id, const char *what)
{
	return msg_set_at(c->m, id, c->name, c->s.line, "%s", what);
}

static void
skip_space(struct json_scan *s)
{
	for (; s->p < s->end; s->p++) {
		if (*s->p == '\n')
			s->line++;
		else if (*s->p != ' ' && *s->p != '\t' && *s->p != '\r')
			return;
	}
}

/* The byte at p, -1 at the end. */
static int
peek(const struct check *c)
{
	return c->s.p < c->s.end ? (unsigned char)*c->s.p : -1;
}

static bool
is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static int
digits(struct check *c)
{
	if (!is_digit(peek(c)))
		return fault(c, "json-syntax", "a digit is missing");
	while (is_digit(peek(c)))
		c->s.p++;
	return 0;
}

static int
check_number(struct check *c)
{
	const char *from = c->s.p;

	if (peek(c) == '-')
		c->s.p++;
	if (peek(c) == '0')
		c->s.p++;
	else if (digits(c) == -1)
		return -1;
	if (is_digit(peek(c)))
		return fault(c, "json-syntax", "a number begins with 0");
	if (peek(c) == '.') {
		c->s.p++;
		if (digits(c) == -1)
			return -1;
	}
	if (peek(c) == 'e' || peek(c) == 'E') {
		c->s.p++;
		if (peek(c) == '+' || peek(c) == '-')
			c->s.p++;
		if (digits(c) == -1)
			return -1;
	}
	if (c->s.p - from > NUMBER_MAX)
		return fault(c, "json-syntax", "a number is too long");
	return 0;
}

/* The four hex digits at p, -1 if they are none. */
static long
hex4(struct check *c)
{
	long v = 0;
	int i, d;

	if (c->s.end - c->s.p < 4)
		return -1;
	for (i = 0; i < 4; i++) {
		d = (unsigned char)*c->s.p++;
		if (is_digit(d))
			d -= '0';
		else if (d >= 'a' && d <= 'f')
			d -= 'a' - 10;
		else if (d >= 'A' && d <= 'F')
			d -= 'A' - 10;
		else
			return -1;
		v = v << 4 | d;
	}
	return v;
}

static int
check_unicode(struct check *c)
{
	long v = hex4(c), low;

	if (v == -1)
		return fault(c, "json-syntax", "\\u without four hex digits");
	if (v == 0)
		return fault(c, "json-nul", "\\u0000 in a string");
	if (v < 0xd800 || v > 0xdfff)
		return 0;
	if (v < 0xdc00 && c->s.end - c->s.p >= 6 && c->s.p[0] == '\\' &&
	    c->s.p[1] == 'u') {
		c->s.p += 2;
		low = hex4(c);
		if (low >= 0xdc00 && low <= 0xdfff)
			return 0;
	}
	return fault(c, "json-utf8", "a lone surrogate in a string");
}

static int
check_string(struct check *c)
{
	size_t step;
	int b;

	for (c->s.p++; (b = peek(c)) != '"'; ) {
		if (b == -1)
			return fault(c, "json-syntax", "a string has no end");
		if (b == 0)
			return fault(c, "json-nul", "a NUL byte in a string");
		if (b < 0x20)
			return fault(c, "json-syntax",
			    "a control byte in a string");
		if (b != '\\') {
			step = utf8_step(c->s.p, (size_t)(c->s.end - c->s.p));
			if (step == 0)
				return fault(c, "json-utf8",
				    "a string is not valid UTF-8");
			c->s.p += step;
			continue;
		}
		c->s.p++;
		b = peek(c);
		if (b <= 0 || strchr("\"\\/bfnrtu", b) == NULL)
			return fault(c, "json-syntax", "an unknown escape");
		c->s.p++;
		if (b == 'u' && check_unicode(c) == -1)
			return -1;
	}
	c->s.p++;
	return 0;
}

static int check_value(struct check *c);

static int
check_member(struct check *c)
{
	if (peek(c) != '"')
		return fault(c, "json-syntax", "a member has no name");
	if (check_string(c) == -1)
		return -1;
	skip_space(&c->s);
	if (peek(c) != ':')
		return fault(c, "json-syntax", "a colon is missing");
	c->s.p++;
	return check_value(c);
}

/* An object or array, from its opening bracket. */
static int
check_nest(struct check *c, bool object)
{
	int close = object ? '}' : ']';

	if (++c->depth > JSON_DEPTH_MAX)
		return fault(c, "json-depth", "nested too deep");
	c->s.p++;
	skip_space(&c->s);
	if (peek(c) == close)
		goto end;
	for (;;) {
		skip_space(&c->s);
		if ((object ? check_member(c) : check_value(c)) == -1)
			return -1;
		skip_space(&c->s);
		if (peek(c) == close)
			break;
		if (peek(c) != ',')
			return fault(c, "json-syntax", object ?
			    "a comma or } is missing" :
			    "a comma or ] is missing");
		c->s.p++;
	}
end:
	c->s.p++;
	c->depth--;
	return 0;
}

static int
check_literal(struct check *c)
{
	static const char *const words[] = { "true", "false", "null" };
	size_t i, n, left = (size_t)(c->s.end - c->s.p);

	for (i = 0; i < 3; i++) {
		n = strlen(words[i]);
		if (left >= n && memcmp(c->s.p, words[i], n) == 0) {
			c->s.p += n;
			return 0;
		}
	}
	if (peek(c) == 0)
		return fault(c, "json-nul", "a NUL byte");
	return fault(c, "json-syntax", left == 0 ? "the text ends early" :
	    "no JSON value");
}

static int
check_value(struct check *c)
{
	int b;

	skip_space(&c->s);
	if (++c->nodes > NODES_MAX)
		return fault(c, "json-too-big", "too many values");
	b = peek(c);
	if (b == '{' || b == '[')
		return check_nest(c, b == '{');
	if (b == '"')
		return check_string(c);
	if (b == '-' || is_digit(b))
		return check_number(c);
	return check_literal(c);
}

int
json_check(const char *buf, size_t len, const char *name, struct msg *m)
{
	struct check c = {
		.s = { .p = buf, .end = buf + len, .line = 1 },
		.name = name,
		.m = m,
	};

	if (len > JSON_BYTES_MAX)
		return msg_set_at(m, "json-too-big", name, 0,
		    "is longer than %u bytes", JSON_BYTES_MAX);
	if (check_value(&c) == -1)
		return -1;
	skip_space(&c.s);
	if (c.s.p < c.s.end)
		return fault(&c, "json-trailing", "text after the value");
	return 0;
}

const char *
json_token(struct json_scan *s, size_t *len)
{
	const char *from;

	skip_space(s);
	from = s->p;
	if (s->p == s->end) {
		*len = 0;
		return from;
	}
	if (*from == '"') {
		for (s->p++; *s->p != '"'; s->p++)
			if (*s->p == '\\')
				s->p++;
		s->p++;
	} else if (strchr("{}[],:", *from) != NULL) {
		s->p++;
	} else {
		while (s->p < s->end && strchr("{}[],: \t\r\n", *s->p) == NULL)
			s->p++;
	}
	*len = (size_t)(s->p - from);
	return from;
}
