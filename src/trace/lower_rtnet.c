/*
 * lower_rtnet.c - loops that make text of network addresses.
 */
#include "trace/lower_rt.h"

/* A decimal number of at most three digits at P1 of the area. */
static void
decimal(struct gen *g, const struct cb *c, vreg v)
{
	static const int pow[] = { 100, 10, 1 };
	vreg at = ir_new(g);
	label no;
	int k;

	ir_mov(g, at, rt_param(g, c, 1));
	for (k = 0; k < 3; k++) {
		no = ir_newlabel(g);
		if (pow[k] > 1)
			ir_bri(g, CC_ULT, v, pow[k], no);
		ir_aluito(g, at, A_AND, at, 15);
		ir_store(g, ir_alu(g, A_ADD, c->a, at), 0, 1,
		    ir_alui(g, A_ADD, ir_alui(g, A_UMOD, ir_alui(g, A_UDIV, v,
		    pow[k]), 10), '0'));
		ir_aluito(g, at, A_ADD, at, 1);
		ir_label(g, no);
	}
	rt_setparam(g, c, 1, at);
}

/* The four bytes of P0, lowest first, dotted, at P1 of a. */
static void
cb_inet(struct lower *l)
{
	struct gen *g = l->g;
	label first;
	struct cb c;
	vreg v, at;

	rt_begin(l, &c, "inet", 4);
	first = ir_newlabel(g);
	at = ir_new(g);
	ir_bri(g, CC_EQ, c.i, 0, first);
	ir_mov(g, at, rt_param(g, &c, 1));
	ir_aluito(g, at, A_AND, at, 15);
	ir_storei(g, ir_alu(g, A_ADD, c.a, at), 0, 1, '.');
	rt_setparam(g, &c, 1, ir_alui(g, A_ADD, at, 1));
	ir_label(g, first);
	v = ir_alu(g, A_SHR, rt_param(g, &c, 0), ir_alui(g, A_SHL, c.i, 3));
	decimal(g, &c, ir_alui(g, A_AND, v, 255));
	rt_end(l, &c);
}

/* One byte at P1 of the area, which has 64. */
static void
put(struct gen *g, const struct cb *c, vreg ch)
{
	vreg at = ir_new(g);

	ir_mov(g, at, ir_alui(g, A_AND, rt_param(g, c, 1), 63));
	ir_store(g, ir_alu(g, A_ADD, c->a, at), 0, 1, ch);
	rt_setparam(g, c, 1, ir_alui(g, A_ADD, at, 1));
}

static vreg
hexdigit(struct gen *g, vreg v)
{
	vreg d = ir_new(g);
	label num = ir_newlabel(g);

	ir_mov(g, d, ir_alui(g, A_AND, v, 15));
	ir_aluito(g, d, A_ADD, d, '0');
	ir_bri(g, CC_ULE, d, '9', num);
	ir_aluito(g, d, A_ADD, d, 'a' - '0' - 10);
	ir_label(g, num);
	return d;
}

/* The 16-bit groups of b, 8 of them: the first longest run of zeroes of two
 * or more is P2 long and ends before P3; P0 counts the present one. */
static void
cb_zeroes(struct lower *l)
{
	struct gen *g = l->g;
	label zero;
	struct cb c;
	vreg v, n;

	rt_begin(l, &c, "zeroes", 8);
	zero = ir_newlabel(g);
	v = ir_load(g, ir_alu(g, A_ADD, c.b, ir_alui(g, A_SHL, c.i, 1)), 0, 2);
	ir_bri(g, CC_EQ, v, 0, zero);
	rt_setparam(g, &c, 0, ir_imm(g, 0));
	ir_jmp(g, c.go);
	ir_label(g, zero);
	n = ir_alui(g, A_ADD, rt_param(g, &c, 0), 1);
	rt_setparam(g, &c, 0, n);
	ir_bri(g, CC_ULT, n, 2, c.go);
	ir_br(g, CC_ULE, n, rt_param(g, &c, 2), c.go);
	rt_setparam(g, &c, 2, n);
	rt_setparam(g, &c, 3, ir_alui(g, A_ADD, c.i, 1));
	rt_end(l, &c);
}

/* Group i of b in hexadecimal at P1 of a, the run of P2 before P3 as "::". */
static void
cb_inet6(struct lower *l)
{
	struct gen *g = l->g;
	label whole, inrun;
	struct cb c;
	vreg v, from;
	int k;

	rt_begin(l, &c, "inet6", 8);
	whole = ir_newlabel(g);
	inrun = ir_newlabel(g);
	from = ir_alu(g, A_SUB, rt_param(g, &c, 3), rt_param(g, &c, 2));
	ir_bri(g, CC_EQ, rt_param(g, &c, 2), 0, whole);
	ir_br(g, CC_ULT, c.i, from, whole);
	ir_br(g, CC_UGE, c.i, rt_param(g, &c, 3), whole);
	/* within the run: a colon at its start, one more at the end of all */
	ir_br(g, CC_NE, c.i, from, inrun);
	put(g, &c, ir_imm(g, ':'));
	ir_label(g, inrun);
	ir_bri(g, CC_NE, c.i, 7, c.go);
	put(g, &c, ir_imm(g, ':'));
	ir_jmp(g, c.stop);
	ir_label(g, whole);
	inrun = ir_newlabel(g);
	ir_bri(g, CC_EQ, c.i, 0, inrun);
	put(g, &c, ir_imm(g, ':'));
	ir_label(g, inrun);
	v = ir_bswap(g, ir_load(g, ir_alu(g, A_ADD, c.b,
	    ir_alui(g, A_SHL, c.i, 1)), 0, 2), 2);
	for (k = 12; k >= 0; k -= 4) {
		inrun = ir_newlabel(g);
		if (k > 0)
			ir_bri(g, CC_ULT, v, 1 << k, inrun);
		put(g, &c, hexdigit(g, ir_alui(g, A_SHR, v, k)));
		ir_label(g, inrun);
	}
	rt_end(l, &c);
}

/* Byte i of b as two digits after a colon, at P1 of a. */
static void
cb_link(struct lower *l)
{
	struct gen *g = l->g;
	label first;
	struct cb c;
	vreg v;

	rt_begin(l, &c, "link", 20);
	first = ir_newlabel(g);
	ir_bri(g, CC_EQ, c.i, 0, first);
	put(g, &c, ir_imm(g, ':'));
	ir_label(g, first);
	v = rt_byte(g, c.b, c.i);
	put(g, &c, hexdigit(g, ir_alui(g, A_SHR, v, 4)));
	put(g, &c, hexdigit(g, v));
	rt_end(l, &c);
}

void
rt_net(struct lower *l, enum rtfn which)
{
	switch (which) {
	case RT_INET:
		cb_inet(l);
		break;
	case RT_ZEROES:
		cb_zeroes(l);
		break;
	case RT_INET6:
		cb_inet6(l);
		break;
	default:
		cb_link(l);
		break;
	}
}
