/* check_inline.c - inlines: a copy of the expression at each use. */
#include <string.h>

#include "check_impl.h"
#include "ident.h"

/* Puts copies of the arguments where n mentions the parameters. */
static struct node *
substitute(struct checker *c, struct node *n, const struct ident *id,
    const struct node *args)
{
	struct node **tail, *e, *next;

	if (n == NULL)
		return NULL;
	if (n->kind == N_VAR && n->ival == SP_GLOBAL) {
		const struct node *a = args;

		for (size_t i = 0; i < id->nkey; i++, a = a->next) {
			struct node *cast;

			if (strcmp(n->str, id->param[i]) != 0)
				continue;
			cast = node_new(c->u, N_CAST, n->line);
			if (cast == NULL)
				return NULL;
			cast->type = id->key[i];
			cast->a = node_copy(c->u, a);
			return cast;
		}
		return n;
	}
	n->a = substitute(c, n->a, id, args);
	n->b = substitute(c, n->b, id, args);
	n->c = substitute(c, n->c, id, args);
	tail = &n->list;
	for (e = n->list; e != NULL; e = next) {
		next = e->next;
		if ((e = substitute(c, e, id, args)) == NULL)
			return n;
		*tail = e;
		tail = &e->next;
		*tail = next;
	}
	return n;
}

/* n is N_VAR of the inline, or N_ARRAYREF with its arguments in list. */
struct node *
check_inline(struct checker *c, struct ident *id, struct node *n)
{
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
	if (id->nkey > 0 && (x = substitute(c, x, id, n->list)) == NULL)
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
