/* Random string expressions, and numbers made from strings. */
#include <inttypes.h>
#include <string.h>

#include "gen-expr.h"

static void
cut(char *s)
{
	s[STRMAX] = '\0';
}

static void
substr(struct text *t, char *s, int depth)
{
	char in[STRMAX + 1];
	int64_t i = (int64_t)gen_rnd(t->p, 24) - 8;
	int64_t n = (int64_t)gen_rnd(t->p, 20) - 6;
	int64_t len, left;
	bool third = gen_rnd(t->p, 2);

	gen_add(t, "substr(");
	gen_str(t, in, depth - 1);
	len = (int64_t)strlen(in);
	gen_add(t, ", %d", (int)i);
	if (third)
		gen_add(t, ", %d)", (int)n);
	else
		gen_add(t, ")");
	left = third ? n : STRMAX + 1;
	if (i < 0) {
		i += len;
		if (i < 0 && i + left > 0) {
			left += i;
			i = 0;
		}
	}
	if (i >= len || i < 0)
		left = 0;
	else if (left < 0)
		left += len - i;
	if (left < 0)
		left = 0;
	*s = '\0';
	if (left > 0)
		snprintf(s, STRMAX + 1, "%.*s", (int)left, in + i);
}

static void
joined(struct text *t, char *s, int depth)
{
	char a[STRMAX + 1], b[STRMAX + 1];
	size_t n;

	gen_add(t, "strjoin(");
	gen_str(t, a, depth - 1);
	gen_add(t, ", ");
	gen_str(t, b, depth - 1);
	gen_add(t, ")");
	n = strlen(a);
	memcpy(s, a, n);
	snprintf(s + n, STRMAX + 1 - n, "%s", b);
	cut(s);
}

static void
in_case(struct text *t, char *s, int depth, bool upper)
{
	gen_add(t, upper ? "toupper(" : "tolower(");
	gen_str(t, s, depth - 1);
	gen_add(t, ")");
	for (; *s != '\0'; s++)
		if (upper ? *s >= 'a' && *s <= 'z' : *s >= 'A' && *s <= 'Z')
			*s ^= 0x20;
}

static void
chosen(struct text *t, char *s, int depth)
{
	char a[STRMAX + 1], b[STRMAX + 1];
	bool first;

	gen_add(t, "(");
	first = gen_int(t, depth - 1).v != 0;
	gen_add(t, " ? ");
	gen_str(t, a, depth - 1);
	gen_add(t, " : ");
	gen_str(t, b, depth - 1);
	gen_add(t, ")");
	strcpy(s, first ? a : b);
}

void
gen_str(struct text *t, char *s, int depth)
{
	static const char *const lit[] = { "", "a", "hello", "one/two/three",
	    "banana", "0123456789abcdef", "The quick brown fox" };
	size_t n;

	switch (gen_rnd(t->p, depth > 0 ? 8 : 3)) {
	case 0:
	case 1:
		n = gen_rnd(t->p, NSTR);
		gen_add(t, "s%zu", n);
		strcpy(s, t->p->str[n]);
		break;
	case 2:
		n = gen_rnd(t->p, 7);
		gen_add(t, "\"%s\"", lit[n]);
		strcpy(s, lit[n]);
		break;
	case 3:
		joined(t, s, depth);
		break;
	case 4:
		substr(t, s, depth);
		break;
	case 5:
		in_case(t, s, depth, gen_rnd(t->p, 2) != 0);
		break;
	case 6:
		gen_add(t, "lltostr((int64_t)");
		snprintf(s, STRMAX + 1, "%" PRId64,
		    (int64_t)gen_int(t, depth - 1).v);
		gen_add(t, ")");
		break;
	default:
		chosen(t, s, depth);
		break;
	}
}

static int64_t
place(const char *s, const char *sub, bool back)
{
	int64_t r = -1;
	size_t i, m = strlen(sub);

	if (m == 0)
		return back ? (int64_t)strlen(s) : 0;
	for (i = 0; s[i] != '\0'; i++)
		if (strncmp(s + i, sub, m) == 0) {
			r = (int64_t)i;
			if (!back)
				break;
		}
	return r;
}

/* A number from strings. */
struct val
gen_ofstring(struct text *t, int depth)
{
	static const char *const ops[] = { "==", "!=", "<", ">=" };
	struct val r = { .size = 4, .sign = true };
	char a[STRMAX + 1], b[STRMAX + 1];
	unsigned k = gen_rnd(t->p, 4), op = gen_rnd(t->p, 4);
	int c;

	switch (k) {
	case 0:
		gen_add(t, "(int)strlen(");
		gen_str(t, a, depth - 1);
		gen_add(t, ")");
		r.v = strlen(a);
		break;
	case 1:
		gen_add(t, "(");
		gen_str(t, a, depth - 1);
		gen_add(t, " %s ", ops[op]);
		gen_str(t, b, depth - 1);
		gen_add(t, ")");
		c = strcmp(a, b);
		r.v = op == 0 ? c == 0 : op == 1 ? c != 0 : op == 2 ? c < 0 :
		    c >= 0;
		break;
	default:
		gen_add(t, k == 2 ? "index(" : "rindex(");
		gen_str(t, a, depth - 1);
		gen_add(t, ", ");
		gen_str(t, b, depth > 1 ? 1 : 0);
		gen_add(t, ")");
		r.v = (uint64_t)place(a, b, k == 3);
		break;
	}
	return r;
}
