/*
 * lower_strnum.c - numbers from and to text: strtoll(), lltostr().
 */
#include "trace/lower_rt.h"

/* The base of a number, 10 where none is given, into b; faults unless it is
 * from 2 to 36. */
static void
number_base(struct lower *l, const struct node *base, vreg b)
{
	struct gen *g = l->g;
	label ok = ir_newlabel(g);

	if (base != NULL)
		ir_mov(g, b, low_int(l, base));
	else
		ir_set(g, b, 10);
	ir_bri(g, CC_ULT, ir_alui(g, A_SUB, b, 2), 35, ok);
	ir_jmp(g, low_fault(l, FLT_ILLOP, b));
	ir_label(g, ok);
}

/* Puts ch before the text that begins at `at` of p. */
static void
put_before(struct gen *g, vreg p, vreg at, char ch)
{
	ir_aluito(g, at, A_SUB, at, 1);
	ir_storei(g, ir_alu(g, A_ADD, p, at), 0, 1, ch);
}

/* Before the digits at `at` of p: - if v is negative (sign), 0x, 0. */
static void
put_base(struct lower *l, vreg p, vreg at, vreg v, vreg base, vreg sign)
{
	struct gen *g = l->g;
	label minus = ir_newlabel(g), oct = ir_newlabel(g);
	label done = ir_newlabel(g);

	ir_bri(g, CC_NE, sign, 0, minus);
	ir_bri(g, CC_EQ, base, 8, oct);
	ir_bri(g, CC_NE, base, 16, done);
	put_before(g, p, at, 'x');
	put_before(g, p, at, '0');
	ir_jmp(g, done);
	ir_label(g, oct);
	ir_bri(g, CC_EQ, v, 0, done);
	put_before(g, p, at, '0');
	ir_jmp(g, done);
	ir_label(g, minus);
	put_before(g, p, at, '-');
	ir_label(g, done);
}

/* illumos' low_lltostr(): base 10 is signed; 0 and 0x before the others. */
struct sval
low_lltostr(struct lower *l, const struct node *n)
{
	struct gen *g = l->g;
	uint32_t buf = low_temp(l, RT_DIGITS + 8), k;
	vreg v = ir_new(g), b = ir_new(g), p = low_tempaddr(l, buf), at, s;
	struct sval r;
	label plain;

	ir_mov(g, v, low_int(l, n->list));
	number_base(l, n->list->next, b);
	for (k = 0; k < RT_DIGITS + 8; k += 8)
		ir_storei(g, p, (int32_t)k, 8, 0);
	s = ir_new(g);
	ir_set(g, s, 0);
	plain = ir_newlabel(g);
	ir_bri(g, CC_NE, b, 10, plain);
	ir_mov(g, s, ir_alui(g, A_SAR, v, 63));
	ir_label(g, plain);
	rt_set(l, 0, ir_alu(g, A_SUB, ir_alu(g, A_XOR, v, s), s));
	rt_set(l, 1, b);
	rt_set(l, 2, ir_imm(g, 0));
	rt_loop(l, RT_DIG, RT_DIGITS, p, -1);
	at = ir_new(g);
	ir_mov(g, at, rt_get(l, 2));
	/* 64 digits at most: three bytes before the first are free */
	ir_bri(g, CC_UGE, at, RT_DIGITS, low_fault(l, FLT_ILLOP, b));
	ir_bri(g, CC_ULT, at, 3, low_fault(l, FLT_ILLOP, b));
	put_base(l, p, at, v, b, s);
	r = low_strnew(l, RT_DIGITS);
	(void)ir_call(g, BPF_FUNC_probe_read_kernel_str, 3, r.r,
	    ir_imm(g, r.bound), ir_alu(g, A_ADD, p, at));
	return r;
}

vreg
low_strtoll(struct lower *l, const struct node *n)
{
	struct sval s = low_strarg(l, n->list);
	struct gen *g = l->g;
	vreg r = ir_new(g), b = ir_new(g);
	label ok;
	int k;

	number_base(l, n->list->next, b);
	for (k = 0; k < 4; k++)
		rt_set(l, k, k == 1 ? b : ir_imm(g, 0));
	rt_loop(l, RT_NUM, l->strmax, s.r, -1);
	ir_mov(g, r, rt_get(l, 0));
	ok = ir_newlabel(g);
	ir_bri(g, CC_EQ, rt_get(l, 3), 0, ok);
	ir_mov(g, r, ir_neg(g, r));
	ir_label(g, ok);
	return low_opaque(l, r);
}
