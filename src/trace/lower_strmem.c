/*
 * lower_strmem.c - strings in memory: read from an address, copied, room for
 * them.
 *
 * Every string ends in a NUL within the room it is known to have, so that
 * copies and comparisons by words of 8 bytes stay inside of it.
 */
#include "trace/lower_impl.h"

enum { ZERO_UNROLL = 128, PAGE = 4096 };

void
low_zero(struct lower *l, vreg dst, int32_t off, uint32_t size)
{
	struct gen *g = l->g;
	uint32_t k;

	if (size <= ZERO_UNROLL) {
		for (k = 0; k < size; k += 8)
			ir_storei(g, dst, off + (int32_t)k, 8, 0);
		return;
	}
	(void)ir_call(g, BPF_FUNC_probe_read_kernel, 3,
	    ir_alui(g, A_ADD, dst, off), ir_imm(g, size),
	    ir_mapval(g, MAP_RODATA, ro_zero(l, size)));
}

void
low_notnull(struct lower *l, struct sval *s)
{
	if (s->maynull)
		ir_bri(l->g, CC_EQ, s->r, 0, low_fault(l, FLT_BADADDR, -1));
	s->maynull = false;
}

void
low_strread(struct lower *l, vreg addr, bool user, vreg dst, int32_t off,
    uint32_t cap)
{
	low_userstr(l, user, ir_alui(l->g, A_ADD, dst, off),
	    ir_imm(l->g, cap), addr);
}

/* Reads a string; its length with the NUL. Where the program may wait, a page
 * that is not there, or the next one, is brought in. */
vreg
low_userstr(struct lower *l, bool user, vreg dst, vreg cap, vreg addr)
{
	struct gen *g = l->g;
	label ok = ir_newlabel(g);
	vreg n = ir_new(g), next;
	int help = user ? BPF_FUNC_probe_read_user_str :
	    BPF_FUNC_probe_read_kernel_str;
	int32_t tmp;

	ir_mov(g, n, ir_call(g, help, 3, dst, cap, addr));
	if (user && l->sleepable) {
		ir_bri(g, CC_SGE, n, 0, ok);
		tmp = low_tmp8(l);
		(void)ir_call(g, BPF_FUNC_copy_from_user, 3, ir_fp(g, tmp),
		    ir_imm(g, 1), addr);
		next = ir_alui(g, A_ADD, ir_alui(g, A_OR, addr, PAGE - 1), 1);
		(void)ir_call(g, BPF_FUNC_copy_from_user, 3, ir_fp(g, tmp),
		    ir_imm(g, 1), next);
		ir_mov(g, n, ir_call(g, help, 3, dst, cap, addr));
	}
	ir_bri(g, CC_SLT, n, 0, low_fault(l, FLT_BADADDR, addr));
	ir_label(g, ok);
	return n;
}

void
low_strcopy(struct lower *l, const struct sval *s, vreg dst, int32_t off,
    uint32_t cap)
{
	struct gen *g = l->g;
	uint32_t k;

	if (s->mem && s->room <= COPY_UNROLL && s->bound <= cap &&
	    s->room <= up8(cap)) {
		for (k = 0; k < s->room; k += 8)
			ir_store(g, dst, off + (int32_t)k, 8,
			    ir_load(g, s->r, (int32_t)k, 8));
		return;
	}
	if (!s->mem) {
		low_strread(l, s->r, s->user, dst, off, cap);
		return;
	}
	(void)ir_call(g, BPF_FUNC_probe_read_kernel_str, 3,
	    ir_alui(g, A_ADD, dst, off), ir_imm(g, cap), s->r);
}

struct sval
low_strnew(struct lower *l, uint32_t bound)
{
	struct sval s = { .mem = true };

	s.bound = least(bound, l->strmax);
	s.room = up8(s.bound);
	s.temp = low_temp(l, l->strsize);
	s.r = low_tempaddr(l, s.temp);
	return s;
}

uint32_t
low_strtemp(struct lower *l, struct sval *s)
{
	struct sval t;

	if (s->temp != 0)
		return s->temp;
	t = low_strnew(l, s->bound);
	low_strcopy(l, s, t.r, 0, t.bound);
	*s = t;
	return t.temp;
}
