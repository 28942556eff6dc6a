/*
 * lower_rt.c - loops over strings: bpf_loop() callbacks, made once a program.
 *
 * A loop's context on the stack holds three pointers: to the scratch and to
 * two areas in it. Numbers go in and out through five words of the scratch,
 * which the verifier does not follow, so that a callback is checked once and
 * not once for each value. A callback returns 1 to end the loop.
 */
#include <string.h>

#include "trace/lower_rt.h"

vreg
rt_param(struct gen *g, const struct cb *c, int n)
{
	return ir_load(g, c->s, RT_PARAM + 8 * n, 8);
}

void
rt_setparam(struct gen *g, const struct cb *c, int n, vreg v)
{
	ir_store(g, c->s, RT_PARAM + 8 * n, 8, v);
}

void
rt_begin(struct lower *l, struct cb *c, const char *name, uint32_t limit)
{
	struct gen *g = l->g;

	(void)ir_func(g, name, 2);
	c->i = ir_new(g);
	c->stop = ir_newlabel(g);
	c->go = ir_newlabel(g);
	ir_mov(g, c->i, ir_arg(g, 0));
	ir_bri(g, CC_UGE, c->i, limit, c->stop);
	c->s = ir_load(g, ir_arg(g, 1), 0, 8);
	c->a = ir_load(g, ir_arg(g, 1), 8, 8);
	c->b = ir_load(g, ir_arg(g, 1), 16, 8);
}

void
rt_end(struct lower *l, struct cb *c)
{
	struct gen *g = l->g;

	ir_label(g, c->go);
	ir_exit(g, 0);
	ir_label(g, c->stop);
	ir_exit(g, 1);
	ir_endfunc(g);
}

vreg
rt_byte(struct gen *g, vreg area, vreg at)
{
	return ir_load(g, ir_alu(g, A_ADD, area, at), 0, 1);
}

/* P0 character; P1 place of the first (last) one, untouched if none. */
static void
cb_chr(struct lower *l, bool last)
{
	struct gen *g = l->g;
	label no = ir_newlabel(g);
	struct cb c;
	vreg ch;

	rt_begin(l, &c, last ? "strrchr" : "strchr", l->strmax);
	ch = rt_byte(g, c.a, c.i);
	no = ir_newlabel(g);
	ir_br(g, CC_NE, ch, rt_param(g, &c, 0), no);
	rt_setparam(g, &c, 1, c.i);
	if (!last)
		ir_jmp(g, c.stop);
	ir_label(g, no);
	ir_bri(g, CC_EQ, ch, 0, c.stop);
	rt_end(l, &c);
}

/* Words of a at P3 and of b are the same up to P0 bytes; P4: 1 if not. */
static void
cb_same(struct lower *l)
{
	struct gen *g = l->g;
	label whole, good;
	struct cb c;
	vreg x, k, pos, left, sh;

	rt_begin(l, &c, "same", l->strsize / 8);
	whole = ir_newlabel(g);
	good = ir_newlabel(g);
	k = ir_alui(g, A_SHL, c.i, 3);
	pos = ir_new(g);
	ir_mov(g, pos, ir_alu(g, A_ADD, rt_param(g, &c, 3), k));
	ir_bri(g, CC_UGE, pos, l->strmax, c.stop);
	left = ir_alu(g, A_SUB, rt_param(g, &c, 0), k);
	x = ir_new(g);
	ir_mov(g, x, ir_alu(g, A_XOR, ir_load(g, ir_alu(g, A_ADD, c.a, pos),
	    0, 8), ir_load(g, ir_alu(g, A_ADD, c.b, k), 0, 8)));
	ir_bri(g, CC_SGE, left, 8, whole);
	sh = ir_alui(g, A_SHL, ir_alu(g, A_SUB, ir_imm(g, 8), left), 3);
	ir_aluto(g, x, A_SHL, x, ir_alui(g, A_AND, sh, 63));
	ir_label(g, whole);
	ir_bri(g, CC_EQ, x, 0, good);
	rt_setparam(g, &c, 4, ir_imm(g, 1));
	ir_jmp(g, c.stop);
	ir_label(g, good);
	ir_bri(g, CC_SLE, left, 8, c.stop);
	rt_end(l, &c);
}

