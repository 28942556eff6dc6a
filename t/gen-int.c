/* Random integer expressions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen-expr.h"

static struct val
constant(struct text *t)
{
	static const int64_t odd[] = { 0, 1, 2, 7, 127, 128, 255, 256, 32767,
	    65535, 65536, 2147483647, 4294967295, 9223372036854775807 };
	unsigned size = 1U << gen_rnd(t->p, 4);
	bool sign = gen_rnd(t->p, 2);
	struct val v = { .size = 8, .sign = true };

	v.v = gen_rnd(t->p, 2) ? (uint64_t)odd[gen_rnd(t->p, 14)] :
	    gen_rnd(t->p, 1000);
	v = val_conv(v, size, sign);
	/* there are no negative constants: a cast of an unsigned one */
	gen_add(t, "(%s)%" PRIu64 "U", val_type(size, sign), v.v);
	return v;
}

static struct val
variable(struct text *t)
{
	struct var *v = &t->p->var[gen_rnd(t->p, NVAR)];

	gen_add(t, "%s", v->name);
	return v->val;
}

struct elem *
gen_element(struct text *t, int depth)
{
	char key[STRMAX + 32], s[STRMAX + 1];
	size_t n;

	if (gen_rnd(t->p, 2)) {
		gen_add(t, "g[(int)(");
		n = (size_t)gen_int(t, depth - 1).v & 3;
		gen_add(t, " & 3), ");
		gen_str(t, s, 0);
		gen_add(t, "]");
		snprintf(key, sizeof(key), "g %zu %s", n, s);
	} else {
		gen_add(t, "self->t[(int8_t)(");
		n = (size_t)gen_int(t, depth - 1).v & 7;
		gen_add(t, " & 7)]");
		snprintf(key, sizeof(key), "t %zu", n);
	}
	for (n = 0; n < t->p->nelem; n++)
		if (strcmp(t->p->elem[n].key, key) == 0)
			return &t->p->elem[n];
	if (n == NELEM)
		return NULL;
	strcpy(t->p->elem[n].key, key);
	t->p->elem[n].v = 0;
	return &t->p->elem[t->p->nelem++];
}

static struct val
ofelement(struct text *t, int depth)
{
	struct elem *e = gen_element(t, depth);

	return (struct val){ (uint64_t)(int64_t)(e != NULL ? e->v : 0), 4,
	    true };
}

static struct val
binary(struct text *t, int depth)
{
	static const char ops[] = "+-*/%&|^";
	int op = ops[gen_rnd(t->p, 8)];
	struct val a, b, r;
	struct text rhs = { .p = t->p };

	gen_add(t, "(");
	a = gen_int(t, depth - 1);
	b = gen_int(&rhs, depth - 1);
	if (op == '/' || op == '%') {
		/* not 0 */
		gen_add(t, " %c (%s | (%s)1)", op, rhs.s,
		    val_type(b.size, b.sign));
		b.v = val_norm(b.v | 1, b.size, b.sign);
	} else {
		gen_add(t, " %c %s", op, rhs.s);
	}
	gen_add(t, ")");
	val_promote(&a, &b, &r.size, &r.sign);
	a = val_conv(a, r.size, r.sign);
	b = val_conv(b, r.size, r.sign);
	if ((op == '/' || op == '%') && b.v == 0)
		abort();
	r.v = val_norm(val_arith(op, a.v, b.v, r.sign), r.size, r.sign);
	return r;
}

static struct val
shift(struct text *t, int depth)
{
	bool left = gen_rnd(t->p, 2);
	struct val a, b;

	gen_add(t, "(");
	a = gen_int(t, depth - 1);
	gen_add(t, left ? " << (" : " >> (");
	b = gen_int(t, depth - 1);
	gen_add(t, " & (%s)%u))", val_type(b.size, b.sign), a.size * 8 - 1);
	b.v &= a.size * 8 - 1;
	if (left)
		a.v <<= b.v;
	else if (a.sign)
		a.v = (uint64_t)((int64_t)a.v >> b.v);
	else
		a.v >>= b.v;
	return val_conv(a, a.size, a.sign);
}

static struct val
compare(struct text *t, int depth)
{
	static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=" };
	unsigned op = gen_rnd(t->p, 6), size;
	struct val a, b, r = { .size = 4, .sign = true };
	bool sign;
	int c;

	gen_add(t, "(");
	a = gen_int(t, depth - 1);
	gen_add(t, " %s ", ops[op]);
	b = gen_int(t, depth - 1);
	gen_add(t, ")");
	val_promote(&a, &b, &size, &sign);
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
	unsigned op = gen_rnd(t->p, 3);
	struct val a, b, r = { .size = 4, .sign = true };

	gen_add(t, "(");
	a = gen_int(t, depth - 1);
	gen_add(t, op == 0 ? " && " : op == 1 ? " || " : " ^^ ");
	b = gen_int(t, depth - 1);
	gen_add(t, ")");
	r.v = op == 0 ? a.v && b.v : op == 1 ? a.v || b.v : !a.v != !b.v;
	return r;
}

static struct val
cond(struct text *t, int depth)
{
	struct val c, a, b, r;

	gen_add(t, "(");
	c = gen_int(t, depth - 1);
	gen_add(t, " ? ");
	a = gen_int(t, depth - 1);
	gen_add(t, " : ");
	b = gen_int(t, depth - 1);
	gen_add(t, ")");
	val_promote(&a, &b, &r.size, &r.sign);
	r.v = val_norm(c.v ? a.v : b.v, r.size, r.sign);
	return r;
}

static struct val
unary(struct text *t, int depth)
{
	unsigned op = gen_rnd(t->p, 4), size = 1U << gen_rnd(t->p, 4);
	bool sign = gen_rnd(t->p, 2);
	struct val a;

	if (op == 3) {
		gen_add(t, "(%s)(", val_type(size, sign));
		a = val_conv(gen_int(t, depth - 1), size, sign);
		gen_add(t, ")");
		return a;
	}
	gen_add(t, op == 0 ? "(-(" : op == 1 ? "(~(" : "(!(");
	a = gen_int(t, depth - 1);
	gen_add(t, "))");
	if (op == 2)
		return (struct val){ .v = !a.v, .size = 4, .sign = true };
	a.v = op == 0 ? 0 - a.v : ~a.v;
	return val_conv(a, a.size, a.sign);
}

struct val
gen_int(struct text *t, int depth)
{
	if (depth <= 0)
		return gen_rnd(t->p, 4) != 0 ? variable(t) : constant(t);
	switch (gen_rnd(t->p, 15)) {
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
		return gen_ofstring(t, depth);
	default:
		return gen_int(t, 0);
	}
}
