/*
 * lower_var.c - what is at a place, read and written: scalars, bit-fields,
 * whole structs.
 */
#include "trace/lower_impl.h"

vreg
low_lookup(struct lower *l, int map, vreg key)
{
	return ir_call(l->g, BPF_FUNC_map_lookup_elem, 2,
	    ir_mapfd(l->g, map), key);
}

int
low_userread(struct lower *l)
{
	return l->sleepable ? BPF_FUNC_copy_from_user :
	    BPF_FUNC_probe_read_user;
}

void
low_copyin(struct lower *l, vreg dst, int32_t off, uint32_t size, vreg addr,
    bool user)
{
	struct gen *g = l->g;
	vreg rc;

	rc = ir_call(g, user ? low_userread(l) :
	    BPF_FUNC_probe_read_kernel, 3, ir_alui(g, A_ADD, dst, off),
	    ir_imm(g, size), addr);
	ir_bri(g, CC_NE, rc, 0, low_fault(l, FLT_BADADDR, addr));
}

static vreg
extract(struct lower *l, vreg v, const struct place *pl,
    const struct dtype *t)
{
	struct gen *g = l->g;

	v = ir_alui(g, A_SHL, v, 64 - pl->bit - pl->bits);
	return ir_alui(g, type_base(t)->sign ? A_SAR : A_SHR, v,
	    64 - pl->bits);
}

static unsigned
width(const struct place *pl, const struct dtype *t)
{
	t = type_base(t);
	if (pl->bits != 0 && pl->bit + pl->bits > 8 * t->size)
		return 8;
	if (t->kind == DK_PTR)
		return 8;
	return t->size == 1 || t->size == 2 || t->size == 4 ?
	    (unsigned)t->size : 8;
}

static vreg
load_addr(struct lower *l, const struct place *pl, unsigned size)
{
	struct gen *g = l->g;
	int32_t tmp = low_tmp8(l);
	vreg addr = ir_alui(g, A_ADD, pl->r, pl->off);

	low_copyin(l, ir_fp(g, tmp), 0, size, addr, pl->user);
	return ir_load(g, ir_fp(g, tmp), 0, size);
}

/* A scalar, 0 where an element or self-> variable was never set. */
vreg
low_load(struct lower *l, struct place *pl, const struct dtype *t)
{
	struct gen *g = l->g;
	unsigned size = width(pl, t);
	vreg v, p;
	label none;

	switch (pl->k) {
	case P_REG:
		v = ir_new(g);
		ir_mov(g, v, pl->r);
		return v;
	case P_MEM:
		v = ir_load(g, pl->r, pl->off, size);
		break;
	case P_ADDR:
		v = load_addr(l, pl, size);
		break;
	default:
		v = ir_new(g);
		none = ir_newlabel(g);
		p = pl->k == P_SELF ? low_self(l, false, none) :
		    low_lookup(l, var_of(l, pl->id)->map, pl->key);
		ir_set(g, v, 0);
		ir_bri(g, CC_EQ, p, 0, none);
		ir_loadto(g, v, p, pl->off, size);
		ir_label(g, none);
		break;
	}
	if (pl->bits != 0)
		return extract(l, v, pl, t);
	return low_norm(l, v, t);
}

/* Old bits around a bit-field kept. */
static vreg
insert(struct lower *l, vreg old, const struct place *pl, vreg v)
{
	struct gen *g = l->g;
	uint64_t mask = (pl->bits < 64 ? (1ULL << pl->bits) - 1 : ~0ULL) <<
	    pl->bit;

	old = ir_alui(g, A_AND, old, (int64_t)~mask);
	v = ir_alui(g, A_AND, ir_alui(g, A_SHL, v, pl->bit), (int64_t)mask);
	return ir_alu(g, A_OR, old, v);
}

static void
store_addr(struct lower *l, const struct place *to, unsigned size, vreg v)
{
	struct gen *g = l->g;
	struct place pl = *to;

	if (!low_writable(l, &pl, size))
		return;
	if (pl.bits != 0)
		v = insert(l, ir_load(g, pl.r, pl.off, size), &pl, v);
	ir_store(g, pl.r, pl.off, size, v);
}

static bool
constzero(struct lower *l, vreg v)
{
	return ir_isconst(l->g, v, 0);
}

