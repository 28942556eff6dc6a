/*
 * gen-expr SEED PROGRAM.d EXPECTED: writes a random valid D program and what
 * it must print, found by evaluating the same expressions in C.
 *
 * D's rules: no promotion to int; of two types the larger, or the unsigned
 * one, wins; comparisons are made in 64 bits with that type's sign; a shift has
 * its left operand's type; division is never by zero here.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NVAR = 24, NSTR = 5, NELEM = 64, STRMAX = 256, NCLAUSE = 12,
       NSTMT = 9 };

struct val { uint64_t v; unsigned size; bool sign; };

struct var { char name[32]; struct val val; };

static struct prog {
	uint64_t seed;
	FILE *d, *out;
	struct var var[NVAR];
	char str[NSTR][STRMAX + 1];
	/* associative arrays: g[int, string] and self->t[int8_t], int32_t */
	struct elem { char key[STRMAX + 32]; int32_t v; } elem[NELEM];
	size_t nelem;
} *P;

/* A text under construction: the D expression. */
struct text { char s[8192]; size_t n; };

static void
add(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	t->n += (size_t)vsnprintf(t->s + t->n, sizeof(t->s) - t->n, fmt, ap);
	va_end(ap);
	if (t->n >= sizeof(t->s)) {
		fprintf(stderr, "gen-expr: expression too long\n");
		exit(2);
	}
}

static uint32_t
rnd(uint32_t n)
{
	P->seed = P->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(P->seed >> 33) % n;
}

static uint64_t
norm(uint64_t v, unsigned size, bool sign)
{
	switch (size) {
	case 1: return sign ? (uint64_t)(int8_t)v : (uint8_t)v;
	case 2: return sign ? (uint64_t)(int16_t)v : (uint16_t)v;
	case 4: return sign ? (uint64_t)(int32_t)v : (uint32_t)v;
	default: return v;
	}
}

static struct val
conv(struct val a, unsigned size, bool sign)
{
	return (struct val){ norm(a.v, size, sign), size, sign };
}

static const char *
tname(unsigned size, bool sign)
{
	static const char *const n[2][4] = {
	    { "uint8_t", "uint16_t", "uint32_t", "uint64_t" },
	    { "int8_t", "int16_t", "int32_t", "int64_t" } };

	return n[sign][size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
}

static void
promote(const struct val *a, const struct val *b, unsigned *size, bool *sign)
{
	unsigned ra = a->size * 8 + !a->sign, rb = b->size * 8 + !b->sign;

	*size = ra >= rb ? a->size : b->size;
	*sign = ra >= rb ? a->sign : b->sign;
}

static uint64_t
arith(int op, uint64_t a, uint64_t b, bool sign)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	switch (op) {
	case '+': return a + b;
	case '-': return a - b;
	case '*': return a * b;
	case '/':
		if (!sign)
			return a / b;
		return y == -1 ? 0 - a : (uint64_t)(x / y);
	case '%':
		if (!sign)
			return a % b;
		return y == -1 ? 0 : (uint64_t)(x % y);
	case '&': return a & b;
	case '|': return a | b;
	default: return a ^ b;
	}
}

static struct val expr(struct text *, int depth);

static struct val
constant(struct text *t)
{
	static const int64_t odd[] = { 0, 1, 2, 7, 127, 128, 255, 256, 32767,
	    65535, 65536, 2147483647, 4294967295, 9223372036854775807 };
	unsigned size = 1U << rnd(4);
	bool sign = rnd(2);
	struct val v = { .size = 8, .sign = true };

	v.v = rnd(2) ? (uint64_t)odd[rnd(14)] : rnd(1000);
	v = conv(v, size, sign);
	/* there are no negative constants: a cast of an unsigned one */
	add(t, "(%s)%" PRIu64 "U", tname(size, sign), v.v);
	return v;
}

static struct val
variable(struct text *t)
{
	struct var *v = &P->var[rnd(NVAR)];

	add(t, "%s", v->name);
	return v->val;
}

static void string(struct text *, char *, int);

/* An element, made at its first use; NULL: there are enough. */
static struct elem *
element(struct text *t, int depth)
{
	char key[STRMAX + 32], s[STRMAX + 1];
	size_t n;

	if (rnd(2)) {
		add(t, "g[(int)(");
		n = (size_t)expr(t, depth - 1).v & 3;
		add(t, " & 3), ");
		string(t, s, 0);
		add(t, "]");
		snprintf(key, sizeof(key), "g %zu %s", n, s);
	} else {
		add(t, "self->t[(int8_t)(");
		n = (size_t)expr(t, depth - 1).v & 7;
		add(t, " & 7)]");
		snprintf(key, sizeof(key), "t %zu", n);
	}
	for (n = 0; n < P->nelem; n++)
		if (strcmp(P->elem[n].key, key) == 0)
			return &P->elem[n];
	if (n == NELEM)
		return NULL;
	strcpy(P->elem[n].key, key);
	P->elem[n].v = 0;
	return &P->elem[P->nelem++];
}

