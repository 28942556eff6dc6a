/* check_ptr.c - pointers in sums and differences, addresses of symbols. */
#include <string.h>

#include "trace/check_impl.h"
#include "trace/ident.h"
#include "trace/sym.h"
#include "trace/type_decl.h"

/* A pointer that arithmetic can be done on, or a D string or array. */
bool
check_is_sized(const struct node *n)
{
	const struct dtype *t = type_base(n->type);

	return check_is_ptr(t) && type_base(t->ref)->size > 0 &&
	    type_base(t->ref)->kind != DK_FUNC;
}

/* An array as the address of its first element. */
struct node *
check_decay(struct checker *c, struct node *n)
{
	const struct dtype *t = type_base(n->type);
	struct node *p;

	if (t->kind != DK_ARRAY)
		return n;
	if ((p = node_new(c->u, N_UNARY, n->line)) == NULL)
		return check_nomem(c, n->line);
	p->op = OP_ADDR;
	p->a = n;
	p->implicit = true;
	check_settype(c, p, type_ptr(c->u->types, t->ref));
	return p;
}

/* An index as an offset in bytes. */
struct node *
check_scaled(struct checker *c, struct node *i, uint64_t size)
{
	const struct dtype *t = type_int(c->u->types, 8, true);
	struct node *n, *by;

	if ((i = check_conv(c, i, t)) == NULL || size == 1)
		return i;
	if ((n = node_new(c->u, N_BINARY, i->line)) == NULL ||
	    (by = node_int(c->u, (int64_t)size, t, i->line)) == NULL)
		return check_nomem(c, i->line);
	n->op = OP_MUL;
	n->a = i;
	n->b = by;
	n->implicit = true;
	check_settype(c, n, t);
	return fold_binary(c, n);
}

uint64_t
check_elem_size(const struct node *ptr)
{
	return type_base(type_base(ptr->type)->ref)->size;
}

static struct node *
pointer_diff(struct checker *c, struct node *n)
{
	const struct dtype *t = type_int(c->u->types, 8, true);
	uint64_t size = check_elem_size(n->a);
	struct node *q, *by;

	n->a = check_conv(c, check_decay(c, n->a), t);
	n->b = check_conv(c, check_decay(c, n->b), t);
	if (n->a == NULL || n->b == NULL)
		return NULL;
	check_settype(c, n, type_known(c->u->types, "ptrdiff_t"));
	if (size == 1)
		return n;
	if ((q = node_new(c->u, N_BINARY, n->line)) == NULL ||
	    (by = node_int(c->u, (int64_t)size, t, n->line)) == NULL)
		return check_nomem(c, n->line);
	q->op = OP_DIV;
	q->a = n;
	q->b = by;
	q->implicit = true;
	check_settype(c, q, n->type);
	return fold_binary(c, q);
}

static struct node *
pointer_add(struct checker *c, struct node *n)
{
	uint64_t size;

	if (check_is_int(n->a)) {
		struct node *x = n->a;

		n->a = n->b;
		n->b = x;
	}
	size = check_elem_size(n->a);
	if ((n->a = check_decay(c, n->a)) == NULL ||
	    (n->b = check_scaled(c, n->b, size)) == NULL)
		return NULL;
	check_settype(c, n, n->a->type);
	return fold_binary(c, n);
}

struct node *
check_additive(struct checker *c, struct node *n)
{
	bool pa = check_is_sized(n->a), pb = check_is_sized(n->b);

	if (check_is_int(n->a) && check_is_int(n->b))
		return check_arithmetic(c, n, D_OP_ARITH);
	if ((pa && check_is_int(n->b)) ||
	    (check_is_int(n->a) && pb && n->op == OP_ADD))
		return pointer_add(c, n);
	if (pa && pb && n->op == OP_SUB &&
	    check_ptrcompat(c, n->a, n->b, NULL))
		return pointer_diff(c, n);
	if ((check_is_ptr(n->a->type) && !pa) ||
	    (check_is_ptr(n->b->type) && !pb)) {
		check_incompat(c, n, n->a, n->b);
		diag_hint(c->d, "cast to a pointer of known size first");
		return NULL;
	}
	return check_incompat(c, n, n->a, n->b);
}

/* &`symbol, &module`symbol: the kernel's address of it, which has no type. */
struct node *
check_symbol(struct checker *c, struct node *n)
{
	const char *name = n->a->str, *tick = strrchr(name, '`');
	size_t len = (size_t)(tick - name);
	struct symtab *st = NULL;
	char mod[64] = "";
	uint64_t addr = 0;

	if (len < sizeof(mod))
		memcpy(mod, name, len);
	if (len < sizeof(mod) && (st = sym_new()) != NULL)
		addr = sym_kernel_addr(st, len > 0 ? mod : NULL, tick + 1);
	sym_free(st);
	if (addr == 0) {
		diag_error(c->d, D_IDENT_UNDEF, n->line, "failed to resolve "
		    "%s: /proc/kallsyms has no address of it", name);
		return NULL;
	}
	return node_int(c->u, (int64_t)addr, type_ptr(c->u->types,
	    type_void(c->u->types)), n->line);
}
