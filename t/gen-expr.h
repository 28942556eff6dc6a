/*
 * gen-expr: random D expressions, and what they are worth by D's rules: no
 * promotion to int; of two types the larger, or the unsigned one, wins;
 * comparisons are made in 64 bits with that type's sign; a shift has its left
 * operand's type; division is never by zero here.
 *
 * Ownership: all is in the struct prog, which is main()'s; texts borrow it.
 */
#ifndef T_GEN_EXPR_H
#define T_GEN_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { NVAR = 24, NSTR = 5, NELEM = 64, STRMAX = 256, NCLAUSE = 12,
       NSTMT = 9 };

/* A number of D: size in bytes, extended to 64 bits. */
struct val { uint64_t v; unsigned size; bool sign; };

struct var { char name[32]; struct val val; };

/* The program under construction, and the state it is in by now. */
struct prog {
	uint64_t seed;
	FILE *d, *out;
	struct var var[NVAR];
	char str[NSTR][STRMAX + 1];
	/* associative arrays: g[int, string] and self->t[int8_t], int32_t */
	struct elem { char key[STRMAX + 32]; int32_t v; } elem[NELEM];
	size_t nelem;
};

/* A text under construction: the D expression. */
struct text {
	struct prog *p;
	char s[8192];
	size_t n;
};

void gen_add(struct text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
uint32_t gen_rnd(struct prog *p, uint32_t n);	/* below n */

/* gen-val.c: numbers as D has them. */
uint64_t val_norm(uint64_t v, unsigned size, bool sign);
struct val val_conv(struct val a, unsigned size, bool sign);
const char *val_type(unsigned size, bool sign);
void val_promote(const struct val *a, const struct val *b, unsigned *size,
    bool *sign);
uint64_t val_arith(int op, uint64_t a, uint64_t b, bool sign);

/* Each adds an expression to t, at most so deep, and tells its value. */
struct val gen_int(struct text *t, int depth);
struct val gen_ofstring(struct text *t, int depth);
void gen_str(struct text *t, char *s, int depth);	/* s: STRMAX + 1 */
/* An element, made at its first use; NULL: there are enough. */
struct elem *gen_element(struct text *t, int depth);

#endif