static struct val
ofelement(struct text *t, int depth)
{
	struct elem *e = element(t, depth);

	return (struct val){ (uint64_t)(int64_t)(e != NULL ? e->v : 0), 4,
	    true };
}

static struct val
binary(struct text *t, int depth)
{
	static const char ops[] = "+-*/%&|^";
	int op = ops[rnd(8)];
	struct val a, b, r;
	struct text rhs = { .n = 0 };

	add(t, "(");
	a = expr(t, depth - 1);
	b = expr(&rhs, depth - 1);
	if (op == '/' || op == '%') {
		/* not 0 */
		add(t, " %c (%s | (%s)1)", op, rhs.s, tname(b.size, b.sign));
		b.v = norm(b.v | 1, b.size, b.sign);
	} else {
		add(t, " %c %s", op, rhs.s);
	}
	add(t, ")");
	promote(&a, &b, &r.size, &r.sign);
	a = conv(a, r.size, r.sign);
	b = conv(b, r.size, r.sign);
	if ((op == '/' || op == '%') && b.v == 0)
		abort();
	r.v = norm(arith(op, a.v, b.v, r.sign), r.size, r.sign);
	return r;
}

static struct val
shift(struct text *t, int depth)
{
	bool left = rnd(2);
	struct val a, b;

	add(t, "(");
	a = expr(t, depth - 1);
	add(t, left ? " << (" : " >> (");
	b = expr(t, depth - 1);
	add(t, " & (%s)%u))", tname(b.size, b.sign), a.size * 8 - 1);
	b.v &= a.size * 8 - 1;
	if (left)
		a.v <<= b.v;
	else if (a.sign)
		a.v = (uint64_t)((int64_t)a.v >> b.v);
	else
		a.v >>= b.v;
	return conv(a, a.size, a.sign);
}

static struct val
compare(struct text *t, int depth)
{
	static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=" };
	unsigned op = rnd(6), size;
	struct val a, b, r = { .size = 4, .sign = true };
	bool sign;
	int c;

	add(t, "(");
	a = expr(t, depth - 1);
	add(t, " %s ", ops[op]);
	b = expr(t, depth - 1);
	add(t, ")");
	promote(&a, &b, &size, &sign);
	if (sign)
		c = (int64_t)a.v < (int64_t)b.v ? -1 : a.v != b.v;
	else
		c = a.v < b.v ? -1 : a.v != b.v;
	switch (op) {
	case 0: r.v = c == 0; break;
	case 1: r.v = c != 0; break;
	case 2: r.v = c < 0; break;
	case 3: r.v = c <= 0; break;
	case 4: r.v = c > 0; break;
	default: r.v = c >= 0; break;
	}
	return r;
}

static struct val
logical(struct text *t, int depth)
{
	unsigned op = rnd(3);
	struct val a, b, r = { .size = 4, .sign = true };

	add(t, "(");
	a = expr(t, depth - 1);
	add(t, op == 0 ? " && " : op == 1 ? " || " : " ^^ ");
	b = expr(t, depth - 1);
	add(t, ")");
	r.v = op == 0 ? a.v && b.v : op == 1 ? a.v || b.v : !a.v != !b.v;
	return r;
}

static struct val
cond(struct text *t, int depth)
{
	struct val c, a, b, r;

	add(t, "(");
	c = expr(t, depth - 1);
	add(t, " ? ");
	a = expr(t, depth - 1);
	add(t, " : ");
	b = expr(t, depth - 1);
	add(t, ")");
	promote(&a, &b, &r.size, &r.sign);
	r.v = norm(c.v ? a.v : b.v, r.size, r.sign);
	return r;
}

static struct val
unary(struct text *t, int depth)
{
	unsigned op = rnd(4), size = 1U << rnd(4);
	bool sign = rnd(2);
	struct val a;

	if (op == 3) {
		add(t, "(%s)(", tname(size, sign));
		a = conv(expr(t, depth - 1), size, sign);
		add(t, ")");
		return a;
	}
	add(t, op == 0 ? "(-(" : op == 1 ? "(~(" : "(!(");
	a = expr(t, depth - 1);
	add(t, "))");
	if (op == 2)
		return (struct val){ .v = !a.v, .size = 4, .sign = true };
	a.v = op == 0 ? 0 - a.v : ~a.v;
	return conv(a, a.size, a.sign);
}

/* Strings. */

static void
cut(char *s)
{
	s[STRMAX] = '\0';
}

