/* check_act.c - actions whose arguments have rules of their own. */
#include <string.h>

#include "trace/check_impl.h"
#include "trace/fmt.h"
#include "trace/ident.h"
#include "trace/probe.h"
#include "trace/type_decl.h"

/* Checks arguments that may be stack() and its kind, in place. */
static int
values(struct checker *c, struct node **tail, bool dyn)
{
	struct node *a, *next;
	int rc = 0;

	for (a = *tail; a != NULL; a = next) {
		next = a->next;
		a = dyn ? check_dyn(c, a) : check_read(c, a);
		if (a == NULL) {
			rc = -1;
			continue;
		}
		*tail = a;
		tail = &a->next;
		*tail = next;
	}
	return rc;
}

static int
count_error(struct checker *c, const struct node *n, enum errtag tag,
    const char *want)
{
	return diag_error(c->d, tag, n->line, "%s( ) prototype mismatch: %zu "
	    "arg%s passed, %s expected", n->func->name, n->nlist,
	    n->nlist == 1 ? "" : "s", want);
}

/* The types of arguments in an array for fmt_check; n of them. */
enum { MAXARG = 256 };

static int
check_format(struct checker *c, struct node *n, const struct node *args,
    size_t narg)
{
	const struct dtype *type[MAXARG];
	size_t i = 0;

	if (narg > MAXARG)
		return diag_error(c->d, D_PRINTF_ARG_EXTRA, n->line,
		    "%s( ) takes at most %d arguments", n->func->name,
		    MAXARG);
	for (; args != NULL; args = args->next)
		type[i++] = args->type;
	return fmt_check(n->fmt, n->func->name, n->line, type, narg, false,
	    c->d);
}

/* printf(), system(), freopen(): format and values. */
static int
formatted(struct checker *c, struct node *n)
{
	struct node *f = n->list;

	if (n->nlist < 1)
		return count_error(c, n, D_PROTO_LEN, "at least 1");
	if (f->kind != N_STR)
		return diag_error(c->d, D_PRINTF_ARG_FMT, n->line, "%s( ) "
		    "argument #1 must be a string constant", n->func->name);
	n->fmt = fmt_parse(c->u->arena, f->str, n->line, n->func->name, c->d);
	if (n->fmt == NULL || values(c, &f->next, true) < 0)
		return -1;
	check_settype(c, f, type_string(c->u->types));
	return check_format(c, n, f->next, n->nlist - 1);
}

static int
trace(struct checker *c, struct node *n)
{
	enum dkind k;
	char buf[128];

	if (n->nlist != 1)
		return count_error(c, n, D_PROTO_LEN, "1");
	if (n->list->kind == N_AGG)
		return diag_error(c->d, D_TRACE_AGG, n->line, "%s( ) may not "
		    "be applied to an aggregation; use printa( )",
		    n->func->name);
	if (values(c, &n->list, n->func->id == F_TRACE) < 0)
		return -1;
	k = type_base(n->list->type)->kind;
	if (k == DK_VOID)
		return diag_error(c->d, n->func->id == F_TRACE ?
		    D_TRACE_VOID : D_PRINT_VOID, n->line, "%s( ) may not be "
		    "applied to a void expression", n->func->name);
	if (k == DK_FUNC || (type_base(n->list->type)->size == 0 &&
	    k != DK_DYN)) {
		diag_error(c->d, n->func->id == F_TRACE ?
		    D_TRACE_DYN : D_PRINT_DYN, n->line, "%s( ) may not be "
		    "applied to a value of unknown size: %s", n->func->name,
		    type_name(n->list->type, buf, sizeof(buf)));
		ident_hint_type(c->u, c->d, n->list->type);
		return -1;
	}
	if (n->func->id == F_PRINT)
		type_complete_deep(c->u->types, n->list->type);
	return 0;
}

static bool
is_posconst(const struct node *n)
{
	return n->kind == N_INT && type_is_integer(n->type) && n->ival > 0 &&
	    n->ival <= INT32_MAX;
}

