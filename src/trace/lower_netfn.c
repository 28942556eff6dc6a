/*
 * lower_netfn.c - subroutines that make text of network addresses.
 */
#include <sys/socket.h>

#include <net/if_arp.h>
#include <string.h>

#include "trace/lower_rt.h"

enum { INET6_TEXT = 64, LINK_TEXT = 64 };

static struct sval
inet4(struct lower *l, vreg addr)
{
	struct gen *g = l->g;
	int32_t tmp = low_tmp8(l);
	struct sval r = low_strnew(l, 16);

	low_copyin(l, ir_fp(g, tmp), 0, 4, addr, false);
	ir_storei(g, r.r, 0, 8, 0);
	ir_storei(g, r.r, 8, 8, 0);
	rt_set(l, 0, ir_load(g, ir_fp(g, tmp), 0, 4));
	rt_set(l, 1, ir_imm(g, 0));
	rt_loop(l, RT_INET, 4, r.r, -1);
	r.canon = true;
	return r;
}

/* Jumps to no unless the 16 bytes at b hold an address of IPv4, mapped or
 * compatible (not :: and ::1); the bytes of its prefix as text. */
static vreg
embedded(struct lower *l, vreg b, label no)
{
	struct gen *g = l->g;
	label compat = ir_newlabel(g), yes = ir_newlabel(g);
	vreg mid, low, r = ir_new(g);

	ir_bri(g, CC_NE, ir_load(g, b, 0, 8), 0, no);
	mid = ir_bswap(g, ir_load(g, b, 8, 4), 4);
	low = ir_bswap(g, ir_load(g, b, 12, 4), 4);
	ir_bri(g, CC_EQ, mid, 0, compat);
	ir_bri(g, CC_NE, mid, 0xffff, no);
	ir_set(g, r, 7);
	ir_jmp(g, yes);
	ir_label(g, compat);
	ir_bri(g, CC_ULE, low, 1, no);
	ir_set(g, r, 2);
	ir_label(g, yes);
	return r;
}

/* RFC 5952, an address of IPv4 with dots; alone unless `strict` (a number at
 * run time, -1: always). */
static struct sval
inet6(struct lower *l, vreg addr, vreg strict)
{
	static const char mapped[8] = "::ffff:";
	struct gen *g = l->g;
	vreg b = low_tempaddr(l, low_temp(l, 16)), at = ir_new(g);
	label plain = ir_newlabel(g), end = ir_newlabel(g), four;
	struct sval r;
	uint64_t text;
	int k;

	low_copyin(l, b, 0, 16, addr, false);
	r = low_strnew(l, 40);
	(void)low_temp(l, INET6_TEXT);
	for (k = 0; k < INET6_TEXT; k += 8)
		ir_storei(g, r.r, k, 8, 0);
	for (k = 0; k < 4; k++)
		rt_set(l, k, ir_imm(g, 0));
	ir_mov(g, at, embedded(l, b, plain));
	rt_set(l, 0, ir_load(g, b, 12, 4));
	four = ir_newlabel(g);
	if (strict >= 0) {
		k = ir_newlabel(g);
		ir_bri(g, CC_NE, strict, 0, k);
		ir_set(g, at, 0);
		ir_jmp(g, four);
		ir_label(g, k);
	}
	/* the digits go over what is too much of this */
	memcpy(&text, mapped, sizeof(text));
	ir_store(g, r.r, 0, 8, ir_imm(g, (int64_t)text));
	ir_label(g, four);
	ir_bri(g, CC_UGT, at, 7, end);
	rt_loop(l, RT_INET, 4, ir_alu(g, A_ADD, r.r, at), -1);
	ir_jmp(g, end);
	ir_label(g, plain);
	rt_loop(l, RT_ZEROES, 8, r.r, b);
	rt_set(l, 1, ir_imm(g, 0));
	rt_loop(l, RT_INET6, 8, r.r, b);
	ir_label(g, end);
	if (r.bound < 40)
		ir_storei(g, r.r, (int32_t)r.bound - 1, 1, 0);
	return r;
}

static struct sval
inet_ntoa6_(struct lower *l, const struct node *n)
{
	struct gen *g = l->g;
	vreg addr = ir_new(g), strict = ir_new(g);

	ir_mov(g, addr, low_int(l, n->list));
	ir_set(g, strict, 0);
	if (n->list->next != NULL)
		ir_mov(g, strict, low_int(l, n->list->next));
	return inet6(l, addr, strict);
}

/* inet_ntop(family, address): the family is known only when it runs. */
static struct sval
inet_ntop_(struct lower *l, const struct node *n)
{
	struct gen *g = l->g;
	vreg af = ir_new(g), addr, r = ir_new(g);
	label six = ir_newlabel(g), end = ir_newlabel(g);
	struct sval s;

	ir_mov(g, af, low_int(l, n->list));
	addr = low_int(l, n->list->next);
	ir_bri(g, CC_EQ, af, AF_INET6, six);
	ir_bri(g, CC_NE, af, AF_INET, low_fault(l, FLT_ILLOP, af));
	l->cond++;
	s = inet4(l, addr);
	ir_mov(g, r, low_scalar(l, s.r));
	ir_jmp(g, end);
	ir_label(g, six);
	s = inet6(l, addr, -1);
	ir_mov(g, r, low_scalar(l, s.r));
	ir_label(g, end);
	l->cond--;
	s.mem = s.canon = false;
	s.temp = 0;
	s.r = r;
	return s;
}

/* link_ntop(type, address): Ethernet's or InfiniBand's */
static struct sval
link_ntop(struct lower *l, const struct node *n)
{
	struct gen *g = l->g;
	vreg type = ir_new(g), b = low_tempaddr(l, low_temp(l, 24)), addr;
	label ib = ir_newlabel(g), end = ir_newlabel(g);
	struct sval r;
	int k;

	ir_mov(g, type, low_int(l, n->list));
	addr = low_int(l, n->list->next);
	r = low_strnew(l, 60);
	(void)low_temp(l, LINK_TEXT);
	for (k = 0; k < LINK_TEXT; k += 8)
		ir_storei(g, r.r, k, 8, 0);
	rt_set(l, 1, ir_imm(g, 0));
	ir_bri(g, CC_EQ, type, ARPHRD_INFINIBAND, ib);
	ir_bri(g, CC_NE, type, ARPHRD_ETHER, low_fault(l, FLT_ILLOP, type));
	l->cond++;
	low_copyin(l, b, 0, 6, addr, false);
	rt_loop(l, RT_LINK, 6, r.r, b);
	ir_jmp(g, end);
	ir_label(g, ib);
	low_copyin(l, b, 0, 20, addr, false);
	rt_loop(l, RT_LINK, 20, r.r, b);
	ir_label(g, end);
	l->cond--;
	if (r.bound < 60)
		ir_storei(g, r.r, (int32_t)r.bound - 1, 1, 0);
	return r;
}

struct sval
low_netfn(struct lower *l, const struct node *n)
{
	switch (n->func->id) {
	case F_INET_NTOA:
		return inet4(l, low_int(l, n->list));
	case F_INET_NTOA6:
		return inet_ntoa6_(l, n);
	case F_INET_NTOP:
		return inet_ntop_(l, n);
	case F_LINK_NTOP:
		return link_ntop(l, n);
	default:
		(void)low_error(l, D_UNSUP, n->line,
		    "%s() cannot be had on this system", n->func->name);
		return low_strnew(l, 1);
	}
}
