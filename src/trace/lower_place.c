/*
 * lower_place.c - where variables, array elements, members and what pointers
 * point to are.
 */
#include <string.h>

#include "trace/lower_impl.h"

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
