/*
 * lower_self.c - the struct of a thread's self-> variables.
 */
#include "trace/lower_impl.h"

enum { STORAGE_CREATE = 1 };

/* Threads by id; the idle threads, which share 0, by CPU. */
static vreg
self_key(struct lower *l)
{
	struct gen *g = l->g;
	label ok = ir_newlabel(g);
	vreg k = ir_new(g), fp;

	if (l->fn.selfslot == 0)
		l->fn.selfslot = ir_stack(g, 8, 8);
	fp = ir_fp(g, l->fn.selfslot);
	ir_mov(g, k, ir_ext(g, low_pidtgid(l), 4, false));
	ir_bri(g, CC_NE, k, 0, ok);
	ir_mov(g, k, ir_alui(g, A_SUB, ir_imm(g, -1),
	    ir_call(g, BPF_FUNC_get_smp_processor_id, 0)));
	ir_label(g, ok);
	ir_store(g, fp, 0, 8, k);
	return fp;
}

static vreg
self_byid(struct lower *l, bool create)
{
	struct gen *g = l->g;
	vreg key = self_key(l), r = ir_new(g);
	label have;

	ir_mov(g, r, low_lookup(l, l->selfmap, key));
	if (!create)
		return r;
	have = ir_newlabel(g);
	ir_bri(g, CC_NE, r, 0, have);
	(void)ir_call(g, BPF_FUNC_map_update_elem, 4,
	    ir_mapfd(g, l->selfmap), key, ir_mapval(g, MAP_RODATA,
	    ro_zero(l, up8(l->nself))), ir_imm(g, BPF_NOEXIST));
	ir_mov(g, r, low_lookup(l, l->selfmap, key));
	ir_label(g, have);
	return r;
}

static vreg
self_find(struct lower *l, bool create)
{
	struct gen *g = l->g;

	if (l->selfhash)
		return self_byid(l, create);
	return ir_call(g, BPF_FUNC_task_storage_get, 4,
	    ir_mapfd(g, l->selfmap), low_task(l), ir_imm(g, 0),
	    ir_imm(g, create ? STORAGE_CREATE : 0));
}

/* The register that is found once may be 0, and changes when the struct is
 * made for a store. */
vreg
low_self(struct lower *l, bool create, label fail)
{
	struct gen *g = l->g;
	vreg r = low_cached(l, CA_SELFRO);
	label ok;

	if (r < 0 && create) {
		r = ir_new(g);
		ir_mov(g, r, self_find(l, true));
		low_cache(l, CA_SELFRO, r);
		ir_bri(g, CC_EQ, r, 0, low_drop(l, DROP_DYNVAR, fail));
		return r;
	}
	if (r < 0) {
		r = ir_new(g);
		ir_mov(g, r, self_find(l, false));
		low_cache(l, CA_SELFRO, r);
		return r;
	}
	if (!create)
		return r;
	ok = ir_newlabel(g);
	ir_bri(g, CC_NE, r, 0, ok);
	ir_mov(g, r, self_find(l, true));
	ir_bri(g, CC_EQ, r, 0, low_drop(l, DROP_DYNVAR, fail));
	ir_label(g, ok);
	return r;
}
