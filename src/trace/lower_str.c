/*
 * lower_str.c - string values: where they come from, copying, comparing,
 * assigning.
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

/* 0 when s is the literal, not 0 otherwise */
static vreg
same_literal(struct lower *l, const struct sval *s, const struct sval *lit)
{
	struct gen *g = l->g;
	uint32_t need = (uint32_t)lit->litlen + 1, k, n;
	vreg acc = ir_new(g), v;
	label null = ir_newlabel(g);
	uint64_t word, mask;

	ir_set(g, acc, 1);
	if (s->bound < need)
		return acc;
	if (s->maynull)
		ir_bri(g, CC_EQ, s->r, 0, null);
	for (k = 0; k < need; k += 8) {
		n = least(need - k, 8);
		word = 0;
		memcpy(&word, lit->lit + k, least(n,
		    (uint32_t)lit->litlen - k));
		mask = n == 8 ? ~0ULL : (1ULL << 8 * n) - 1;
		v = ir_load(g, s->r, (int32_t)k, 8);
		if (mask != ~0ULL)
			v = ir_alui(g, A_AND, v, (int64_t)mask);
		v = ir_alui(g, A_XOR, v, (int64_t)word);
		if (k == 0)
			ir_mov(g, acc, v);
		else
			ir_aluto(g, acc, A_OR, acc, v);
	}
	ir_label(g, null);
	return acc;
}

/* (x - 01…01) & ~x & 80…80: the lowest bit set marks the first zero byte */
static vreg
zerobyte(struct gen *g, vreg x)
{
	vreg a = ir_alui(g, A_SUB, x, 0x0101010101010101);
	vreg b = ir_alui(g, A_XOR, x, -1);

	return ir_alui(g, A_AND, ir_alu(g, A_AND, a, b),
	    (int64_t)0x8080808080808080);
}

/* The subprogram that compares two strings of at most so many words. */
static int
comparer(struct lower *l, uint32_t words)
{
	struct gen *g = l->g;
	vreg a, b, n, x, y, low;
	label top, differ, equal, less;
	char name[24];
	int fn;

	snprintf(name, sizeof(name), "strcmp_%u", words);
	fn = ir_func(g, name, 2);
	top = ir_newlabel(g);
	differ = ir_newlabel(g);
	equal = ir_newlabel(g);
	less = ir_newlabel(g);
	a = ir_new(g);
	b = ir_new(g);
	n = ir_new(g);
	x = ir_new(g);
	y = ir_new(g);
	ir_mov(g, a, ir_arg(g, 0));
	ir_mov(g, b, ir_arg(g, 1));
	ir_set(g, n, 0);
	ir_label(g, top);
	ir_loadto(g, x, a, 0, 8);
	ir_loadto(g, y, b, 0, 8);
	ir_br(g, CC_NE, x, y, differ);
	ir_bri(g, CC_NE, zerobyte(g, x), 0, equal);
	ir_aluito(g, a, A_ADD, a, 8);
	ir_aluito(g, b, A_ADD, b, 8);
	ir_aluito(g, n, A_ADD, n, 1);
	ir_bri(g, CC_ULT, n, words, top);
	ir_label(g, equal);
	ir_exit(g, 0);
	ir_label(g, differ);
	/* a zero byte before the first bit that differs ends both */
	low = ir_alu(g, A_XOR, x, y);
	low = ir_alu(g, A_AND, low, ir_neg(g, low));
	low = ir_alui(g, A_SUB, low, 1);
	ir_br(g, CC_SET, zerobyte(g, x), low, equal);
	ir_br(g, CC_ULT, ir_bswap(g, x, 8), ir_bswap(g, y, 8), less);
	ir_exit(g, 1);
	ir_label(g, less);
	ir_exit(g, -1);
	ir_endfunc(g);
	return fn;
}

static int
compare_fn(struct lower *l, uint32_t words)
{
	size_t k;

	for (k = 0; k < l->ncmp; k++)
		if (l->cmp[k].words == words)
			return l->cmp[k].fn;
	if (k == sizeof(l->cmp) / sizeof(*l->cmp))
		return comparer(l, words);
	l->cmp[k].words = words;
	l->cmp[k].fn = comparer(l, words);
	l->ncmp++;
	return l->cmp[k].fn;
}

/* <0, 0, >0 as a before, same as, after b; NULL comes before all. */
vreg
low_strcmp(struct lower *l, const struct node *n)
{
	struct gen *g = l->g;
	struct sval a = low_str(l, n->a), b = low_str(l, n->b);
	bool eq = n->op == OP_EQ || n->op == OP_NE;
	label done = ir_newlabel(g), some;
	vreg r = ir_new(g);

	if (eq && b.lit != NULL && b.litlen < COPY_UNROLL && a.mem)
		return same_literal(l, &a, &b);
	if (eq && a.lit != NULL && a.litlen < COPY_UNROLL && b.mem)
		return same_literal(l, &b, &a);
	if (a.maynull) {
		some = ir_newlabel(g);
		ir_bri(g, CC_NE, a.r, 0, some);
		ir_set(g, r, -1);
		if (b.maynull) {
			ir_bri(g, CC_NE, b.r, 0, done);
			ir_set(g, r, 0);
		}
		ir_jmp(g, done);
		ir_label(g, some);
	}
	if (b.maynull) {
		ir_set(g, r, 1);
		ir_bri(g, CC_EQ, b.r, 0, done);
	}
	if (!a.mem)
		(void)low_strtemp(l, &a);
	if (!b.mem)
		(void)low_strtemp(l, &b);
	ir_mov(g, r, ir_callsub(g, compare_fn(l, least(a.room, b.room) / 8), 2,
	    a.r, b.r));
	ir_label(g, done);
	return low_opaque(l, r);
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

	if (!low_place(l, n->a, &pl))
		return s;
	if (!whole)
		cap = least(cap, (uint32_t)type_base(n->a->type)->size);
	/* an address that may be bad must not cost the variable's value */
	if (!s.mem && !(n->b->kind == N_STR))
		(void)low_strtemp(l, &s);
	l->cond++;
	switch (whole || pl.k == P_MEM ? pl.k : P_ADDR) {
	case P_ELEM:
		assign_elem(l, &pl, &s);
		break;
	case P_SELF:
		assign_self(l, &pl, &s);
		break;
	case P_MEM:
		if (n->a->kind == N_VAR && id->scope == SC_THIS)
			this = l->fn.thisv[id->seq];
		assign_mem(l, &pl, &s, this, cap);
		break;
	default:
		(void)low_error(l, D_OP_LVAL, n->line,
		    "a string cannot be stored there");
		break;
	}
	l->cond--;
	return s;
}