static int
tracemem(struct checker *c, struct node *n)
{
	const struct dtype *t;
	char buf[128];

	if (n->nlist < 2 || n->nlist > 3)
		return count_error(c, n, D_TRACEMEM_ARGS, "2 or 3");
	if (values(c, &n->list, false) < 0)
		return -1;
	t = type_base(n->list->type);
	/* an array is its address, as in C; a string is a value */
	if (t->kind != DK_PTR && t->kind != DK_INT &&
	    (t->kind != DK_ARRAY || type_is_string(t)))
		return diag_error(c->d, D_TRACEMEM_ADDR, n->line, "tracemem( ) "
		    "argument #1 is incompatible with prototype:\n\t"
		    "prototype: pointer or integer\n\t argument: %s",
		    type_name(n->list->type, buf, sizeof(buf)));
	if (!is_posconst(n->list->next))
		return diag_error(c->d, D_TRACEMEM_SIZE, n->line, "tracemem( ) "
		    "argument #2 must be a non-zero positive integral "
		    "constant expression");
	if (n->nlist == 3 && !type_is_integer(n->list->next->next->type))
		return diag_error(c->d, D_TRACEMEM_DYNSIZE, n->line,
		    "tracemem( ) argument #3 must be an integer");
	return 0;
}

/* At on-cpu the kernel still is on the stack of the thread that leaves. */
static int
stack_is_own(struct checker *c, const struct node *n, enum errtag tag)
{
	const struct clause *cl = c->cl;

	for (size_t i = 0; cl != NULL && i < cl->nprobe; i++) {
		const struct probe *p = cl->probe[i];

		if (strcmp(p->prov, "sched") != 0 ||
		    strcmp(p->name, "on-cpu") != 0)
			continue;
		diag_error(c->d, tag, n->line, "%s( ) in sched:::on-cpu would "
		    "be that of the thread that leaves the CPU",
		    n->func->name);
		diag_hint(c->d, "take it in sched:::off-cpu, where it is the "
		    "waiting thread's");
		return -1;
	}
	return 0;
}

/* stack([frames]), ustack([frames [, bytes of strings]]) */
static int
stack(struct checker *c, struct node *n)
{
	bool user = n->func->id != F_STACK;
	struct node *a;

	if (stack_is_own(c, n, user ? D_USTACK_PROTO : D_STACK_PROTO) < 0)
		return -1;

	if (n->nlist > (user ? 2 : 1))
		return count_error(c, n, user ? D_USTACK_PROTO : D_STACK_PROTO,
		    user ? "at most 2" : "at most 1");
	if (values(c, &n->list, false) < 0)
		return -1;
	if ((a = n->list) != NULL && !is_posconst(a))
		return diag_error(c->d, user ? D_USTACK_FRAMES : D_STACK_SIZE,
		    n->line, "%s( ) argument #1 must be a non-zero positive "
		    "integer constant", n->func->name);
	if (n->nlist == 2 && (a->next->kind != N_INT || a->next->ival < 0))
		return diag_error(c->d, D_USTACK_STRSIZE, n->line, "%s( ) "
		    "argument #2 must be a positive integer constant",
		    n->func->name);
	return 0;
}

struct aggtags { enum fid id; enum errtag proto, arg, bad, key; };

static const struct aggtags aggtags[] = {
	{ F_CLEAR, D_CLEAR_PROTO, D_CLEAR_AGGARG, D_CLEAR_AGGBAD,
	    D_CLEAR_AGGKEY },
	{ F_TRUNC, D_TRUNC_PROTO, D_TRUNC_AGGARG, D_TRUNC_AGGBAD,
	    D_TRUNC_AGGKEY },
	{ F_NORMALIZE, D_NORMALIZE_PROTO, D_NORMALIZE_AGGARG,
	    D_NORMALIZE_AGGBAD, D_NORMALIZE_AGGARG },
	{ F_DENORMALIZE, D_NORMALIZE_PROTO, D_NORMALIZE_AGGARG,
	    D_NORMALIZE_AGGBAD, D_NORMALIZE_AGGARG },
	{ F_PRINTA, D_PRINTA_PROTO, D_PRINTA_AGGARG, D_PRINTA_AGGBAD,
	    D_PRINTA_AGGKEY },
};

static const struct aggtags *
tags_of(enum fid id)
{
	size_t i = 0;

	while (aggtags[i].id != id)
		i++;
	return &aggtags[i];
}

