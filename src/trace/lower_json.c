/*
 * lower_json.c - json(text, path): one element of a JSON text; the path.
 */
#include "trace/lower_json.h"
#include "trace/lower_rt.h"

/* The path's separators become NULs; P1 counts the components. */
void
rt_jsonpath(struct lower *l)
{
	struct gen *g = l->g;
	label sep, put_nul;
	struct cb c;
	vreg ch, out, prev;

	rt_begin(l, &c, "jsonpath", l->strmax);
	sep = ir_newlabel(g);
	put_nul = ir_newlabel(g);
	ch = rt_byte(g, c.a, c.i);
	out = ir_new(g);
	ir_mov(g, out, rt_param(g, &c, 0));
	ir_bri(g, CC_UGE, out, (int64_t)l->strmax - 1, c.stop);
	ir_bri(g, CC_EQ, ch, 0, sep);
	ir_bri(g, CC_EQ, ch, '.', sep);
	ir_bri(g, CC_EQ, ch, '[', sep);
	ir_bri(g, CC_EQ, ch, ']', sep);
	ir_store(g, ir_alu(g, A_ADD, c.b, out), J_PATH, 1, ch);
	rt_setparam(g, &c, 0, ir_alui(g, A_ADD, out, 1));
	rt_setparam(g, &c, 2, ir_imm(g, 1));
	ir_jmp(g, c.go);
	/* separators in a row, as in a[1].b, are one */
	ir_label(g, sep);
	prev = rt_param(g, &c, 2);
	ir_bri(g, CC_NE, prev, 0, put_nul);
	ir_bri(g, CC_EQ, ch, 0, c.stop);
	ir_jmp(g, c.go);
	ir_label(g, put_nul);
	ir_storei(g, ir_alu(g, A_ADD, c.b, out), J_PATH, 1, 0);
	rt_setparam(g, &c, 0, ir_alui(g, A_ADD, out, 1));
	rt_setparam(g, &c, 1, ir_alui(g, A_ADD, rt_param(g, &c, 1), 1));
	rt_setparam(g, &c, 2, ir_imm(g, 0));
	ir_bri(g, CC_EQ, ch, 0, c.stop);
	rt_end(l, &c);
}

struct sval
low_json(struct lower *l, const struct node *n)
{
	struct sval s = low_str(l, n->list), path, r;
	struct gen *g = l->g;
	vreg b, v = ir_new(g), at = ir_new(g);
	label none = ir_newlabel(g);
	int k;

	low_notnull(l, &s);
	(void)low_strtemp(l, &s);
	path = low_str(l, n->list->next);
	low_notnull(l, &path);
	(void)low_strtemp(l, &path);
	b = low_tempaddr(l, low_temp(l, J_PATH + 2 * l->strsize));
	for (k = 0; k < J_NWORDS; k++)
		ir_storei(g, b, 8 * k, 8, 0);
	ir_storei(g, b, J_PATH, 8, 0);
	for (k = 0; k < 3; k++)
		rt_set(l, k, ir_imm(g, 0));
	rt_loop(l, RT_JSONPATH, l->strmax, path.r, b);
	ir_store(g, b, 8 * J_LEFT, 8, rt_get(l, 1));
	rt_loop(l, RT_JSON, l->strmax, s.r, b);
	ir_set(g, v, 0);
	ir_bri(g, CC_EQ, ir_load(g, b, 8 * J_FOUND, 8), 0, none);
	ir_mov(g, at, ir_load(g, b, 8 * J_OUT, 8));
	ir_bri(g, CC_UGE, at, l->strmax, none);
	ir_storei(g, ir_alu(g, A_ADD, b, at), J_PATH + (int32_t)l->strsize, 1,
	    0);
	l->cond++;
	r = low_strnew(l, l->strmax);
	(void)ir_call(g, BPF_FUNC_probe_read_kernel_str, 3, r.r,
	    ir_imm(g, r.bound), ir_alui(g, A_ADD, b, J_PATH +
	    (int64_t)l->strsize));
	ir_mov(g, v, r.r);
	l->cond--;
	ir_label(g, none);
	r.r = v;
	r.maynull = true;
	r.temp = 0;
	return r;
}
