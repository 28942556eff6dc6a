/*
 * lower_strfn.c - string subroutines that look at each character.
 *
 * What they do at the edges follows the DTrace guide and the reference
 * vectors func_*.
 */
#include "trace/lower_rt.h"
#include "trace/prov.h"

struct sval
low_strarg(struct lower *l, const struct node *n)
{
	struct sval s = low_str(l, n);

	low_notnull(l, &s);
	(void)low_strtemp(l, &s);
	return s;
}

struct sval
low_strpart(struct lower *l, vreg at, vreg start, vreg len, uint32_t bound)
{
	struct gen *g = l->g;
	struct sval r = low_strnew(l, bound);
	vreg n = ir_new(g), i = ir_new(g);
	label ok = ir_newlabel(g), end = ir_newlabel(g);

	ir_storei(g, r.r, 0, 1, 0);
	ir_mov(g, i, start);
	ir_bri(g, CC_UGE, i, l->strmax, end);
	ir_set(g, n, r.bound);
	if (len >= 0) {
		ir_bri(g, CC_UGE, len, (int64_t)r.bound - 1, ok);
		ir_mov(g, n, ir_alui(g, A_ADD, len, 1));
		ir_label(g, ok);
	}
	(void)ir_call(g, BPF_FUNC_probe_read_kernel_str, 3, r.r, n,
	    ir_alu(g, A_ADD, at, i));
	ir_label(g, end);
	return r;
}

/* The string from a place on; NULL when that is negative. */
static struct sval
tail(struct lower *l, vreg at, vreg pos, uint32_t bound)
{
	struct gen *g = l->g;
	struct sval s;
	label none = ir_newlabel(g);
	vreg r = ir_new(g);

	ir_set(g, r, 0);
	ir_bri(g, CC_SLT, pos, 0, none);
	l->cond++;
	s = low_strpart(l, at, pos, -1, bound);
	ir_mov(g, r, s.r);
	l->cond--;
	ir_label(g, none);
	s.r = r;
	s.maynull = true;
	s.temp = 0;
	return s;
}

static struct sval
strchr_(struct lower *l, const struct node *n)
{
	struct sval s = low_strarg(l, n->list);
	struct gen *g = l->g;
	bool last = n->func->id == F_STRRCHR;

	rt_set(l, 0, ir_alui(g, A_AND, low_int(l, n->list->next), 0xff));
	rt_set(l, 1, ir_imm(g, -1));
	rt_loop(l, last ? RT_RCHR : RT_CHR, l->strmax, s.r, -1);
	return tail(l, s.r, rt_get(l, 1), s.bound);
}

/* The needle's place in s from `from` on (back); -1: not there. */
static vreg
search(struct lower *l, const struct sval *s, struct sval *sub, vreg from,
    bool back)
{
	struct gen *g = l->g;
	label empty = ir_newlabel(g);
	vreg m, r = ir_new(g);

	m = ir_alui(g, A_SUB, low_strlen(l, sub), 1);
	ir_mov(g, r, from);
	ir_bri(g, CC_EQ, m, 0, empty);
	rt_set(l, 0, m);
	rt_set(l, 1, ir_imm(g, -1));
	rt_set(l, 2, from);
	rt_loop(l, back ? RT_RSEARCH : RT_SEARCH, l->strmax, s->r, sub->r);
	ir_mov(g, r, rt_get(l, 1));
	ir_label(g, empty);
	return low_opaque(l, r);
}

static struct sval
strstr_(struct lower *l, const struct node *n)
{
	struct sval s = low_strarg(l, n->list);
	struct sval sub = low_strarg(l, n->list->next);

	return tail(l, s.r, search(l, &s, &sub, ir_imm(l->g, 0), false),
	    s.bound);
}

/* index(s, sub, [from]), rindex(s, sub, [from]) */
static vreg
indexof(struct lower *l, const struct node *n, bool back)
{
	const struct node *third = n->list->next->next;
	struct sval s = low_strarg(l, n->list);
	struct sval sub = low_strarg(l, n->list->next);
	struct gen *g = l->g;
	vreg len, from = ir_new(g), r = ir_new(g);
	label end = ir_newlabel(g), low = ir_newlabel(g);
	label near = ir_newlabel(g);

	len = ir_alui(g, A_SUB, low_strlen(l, &s), 1);
	ir_set(g, r, -1);
	if (third != NULL)
		ir_mov(g, from, low_int(l, third));
	else
		ir_mov(g, from, back ? len : ir_imm(g, 0));
	/* the empty string is everywhere: at the nearest place that there is */
	ir_bri(g, CC_EQ, ir_load(g, sub.r, 0, 1), 0, near);
	if (back)
		ir_bri(g, CC_SLT, from, 0, end);
	else
		ir_br(g, CC_SGT, from, len, end);
	ir_label(g, near);
	ir_br(g, CC_SLE, from, len, low);
	ir_mov(g, from, len);
	ir_label(g, low);
	low = ir_newlabel(g);
	ir_bri(g, CC_SGE, from, 0, low);
	ir_set(g, from, 0);
	ir_label(g, low);
	l->cond++;
	ir_mov(g, r, search(l, &s, &sub, low_opaque(l, from), back));
	l->cond--;
	ir_label(g, end);
	return low_opaque(l, r);
}