/* An argument that names an aggregation as a whole. */
static int
whole_agg(struct checker *c, const struct node *n, struct node *a, size_t i)
{
	const struct aggtags *t = tags_of(n->func->id);

	if (a->kind != N_AGG)
		return diag_error(c->d, t->arg, n->line, "%s( ) argument #%zu "
		    "is incompatible with prototype:\n\tprototype: "
		    "aggregation\n\t argument: expression", n->func->name, i);
	if (a->nlist > 0)
		return diag_error(c->d, t->key, n->line, "%s( ) argument #%zu "
		    "must be an aggregation without keys", n->func->name, i);
	a->id = ident_find(c->u, SP_AGG, a->str);
	if (a->id == NULL || a->id->func == NULL)
		return diag_error(c->d, t->bad, n->line,
		    "undefined aggregation: @%s", a->str);
	a->id->read = true;
	a->type = type_dyn(c->u->types);
	return 0;
}

/* clear(@a), denormalize(@a), trunc(@a [, n]), normalize(@a, n) */
static int
on_agg(struct checker *c, struct node *n)
{
	const struct aggtags *t = tags_of(n->func->id);
	bool norm = n->func->id == F_NORMALIZE;
	size_t min = norm ? 2 : 1;
	size_t max = norm || n->func->id == F_TRUNC ? 2 : 1;
	struct node *v;

	if (n->nlist < min || n->nlist > max)
		return count_error(c, n, t->proto, norm ? "2" : max == 2 ?
		    "1 or 2" : "1");
	if (whole_agg(c, n, n->list, 1) < 0)
		return -1;
	if (n->nlist == 1)
		return 0;
	if ((v = check_read(c, n->list->next)) == NULL)
		return -1;
	if (!type_is_integer(v->type))
		return diag_error(c->d, norm ? D_NORMALIZE_SCALAR :
		    D_TRUNC_SCALAR, n->line, "%s( ) argument #2 must be of "
		    "scalar type", n->func->name);
	n->list->next = check_conv(c, v, type_int(c->u->types, 8, !norm));
	return n->list->next == NULL ? -1 : 0;
}

static int
same_keys(struct checker *c, const struct node *n, const struct ident *a,
    const struct ident *b)
{
	bool ok = a->nkey == b->nkey;

	for (size_t i = 0; ok && i < a->nkey; i++)
		ok = type_same(a->key[i], b->key[i]);
	if (ok)
		return 0;
	return diag_error(c->d, D_PRINTA_AGGPROTO, n->line, "printa( ): "
	    "aggregations @%s and @%s have different keys", a->name, b->name);
}

/* printa([format,] @a [, @b …]) */
static int
printa(struct checker *c, struct node *n)
{
	struct node *a = n->list;
	const struct ident *first;
	size_t i = 1;

	if (n->nlist < 1)
		return count_error(c, n, D_PRINTA_PROTO, "at least 1");
	if (a->kind == N_STR) {
		n->fmt = fmt_parse(c->u->arena, a->str, n->line, "printa",
		    c->d);
		if (n->fmt == NULL)
			return -1;
		check_settype(c, a, type_string(c->u->types));
		a = a->next;
		i++;
	}
	if (a == NULL)
		return count_error(c, n, D_PRINTA_PROTO, "at least 2");
	for (struct node *g = a; g != NULL; g = g->next)
		if (whole_agg(c, n, g, i++) < 0)
			return -1;
	first = a->id;
	for (struct node *g = a->next; g != NULL; g = g->next)
		if (same_keys(c, n, first, g->id) < 0)
			return -1;
	if (n->fmt == NULL)
		return 0;
	return fmt_check(n->fmt, "printa", n->line, first->key, first->nkey,
	    true, c->d);
}

int
check_action(struct checker *c, struct node *n)
{
	switch (n->func->id) {
	case F_PRINTF: case F_SYSTEM: case F_FREOPEN:
		return formatted(c, n);
	case F_TRACE: case F_PRINT:
		return trace(c, n);
	case F_TRACEMEM:
		return tracemem(c, n);
	case F_STACK: case F_USTACK: case F_JSTACK:
		return stack(c, n);
	case F_PRINTA:
		return printa(c, n);
	case F_CLEAR: case F_TRUNC: case F_NORMALIZE: case F_DENORMALIZE:
		return on_agg(c, n);
	default:
		return check_arguments(c, n);
	}
}