/* Assigning 0 frees an element. */
static void
store_elem(struct lower *l, const struct place *pl, unsigned size, vreg v)
{
	const struct var *var = var_of(l, pl->id);
	struct gen *g = l->g;
	label done = ir_newlabel(g), new = ir_newlabel(g), set;
	int32_t tmp = low_tmp8(l);
	vreg p, rc;

	if (constzero(l, v)) {
		(void)ir_call(g, BPF_FUNC_map_delete_elem, 2,
		    ir_mapfd(g, var->map), pl->key);
		return;
	}
	set = ir_newlabel(g);
	ir_bri(g, CC_NE, v, 0, set);
	(void)ir_call(g, BPF_FUNC_map_delete_elem, 2, ir_mapfd(g, var->map),
	    pl->key);
	ir_jmp(g, done);
	ir_label(g, set);
	p = low_lookup(l, var->map, pl->key);
	ir_bri(g, CC_EQ, p, 0, new);
	ir_store(g, p, 0, size, v);
	ir_jmp(g, done);
	ir_label(g, new);
	ir_store(g, ir_fp(g, tmp), 0, 8, v);
	rc = ir_call(g, BPF_FUNC_map_update_elem, 4, ir_mapfd(g, var->map),
	    pl->key, ir_fp(g, tmp), ir_imm(g, BPF_ANY));
	ir_bri(g, CC_NE, rc, 0, low_drop(l, DROP_DYNVAR, done));
	ir_label(g, done);
}

static void
store_self(struct lower *l, const struct place *pl, unsigned size, vreg v)
{
	struct gen *g = l->g;
	label done = ir_newlabel(g);
	vreg p;

	if (constzero(l, v)) {
		p = low_self(l, false, done);
		ir_bri(g, CC_EQ, p, 0, done);
	} else {
		p = low_self(l, true, done);
	}
	ir_store(g, p, pl->off, size, v);
	ir_label(g, done);
}

void
low_store(struct lower *l, struct place *pl, const struct dtype *t, vreg v)
{
	unsigned size = width(pl, t);
	struct gen *g = l->g;
	label done;

	if (pl->bits != 0 && pl->k != P_ADDR) {
		done = ir_newlabel(g);
		low_ref(l, pl, done);
		v = insert(l, ir_load(g, pl->r, pl->off, size), pl, v);
		ir_store(g, pl->r, pl->off, size, v);
		ir_label(g, done);
		return;
	}
	switch (pl->k) {
	case P_REG:
		ir_mov(g, pl->r, v);
		break;
	case P_MEM:
		ir_store(g, pl->r, pl->off, size, v);
		break;
	case P_ADDR:
		store_addr(l, pl, size, v);
		break;
	case P_SELF:
		store_self(l, pl, size, v);
		break;
	case P_ELEM:
		if (type_is_scalar(type_base(pl->id->type))) {
			store_elem(l, pl, size, v);
			break;
		}
		/* a member of an element that is a struct */
		done = ir_newlabel(g);
		low_ref(l, pl, done);
		ir_store(g, pl->r, pl->off, size, v);
		ir_label(g, done);
		break;
	}
}

static bool
is_zero(const struct node *n)
{
	while (n->kind == N_CAST)
		n = n->a;
	return n->kind == N_INT && n->ival == 0;
}

/* A whole variable or element to 0: it need not be there any more. */
static void
clear(struct lower *l, struct place *to, uint32_t size)
{
	struct gen *g = l->g;
	label done = ir_newlabel(g);

	if (to->k == P_ELEM) {
		(void)ir_call(g, BPF_FUNC_map_delete_elem, 2,
		    ir_mapfd(g, var_of(l, to->id)->map), to->key);
		return;
	}
	if (to->k == P_SELF) {
		to->r = low_self(l, false, done);
		ir_bri(g, CC_EQ, to->r, 0, done);
	}
	low_zero(l, to->r, to->off, up8(size));
	ir_label(g, done);
}

/* Structs, unions and arrays as a whole. */
void
low_copyassign(struct lower *l, const struct node *n)
{
	uint32_t size = (uint32_t)type_base(n->a->type)->size;
	struct place to, from;
	label done = ir_newlabel(l->g);
	vreg addr;

	if (is_zero(n->b) &&
	    (n->a->kind == N_VAR || n->a->kind == N_INDEX)) {
		if (low_place(l, n->a, &to))
			clear(l, &to, size);
		return;
	}
	if (!low_place(l, n->b, &from) || !low_place(l, n->a, &to))
		return;
	addr = low_addr(l, &from);
	low_ref(l, &to, done);
	if (to.k == P_MEM)
		low_copyin(l, to.r, to.off, size, addr, from.user);
	else
		(void)low_error(l, D_OP_LVAL, n->line,
		    "a whole object cannot be assigned through a pointer");
	ir_label(l->g, done);
}
