/*
 * lower_str.c - string values: where they come from.
 */
#include <string.h>

#include "trace/lower_impl.h"

struct sval
low_literal(struct lower *l, const char *str, size_t len)
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
			return low_literal(l, n->str, n->slen);
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
		/* what a probe gives as a string is in the process */
		s = low_strnew(l, l->strmax);
		low_strread(l, low_int(l, n->kind == N_CAST ? n->a : n),
		    n->kind == N_ARGS, s.r, 0, s.bound);
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
