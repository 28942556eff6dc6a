/* check_index.c - a[b]: elements of arrays, characters of strings. */
#include <string.h>

#include "trace/check_impl.h"
#include "trace/regs.h"
#include "trace/type_decl.h"

/* Checks the subscripts of n in place. */
static int
subscripts(struct checker *c, struct node *n)
{
	struct node **tail = &n->list, *k, *next;

	for (k = n->list; k != NULL; k = next) {
		next = k->next;
		if ((k = check_read(c, k)) == NULL)
			return -1;
		*tail = k;
		tail = &k->next;
	}
	*tail = NULL;
	return 0;
}

static struct node *
element(struct checker *c, struct node *n, struct ident *id, enum use use)
{
	if (id->type == NULL && use == USE_READ)
		return check_unassigned(c, n->a);
	if (subscripts(c, n) < 0)
		return NULL;
	if (check_keys(c, id, n) < 0)
		return NULL;
	id->read |= (use & USE_READ) != 0;
	id->written |= (use & USE_WRITE) != 0;
	n->kind = N_INDEX;
	n->id = id;
	n->a = NULL;
	n->lval = true;
	if (id->type != NULL)
		check_settype(c, n, id->type);
	return n;
}

/* s[b]: a character of a string, which cannot be assigned. */
static struct node *
character(struct checker *c, struct node *n, struct node *i)
{
	if (!type_is_integer(i->type)) {
		diag_error(c->d, D_OP_INCOMPAT, n->line,
		    "a string's index must be an integer");
		return NULL;
	}
	n->kind = N_ARRAYREF;
	n->b = i;
	n->list = NULL;
	n->nlist = 0;
	check_settype(c, n, type_int(c->u->types, 1, true));
	return n;
}

/* a[b] of a C array or pointer. */
static struct node *
c_array(struct checker *c, struct node *n)
{
	const struct dtype *t = type_base(n->a->type);
	struct node *i = n->list, *p;

	if (!check_is_ptr(t) && !type_is_string(t)) {
		diag_error(c->d, D_DEREF_NONPTR, n->line,
		    "cannot dereference non-pointer type");
		return NULL;
	}
	if (n->nlist != 1) {
		diag_error(c->d, D_ARR_BADREF, n->line,
		    "cannot access a C array as an associative array");
		return NULL;
	}
	if (type_is_string(t))
		return character(c, n, i);
	if (t->kind == DK_PTR) {
		if ((p = node_new(c->u, N_BINARY, n->line)) == NULL)
			return check_nomem(c, n->line);
		p->op = OP_ADD;
		p->a = n->a;
		p->b = i;
		n->kind = N_UNARY;
		n->op = OP_DEREF;
		n->a = p;
		n->list = NULL;
		n->nlist = 0;
		return check_pointer_index(c, n);
	}
	if (!type_is_integer(i->type)) {
		diag_error(c->d, D_OP_INCOMPAT, n->line,
		    "an array's index must be an integer");
		return NULL;
	}
	if (i->kind == N_INT && t->nelem > 1 &&
	    (uint64_t)i->ival >= t->nelem) {
		diag_error(c->d, D_ARR_BOUNDS, n->line, "index outside array "
		    "bounds: %lld, max is %llu", (long long)i->ival,
		    (unsigned long long)t->nelem);
		return NULL;
	}
	if ((n->b = check_conv(c, i, type_int(c->u->types, 8, true))) == NULL)
		return NULL;
	n->list = NULL;
	n->nlist = 0;
	n->lval = true;
	check_settype(c, n, t->ref);
	return n;
}

