/* check.c - typing of clauses and statements. */
#include <string.h>

#include "trace/arena.h"
#include "trace/check.h"
#include "trace/check_impl.h"
#include "trace/ident.h"
#include "trace/trace.h"
#include "trace/type_decl.h"

/* The order in which speculate(), commit() and others may stand. */
static int
order_of(struct checker *c, const struct node *n)
{
	const struct funcdesc *f = n->func;

	switch (f->id) {
	case F_SPECULATE:
		if (c->committed)
			return diag_error(c->d, D_SPEC_COMM, n->line,
			    "speculate( ) may not follow commit( )");
		if (c->speculated)
			return diag_error(c->d, D_SPEC_SPEC, n->line,
			    "speculate( ) may not be called twice in a clause");
		if (c->recorded)
			return diag_error(c->d, D_SPEC_DREC, n->line,
			    "speculate( ) may not follow data-recording "
			    "action(s)");
		c->speculated = c->cl->speculates = true;
		return 0;
	case F_COMMIT:
		if (c->recorded)
			return diag_error(c->d, D_COMM_DREC, n->line,
			    "commit( ) may not follow data-recording "
			    "action(s)");
		c->committed = c->cl->commits = true;
		return 0;
	case F_EXIT:
		if (c->speculated)
			return diag_error(c->d, D_EXIT_SPEC, n->line,
			    "exit( ) may not follow speculate( )");
		break;
	default:
		if (c->speculated && (f->flags & FF_DESTRUCTIVE) &&
		    (f->flags & FF_NOSPEC))
			return diag_error(c->d, D_ACT_SPEC, n->line,
			    "destructive actions may not follow speculate( )");
		break;
	}
	if (c->committed && (f->flags & FF_RECORD))
		return diag_error(c->d, D_DREC_COMM, n->line,
		    "data-recording actions may not follow commit( )");
	c->recorded |= (f->flags & FF_RECORD) != 0;
	return 0;
}

static int
agg_order(struct checker *c, const struct node *n)
{
	if (c->committed)
		return diag_error(c->d, D_AGG_COMM, n->line,
		    "aggregating actions may not follow commit( )");
	if (c->speculated)
		return diag_error(c->d, D_AGG_SPEC, n->line,
		    "aggregating actions may not follow speculate( )");
	return 0;
}

static struct node *statement_expr(struct checker *, struct node *);

/* a ? b : c; where a is constant the statement is the arm that it chooses. */
static struct node *
choice(struct checker *c, struct node *n)
{
	struct node *a = check_read(c, n->a), *done;

	if (a == NULL)
		return NULL;
	if (a->kind == N_INT)
		return statement_expr(c, a->ival != 0 ? n->b : n->c);
	if ((done = node_new(c->u, N_DONE, n->line)) == NULL)
		return check_nomem(c, n->line);
	done->a = a;
	n->a = done;
	return check_read(c, n);
}

static struct node *
statement_expr(struct checker *c, struct node *n)
{
	switch (n->kind) {
	case N_COND:
		return choice(c, n);
	case N_CALL:
		if ((n = check_call(c, n, true)) == NULL ||
		    order_of(c, n) < 0)
			return NULL;
		return n;
	case N_AGGASSIGN:
		if ((n = check_aggassign(c, n)) == NULL ||
		    agg_order(c, n) < 0)
			return NULL;
		return n;
	case N_AGG:
		diag_error(c->d, D_AGG_NULL, n->line,
		    "expression has null effect: @%s", n->str);
		return NULL;
	default:
		return check_read(c, n);
	}
}

static void
statements(struct checker *c, struct stmt *s)
{
	for (; s != NULL; s = s->next) {
		if (!s->isif) {
			s->expr = statement_expr(c, s->expr);
			continue;
		}
		s->expr = check_read(c, s->expr);
		if (s->expr != NULL && !check_is_scalar(s->expr))
			diag_error(c->d, D_PRED_SCALAR, s->line,
			    "if( ) condition must be of scalar type");
		statements(c, s->then);
		statements(c, s->other);
	}
}

static void
predicate(struct checker *c, struct clause *cl)
{
	if (cl->pred == NULL ||
	    (cl->pred = check_read(c, cl->pred)) == NULL)
		return;
	if (!check_is_scalar(cl->pred))
		diag_error(c->d, D_PRED_SCALAR, cl->pred->line,
		    "predicate result must be of scalar type");
}

static bool
assigns(const struct node *n)
{
	const struct node *k;

	if (n == NULL)
		return false;
	if (n->kind == N_ASSIGN || n->kind == N_INCDEC)
		return true;
	for (k = n->list; k != NULL; k = k->next)
		if (assigns(k))
			return true;
	return assigns(n->a) || assigns(n->b) || assigns(n->c);
}

static void
clause(struct checker *c, struct clause *cl)
{
	c->cl = cl;
	c->d->source = cl->source;
	c->d->file = NULL;
	c->recorded = c->speculated = c->committed = false;
	/* a predicate may name what its own clause assigns first, and the
	 * clause what its predicate does */
	if (cl->pred != NULL && assigns(cl->pred)) {
		predicate(c, cl);
		statements(c, cl->body);
	} else {
		statements(c, cl->body);
		predicate(c, cl);
	}
}

int
check_unit(struct trace *t, struct unit *u, struct diag *d)
{
	struct checker c = { .u = u, .t = t, .d = d };
	size_t nerr = d->total;
	uint32_t strsize = (uint32_t)opt_num(&t->opt, O_STRSIZE);

	u->strmax = strsize + 1;
	type_set_strsize(u->types, strsize);
	for (struct clause *cl = u->clause; cl != NULL; cl = cl->next)
		clause(&c, cl);
	if (arena_failed(u->arena) && d->total == nerr)
		diag_error(d, D_UNKNOWN, 0, "out of memory, or the program is "
		    "too large");
	return d->total == nerr ? 0 : -1;
}

int
check_const(struct unit *u, struct node *n, int64_t *value, struct diag *d)
{
	struct checker c = { .u = u, .d = d };

	if (u->strmax == 0)
		u->strmax = 257;
	if ((n = check_read(&c, n)) == NULL)
		return -1;
	if (n->kind != N_INT || !type_is_integer(n->type))
		return 1;
	*value = n->ival;
	return 0;
}