/* The needle b of P0 > 0 bytes in a, from place P2 on (or back): P1. */
static void
cb_search(struct lower *l, bool back)
{
	struct gen *g = l->g;
	int same = rt_fn(l, RT_SAME);
	label found;
	struct cb c;
	vreg pos;

	rt_begin(l, &c, back ? "rsearch" : "search", l->strmax);
	found = ir_newlabel(g);
	pos = ir_new(g);
	ir_mov(g, pos, ir_alu(g, back ? A_SUB : A_ADD, rt_param(g, &c, 2),
	    c.i));
	ir_bri(g, CC_UGE, pos, l->strmax, c.stop);
	if (!back)
		ir_bri(g, CC_EQ, rt_byte(g, c.a, pos), 0, c.stop);
	ir_br(g, CC_NE, rt_byte(g, c.a, pos), ir_load(g, c.b, 0, 1), c.go);
	rt_setparam(g, &c, 3, pos);
	rt_setparam(g, &c, 4, ir_imm(g, 0));
	(void)ir_call(g, BPF_FUNC_loop, 4, ir_imm(g, l->strsize / 8),
	    ir_funcaddr(g, same), rt_context(l, c.s, c.a, c.b),
	    ir_imm(g, 0));
	ir_bri(g, CC_EQ, rt_param(g, &c, 4), 0, found);
	ir_jmp(g, c.go);
	ir_label(g, found);
	rt_setparam(g, &c, 1, pos);
	ir_jmp(g, c.stop);
	rt_end(l, &c);
}

/* Sets the bits of b's characters in the 32 bytes at a. */
static void
cb_set(struct lower *l)
{
	struct gen *g = l->g;
	struct cb c;
	vreg ch, w, at;

	rt_begin(l, &c, "charset", l->strmax);
	ch = rt_byte(g, c.b, c.i);
	ir_bri(g, CC_EQ, ch, 0, c.stop);
	at = ir_alu(g, A_ADD, c.a, ir_alui(g, A_SHL,
	    ir_alui(g, A_SHR, ch, 6), 3));
	w = ir_alu(g, A_SHL, ir_imm(g, 1), ir_alui(g, A_AND, ch, 63));
	ir_store(g, at, 0, 8, ir_alu(g, A_OR, ir_load(g, at, 0, 8), w));
	rt_end(l, &c);
}

/* From P2 on, the first character of a whose bit in b is not P0, or the end:
 * P1 its place, P3 that character. */
static void
cb_span(struct lower *l)
{
	struct gen *g = l->g;
	struct cb c;
	vreg ch, w, pos;

	rt_begin(l, &c, "span", l->strmax);
	pos = ir_new(g);
	ir_mov(g, pos, ir_alu(g, A_ADD, rt_param(g, &c, 2), c.i));
	ir_bri(g, CC_UGE, pos, l->strmax, c.stop);
	ch = rt_byte(g, c.a, pos);
	rt_setparam(g, &c, 1, pos);
	rt_setparam(g, &c, 3, ch);
	ir_bri(g, CC_EQ, ch, 0, c.stop);
	w = ir_load(g, ir_alu(g, A_ADD, c.b, ir_alui(g, A_SHL,
	    ir_alui(g, A_SHR, ch, 6), 3)), 0, 8);
	w = ir_alui(g, A_AND, ir_alu(g, A_SHR, w,
	    ir_alui(g, A_AND, ch, 63)), 1);
	ir_br(g, CC_NE, w, rt_param(g, &c, 0), c.stop);
	rt_end(l, &c);
}

/* a's letters from P0 (to P0 + 25) change case. */
static void
cb_case(struct lower *l)
{
	struct gen *g = l->g;
	struct cb c;
	vreg ch, p;

	rt_begin(l, &c, "case", l->strmax);
	p = ir_alu(g, A_ADD, c.a, c.i);
	ch = ir_load(g, p, 0, 1);
	ir_bri(g, CC_EQ, ch, 0, c.stop);
	ir_bri(g, CC_UGE, ir_alu(g, A_SUB, ch, rt_param(g, &c, 0)), 26, c.go);
	ir_store(g, p, 0, 1, ir_alui(g, A_XOR, ch, 0x20));
	rt_end(l, &c);
}

/* Digits of P0 to the base P1, the last at RT_DIGITS - 1 of a; P2: the first
 * one's place. */
static void
cb_digits(struct lower *l)
{
	struct gen *g = l->g;
	label num, put;
	struct cb c;
	vreg v, d, at;

	rt_begin(l, &c, "digits", RT_DIGITS);
	num = ir_newlabel(g);
	put = ir_newlabel(g);
	v = rt_param(g, &c, 0);
	d = ir_new(g);
	ir_mov(g, d, ir_alu(g, A_UMOD, v, rt_param(g, &c, 1)));
	rt_setparam(g, &c, 0, ir_alu(g, A_UDIV, v, rt_param(g, &c, 1)));
	ir_bri(g, CC_ULT, d, 10, num);
	ir_aluito(g, d, A_ADD, d, 'a' - 10);
	ir_jmp(g, put);
	ir_label(g, num);
	ir_aluito(g, d, A_ADD, d, '0');
	ir_label(g, put);
	at = ir_alu(g, A_SUB, ir_imm(g, RT_DIGITS - 1), c.i);
	rt_setparam(g, &c, 2, at);
	ir_store(g, ir_alu(g, A_ADD, c.a, at), 0, 1, d);
	ir_bri(g, CC_EQ, rt_param(g, &c, 0), 0, c.stop);
	rt_end(l, &c);
}