/* A character of a string; the NUL from its end on. */
vreg
low_char(struct lower *l, const struct node *n)
{
	struct sval s = low_strarg(l, n->a);
	struct gen *g = l->g;
	vreg i = ir_new(g), r = ir_new(g), len;
	label end = ir_newlabel(g), bad;

	ir_mov(g, i, low_int(l, n->b));
	bad = low_fault(l, FLT_BADINDEX, i);
	ir_bri(g, CC_UGE, i, l->strmax, bad);
	len = low_strlen(l, &s);
	ir_set(g, r, 0);
	ir_br(g, CC_UGE, i, len, end);
	/* the verifier of Linux 6.1 forgets the bound of what was spilled */
	ir_mov(g, r, gen_read(g, ir_alu(g, A_ADD, low_scalar(l, s.r), i), 1,
	    false));
	ir_label(g, end);
	return low_norm(l, low_opaque(l, r), n->type);
}

static struct sval
changecase(struct lower *l, const struct node *n)
{
	struct sval s = low_strarg(l, n->list), r = low_strnew(l, s.bound);

	/* the argument may be somebody's */
	low_strcopy(l, &s, r.r, 0, r.bound);
	rt_set(l, 0, ir_imm(l->g, n->func->id == F_TOLOWER ? 'A' : 'a'));
	rt_loop(l, RT_CASE, l->strmax, r.r, -1);
	return r;
}

/* The bits of a string's characters, 32 bytes of the scratch. */
static vreg
charset(struct lower *l, const struct node *n)
{
	struct sval s = low_strarg(l, n);
	vreg bits = low_tempaddr(l, low_temp(l, 32));
	int k;

	for (k = 0; k < 32; k += 8)
		ir_storei(l->g, bits, k, 8, 0);
	rt_loop(l, RT_SET, l->strmax, bits, s.r);
	return bits;
}

/* The place of the first character from `from` on that is in the set (in) or
 * is not; P3: that character. */
static vreg
span(struct lower *l, vreg s, vreg bits, vreg from, bool in)
{
	rt_set(l, 0, ir_imm(l->g, !in));
	rt_set(l, 1, from);
	rt_set(l, 2, from);
	rt_set(l, 3, ir_imm(l->g, 0));
	rt_loop(l, RT_SPAN, l->strmax, s, bits);
	return rt_get(l, 1);
}

/* The string lives at tokoff + 8, the place to go on from at tokoff. */
static struct sval
strtok_(struct lower *l, const struct node *n)
{
	struct gen *g = l->g;
	struct sval s = low_str(l, n->list), t;
	vreg bits, base, start = ir_new(g), stop = ir_new(g), r = ir_new(g);
	label old = ir_newlabel(g), none = ir_newlabel(g);
	label last = ir_newlabel(g), done = ir_newlabel(g);
	int32_t at = (int32_t)l->tokoff;

	bits = charset(l, n->list->next);
	base = ir_alui(g, A_ADD, low_scratch(l), at + 8);
	ir_set(g, r, 0);
	if (s.maynull)
		ir_bri(g, CC_EQ, s.r, 0, old);
	low_strcopy(l, &s, base, 0, l->strmax);
	ir_storei(g, base, -8, 8, 0);
	ir_label(g, old);
	l->cond++;
	ir_mov(g, start, ir_load(g, base, -8, 8));
	ir_bri(g, CC_SLT, start, 0, none);
	ir_mov(g, start, span(l, base, bits, start, false));
	ir_bri(g, CC_EQ, rt_get(l, 3), 0, none);
	ir_mov(g, stop, span(l, base, bits, start, true));
	t = low_strpart(l, base, start, ir_alu(g, A_SUB, stop, start),
	    l->strmax);
	ir_mov(g, r, t.r);
	ir_bri(g, CC_EQ, rt_get(l, 3), 0, last);
	ir_store(g, base, -8, 8, ir_alui(g, A_ADD, stop, 1));
	ir_jmp(g, done);
	ir_label(g, none);
	ir_label(g, last);
	ir_storei(g, base, -8, 8, -1);
	ir_label(g, done);
	l->cond--;
	t.r = r;
	t.maynull = true;
	t.temp = 0;
	return t;
}

static struct sval
strip(struct lower *l, const struct node *n)
{
	struct sval s = low_strarg(l, n->list);
	vreg from, to;

	rt_set(l, 0, ir_imm(l->g, -1));
	rt_set(l, 1, ir_imm(l->g, 0));
	rt_loop(l, RT_STRIP, l->strmax, s.r, -1);
	from = rt_get(l, 0);
	to = rt_get(l, 1);
	return low_strpart(l, s.r, from, ir_alu(l->g, A_SUB, to, from),
	    s.bound);
}

vreg
low_intstrfn(struct lower *l, const struct node *n)
{
	if (n->func->id == F_STRTOLL)
		return low_strtoll(l, n);
	return indexof(l, n, n->func->id == F_RINDEX);
}

struct sval
low_strfn(struct lower *l, const struct node *n)
{
	switch (n->func->id) {
	case F_STRCHR:
	case F_STRRCHR:
		return strchr_(l, n);
	case F_STRSTR:
		return strstr_(l, n);
	case F_STRTOK:
		return strtok_(l, n);
	case F_TOLOWER:
	case F_TOUPPER:
		return changecase(l, n);
	case F_BASENAME:
	case F_DIRNAME:
		return low_basename(l, n);
	case F_LLTOSTR:
		return low_lltostr(l, n);
	case F_CLEANPATH:
		return low_cleanpath(l, n);
	case F_STRIP:
		return strip(l, n);
	case F_JSON:
		return low_json(l, n);
	case F_D_PATH:
		return low_dpath(l, n);
	default:
		return low_netfn(l, n);
	}
}
