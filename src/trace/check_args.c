/* check_args.c - args[]: typed by the probes that a clause is bound to. */
#include <string.h>

#include "libdt/msg.h"
#include "trace/check_impl.h"
#include "trace/ident.h"
#include "trace/probe.h"
#include "trace/trace.h"
#include "trace/type_decl.h"
#include "trace/xlate.h"

static const struct dtype *
arg_type(struct checker *c, const struct probe *p, unsigned i, int line,
    const struct dtype **native)
{
	struct probearg a = { 0 };
	struct msg m;

	msg_clear(&m);
	if (p->pv->arg == NULL)
		return NULL;
	if (p->pv->arg(c->t, p, i, &a, &m) < 0) {
		diag_error(c->d, D_ARGS_TYPE, line, "args[%u] of %s:%s:%s:%s: "
		    "%s", i, p->prov, p->mod, p->func, p->name, m.text);
		return NULL;
	}
	/* a translated type: the text of what it is made from */
	if (a.type != NULL && a.native != NULL)
		*native = type_lookup(c->u->types, a.native);
	if (*native != NULL && type_same(*native, a.type))
		*native = NULL;
	return a.type;
}

/* Is s the provider's name, perhaps with a process id after it? */
static bool
names(const char *s, const char *prov)
{
	size_t n = strlen(prov);

	return strncmp(s, prov, n) == 0 &&
	    s[n + strspn(s + n, "0123456789")] == '\0';
}

/* What a provider declaration in the program says of it. */
static const struct dtype *
declared_type(struct checker *c, const struct probe *p, unsigned i)
{
	for (const struct provdecl *pv = c->u->provider; pv; pv = pv->next)
		for (const struct probedecl *pd = pv->probe; pd; pd = pd->next)
			if (names(p->prov, pv->name) &&
			    strcmp(p->name, pd->name) == 0 &&
			    i < pd->args->nmem)
				return pd->args->mem[i].type;
	return NULL;
}

/* The types of args[i] of all the clause's probes, which must agree. */
static const struct dtype *
common_type(struct checker *c, unsigned i, int line,
    const struct dtype **native)
{
	const struct clause *cl = c->cl;
	const struct dtype *type = NULL, *t;
	size_t nerr = c->d->total;

	for (size_t k = 0; k < cl->nprobe; k++) {
		const struct probe *p = cl->probe[k];

		*native = NULL;
		if ((t = declared_type(c, p, i)) == NULL)
			t = arg_type(c, p, i, line, native);
		if (c->d->total != nerr)
			return NULL;
		if (t == NULL) {
			diag_error(c->d, D_ARGS_IDX, line, "index %u is out of "
			    "range for %s:%s:%s:%s args[ ]", i, p->prov,
			    p->mod, p->func, p->name);
			return NULL;
		}
		if (type != NULL && !type_same(type, t)) {
			diag_error(c->d, D_ARGS_MULTI, line, "args[ ] may not "
			    "be referenced because probe description %s "
			    "matches probes with different arguments",
			    cl->pdesc->text);
			return NULL;
		}
		type = t;
	}
	return type;
}

static bool
translates(struct checker *c, const struct dtype *t)
{
	struct xlator x;

	t = type_base(t);
	return t->kind == DK_PTR &&
	    xlate_find(c->u, type_base(t->ref), NULL, &x);
}

struct node *
check_args(struct checker *c, struct node *n, struct node *index)
{
	const struct dtype *t, *native = NULL;

	if (index->kind != N_INT) {
		diag_error(c->d, D_PROTO_ARG, n->line,
		    "args[ ] needs an integer constant");
		return NULL;
	}
	if (index->ival < 0 || index->ival >= PROBE_MAXARG) {
		diag_error(c->d, D_ARGS_IDX, n->line,
		    "index %lld is out of range for args[ ]",
		    (long long)index->ival);
		return NULL;
	}
	if (c->cl == NULL || c->cl->nprobe == 0)
		t = type_int(c->u->types, 8, true);
	else if ((t = common_type(c, (unsigned)index->ival, n->line,
	    &native)) == NULL)
		return NULL;
	n->kind = N_ARGS;
	n->ival = index->ival;
	n->a = n->list = NULL;
	n->nlist = 0;
	n->lval = false;
	n->native = translates(c, t) ? native : NULL;
	check_settype(c, n, t);
	return n;
}
