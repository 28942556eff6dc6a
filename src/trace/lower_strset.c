/*
 * lower_strset.c - strings assigned to variables, elements and members.
 */
#include "trace/lower_impl.h"

static void
assign_elem(struct lower *l, const struct place *pl, struct sval *s)
{
	const struct var *v = var_of(l, pl->id);
	struct gen *g = l->g;
	label done = ir_newlabel(g), set = ir_newlabel(g);
	struct sval t;
	vreg rc;

	if (s->maynull) {
		ir_bri(g, CC_NE, s->r, 0, set);
		(void)ir_call(g, BPF_FUNC_map_delete_elem, 2,
		    ir_mapfd(g, v->map), pl->key);
		ir_jmp(g, done);
		ir_label(g, set);
	}
	t = *s;
	if (s->temp == 0) {
		t = low_strnew(l, l->strmax);
		low_strcopy(l, s, t.r, 0, t.bound);
	}
	rc = ir_call(g, BPF_FUNC_map_update_elem, 4, ir_mapfd(g, v->map),
	    pl->key, t.r, ir_imm(g, BPF_ANY));
	ir_bri(g, CC_NE, rc, 0, low_drop(l, DROP_DYNVAR, done));
	ir_label(g, done);
}

static void
assign_self(struct lower *l, const struct place *pl, struct sval *s)
{
	struct gen *g = l->g;
	label done = ir_newlabel(g), set = ir_newlabel(g);
	vreg p;

	if (s->maynull) {
		ir_bri(g, CC_NE, s->r, 0, set);
		p = low_self(l, false, done);
		ir_bri(g, CC_EQ, p, 0, done);
		ir_storei(g, p, pl->off, 8, 0);
		ir_jmp(g, done);
		ir_label(g, set);
	}
	p = low_self(l, true, done);
	ir_storei(g, p, pl->off, 8, 1);
	low_strcopy(l, s, p, pl->off + 8, l->strmax);
	ir_label(g, done);
}

/* Into memory that is always there; NULL is the empty string in a global. */
static void
assign_mem(struct lower *l, const struct place *pl, struct sval *s, vreg this,
    uint32_t cap)
{
	struct gen *g = l->g;
	label done = ir_newlabel(g);

	if (s->maynull) {
		if (this >= 0)
			ir_set(g, this, 0);
		else
			ir_storei(g, pl->r, pl->off, cap < 8 ? 1 : 8, 0);
		ir_bri(g, CC_EQ, s->r, 0, done);
	}
	low_strcopy(l, s, pl->r, pl->off, cap);
	if (this >= 0)
		ir_mov(g, this, ir_alui(g, A_ADD, pl->r, pl->off));
	ir_label(g, done);
}

struct sval
low_strassign(struct lower *l, const struct node *n)
{
	struct sval s = low_str(l, n->b);
	const struct ident *id = n->a->id;
	bool whole = n->a->kind == N_VAR || n->a->kind == N_INDEX;
	uint32_t cap = l->strmax;
	struct place pl;
	vreg this = -1;
	label fail;

	if (!low_place(l, n->a, &pl))
		return s;
	if (!whole)
		cap = least(cap, (uint32_t)type_base(n->a->type)->size);
	else if (pl.k == P_MEM && n->a->kind == N_VAR && id->scope == SC_THIS)
		this = l->fn.thisv[id->seq];
	/* an address that may be bad must not cost the variable's value */
	if (!s.mem && !(n->b->kind == N_STR))
		(void)low_strtemp(l, &s);
	l->cond++;
	fail = ir_newlabel(l->g);
	if (!whole && pl.k != P_ADDR)
		low_ref(l, &pl, fail);
	if (pl.k == P_ELEM)
		assign_elem(l, &pl, &s);
	else if (pl.k == P_SELF)
		assign_self(l, &pl, &s);
	else if (pl.k == P_MEM || low_writable(l, &pl, cap))
		assign_mem(l, &pl, &s, this, cap);
	ir_label(l->g, fail);
	l->cond--;
	return s;
}
