/*
 * lower_rttext.c - loops that parse text: paths, numbers, blanks.
 */
#include "trace/lowrt.h"

/* P1 goes back to the last slash of b before it, or to 0. */
static void
cb_back(struct lower *l)
{
	struct gen *g = l->g;
	struct cb c;
	vreg j;

	rt_begin(l, &c, "back", l->strmax);
	j = ir_new(g);
	ir_mov(g, j, ir_alui(g, A_SUB, rt_param(g, &c, 1), 1));
	ir_bri(g, CC_UGE, j, l->strmax, c.stop);
	rt_setparam(g, &c, 1, j);
	ir_bri(g, CC_EQ, rt_byte(g, c.b, j), '/', c.stop);
	rt_end(l, &c);
}

enum { CLEAN_TEXT, CLEAN_SLASH, CLEAN_DOT, CLEAN_DOTS };

/* Appends what was held back (a slash and n dots) and ch to b at P1. */
static void
flush(struct lower *l, struct cb *c, int n, vreg ch)
{
	struct gen *g = l->g;
	vreg j = ir_new(g), p;
	int k;

	ir_mov(g, j, rt_param(g, c, 1));
	ir_bri(g, CC_UGE, j, l->strmax, c->stop);
	p = ir_alu(g, A_ADD, c->b, j);
	for (k = 0; k <= n; k++)
		ir_storei(g, p, k, 1, k == 0 ? '/' : '.');
	ir_store(g, p, n + 1, 1, ch);
	rt_setparam(g, c, 0, ir_imm(g, CLEAN_TEXT));
	/* the NUL is not counted */
	rt_setparam(g, c, 1, ir_alui(g, A_ADD, j, n + 1));
	ir_bri(g, CC_EQ, ch, 0, c->stop);
	rt_setparam(g, c, 1, ir_alui(g, A_ADD, j, n + 2));
}

/* Character i of the path a, in state P0, to b at P1. */
static void
cb_clean(struct lower *l)
{
	struct gen *g = l->g;
	int back = rt_fn(l, RT_BACK);
	label at[4], slash, plain;
	struct cb c;
	vreg ch, st;
	int k;

	rt_begin(l, &c, "cleanpath", l->strmax);
	slash = ir_newlabel(g);
	for (k = 0; k < 4; k++)
		at[k] = ir_newlabel(g);
	ch = rt_byte(g, c.a, c.i);
	st = rt_param(g, &c, 0);
	ir_bri(g, CC_UGE, ir_alui(g, A_ADD, rt_param(g, &c, 1), 5), l->strmax,
	    c.stop);
	ir_bri(g, CC_EQ, st, CLEAN_DOTS, at[3]);
	ir_bri(g, CC_EQ, ch, '/', slash);
	ir_bri(g, CC_EQ, st, CLEAN_DOT, at[2]);
	ir_bri(g, CC_EQ, st, CLEAN_SLASH, at[1]);
	flush(l, &c, -1, ch);
	ir_jmp(g, c.go);
	ir_label(g, slash);
	rt_setparam(g, &c, 0, ir_imm(g, CLEAN_SLASH));
	ir_jmp(g, c.go);
	ir_label(g, at[1]);
	plain = ir_newlabel(g);
	ir_bri(g, CC_NE, ch, '.', plain);
	rt_setparam(g, &c, 0, ir_imm(g, CLEAN_DOT));
	ir_jmp(g, c.go);
	ir_label(g, plain);
	flush(l, &c, 0, ch);
	ir_jmp(g, c.go);
	ir_label(g, at[2]);
	plain = ir_newlabel(g);
	ir_bri(g, CC_NE, ch, '.', plain);
	rt_setparam(g, &c, 0, ir_imm(g, CLEAN_DOTS));
	ir_jmp(g, c.go);
	ir_label(g, plain);
	flush(l, &c, 1, ch);
	ir_jmp(g, c.go);
	ir_label(g, at[3]);
	plain = ir_newlabel(g);
	ir_bri(g, CC_EQ, ch, '/', plain);
	ir_bri(g, CC_EQ, ch, 0, plain);
	flush(l, &c, 2, ch);
	ir_jmp(g, c.go);
	ir_label(g, plain);
	(void)ir_call(g, BPF_FUNC_loop, 4, ir_imm(g, l->strmax),
	    ir_funcaddr(g, back), rt_context(l, c.s, c.a, c.b),
	    ir_imm(g, 0));
	ir_bri(g, CC_EQ, ch, '/', slash);
	/* "/a/.." leaves the slash */
	rt_setparam(g, &c, 1, ir_alui(g, A_ADD, rt_param(g, &c, 1), 1));
	ir_jmp(g, c.stop);
	rt_end(l, &c);
}

