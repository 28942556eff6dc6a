/* check_var.c - variables, array elements, members. */
#include <string.h>

#include "arena.h"
#include "check_impl.h"
#include "ident.h"
#include "regs.h"
#include "type_decl.h"

static const char *
prefix(enum space sp)
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

/* A string key is as long as the longest of all its uses. */
static void
key_length(struct ident *id, size_t i, const struct node *k)
{
	if (k->maxlen > id->keylen[i])
		id->keylen[i] = k->maxlen;
}

int
check_keys_declared(struct unit *u, struct ident *id, const struct dtype **key,
    size_t nkey)
{
	id->key = key;
	id->nkey = nkey;
	id->keylen = arena_calloc(u->arena, nkey + 1, sizeof(*id->keylen));
	id->nullable = type_is_string(id->type) &&
	    (id->kind == ID_ASSOC || id->scope == SC_SELF);
	return id->keylen == NULL ? -1 : 0;
}

static int
key_type(struct checker *c, struct ident *id, size_t i, struct node *k)
{
	const struct dtype *t = type_base(k->type);
	char buf[128];
	bool agg = id->kind == ID_AGG;

	if (agg && t->kind == DK_DYN) {
		id->key[i] = k->type;
		return 0;
	}
	if (t->kind == DK_ARRAY && check_is_strcompat(k)) {
		id->key[i] = type_string(c->u->types);
		return 0;
	}
	if (t->kind != DK_STRING && !type_is_scalar(t))
		return diag_error(c->d, D_KEY_TYPE, k->line, "%s expression "
		    "may not be used as %s index: key #%zu",
		    type_name(k->type, buf, sizeof(buf)),
		    agg ? "aggregation" : "associative array", i + 1);
	id->key[i] = k->type;
	return 0;
}

static int
first_use(struct checker *c, struct ident *id, struct node *list, size_t n)
{
	size_t i = 0;

	id->key = arena_calloc(c->u->arena, n + 1, sizeof(*id->key));
	id->keylen = arena_calloc(c->u->arena, n + 1, sizeof(*id->keylen));
	if (id->key == NULL || id->keylen == NULL)
		return check_nomem(c, id->line), -1;
	id->nkey = n;
	for (struct node *k = list; k != NULL; k = k->next)
		if (key_type(c, id, i++, k) < 0) {
			id->key = NULL;		/* still without a first use */
			id->nkey = 0;
			return -1;
		}
	return 0;
}

static bool
dyn_alike(const struct dtype *want, const struct node *k)
{
	return type_base(want)->kind == DK_DYN &&
	    type_base(k->type)->kind == DK_DYN;
}

static int
later_use(struct checker *c, struct ident *id, struct node *list, size_t n)
{
	const char *at = id->kind == ID_AGG ? "@" : "";
	char want[128], got[128];
	size_t i = 0;

	if (n != id->nkey)
		return diag_error(c->d, D_PROTO_LEN, list ? list->line :
		    id->line, "%s%s[ ] prototype mismatch: %zu key%s passed, "
		    "%zu expected", at, id->name, n, n == 1 ? "" : "s",
		    id->nkey);
	for (struct node *k = list; k != NULL; k = k->next, i++)
		if (!dyn_alike(id->key[i], k) &&
		    !check_argcompat(c, id->key[i], k))
			return diag_error(c->d, D_PROTO_ARG, k->line,
			    "%s%s[ ] key #%zu is incompatible with "
			    "prototype:\n\tprototype: %s\n\t      key: %s",
			    at, id->name, i + 1,
			    type_name(id->key[i], want, sizeof(want)),
			    type_name(k->type, got, sizeof(got)));
	return 0;
}

/* Types the subscripts of n (checked already) against its identifier. */
int
check_keys(struct checker *c, struct ident *id, struct node *n)
{
	struct node **tail = &n->list, *k, *next;
	int rc = id->key == NULL ? first_use(c, id, n->list, n->nlist) :
	    later_use(c, id, n->list, n->nlist);
	size_t i = 0;

	if (rc < 0)
		return -1;
	for (k = n->list; k != NULL; k = next, i++) {
		next = k->next;
		if ((k = check_conv(c, k, id->key[i])) == NULL)
			return -1;
		key_length(id, i, k);
		*tail = k;
		tail = &k->next;
		*tail = next;
	}
	return 0;
}

/* It is read before anything says what type it has. */
static struct node *
unassigned(struct checker *c, const struct node *n)
{
	diag_error(c->d, D_VAR_UNDEF, n->line,
	    "%s%s has not yet been declared or assigned",
	    prefix((enum space)n->ival), n->str);
	return NULL;
}

static struct node *
undefined(struct checker *c, const struct node *n, enum space sp)
{
	const char *near;

	if (sp != SP_GLOBAL)
		return unassigned(c, n);
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

/* Finds what a global name means; NULL without an error: nothing yet. */
static struct ident *
global(struct checker *c, const struct node *n, bool *failed)
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
		    "'%s%s' may not be referenced as scalar", prefix(sp),
		    id->name);
		return NULL;
	}
	if (id->type == NULL && use == USE_READ)
		return unassigned(c, n);
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

	id = sp == SP_GLOBAL ? global(c, n, &failed) :
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
		return undefined(c, n, sp);
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
		return unassigned(c, n->a);
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
	id = sp == SP_GLOBAL ? global(c, n->a, failed) :
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
		return (struct ident *)undefined(c, n->a, sp);
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
			    "array", prefix(n->a->ival), id->name);
			return NULL;
		}
	}
	if ((n->a = check_expr(c, n->a, USE_READ)) == NULL ||
	    subscripts(c, n) < 0)
		return NULL;
	return c_array(c, n);
}