/* The parts of the path a: its last component P0 up to P1, the end of what is
 * before that component's slashes P2; P3: 1 after a slash. */
static void
cb_path(struct lower *l)
{
	struct gen *g = l->g;
	label slash, same;
	struct cb c;
	vreg ch;

	rt_begin(l, &c, "path", l->strmax);
	slash = ir_newlabel(g);
	same = ir_newlabel(g);
	ch = rt_byte(g, c.a, c.i);
	ir_bri(g, CC_EQ, ch, 0, c.stop);
	ir_bri(g, CC_EQ, ch, '/', slash);
	ir_bri(g, CC_EQ, rt_param(g, &c, 3), 0, same);
	rt_setparam(g, &c, 2, rt_param(g, &c, 1));
	rt_setparam(g, &c, 0, c.i);
	rt_setparam(g, &c, 3, ir_imm(g, 0));
	ir_label(g, same);
	rt_setparam(g, &c, 1, ir_alui(g, A_ADD, c.i, 1));
	ir_jmp(g, c.go);
	ir_label(g, slash);
	rt_setparam(g, &c, 3, ir_imm(g, 1));
	rt_end(l, &c);
}

int
rt_fn(struct lower *l, enum rtfn which)
{
	if (l->rt[which] >= 0)
		return l->rt[which];
	if (!kernel_has(l->t, KF_LOOP))
		(void)low_error(l, D_UNSUP, l->line, "this string function "
		    "needs Linux 5.17 for its loop");
	switch (which) {
	case RT_SAME:
		cb_same(l);
		break;
	case RT_SEARCH:
	case RT_RSEARCH:
		cb_search(l, which == RT_RSEARCH);
		break;
	case RT_CHR:
	case RT_RCHR:
		cb_chr(l, which == RT_RCHR);
		break;
	case RT_SET:
		cb_set(l);
		break;
	case RT_SPAN:
		cb_span(l);
		break;
	case RT_CASE:
		cb_case(l);
		break;
	case RT_DIG:
		cb_digits(l);
		break;
	case RT_PATH:
		cb_path(l);
		break;
	case RT_INET:
	case RT_ZEROES:
	case RT_INET6:
	case RT_LINK:
		rt_net(l, which);
		break;
	case RT_JSON:
		rt_json(l);
		break;
	case RT_JSONPATH:
		rt_jsonpath(l);
		break;
	case RT_DENTRY:
		rt_dentry(l);
		break;
	default:
		rt_text(l, which);
		break;
	}
	l->rt[which] = ir_lastfunc(l->g);
	return l->rt[which];
}

vreg
rt_context(struct lower *l, vreg s, vreg a, vreg b)
{
	struct gen *g = l->g;
	int32_t at = ir_stack(g, 24, 8);
	vreg fp = ir_fp(g, at);

	ir_store(g, fp, 0, 8, s);
	ir_store(g, fp, 8, 8, a);
	ir_store(g, fp, 16, 8, b);
	return fp;
}

void
rt_set(struct lower *l, int n, vreg v)
{
	ir_store(l->g, low_scratch(l), RT_PARAM + 8 * n, 8, v);
}

vreg
rt_get(struct lower *l, int n)
{
	return ir_load(l->g, low_scratch(l), RT_PARAM + 8 * n, 8);
}

void
rt_loop(struct lower *l, enum rtfn which, uint32_t n, vreg a, vreg b)
{
	struct gen *g = l->g;
	int fn = rt_fn(l, which);
	vreg fp;

	if (l->fn.loopctx == 0)
		l->fn.loopctx = ir_stack(g, 24, 8);
	fp = ir_fp(g, l->fn.loopctx);
	ir_store(g, fp, 0, 8, low_scratch(l));
	ir_store(g, fp, 8, 8, a);
	ir_store(g, fp, 16, 8, b >= 0 ? b : a);
	(void)ir_call(g, BPF_FUNC_loop, 4, ir_imm(g, n), ir_funcaddr(g, fn),
	    fp, ir_imm(g, 0));
}
