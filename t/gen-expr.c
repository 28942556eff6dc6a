/*
 * gen-expr SEED PROGRAM.d EXPECTED: writes a random valid D program and what
 * it must print, found by evaluating the same expressions in C.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gen-expr.h"

void
gen_add(struct text *t, const char *fmt, ...)
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

uint32_t
gen_rnd(struct prog *p, uint32_t n)
{
	p->seed = p->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(p->seed >> 33) % n;
}

static void
print(struct prog *p)
{
	struct text t = { .p = p };
	struct val v = gen_int(&t, 3);

	fprintf(p->d, "\tprintf(\"%%d\\n\", (int64_t)%s);\n", t.s);
	fprintf(p->out, "%" PRId64 "\n", (int64_t)v.v);
}

static void
assign(struct prog *p)
{
	static const char ops[] = "+-*&|^";
	struct var *v = &p->var[gen_rnd(p, NVAR)];
	struct text t = { .p = p };
	struct val e = gen_int(&t, 3), a, b;
	unsigned k = gen_rnd(p, 3), size;
	bool sign;
	int op;

	if (k == 0) {
		fprintf(p->d, "\t%s = %s;\n", v->name, t.s);
		v->val = val_conv(e, v->val.size, v->val.sign);
		return;
	}
	if (k == 1) {
		fprintf(p->d, gen_rnd(p, 2) ? "\t%s++;\n" : "\t++%s;\n",
		    v->name);
		v->val.v = val_norm(v->val.v + 1, v->val.size, v->val.sign);
		return;
	}
	op = ops[gen_rnd(p, 6)];
	fprintf(p->d, "\t%s %c= %s;\n", v->name, op, t.s);
	val_promote(&v->val, &e, &size, &sign);
	a = val_conv(v->val, size, sign);
	b = val_conv(e, size, sign);
	v->val.v = val_norm(val_norm(val_arith(op, a.v, b.v, sign), size, sign),
	    v->val.size, v->val.sign);
}

static void
elements(struct prog *p)
{
	struct text t = { .p = p }, x = { .p = p };
	struct elem *e = gen_element(&t, 2);
	struct val v;

	if (e == NULL)
		return;
	if (gen_rnd(p, 3) == 0) {
		fprintf(p->d, "\t%s++;\n", t.s);
		e->v = (int32_t)((uint32_t)e->v + 1);
		return;
	}
	v = gen_int(&x, 2);
	fprintf(p->d, "\t%s = %s;\n", t.s, x.s);
	e->v = (int32_t)v.v;
}

static void
strings(struct prog *p)
{
	struct text t = { .p = p };
	char s[STRMAX + 1];
	unsigned n = gen_rnd(p, NSTR);

	gen_str(&t, s, 2);
	if (gen_rnd(p, 2)) {
		fprintf(p->d, "\tprintf(\"[%%s]\\n\", %s);\n", t.s);
		fprintf(p->out, "[%s]\n", s);
	} else {
		fprintf(p->d, "\ts%u = %s;\n", n, t.s);
		strcpy(p->str[n], s);
	}
}

/* if or a predicate: only what holds is evaluated. */
static bool
choice(struct prog *p, const char *before, const char *after)
{
	struct text t = { .p = p };
	struct val v = gen_int(&t, 2);

	fprintf(p->d, "%s(%s)%s", before, t.s, after);
	return v.v != 0;
}

static void
begin(struct prog *p)
{
	static const char *const scope[] = { "", "self->", "this->" };
	unsigned n;

	fprintf(p->d, "#pragma D option quiet\n\n");
	for (n = 0; n < NVAR; n++) {
		struct var *v = &p->var[n];
		unsigned k = n % 3;

		v->val.size = 1U << (n / 3) % 4;
		v->val.sign = n / 12;
		snprintf(v->name, sizeof(v->name), "%sv%u", scope[k], n);
		fprintf(p->d, "%s%s v%u;\n", k == 1 ? "self " : k == 2 ?
		    "this " : "", val_type(v->val.size, v->val.sign), n);
	}
	fprintf(p->d, "string s0, s1, s2, s3, s4;\nint32_t g[int, string];\n"
	    "self int32_t t[int8_t];\n\nBEGIN\n{\n");
	for (n = 0; n < NVAR; n++) {
		struct var *v = &p->var[n];

		v->val.v = val_norm(((uint64_t)gen_rnd(p, 1U << 31) << 33) ^
		    ((uint64_t)gen_rnd(p, 1U << 31) << 8) ^ gen_rnd(p, 256),
		    v->val.size, v->val.sign);
		if (gen_rnd(p, 3) == 0)
			v->val.v = val_norm(gen_rnd(p, 20) - 10U, v->val.size,
			    v->val.sign);
		fprintf(p->d, "\t%s = (%s)%" PRIu64 "U;\n", v->name,
		    val_type(v->val.size, v->val.sign), v->val.v);
	}
	fprintf(p->d, "}\n");
}

/* A clause, perhaps with a predicate: one not run changes nothing. */
static void
clause(struct prog *p)
{
	struct prog was;
	unsigned s;
	bool run;

	fprintf(p->d, "\nBEGIN\n");
	run = gen_rnd(p, 3) != 0 || choice(p, "/ ", " /\n");
	was = *p;
	if (!run)
		p->out = fopen("/dev/null", "w");
	fprintf(p->d, "{\n");
	for (s = 0; s < NSTMT; s++)
		switch (gen_rnd(p, 5)) {
		case 0: case 1: print(p); break;
		case 2: assign(p); break;
		case 3: elements(p); break;
		default: strings(p); break;
		}
	fprintf(p->d, "}\n");
	if (run)
		return;
	was.seed = p->seed;
	fclose(p->out);
	*p = was;
}

int
main(int argc, char **argv)
{
	static struct prog p;
	unsigned c;

	if (argc != 4 || (p.d = fopen(argv[2], "w")) == NULL ||
	    (p.out = fopen(argv[3], "w")) == NULL) {
		fprintf(stderr, "usage: gen-expr seed program expected\n");
		return 2;
	}
	p.seed = strtoull(argv[1], NULL, 0) * 2654435761U + 1;
	(void)gen_rnd(&p, 2);
	begin(&p);
	for (c = 0; c < NCLAUSE; c++)
		clause(&p);
	fprintf(p.d, "\nBEGIN\n{\n\texit(0);\n}\n");
	fprintf(p.out, "\n");
	return fclose(p.d) != 0 || fclose(p.out) != 0;
}
