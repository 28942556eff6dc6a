/*
 * lower_var.c - variables, array elements, members, memory: where they are,
 * how they are read and written.
 */
#include <string.h>

#include "trace/lowint.h"

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

static bool
place_var(struct lower *l, const struct node *n, struct place *pl)
{
	const struct ident *id = n->id;
	const struct var *v = var_of(l, id);

	pl->id = n->id;
	switch (id->scope) {
	case SC_THIS:
		if (l->thisoff[id->seq] != 0) {
			pl->k = P_MEM;
			pl->r = low_scratch(l);
			pl->off = (int32_t)l->thisoff[id->seq];
		} else {
			pl->k = P_REG;
			pl->r = l->fn.thisv[id->seq];
		}
		break;
	case SC_SELF:
		pl->k = P_SELF;
		pl->off = (int32_t)v->off;
		break;
	default:
		pl->k = P_MEM;
		pl->r = ir_mapval(l->g, MAP_GLOBALS, v->off);
		break;
	}
	return true;
}

static void
bitfield(struct place *pl, const struct node *n)
{
	uint32_t unit = 8 * (uint32_t)type_base(n->type)->size, bit;

	if (n->mem_bits == 0) {
		pl->off += (int32_t)(n->mem_bit / 8);
		return;
	}
	if (unit == 0 || unit > 64)
		unit = 64;
	bit = (uint32_t)(n->mem_bit % unit);
	if (bit + n->mem_bits > unit) {
		/* over the edge of its type: from the byte it begins in */
		bit = (uint32_t)(n->mem_bit % 8);
		unit = 64;
		pl->off += (int32_t)(n->mem_bit / 8);
	} else {
		pl->off += (int32_t)(n->mem_bit / unit * (unit / 8));
	}
	pl->bits = n->mem_bits;
	pl->bit = bit;
}

static bool
place_index(struct lower *l, const struct node *n, struct place *pl)
{
	const struct dtype *t = type_base(n->a->type);
	struct gen *g = l->g;
	uint32_t size = (uint32_t)type_base(n->type)->size;
	label fail;
	vreg i, at;

	if (!low_place(l, n->a, pl))
		return false;
	if (n->b->kind == N_INT) {
		pl->off += (int32_t)(n->b->ival * (int64_t)size);
		return true;
	}
	i = low_int(l, n->b);
	at = ir_new(g);
	ir_mov(g, at, i);
	if (t->nelem > 0)
		ir_bri(g, CC_UGE, at, (int64_t)t->nelem,
		    low_fault(l, FLT_BADINDEX, i));
	if (pl->k == P_ELEM || pl->k == P_SELF) {
		fail = low_fault(l, FLT_BADADDR, -1);
		low_ref(l, pl, fail);
	}
	pl->r = ir_alu(g, A_ADD, pl->r, ir_alui(g, A_MUL, at, size));
	return true;
}

/* Finds where n is; false: an error has been reported. */
bool
low_place(struct lower *l, const struct node *n, struct place *pl)
{
	const struct dtype *t;

	switch (n->kind) {
	case N_VAR:
		memset(pl, 0, sizeof(*pl));
		if (n->id->kind == ID_BUILTIN)
			break;
		return place_var(l, n, pl);
	case N_INDEX:
		memset(pl, 0, sizeof(*pl));
		pl->k = P_ELEM;
		pl->id = n->id;
		pl->key = low_key(l, &var_of(l, n->id)->key, n->list, n->line);
		return true;
	case N_ARRAYREF:
		return place_index(l, n, pl);
	case N_MEMBER:
		t = type_base(n->a->type);
		if (n->arrow || t->kind == DK_PTR) {
			memset(pl, 0, sizeof(*pl));
			pl->k = P_ADDR;
			pl->user = t->user;
			pl->r = low_int(l, n->a);
		} else if (!low_place(l, n->a, pl)) {
			return false;
		}
		bitfield(pl, n);
		return true;
	case N_UNARY:
		if (n->op != OP_DEREF)
			break;
		memset(pl, 0, sizeof(*pl));
		pl->k = P_ADDR;
		pl->user = type_base(n->a->type)->user;
		pl->r = low_int(l, n->a);
		return true;
	case N_CAST:
	case N_ARGS:
		memset(pl, 0, sizeof(*pl));
		pl->k = P_ADDR;
		pl->r = low_int(l, n->kind == N_CAST ? n->a : n);
		return true;
	default:
		break;
	}
	(void)low_error(l, D_OP_LVAL, n->line,
	    "this expression has no place in memory");
	return false;
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

void
low_ref(struct lower *l, struct place *pl, label fail)
{
	struct gen *g = l->g;
	const struct var *var;
	label have;
	vreg p;

	switch (pl->k) {
	case P_SELF:
		pl->r = low_self(l, true, fail);
		pl->k = P_MEM;
		break;
	case P_ELEM:
		var = var_of(l, pl->id);
		have = ir_newlabel(g);
		p = ir_new(g);
		ir_mov(g, p, low_lookup(l, var->map, pl->key));
		ir_bri(g, CC_NE, p, 0, have);
		(void)ir_call(g, BPF_FUNC_map_update_elem, 4,
		    ir_mapfd(g, var->map), pl->key,
		    ir_mapval(g, MAP_RODATA, ro_zero(l, var->size)),
		    ir_imm(g, BPF_NOEXIST));
		ir_mov(g, p, low_lookup(l, var->map, pl->key));
		ir_bri(g, CC_EQ, p, 0, low_drop(l, DROP_DYNVAR, fail));
		ir_label(g, have);
		pl->r = p;
		pl->k = P_MEM;
		break;
	default:
		break;
	}
}

/* The address as a number; what is not there yet is made. */
vreg
low_addr(struct lower *l, struct place *pl)
{
	struct gen *g = l->g;

	if (pl->k == P_ELEM || pl->k == P_SELF)
		low_ref(l, pl, low_fault(l, FLT_BADADDR, -1));
	if (pl->k == P_ADDR)
		return ir_alui(g, A_ADD, pl->r, pl->off);
	if (pl->k == P_REG)
		return pl->r;
	return low_scalar(l, ir_alui(g, A_ADD, pl->r, pl->off));
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