static void
substr(struct text *t, char *s, int depth)
{
	char in[STRMAX + 1];
	int64_t i = (int64_t)rnd(24) - 8, n = (int64_t)rnd(20) - 6;
	int64_t len, left;
	bool third = rnd(2);

	add(t, "substr(");
	string(t, in, depth - 1);
	len = (int64_t)strlen(in);
	add(t, ", %d", (int)i);
	if (third)
		add(t, ", %d)", (int)n);
	else
		add(t, ")");
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
string(struct text *t, char *s, int depth)
{
	static const char *const lit[] = { "", "a", "hello", "one/two/three",
	    "banana", "0123456789abcdef", "The quick brown fox" };
	char a[STRMAX + 1], b[STRMAX + 1];
	unsigned k = rnd(depth > 0 ? 8 : 3);
	size_t n;
	char *p;

	switch (k) {
	case 0:
	case 1:
		n = rnd(NSTR);
		add(t, "s%zu", n);
		strcpy(s, P->str[n]);
		break;
	case 2:
		n = rnd(7);
		add(t, "\"%s\"", lit[n]);
		strcpy(s, lit[n]);
		break;
	case 3:
		add(t, "strjoin(");
		string(t, a, depth - 1);
		add(t, ", ");
		string(t, b, depth - 1);
		add(t, ")");
		n = strlen(a);
		memcpy(s, a, n);
		snprintf(s + n, STRMAX + 1 - n, "%s", b);
		cut(s);
		break;
	case 4:
		substr(t, s, depth);
		break;
	case 5:
		add(t, rnd(2) ? "toupper(" : "tolower(");
		p = t->s + t->n - 8;
		string(t, s, depth - 1);
		add(t, ")");
		for (n = 0; s[n] != '\0'; n++)
			if (p[2] == 'u' ? s[n] >= 'a' && s[n] <= 'z' :
			    s[n] >= 'A' && s[n] <= 'Z')
				s[n] ^= 0x20;
		break;
	case 6:
		add(t, "lltostr((int64_t)");
		snprintf(s, STRMAX + 1, "%" PRId64,
		    (int64_t)expr(t, depth - 1).v);
		add(t, ")");
		break;
	default:
		add(t, "(");
		n = expr(t, depth - 1).v != 0;
		add(t, " ? ");
		string(t, a, depth - 1);
		add(t, " : ");
		string(t, b, depth - 1);
		add(t, ")");
		strcpy(s, n ? a : b);
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
static struct val
ofstring(struct text *t, int depth)
{
	static const char *const ops[] = { "==", "!=", "<", ">=" };
	struct val r = { .size = 4, .sign = true };
	char a[STRMAX + 1], b[STRMAX + 1];
	unsigned k = rnd(4), op = rnd(4);
	int c;

	switch (k) {
	case 0:
		add(t, "(int)strlen(");
		string(t, a, depth - 1);
		add(t, ")");
		r.v = strlen(a);
		break;
	case 1:
		add(t, "(");
		string(t, a, depth - 1);
		add(t, " %s ", ops[op]);
		string(t, b, depth - 1);
		add(t, ")");
		c = strcmp(a, b);
		r.v = op == 0 ? c == 0 : op == 1 ? c != 0 : op == 2 ? c < 0 :
		    c >= 0;
		break;
	default:
		add(t, k == 2 ? "index(" : "rindex(");
		string(t, a, depth - 1);
		add(t, ", ");
		string(t, b, depth > 1 ? 1 : 0);
		add(t, ")");
		r.v = (uint64_t)place(a, b, k == 3);
		break;
	}
	return r;
}

static struct val
expr(struct text *t, int depth)
{
	if (depth <= 0)
		return rnd(4) != 0 ? variable(t) : constant(t);
	switch (rnd(15)) {
	case 14:
		return ofelement(t, depth);
	case 0: case 1: case 2: case 3: case 4:
		return binary(t, depth);
	case 5: case 6:
		return compare(t, depth);
	case 7:
		return logical(t, depth);
	case 8:
		return shift(t, depth);
	case 9:
		return cond(t, depth);
	case 10: case 11:
		return unary(t, depth);
	case 12:
		return ofstring(t, depth);
	default:
		return expr(t, 0);
	}
}

static void
print(void)
{
	struct text t = { .n = 0 };
	struct val v = expr(&t, 3);

	fprintf(P->d, "\tprintf(\"%%d\\n\", (int64_t)%s);\n", t.s);
	fprintf(P->out, "%" PRId64 "\n", (int64_t)v.v);
}

static void
assign(void)
{
	static const char ops[] = "+-*&|^";
	struct var *v = &P->var[rnd(NVAR)];
	struct text t = { .n = 0 };
	struct val e = expr(&t, 3), a, b;
	unsigned k = rnd(3), size;
	bool sign;
	int op;

	if (k == 0) {
		fprintf(P->d, "\t%s = %s;\n", v->name, t.s);
		v->val = conv(e, v->val.size, v->val.sign);
		return;
	}
	if (k == 1) {
		fprintf(P->d, rnd(2) ? "\t%s++;\n" : "\t++%s;\n", v->name);
		v->val.v = norm(v->val.v + 1, v->val.size, v->val.sign);
		return;
	}
	op = ops[rnd(6)];
	fprintf(P->d, "\t%s %c= %s;\n", v->name, op, t.s);
	promote(&v->val, &e, &size, &sign);
	a = conv(v->val, size, sign);
	b = conv(e, size, sign);
	v->val.v = norm(norm(arith(op, a.v, b.v, sign), size, sign),
	    v->val.size, v->val.sign);
}

static void
elements(void)
{
	struct text t = { .n = 0 }, x = { .n = 0 };
	struct elem *e = element(&t, 2);
	struct val v;

	if (e == NULL)
		return;
	if (rnd(3) == 0) {
		fprintf(P->d, "\t%s++;\n", t.s);
		e->v = (int32_t)((uint32_t)e->v + 1);
		return;
	}
	v = expr(&x, 2);
	fprintf(P->d, "\t%s = %s;\n", t.s, x.s);
	e->v = (int32_t)v.v;
}

static void
strings(void)
{
	struct text t = { .n = 0 };
	char s[STRMAX + 1];
	unsigned n = rnd(NSTR);

	string(&t, s, 2);
	if (rnd(2)) {
		fprintf(P->d, "\tprintf(\"[%%s]\\n\", %s);\n", t.s);
		fprintf(P->out, "[%s]\n", s);
	} else {
		fprintf(P->d, "\ts%u = %s;\n", n, t.s);
		strcpy(P->str[n], s);
	}
}

/* if or a predicate: only what holds is evaluated. */
static bool
choice(const char *before, const char *after)
{
	struct text t = { .n = 0 };
	struct val v = expr(&t, 2);

	fprintf(P->d, "%s(%s)%s", before, t.s, after);
	return v.v != 0;
}

static void
begin(void)
{
	static const char *const scope[] = { "", "self->", "this->" };
	unsigned n;

	fprintf(P->d, "#pragma D option quiet\n\n");
	for (n = 0; n < NVAR; n++) {
		struct var *v = &P->var[n];
		unsigned k = n % 3;

		v->val.size = 1U << (n / 3) % 4;
		v->val.sign = n / 12;
		snprintf(v->name, sizeof(v->name), "%sv%u", scope[k], n);
		fprintf(P->d, "%s%s v%u;\n", k == 1 ? "self " : k == 2 ?
		    "this " : "", tname(v->val.size, v->val.sign), n);
	}
	fprintf(P->d, "string s0, s1, s2, s3, s4;\nint32_t g[int, string];\n"
	    "self int32_t t[int8_t];\n\nBEGIN\n{\n");
	for (n = 0; n < NVAR; n++) {
		struct var *v = &P->var[n];

		v->val.v = norm(((uint64_t)rnd(1U << 31) << 33) ^
		    ((uint64_t)rnd(1U << 31) << 8) ^ rnd(256), v->val.size,
		    v->val.sign);
		if (rnd(3) == 0)
			v->val.v = norm(rnd(20) - 10U, v->val.size,
			    v->val.sign);
		fprintf(P->d, "\t%s = (%s)%" PRIu64 "U;\n", v->name,
		    tname(v->val.size, v->val.sign), v->val.v);
	}
	fprintf(P->d, "}\n");
}

int
main(int argc, char **argv)
{
	static struct prog prog;
	unsigned c, s;
	bool run;

	P = &prog;
	if (argc != 4 || (P->d = fopen(argv[2], "w")) == NULL ||
	    (P->out = fopen(argv[3], "w")) == NULL) {
		fprintf(stderr, "usage: gen-expr seed program expected\n");
		return 2;
	}
	P->seed = strtoull(argv[1], NULL, 0) * 2654435761U + 1;
	(void)rnd(2);
	begin();
	for (c = 0; c < NCLAUSE; c++) {
		struct prog was;

		fprintf(P->d, "\nBEGIN\n");
		run = rnd(3) != 0 || choice("/ ", " /\n");
		was = *P;
		if (!run)
			P->out = fopen("/dev/null", "w");
		fprintf(P->d, "{\n");
		for (s = 0; s < NSTMT; s++)
			switch (rnd(5)) {
			case 0: case 1: print(); break;
			case 2: assign(); break;
			case 3: elements(); break;
			default: strings(); break;
			}
		fprintf(P->d, "}\n");
		if (!run) {
			/* a clause not run changes nothing */
			was.seed = P->seed;
			fclose(P->out);
			*P = was;
		}
	}
	fprintf(P->d, "\nBEGIN\n{\n\texit(0);\n}\n");
	fprintf(P->out, "\n");
	return fclose(P->d) != 0 || fclose(P->out) != 0;
}
