/*
 * lower_strcmp.c - comparing strings, by words of 8 bytes.
 */
#include <string.h>

#include "trace/lower_impl.h"

/* 0 when s is the literal, not 0 otherwise */
static vreg
same_literal(struct lower *l, const struct sval *s, const struct sval *lit)
{
	struct gen *g = l->g;
	uint32_t need = (uint32_t)lit->litlen + 1, k, n;
	vreg acc = ir_new(g), v;
	label null = ir_newlabel(g);
	uint64_t word, mask;

	ir_set(g, acc, 1);
	if (s->bound < need)
		return acc;
	if (s->maynull)
		ir_bri(g, CC_EQ, s->r, 0, null);
	for (k = 0; k < need; k += 8) {
		n = least(need - k, 8);
		word = 0;
		memcpy(&word, lit->lit + k, least(n,
		    (uint32_t)lit->litlen - k));
		mask = n == 8 ? ~0ULL : (1ULL << 8 * n) - 1;
		v = ir_load(g, s->r, (int32_t)k, 8);
		if (mask != ~0ULL)
			v = ir_alui(g, A_AND, v, (int64_t)mask);
		v = ir_alui(g, A_XOR, v, (int64_t)word);
		if (k == 0)
			ir_mov(g, acc, v);
		else
			ir_aluto(g, acc, A_OR, acc, v);
	}
	ir_label(g, null);
	return acc;
}

/* (x - 01…01) & ~x & 80…80: the lowest bit set marks the first zero byte */
static vreg
zerobyte(struct gen *g, vreg x)
{
	vreg a = ir_alui(g, A_SUB, x, 0x0101010101010101);
	vreg b = ir_alui(g, A_XOR, x, -1);

	return ir_alui(g, A_AND, ir_alu(g, A_AND, a, b),
	    (int64_t)0x8080808080808080);
}

/* The subprogram that compares two strings of at most so many words. */
static int
comparer(struct lower *l, uint32_t words)
{
	struct gen *g = l->g;
	vreg a, b, n, x, y, low;
	label top, differ, equal, less;
	char name[24];
	int fn;

	snprintf(name, sizeof(name), "strcmp_%u", words);
	fn = ir_func(g, name, 2);
	top = ir_newlabel(g);
	differ = ir_newlabel(g);
	equal = ir_newlabel(g);
	less = ir_newlabel(g);
	a = ir_new(g);
	b = ir_new(g);
	n = ir_new(g);
	x = ir_new(g);
	y = ir_new(g);
	ir_mov(g, a, ir_arg(g, 0));
	ir_mov(g, b, ir_arg(g, 1));
	ir_set(g, n, 0);
	ir_label(g, top);
	ir_loadto(g, x, a, 0, 8);
	ir_loadto(g, y, b, 0, 8);
	ir_br(g, CC_NE, x, y, differ);
	ir_bri(g, CC_NE, zerobyte(g, x), 0, equal);
	ir_aluito(g, a, A_ADD, a, 8);
	ir_aluito(g, b, A_ADD, b, 8);
	ir_aluito(g, n, A_ADD, n, 1);
	ir_bri(g, CC_ULT, n, words, top);
	ir_label(g, equal);
	ir_exit(g, 0);
	ir_label(g, differ);
	/* a zero byte before the first bit that differs ends both */
	low = ir_alu(g, A_XOR, x, y);
	low = ir_alu(g, A_AND, low, ir_neg(g, low));
	low = ir_alui(g, A_SUB, low, 1);
	ir_br(g, CC_SET, zerobyte(g, x), low, equal);
	ir_br(g, CC_ULT, ir_bswap(g, x, 8), ir_bswap(g, y, 8), less);
	ir_exit(g, 1);
	ir_label(g, less);
	ir_exit(g, -1);
	ir_endfunc(g);
	return fn;
}

static int
compare_fn(struct lower *l, uint32_t words)
{
	size_t k;

	for (k = 0; k < l->ncmp; k++)
		if (l->cmp[k].words == words)
			return l->cmp[k].fn;
	if (k == sizeof(l->cmp) / sizeof(*l->cmp))
		return comparer(l, words);
	l->cmp[k].words = words;
	l->cmp[k].fn = comparer(l, words);
	l->ncmp++;
	return l->cmp[k].fn;
}

/* <0, 0, >0 as a before, same as, after b; NULL comes before all. */
vreg
low_strcmp(struct lower *l, const struct node *n)
{
	struct gen *g = l->g;
	struct sval a = low_str(l, n->a), b = low_str(l, n->b);
	bool eq = n->op == OP_EQ || n->op == OP_NE;
	label done = ir_newlabel(g), some;
	vreg r = ir_new(g);

	if (eq && b.lit != NULL && b.litlen < COPY_UNROLL && a.mem)
		return same_literal(l, &a, &b);
	if (eq && a.lit != NULL && a.litlen < COPY_UNROLL && b.mem)
		return same_literal(l, &b, &a);
	if (a.maynull) {
		some = ir_newlabel(g);
		ir_bri(g, CC_NE, a.r, 0, some);
		ir_set(g, r, -1);
		if (b.maynull) {
			ir_bri(g, CC_NE, b.r, 0, done);
			ir_set(g, r, 0);
		}
		ir_jmp(g, done);
		ir_label(g, some);
	}
	if (b.maynull) {
		ir_set(g, r, 1);
		ir_bri(g, CC_EQ, b.r, 0, done);
	}
	if (!a.mem)
		(void)low_strtemp(l, &a);
	if (!b.mem)
		(void)low_strtemp(l, &b);
	ir_mov(g, r, ir_callsub(g, compare_fn(l, least(a.room, b.room) / 8), 2,
	    a.r, b.r));
	ir_label(g, done);
	return low_opaque(l, r);
}
