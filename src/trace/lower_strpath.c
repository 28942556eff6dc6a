/*
 * lower_strpath.c - basename(), dirname(), cleanpath().
 */
#include "trace/lower_rt.h"

struct sval
low_basename(struct lower *l, const struct node *n)
{
	struct sval s = low_strarg(l, n->list), r;
	struct gen *g = l->g;
	label done = ir_newlabel(g), dot = ir_newlabel(g);
	label slash = ir_newlabel(g), empty = ir_newlabel(g);
	bool dir = n->func->id == F_DIRNAME;
	vreg b, e, d, r0 = ir_new(g);
	int k;

	for (k = 0; k < 4; k++)
		rt_set(l, k, ir_imm(g, 0));
	rt_loop(l, RT_PATH, l->strmax, s.r, -1);
	b = rt_get(l, 0);
	e = rt_get(l, 1);
	d = rt_get(l, 2);
	ir_bri(g, CC_EQ, e, 0, empty);
	if (dir) {
		ir_bri(g, CC_EQ, b, 0, dot);
		ir_bri(g, CC_EQ, d, 0, slash);
	}
	l->cond++;
	r = dir ? low_strpart(l, s.r, ir_imm(g, 0), d, s.bound) :
	    low_strpart(l, s.r, b, ir_alu(g, A_SUB, e, b), s.bound);
	l->cond--;
	ir_mov(g, r0, r.r);
	ir_jmp(g, done);
	ir_label(g, empty);
	/* nothing but slashes, or nothing at all */
	ir_bri(g, CC_EQ, ir_load(g, s.r, 0, 1), 0, dot);
	ir_label(g, slash);
	ir_mov(g, r0, ir_mapval(g, MAP_RODATA, ro_string(l, "/", 1)));
	ir_jmp(g, done);
	ir_label(g, dot);
	ir_mov(g, r0, ir_mapval(g, MAP_RODATA, ro_string(l, ".", 1)));
	ir_label(g, done);
	/* two kinds of memory: only as an address */
	r.mem = false;
	r.temp = 0;
	r.r = low_scalar(l, r0);
	return r;
}

/* Without "//", "/./", "x/.." and a slash at the end; what is left of a path
 * that was not empty is "/" or "." at least. */
struct sval
low_cleanpath(struct lower *l, const struct node *n)
{
	struct sval s = low_strarg(l, n->list), r;
	struct gen *g = l->g;
	label end = ir_newlabel(g), some = ir_newlabel(g);
	label rooted = ir_newlabel(g);
	vreg j = ir_new(g), first, ch = ir_new(g), root = ir_new(g);

	r = low_strnew(l, s.bound < 2 ? 2 : s.bound);
	first = ir_load(g, s.r, 0, 1);
	ir_set(g, root, 1);
	ir_bri(g, CC_EQ, first, '/', rooted);
	ir_set(g, root, 0);
	ir_label(g, rooted);
	rt_set(l, 0, ir_imm(g, 0));
	rt_set(l, 1, ir_imm(g, 0));
	rt_set(l, 2, ir_imm(g, 0));
	rt_set(l, 3, root);
	rt_loop(l, RT_CLEAN, l->strmax, s.r, r.r);
	ir_mov(g, j, rt_get(l, 1));
	ir_bri(g, CC_NE, j, 0, some);
	/* "/" and ".", or the NUL of an empty path */
	ir_mov(g, ch, ir_load(g, s.r, 0, 1));
	ir_bri(g, CC_EQ, ch, 0, some);
	ir_bri(g, CC_EQ, ch, '/', end);
	ir_set(g, ch, '.');
	ir_label(g, end);
	ir_store(g, r.r, 0, 1, ch);
	ir_set(g, j, 1);
	ir_label(g, some);
	end = ir_newlabel(g);
	ir_bri(g, CC_UGE, j, l->strmax, end);
	ir_storei(g, ir_alu(g, A_ADD, r.r, j), 0, 1, 0);
	ir_label(g, end);
	return r;
}
