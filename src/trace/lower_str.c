/*
 * lower_str.c - string values: where they come from, copying, assigning.
 *
 * Every string ends in a NUL within the room it is known to have, so that
 * copies and comparisons by words of 8 bytes stay inside of it.
 */
#include <string.h>

#include "trace/lowint.h"

enum { ZERO_UNROLL = 128, PAGE = 4096 };

static uint32_t
least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

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

static struct sval
literal(struct lower *l, const char *str, size_t len)
{
	struct sval s = { .mem = true, .canon = true };

	len = strnlen(str, len);
	if (len > l->strmax - 1)
		len = l->strmax - 1;
	s.lit = str;
	s.litlen = len;
	s.bound = (uint32_t)len + 1;
	s.room = up8(s.bound);
	s.r = ir_mapval(l->g, MAP_RODATA, ro_string(l, str, len));
	return s;
}

static struct sval
variable(struct lower *l, const struct node *n)
{
	const struct var *v = var_of(l, n->id);
	struct sval s = { .mem = true, .room = l->strsize };
	struct gen *g = l->g;
	label none;
	vreg p;

	s.bound = l->strmax;
	switch (n->id->scope) {
	case SC_THIS:
		s.r = ir_new(g);
		ir_mov(g, s.r, l->fn.thisv[n->id->seq]);
		s.maynull = true;
		break;
	case SC_SELF:
		s.r = ir_new(g);
		s.maynull = true;
		none = ir_newlabel(g);
		p = low_self(l, false, none);
		ir_set(g, s.r, 0);
		ir_bri(g, CC_EQ, p, 0, none);
		ir_bri(g, CC_EQ, ir_load(g, p, (int32_t)v->off, 8), 0, none);
		ir_mov(g, s.r, ir_alui(g, A_ADD, p, v->off + 8));
		ir_label(g, none);
		break;
	default:
		s.r = ir_mapval(g, MAP_GLOBALS, v->off);
		break;
	}
	return s;
}

static struct sval
element(struct lower *l, const struct node *n)
{
	struct sval s = { .mem = true, .maynull = true, .room = l->strsize,
	    .bound = l->strmax };
	const struct var *v = var_of(l, n->id);

	s.r = low_lookup(l, v->map, low_key(l, &v->key, n->list, n->line));
	return s;
}

/* Bytes of a char array with the NUL that it may lack, at most. */
static uint32_t
arraycap(struct lower *l, const struct dtype *t)
{
	if (t->kind != DK_ARRAY || t->nelem == 0)
		return l->strmax;
	return t->nelem + 1 < l->strmax ? (uint32_t)t->nelem + 1 : l->strmax;
}

/* The address stringof() reads; *user: from the process. */
static vreg
address(struct lower *l, const struct node *n, bool *user)
{
	const struct dtype *t = type_base(n->type);
	struct place pl;

	*user = t->kind == DK_PTR && t->user;
	if (t->kind != DK_ARRAY && t->kind != DK_STRUCT &&
	    t->kind != DK_UNION)
		return low_int(l, n);
	if (!low_place(l, n, &pl))
		return ir_imm(l->g, 0);
	*user = pl.user;
	return low_addr(l, &pl);
}

static struct sval
stringof(struct lower *l, const struct node *n)
{
	struct sval s;
	bool user;
	vreg a;

	if (type_is_string(type_base(n->a->type)))
		return low_str(l, n->a);
	a = address(l, n->a, &user);
	s = low_strnew(l, arraycap(l, type_base(n->a->type)));
	low_strread(l, a, user, s.r, 0, s.bound);
	return s;
}

static bool
choose(struct lower *l, const struct node *n, const struct sval *to, vreg r)
{
	struct sval s = low_str(l, n);
	label null = ir_newlabel(l->g);

	if (s.maynull) {
		ir_set(l->g, r, 0);
		ir_bri(l->g, CC_EQ, s.r, 0, null);
	}
	low_strcopy(l, &s, to->r, 0, to->bound);
	ir_mov(l->g, r, to->r);
	ir_label(l->g, null);
	return s.maynull;
}