/* name[…] where name is an identifier: is it an associative array? */
static struct ident *
assoc_ident(struct checker *c, struct node *n, bool *failed)
{
	enum space sp = (enum space)n->a->ival;
	struct ident *id;

	*failed = false;
	id = sp == SP_GLOBAL ? check_global(c, n->a, failed) :
	    ident_find(c->u, sp, n->a->str);
	if (*failed)
		return NULL;
	if (id != NULL && id->type != NULL)
		return id;
	*failed = true;
	if (sp == SP_THIS) {
		diag_error(c->d, D_ARR_LOCAL, n->line, "local variables may "
		    "not be used as associative arrays: %s", n->a->str);
		return NULL;
	}
	if (strchr(n->a->str, '`') != NULL)
		return check_undefined(c, n->a, sp);
	if (id == NULL)
		id = ident_add(c->u, sp, ID_ASSOC, n->a->str, n->line);
	else if (id->kind == ID_SCALAR)
		ident_morph(c->u, id, ID_ASSOC);
	*failed = id == NULL;
	return id == NULL ? check_nomem(c, n->line) : id;
}

/* args[n] and uregs[n] */
static struct node *
builtin_array(struct checker *c, struct node *n, struct ident *id)
{
	struct node *i;

	if (c->t == NULL || !(id->builtin->flags & BF_ARRAY)) {
		diag_error(c->d, D_IDENT_BADREF, n->line, "scalar '%s' may "
		    "not be referenced as associative array", id->name);
		return NULL;
	}
	if (subscripts(c, n) < 0)
		return NULL;
	if (n->nlist != 1) {
		diag_error(c->d, D_PROTO_LEN, n->line, "%s[ ] prototype "
		    "mismatch: %zu args passed, 1 expected", id->name,
		    n->nlist);
		return NULL;
	}
	i = n->list;
	if (id->builtin->id == B_ARGS)
		return check_args(c, n, i);
	if (!type_is_integer(i->type)) {
		diag_error(c->d, D_PROTO_ARG, n->line, "%s[ ] argument #1 "
		    "must be an integer", id->name);
		return NULL;
	}
	if (i->kind == N_INT && (i->ival < 0 || i->ival >= REGS_N)) {
		diag_error(c->d, D_REGS_IDX, n->line, "index %lld is out of "
		    "range for uregs[ ] (0 to %d)", (long long)i->ival,
		    REGS_N - 1);
		return NULL;
	}
	if ((n->list = check_conv(c, i, type_int(c->u->types, 8, true)))
	    == NULL)
		return NULL;
	n->kind = N_INDEX;
	n->id = id;
	n->a = NULL;
	check_settype(c, n, id->type);
	return n;
}

/* fds[] of the library, unless the program has a variable of that name. */
static bool
is_fds(struct checker *c, const struct node *a, enum use use)
{
	return a->ival == SP_GLOBAL && use == USE_READ && c->t != NULL &&
	    strcmp(a->str, "fds") == 0 &&
	    ident_find(c->u, SP_GLOBAL, "fds") == NULL;
}

struct node *
check_index(struct checker *c, struct node *n, enum use use)
{
	struct ident *id;
	bool failed;

	if (n->a->kind == N_VAR) {
		if (is_fds(c, n->a, use))
			return check_fds(c, n);
		id = assoc_ident(c, n, &failed);
		if (failed)
			return NULL;
		if (id->kind == ID_BUILTIN &&
		    (id->builtin->flags & BF_ARRAY))
			return builtin_array(c, n, id);
		if (id->kind == ID_ASSOC)
			return element(c, n, id, use);
		if (id->kind == ID_INLINE && id->nkey > 0)
			return check_inline(c, id, n);
		if (id->kind == ID_SCALAR && !check_is_ptr(id->type) &&
		    !type_is_string(id->type)) {
			diag_error(c->d, D_IDENT_BADREF, n->line, "scalar "
			    "'%s%s' may not be referenced as associative "
			    "array", check_scope(n->a->ival), id->name);
			return NULL;
		}
	}
	if ((n->a = check_expr(c, n->a, USE_READ)) == NULL ||
	    subscripts(c, n) < 0)
		return NULL;
	return c_array(c, n);
}
