/* check_var.c - variables: what a name means, what type it has. */
#include <string.h>

#include "trace/check_impl.h"
#include "trace/type_decl.h"

const char *
check_scope(enum space sp)
{
	return sp == SP_SELF ? "self->" : sp == SP_THIS ? "this->" : "";
}

bool
check_writable(const struct node *n)
{
	switch (n->kind) {
	case N_VAR: case N_INDEX:
		return n->id->kind != ID_BUILTIN;
	case N_MEMBER: case N_ARRAYREF:
		return check_writable(n->a);
	case N_UNARY:
		/* memory from alloca() and copyin() may be written; what a
		 * variable points to is known only at run time */
		return (n->op == OP_DEREF || n->op == OP_ADDR) &&
		    check_writable(n->a);
	case N_BINARY:
		return n->op == OP_ADD && check_writable(n->a);
	default:
		return false;
	}
}

void
check_settled(struct checker *c, struct node *n, const struct dtype *t)
{
	struct ident *id = n->id;

	if (id != NULL && id->type == NULL) {
		id->type = t;
		id->nullable = type_is_string(t) &&
		    (id->kind == ID_ASSOC || id->scope == SC_SELF);
	}
	check_settype(c, n, t);
}

/* It is read before anything says what type it has. */
void *
check_unassigned(struct checker *c, const struct node *n)
{
	diag_error(c->d, D_VAR_UNDEF, n->line,
	    "%s%s has not yet been declared or assigned",
	    check_scope((enum space)n->ival), n->str);
	return NULL;
}

void *
check_undefined(struct checker *c, const struct node *n, enum space sp)
{
	const char *near;

	if (sp != SP_GLOBAL)
		return check_unassigned(c, n);
	if (strchr(n->str, '`') != NULL) {
		diag_error(c->d, D_SYM_NOTYPES, n->line, "failed to resolve "
		    "%s: kernel and program symbols have no types here",
		    n->str);
		diag_hint(c->d, "*(type *)&%s reads what is known to be of "
		    "that type in the kernel", n->str);
		return NULL;
	}
	diag_error(c->d, D_IDENT_UNDEF, n->line,
	    "failed to resolve %s: Unknown variable name", n->str);
	if ((near = ident_near(c->u, n->str, false)) != NULL)
		diag_hint(c->d, "did you mean %s?", near);
	else if (ident_find(c->u, SP_SELF, n->str) != NULL)
		diag_hint(c->d, "did you mean self->%s?", n->str);
	else if (ident_find(c->u, SP_THIS, n->str) != NULL)
		diag_hint(c->d, "did you mean this->%s?", n->str);
	return NULL;
}

/* The identifier of a built-in variable, made at its first mention. */
static struct ident *
builtin(struct checker *c, const struct builtindesc *b, int line)
{
	const struct dtype *t = check_proto_type(c, b->type, strlen(b->type));
	struct ident *id;

	if (t == NULL) {
		diag_error(c->d, D_VAR_UNSUP, line, "%s is not available: "
		    "this system's BTF has no type %s", b->name, b->type);
		return NULL;
	}
	id = ident_add(c->u, SP_GLOBAL, ID_BUILTIN, b->name, line);
	if (id == NULL)
		return check_nomem(c, line);
	id->type = t;
	id->builtin = b;
	return id;
}

struct ident *
check_global(struct checker *c, const struct node *n, bool *failed)
{
	struct ident *id = ident_find(c->u, SP_GLOBAL, n->str);
	const struct builtindesc *b;

	*failed = false;
	if (id != NULL)
		return id;
	if ((b = builtin_lookup(n->str)) != NULL) {
		id = builtin(c, b, n->line);
		*failed = id == NULL;
		return id;
	}
	if (func_lookup(n->str) != NULL) {
		diag_error(c->d, D_IDENT_BADREF, n->line, "function '%s' may "
		    "not be referenced as a variable", n->str);
		*failed = true;
	}
	return NULL;
}

/* TASK_COMM_LEN; DTRACE_*NAMELEN of dtrace(1)'s probe descriptions */
static uint32_t
builtin_bound(const struct checker *c, enum bid b)
{
	uint32_t n;

	switch (b) {
	case B_EXECNAME: n = 16; break;
	case B_EXECARGS: n = 256; break;
	case B_PROBEPROV: case B_PROBEMOD: case B_PROBENAME: n = 64; break;
	case B_PROBEFUNC: n = 128; break;
	default: n = c->u->strmax; break;
	}
	return n < c->u->strmax ? n : c->u->strmax;
}

static struct node *
as_builtin(struct checker *c, struct node *n, struct ident *id)
{
	if (c->t == NULL) {
		diag_error(c->d, D_IDENT_BADREF, n->line, "%s may not be "
		    "used in a constant expression", id->name);
		return NULL;
	}
	if (id->builtin->flags & BF_ARRAY) {
		diag_error(c->d, D_IDENT_BADREF, n->line, "array '%s' may not "
		    "be referenced as scalar", id->name);
		return NULL;
	}
	if (id->builtin->flags & BF_XLATE)
		return check_xbuiltin(c, n, id);
	n->id = id;
	id->read = true;
	n->lval = true;
	if (type_is_string(id->type))
		n->maxlen = builtin_bound(c, id->builtin->id);
	check_settype(c, n, id->type);
	return n;
}

static struct node *
as_variable(struct checker *c, struct node *n, struct ident *id, enum use use)
{
	enum space sp = (enum space)n->ival;

	if (id->kind == ID_ASSOC) {
		diag_error(c->d, D_IDENT_BADREF, n->line, "associative array "
		    "'%s%s' may not be referenced as scalar", check_scope(sp),
		    id->name);
		return NULL;
	}
	if (id->type == NULL && use == USE_READ)
		return check_unassigned(c, n);
	id->read |= (use & USE_READ) != 0;
	id->written |= (use & USE_WRITE) != 0;
	n->id = id;
	n->lval = true;
	if (id->type != NULL)
		check_settype(c, n, id->type);
	return n;
}

struct node *
check_var(struct checker *c, struct node *n, enum use use)
{
	enum space sp = (enum space)n->ival;
	struct ident *id;
	bool failed = false;
	int64_t value;

	id = sp == SP_GLOBAL ? check_global(c, n, &failed) :
	    ident_find(c->u, sp, n->str);
	if (failed)
		return NULL;
	if (id == NULL && sp == SP_GLOBAL && strcmp(n->str, "NULL") == 0)
		return node_int(c->u, 0, type_int(c->u->types, 8, true),
		    n->line);
	if (id == NULL && sp == SP_GLOBAL && use == USE_READ &&
	    const_lookup(n->str, &value))
		return node_int(c->u, value, type_int(c->u->types, 4, true),
		    n->line);
	if (id == NULL && (use == USE_READ || strchr(n->str, '`') != NULL))
		return check_undefined(c, n, sp);
	if (id == NULL && (id = ident_add(c->u, sp, ID_SCALAR, n->str,
	    n->line)) == NULL)
		return check_nomem(c, n->line);
	switch (id->kind) {
	case ID_BUILTIN:
		return as_builtin(c, n, id);
	case ID_INLINE:
		return check_inline(c, id, n);
	case ID_ENUMCONST:
		return node_int(c->u, check_normal(id->enumval, id->type),
		    id->type, n->line);
	default:
		return as_variable(c, n, id, use);
	}
}