static struct sval
cond(struct lower *l, const struct node *n)
{
	struct gen *g = l->g;
	label no = ir_newlabel(g), end = ir_newlabel(g);
	struct sval s = low_strnew(l, l->strmax);
	vreg r = ir_new(g);

	low_jump(l, n->a, false, no);
	l->cond++;
	s.maynull = choose(l, n->b, &s, r);
	ir_jmp(g, end);
	ir_label(g, no);
	s.maynull |= choose(l, n->c, &s, r);
	ir_label(g, end);
	l->cond--;
	s.r = r;
	s.temp = 0;
	return s;
}

static struct sval
member(struct lower *l, const struct node *n)
{
	struct sval s = { .mem = true, .bound = l->strmax,
	    .room = l->strsize };
	struct place pl;

	if (!low_place(l, n, &pl)) {
		s.r = ir_imm(l->g, 0);
		return s;
	}
	if (pl.k == P_ELEM || pl.k == P_SELF)
		low_ref(l, &pl, low_fault(l, FLT_BADADDR, -1));
	/* its room is the struct's: shorter than a string of its own */
	s.mem = false;
	s.user = pl.user;
	s.r = ir_alui(l->g, A_ADD, pl.r, pl.off);
	return s;
}

struct sval
low_str(struct lower *l, const struct node *n)
{
	struct sval s = { .maynull = true, .bound = 1, .room = 8 };

	switch (n->kind) {
	case N_STR:
		if (n->str != NULL)
			return literal(l, n->str, n->slen);
		s.r = ir_imm(l->g, 0);
		return s;
	case N_VAR:
		if (n->id->kind == ID_BUILTIN)
			return low_strbuiltin(l, n);
		return variable(l, n);
	case N_INDEX:
		return element(l, n);
	case N_MEMBER:
	case N_ARRAYREF:
	case N_UNARY:
		return member(l, n);
	case N_STRINGOF:
		return stringof(l, n);
	case N_COND:
		return cond(l, n);
	case N_COMMA:
		low_effect(l, n->a);
		return low_str(l, n->b);
	case N_ASSIGN:
		return low_strassign(l, n);
	case N_CALL:
		return low_strsubr(l, n);
	case N_CAST:
	case N_ARGS:
		if (n->kind == N_CAST && n->a->type != NULL &&
		    type_is_string(type_base(n->a->type)))
			return low_str(l, n->a);
		s = low_strnew(l, l->strmax);
		low_strread(l, low_int(l, n->kind == N_CAST ? n->a : n), false,
		    s.r, 0, s.bound);
		return s;
	default:
		break;
	}
	(void)low_error(l, D_UNSUP, n->line, "this string has no code");
	s.r = ir_imm(l->g, 0);
	return s;
}

/* Is n text at an address, to be read straight to where it is wanted? */
bool
low_readable(const struct node *n)
{
	if (n->kind == N_STRINGOF)
		return !type_is_string(type_base(n->a->type));
	return n->kind == N_CALL && n->func->id == F_COPYINSTR &&
	    n->list->next == NULL;
}

void
low_strinto(struct lower *l, const struct node *n, vreg dst, int32_t off,
    uint32_t cap)
{
	struct sval s;
	bool user;
	vreg a;

	if (low_readable(n) && n->kind == N_STRINGOF) {
		a = address(l, n->a, &user);
		low_strread(l, a, user, dst, off, least(cap,
		    arraycap(l, type_base(n->a->type))));
		return;
	}
	if (low_readable(n)) {
		low_strread(l, low_int(l, n->list), true, dst, off, cap);
		return;
	}
	s = low_str(l, n);
	low_notnull(l, &s);
	low_strcopy(l, &s, dst, off, cap);
}

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
