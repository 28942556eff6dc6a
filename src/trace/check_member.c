/* check_member.c - members of structs. */
#include "trace/check_impl.h"
#include "trace/ident.h"
#include "trace/suggest.h"
#include "trace/type_decl.h"

static void *
not_struct(struct checker *c, const struct node *n, const struct dtype *t)
{
	char buf[128];

	type_name(t, buf, sizeof(buf));
	if (t->kind == DK_STRUCT || t->kind == DK_UNION ||
	    t->kind == DK_FORWARD) {
		diag_error(c->d, D_OP_INCOMPLETE, n->line, "operator %s "
		    "cannot be applied to a forward declaration: no %s "
		    "definition is available", n->arrow ? "->" : ".", buf);
		ident_hint_type(c->u, c->d, t);
	} else if (n->arrow)
		diag_error(c->d, D_OP_SOU, n->line, "operator -> cannot be "
		    "applied to pointer to type \"%s\"; must be applied to a "
		    "struct or union pointer", buf);
	else
		diag_error(c->d, D_OP_SOU, n->line, "operator . cannot be "
		    "applied to type \"%s\"; must be applied to a struct or "
		    "union", buf);
	if (!n->arrow && t->kind == DK_PTR)
		diag_hint(c->d, "did you mean ->?");
	return NULL;
}

/* The struct that n's member is looked up in. */
static const struct dtype *
struct_of(struct checker *c, const struct node *n)
{
	const struct dtype *t = type_base(n->a->type);

	if (n->arrow) {
		if (!check_is_ptr(t)) {
			diag_error(c->d, D_OP_PTR, n->line,
			    "operator -> must be applied to a pointer");
			if (t->kind == DK_STRUCT || t->kind == DK_UNION)
				diag_hint(c->d, "did you mean . ?");
			return NULL;
		}
		t = type_base(t->ref);
	}
	t = type_complete(c->u->types, t);
	if ((t->kind != DK_STRUCT && t->kind != DK_UNION) || t->size == 0)
		return not_struct(c, n, t);
	return t;
}

const struct dmember *
check_member_of(struct checker *c, const struct dtype *t,
    const struct node *n, uint64_t *bit)
{
	const struct dmember *m = type_member(t, n->str, bit);
	const char *best = NULL;
	size_t dist = SUGGEST_MAX;
	char buf[128];

	if (m != NULL)
		return m;
	diag_error(c->d, D_TYPE_MEMBER, n->line, "%s is not a member of %s",
	    n->str, type_name(t, buf, sizeof(buf)));
	for (size_t i = 0; i < t->nmem; i++)
		if (t->mem[i].name != NULL)
			suggest_best(n->str, t->mem[i].name, &best, &dist);
	if (best != NULL)
		diag_hint(c->d, "did you mean %s?", best);
	return NULL;
}

struct node *
check_member(struct checker *c, struct node *n, enum use use)
{
	const struct dtype *t;
	const struct dmember *m;

	(void)use;
	/* (*p).m is p->m, also where *p is no value */
	if (!n->arrow && n->a->kind == N_UNARY && n->a->op == OP_DEREF) {
		n->a = n->a->a;
		n->arrow = true;
	}
	if ((n->a = check_expr(c, n->a, USE_READ)) == NULL ||
	    (t = struct_of(c, n)) == NULL)
		return NULL;
	if (check_translated(c, n->a, t))
		return check_xmember(c, n, t);
	if ((m = check_member_of(c, t, n, &n->mem_bit)) == NULL)
		return NULL;
	n->mem_bits = m->bit_size;
	n->lval = n->arrow || n->a->lval;
	check_settype(c, n, m->type);
	return n;
}