enum { NUM_BLANK, NUM_FIRST, NUM_ZERO, NUM_DIGITS };

static void
state(struct gen *g, struct cb *c, int n)
{
	rt_setparam(g, c, 2, ir_imm(g, n));
	ir_jmp(g, c->go);
}

/* A digit's value, 255 for anything else. */
static vreg
digit(struct gen *g, vreg ch)
{
	vreg d = ir_new(g), low = ir_alui(g, A_OR, ch, 0x20);
	label end = ir_newlabel(g), letter = ir_newlabel(g);

	ir_mov(g, d, ir_alui(g, A_SUB, ch, '0'));
	ir_bri(g, CC_ULT, d, 10, end);
	ir_mov(g, d, ir_alui(g, A_SUB, low, 'a'));
	ir_bri(g, CC_ULT, d, 26, letter);
	ir_set(g, d, 255);
	ir_jmp(g, end);
	ir_label(g, letter);
	ir_aluito(g, d, A_ADD, d, 10);
	ir_label(g, end);
	return d;
}

/* Character i of the number a: its value so far P0, base P1, state P2; P3 is
 * 1 after a minus. */
static void
cb_number(struct lower *l)
{
	struct gen *g = l->g;
	label sign, minus, digits, blank, first;
	struct cb c;
	vreg ch, st, d;

	rt_begin(l, &c, "strtoll", l->strmax);
	sign = ir_newlabel(g);
	minus = ir_newlabel(g);
	digits = ir_newlabel(g);
	blank = ir_newlabel(g);
	first = ir_newlabel(g);
	ch = rt_byte(g, c.a, c.i);
	st = rt_param(g, &c, 2);
	ir_bri(g, CC_EQ, ch, 0, c.stop);
	ir_bri(g, CC_EQ, st, NUM_FIRST, first);
	ir_bri(g, CC_EQ, st, NUM_DIGITS, digits);
	ir_bri(g, CC_EQ, st, NUM_BLANK, blank);
	/* after a 0: an x counts for nothing to the base 16 */
	ir_bri(g, CC_NE, rt_param(g, &c, 1), 16, digits);
	ir_bri(g, CC_NE, ir_alui(g, A_OR, ch, 0x20), 'x', digits);
	state(g, &c, NUM_DIGITS);
	ir_label(g, blank);
	ir_bri(g, CC_EQ, ch, ' ', c.go);
	ir_bri(g, CC_ULT, ir_alui(g, A_SUB, ch, '\t'), 5, c.go);
	ir_bri(g, CC_EQ, ch, '-', minus);
	ir_bri(g, CC_EQ, ch, '+', sign);
	ir_label(g, first);
	ir_bri(g, CC_NE, ch, '0', digits);
	state(g, &c, NUM_ZERO);
	ir_label(g, minus);
	rt_setparam(g, &c, 3, ir_imm(g, 1));
	ir_label(g, sign);
	state(g, &c, NUM_FIRST);
	ir_label(g, digits);
	d = digit(g, ch);
	ir_br(g, CC_UGE, d, rt_param(g, &c, 1), c.stop);
	rt_setparam(g, &c, 0, ir_alu(g, A_ADD, ir_alu(g, A_MUL,
	    rt_param(g, &c, 0), rt_param(g, &c, 1)), d));
	state(g, &c, NUM_DIGITS);
	rt_end(l, &c);
}

/* P0: the first place of a that is not blank, -1 if none; P1: past the last. */
static void
cb_strip(struct lower *l)
{
	struct gen *g = l->g;
	label later;
	struct cb c;
	vreg ch;

	rt_begin(l, &c, "strip", l->strmax);
	later = ir_newlabel(g);
	ch = rt_byte(g, c.a, c.i);
	ir_bri(g, CC_EQ, ch, 0, c.stop);
	ir_bri(g, CC_EQ, ch, ' ', c.go);
	ir_bri(g, CC_ULT, ir_alui(g, A_SUB, ch, '\t'), 5, c.go);
	rt_setparam(g, &c, 1, ir_alui(g, A_ADD, c.i, 1));
	ir_bri(g, CC_SGE, rt_param(g, &c, 0), 0, later);
	rt_setparam(g, &c, 0, c.i);
	ir_label(g, later);
	rt_end(l, &c);
}

void
rt_text(struct lower *l, enum rtfn which)
{
	switch (which) {
	case RT_BACK:
		cb_back(l);
		break;
	case RT_CLEAN:
		cb_clean(l);
		break;
	case RT_NUM:
		cb_number(l);
		break;
	default:
		cb_strip(l);
		break;
	}
}
