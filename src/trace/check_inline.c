/* check_inline.c - inlines: a copy of the expression at each use. */
#include <string.h>

#include "trace/check_impl.h"
#include "trace/ident.h"

/* One use of an inline, with its arguments. */
struct inlining {
	struct checker *c;
	const struct ident *id;
	const struct node *args;
};

/* The argument of that name, as the parameter's type; else n. */
static struct node *
argument(const struct inlining *u, struct node *n)
{
	const struct node *a = u->args;
	struct node *cast;

	for (size_t i = 0; i < u->id->nkey; i++, a = a->next) {
		if (strcmp(n->str, u->id->param[i]) != 0)
			continue;
		cast = node_new(u->c->u, N_CAST, n->line);
		if (cast == NULL)
			return NULL;
		cast->type = u->id->key[i];
		cast->a = node_copy(u->c->u, a);
		return cast;
	}
	return n;
}

/* Puts copies of the arguments where n mentions the parameters. */
static struct node *
substitute(void *inlining, struct node *n)
{
	if (n == NULL)
		return NULL;
	if (n->kind == N_VAR && n->ival == SP_GLOBAL)
		return argument(inlining, n);
	node_replace(n, substitute, inlining);
	return n;
}

/* n is N_VAR of the inline, or N_ARRAYREF with its arguments in list. */
struct node *
check_inline(struct checker *c, struct ident *id, struct node *n)
{
	struct inlining use = { c, id, n->list };
	struct node *x;
	struct tnames t;

	if (n->nlist != id->nkey) {
		diag_error(c->d, D_PROTO_LEN, n->line, "%s[ ] prototype "
		    "mismatch: %zu args passed, %zu expected", id->name,
		    n->nlist, id->nkey);
		return NULL;
	}
	if ((x = node_copy(c->u, id->inl)) == NULL) {
		diag_error(c->d, D_UNKNOWN, n->line,
		    "out of memory, or the program is too large");
		return NULL;
	}
	if (id->nkey > 0 && (x = substitute(&use, x)) == NULL)
		return NULL;
	if ((x = check_read(c, x)) == NULL)
		return NULL;
	id->read = true;
	if (!check_argcompat(c, id->type, x) &&
	    !(type_is_scalar(id->type) && type_is_scalar(x->type))) {
		struct node want = { .type = id->type };

		check_names(&t, &want, x);
		diag_error(c->d, D_OP_INCOMPAT, id->line, "inline %s: "
		    "operands have incompatible types: \"%s\" = \"%s\"",
		    id->name, t.a, t.b);
		return NULL;
	}
	return check_conv(c, x, id->type);
}
