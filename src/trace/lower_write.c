/*
 * lower_write.c - memory that may be written through a pointer.
 */
#include "trace/lower_impl.h"

/* pl->r becomes the verifier's pointer when pl is within the len bytes at off
 * of base with room for size; if not, jumps to no. */
static bool
within(struct lower *l, struct place *pl, vreg addr, vreg base, uint32_t off,
    uint32_t len, uint32_t size, label no)
{
	struct gen *g = l->g;
	vreg at;

	if (len < size)
		return false;
	at = ir_new(g);
	ir_mov(g, at, ir_alu(g, A_SUB, addr,
	    ir_alui(g, A_ADD, low_scalar(l, base), off)));
	ir_bri(g, CC_UGT, at, len - size, no);
	ir_mov(g, pl->r, ir_alui(g, A_ADD, ir_alu(g, A_ADD, base, at), off));
	return true;
}

bool
low_writable(struct lower *l, struct place *pl, uint32_t size)
{
	struct gen *g = l->g;
	vreg addr = ir_alui(g, A_ADD, pl->r, pl->off);
	label global = ir_newlabel(g), ok = ir_newlabel(g);
	label bad = low_fault(l, FLT_BADADDR, addr);
	bool some;

	pl->k = P_MEM;
	pl->r = ir_new(g);
	pl->off = 0;
	some = within(l, pl, addr, low_scratch(l), l->alloff, l->alllen, size,
	    l->nglobals > 0 ? global : bad);
	if (some)
		ir_jmp(g, ok);
	ir_label(g, global);
	if (within(l, pl, addr, ir_mapval(g, MAP_GLOBALS, 0), 0, l->nglobals,
	    size, bad))
		some = true;
	else if (l->nglobals > 0 || !some)
		ir_jmp(g, bad);
	ir_label(g, ok);
	return some;
}
