/*
 * lower_rttext.c - loops that parse text: paths, numbers, blanks.
 */
#include "trace/lower_rt.h"

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

/* Where the next character of a path stands: at a component's start, after
 * one or two dots that are all of it so far, elsewhere in it. */
enum { CLEAN_START, CLEAN_DOT, CLEAN_DOTS, CLEAN_TEXT };

/* ch to b at P1. */
static void
append(struct lower *l, struct cb *c, vreg ch)
{
	struct gen *g = l->g;
	vreg j = ir_new(g);

	ir_mov(g, j, rt_param(g, c, 1));
	ir_bri(g, CC_UGE, j, l->strmax - 1, c->stop);
	ir_store(g, ir_alu(g, A_ADD, c->b, j), 0, 1, ch);
	rt_setparam(g, c, 1, ir_alui(g, A_ADD, j, 1));
}

/* The slash before a component, unless it is the first of a relative path,
 * and dots that were held back. */
static void
component(struct lower *l, struct cb *c, int dots)
{
	struct gen *g = l->g;
	label first = ir_newlabel(g);

	ir_bri(g, CC_EQ, ir_alu(g, A_OR, rt_param(g, c, 1),
	    rt_param(g, c, 3)), 0, first);
	append(l, c, ir_imm(g, '/'));
	ir_label(g, first);
	while (dots-- > 0)
		append(l, c, ir_imm(g, '.'));
}

/* "..": the last component goes; what is above a relative path's begin
 * stays. */
static void
parent(struct lower *l, struct cb *c, int back)
{
	struct gen *g = l->g;
	label up = ir_newlabel(g), done = ir_newlabel(g);

	ir_br(g, CC_UGT, rt_param(g, c, 1), rt_param(g, c, 2), up);
	ir_bri(g, CC_NE, rt_param(g, c, 3), 0, done);
	component(l, c, 2);
	rt_setparam(g, c, 2, rt_param(g, c, 1));
	ir_jmp(g, done);
	ir_label(g, up);
	(void)ir_call(g, BPF_FUNC_loop, 4, ir_imm(g, l->strmax),
	    ir_funcaddr(g, back), rt_context(l, c->s, c->a, c->b),
	    ir_imm(g, 0));
	ir_label(g, done);
}

/* Character i of the path a, in state P0, to b at P1, of which P2 bytes are
 * "../.." that stays; P3: 1 when the path begins with a slash. */
static void
cb_clean(struct lower *l)
{
	struct gen *g = l->g;
	int back = rt_fn(l, RT_BACK);
	label at[3], end, put, notdots;
	struct cb c;
	vreg ch, st;
	int k;

	rt_begin(l, &c, "cleanpath", l->strmax);
	end = ir_newlabel(g);
	put = ir_newlabel(g);
	notdots = ir_newlabel(g);
	for (k = 0; k < 3; k++)
		at[k] = ir_newlabel(g);
	ch = rt_byte(g, c.a, c.i);
	st = rt_param(g, &c, 0);
	ir_bri(g, CC_EQ, ch, '/', end);
	ir_bri(g, CC_EQ, ch, 0, end);
	ir_bri(g, CC_EQ, st, CLEAN_TEXT, put);
	ir_bri(g, CC_EQ, st, CLEAN_DOTS, at[2]);
	ir_bri(g, CC_EQ, st, CLEAN_DOT, at[1]);
	ir_bri(g, CC_NE, ch, '.', at[0]);
	rt_setparam(g, &c, 0, ir_imm(g, CLEAN_DOT));
	ir_jmp(g, c.go);
	ir_label(g, at[0]);
	component(l, &c, 0);
	ir_jmp(g, put);
	ir_label(g, at[1]);
	k = ir_newlabel(g);
	ir_bri(g, CC_NE, ch, '.', k);
	rt_setparam(g, &c, 0, ir_imm(g, CLEAN_DOTS));
	ir_jmp(g, c.go);
	ir_label(g, k);
	component(l, &c, 1);
	ir_jmp(g, put);
	ir_label(g, at[2]);
	component(l, &c, 2);
	ir_label(g, put);
	append(l, &c, ch);
	rt_setparam(g, &c, 0, ir_imm(g, CLEAN_TEXT));
	ir_jmp(g, c.go);
	ir_label(g, end);
	ir_bri(g, CC_NE, st, CLEAN_DOTS, notdots);
	parent(l, &c, back);
	ir_label(g, notdots);
	rt_setparam(g, &c, 0, ir_imm(g, CLEAN_START));
	ir_bri(g, CC_EQ, ch, 0, c.stop);
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
