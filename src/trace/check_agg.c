/* check_agg.c - aggregations: @name[keys] = function(arguments). */
#include <string.h>

#include "trace/check_impl.h"
#include "trace/ident.h"
#include "trace/type_decl.h"

static int
keys(struct checker *c, struct node *n)
{
	struct node **tail = &n->list, *k, *next;
	int rc = 0;

	for (k = n->list; k != NULL; k = next) {
		next = k->next;
		if ((k = check_dyn(c, k)) == NULL) {
			rc = -1;
			continue;
		}
		*tail = k;
		tail = &k->next;
		*tail = next;
	}
	return rc;
}

/* The parameters that must be constants, and what to call them. */
struct parm {
	const char *what;
	enum errtag type, range;
	enum errtag match;
	int64_t min, max;
};

static const struct parm lq[] = {
	{ "base", D_LQUANT_BASETYPE, D_LQUANT_BASEVAL, D_LQUANT_MATCHBASE,
	    INT32_MIN, INT32_MAX },
	{ "limit", D_LQUANT_LIMTYPE, D_LQUANT_LIMVAL, D_LQUANT_MATCHLIM,
	    INT32_MIN, INT32_MAX },
	{ "step", D_LQUANT_STEPTYPE, D_LQUANT_STEPVAL, D_LQUANT_MATCHSTEP,
	    1, UINT16_MAX },
};
static const struct parm llq[] = {
	{ "factor", D_LLQUANT_FACTORTYPE, D_LLQUANT_FACTORVAL,
	    D_LLQUANT_MATCHFACTOR, 0, UINT16_MAX },
	{ "low magnitude", D_LLQUANT_LOWTYPE, D_LLQUANT_LOWVAL,
	    D_LLQUANT_MATCHLOW, 0, UINT16_MAX },
	{ "high magnitude", D_LLQUANT_HIGHTYPE, D_LLQUANT_HIGHVAL,
	    D_LLQUANT_MATCHHIGH, 0, UINT16_MAX },
	{ "number of steps", D_LLQUANT_NSTEPTYPE, D_LLQUANT_NSTEPVAL,
	    D_LLQUANT_MATCHNSTEP, 1, UINT16_MAX },
};

/* Reads constants from the arguments after the first into v[]. */
static int
constants(struct checker *c, const struct node *n, const struct parm *p,
    size_t np, int64_t *v)
{
	const struct node *a = n->list->next;

	for (size_t i = 0; i < np && a != NULL; i++, a = a->next) {
		if (a->kind != N_INT || !type_is_integer(a->type))
			return diag_error(c->d, p[i].type, n->line, "%s( ) "
			    "argument #%zu (%s) must be an integer constant",
			    n->func->name, i + 2, p[i].what);
		v[i] = a->ival;
		if (v[i] < p[i].min || v[i] > p[i].max)
			return diag_error(c->d, p[i].range, n->line, "%s( ) "
			    "argument #%zu (%s) must be from %lld to %lld",
			    n->func->name, i + 2, p[i].what,
			    (long long)p[i].min, (long long)p[i].max);
	}
	return 0;
}

static int
lquantize(struct checker *c, const struct node *n, int64_t v[5])
{
	int64_t span;

	v[2] = 1;
	if (constants(c, n, lq, 3, v) < 0)
		return -1;
	span = v[1] - v[0];
	if (span <= 0)
		return diag_error(c->d, D_LQUANT_MISMATCH, n->line,
		    "lquantize( ) base (argument #1) must be less than limit "
		    "(argument #2)");
	if (v[2] > span)
		return diag_error(c->d, D_LQUANT_STEPLARGE, n->line,
		    "lquantize( ) step (argument #3) too large: step %lld, "
		    "range %lld", (long long)v[2], (long long)span);
	if (span / v[2] > UINT16_MAX)
		return diag_error(c->d, D_LQUANT_STEPSMALL, n->line,
		    "lquantize( ) step (argument #3) too small: %lld steps, "
		    "at most %d", (long long)(span / v[2]), UINT16_MAX);
	return 0;
}

/* factor ** high must stay below 2**63 */
static bool
fits(int64_t factor, int64_t high)
{
	int64_t v = 1;

	while (high-- > 0)
		if (__builtin_mul_overflow(v, factor, &v))
			return false;
	return true;
}

/*
 * Every bucket is a whole number wide. Below the factor steps must divide it;
 * above, a step of the lowest magnitude must be whole, but for that from 1 to
 * the factor, whose buckets are 1 wide then.
 */
static bool
even_steps(int64_t factor, int64_t low, int64_t steps)
{
	int64_t top = factor, i;

	if (steps < factor)
		return factor % steps == 0;
	for (i = 0; i < (low > 0 ? low : 1); i++)
		if (__builtin_mul_overflow(top, factor, &top))
			return false;
	return steps % factor == 0 && top % steps == 0;
}

static int
llquantize(struct checker *c, const struct node *n, int64_t v[5])
{
	if (constants(c, n, llq, 4, v) < 0)
		return -1;
	if (v[0] < 2)
		return diag_error(c->d, D_LLQUANT_FACTORSMALL, n->line,
		    "llquantize( ) factor (argument #1) must be two or more");
	if (v[1] > v[2])
		return diag_error(c->d, D_LLQUANT_MAGRANGE, n->line,
		    "llquantize( ) high magnitude (argument #3) must not be "
		    "less than low magnitude (argument #2)");
	if (!fits(v[0], v[2] + 1))
		return diag_error(c->d, D_LLQUANT_MAGTOOBIG, n->line,
		    "llquantize( ) high magnitude (%lld) of factor %lld does "
		    "not fit 64 bits", (long long)v[2], (long long)v[0]);
	if (!even_steps(v[0], v[1], v[3]))
		return diag_error(c->d, D_LLQUANT_FACTOREVEN, n->line,
		    "llquantize( ) number of steps (argument #4) must divide "
		    "the factor, or be a multiple of it that divides each "
		    "magnitude");
	return 0;
}

static int
params(struct checker *c, const struct node *n, int64_t v[5], size_t *nv)
{
	switch (n->func->id) {
	case F_LQUANTIZE:
		*nv = 3;
		return lquantize(c, n, v);
	case F_LLQUANTIZE:
		*nv = 4;
		return llquantize(c, n, v);
	default:
		*nv = 0;
		return 0;
	}
}

static int
same_params(struct checker *c, const struct node *n, const struct ident *id,
    const int64_t v[5], size_t nv)
{
	const struct parm *p = n->func->id == F_LQUANTIZE ? lq : llq;

	for (size_t i = 0; i < nv; i++)
		if (id->aggarg[i] != v[i])
			return diag_error(c->d, p[i].match, n->line, "%s( ) "
			    "%s (argument #%zu) doesn't match previous "
			    "declaration: expected %lld, found %lld",
			    n->func->name, p[i].what, i + 2,
			    (long long)id->aggarg[i], (long long)v[i]);
	return 0;
}

/* The aggregating function's value and its increment. */
static int
operands(struct checker *c, struct node *n)
{
	size_t last = n->func->id == F_QUANTIZE ? 1 :
	    n->func->id == F_LQUANTIZE ? 4 : 5, i = 0;
	const struct node *a = n->list;
	const struct dtype *t;

	if (a == NULL)
		return 0;
	t = type_base(a->type);
	if (!check_is_scalar(a) || t->size > 8)
		return diag_error(c->d, D_AGG_SCALAR, n->line, "%s( ) argument "
		    "#1 must be of scalar type", n->func->name);
	for (; a != NULL; a = a->next, i++)
		if (i == last && !type_is_integer(a->type))
			return diag_error(c->d, D_PROTO_ARG, n->line, "%s( ) "
			    "increment value (argument #%zu) must be of "
			    "scalar type", n->func->name, i + 1);
	return 0;
}

static int
function(struct checker *c, struct node *n, struct ident *id)
{
	int64_t v[5] = { 0 };
	size_t nv;

	if (check_arguments(c, n) < 0 || operands(c, n) < 0 ||
	    params(c, n, v, &nv) < 0)
		return -1;
	if (id->func != NULL && id->func != n->func)
		return diag_error(c->d, D_AGG_REDEF, n->line, "aggregation "
		    "redefined: @%s\n\t current: @%s = %s( )\n\tprevious: @%s "
		    "= %s( ) : line %d", id->name, id->name, n->func->name,
		    id->name, id->func->name, id->line);
	if (id->func != NULL)
		return same_params(c, n, id, v, nv);
	id->func = n->func;
	id->naggarg = nv;
	memcpy(id->aggarg, v, sizeof(id->aggarg));
	return 0;
}

struct node *
check_aggassign(struct checker *c, struct node *n)
{
	struct node *g = n->a, *f = n->b;
	struct ident *id = ident_find(c->u, SP_AGG, g->str);

	if (n->op != OP_NONE || f->kind != N_CALL ||
	    (f->func = func_lookup(f->str)) == NULL ||
	    f->func->kind != FN_AGG) {
		if (f->kind == N_CALL && func_lookup(f->str) == NULL)
			return check_call(c, f, false);
		diag_error(c->d, D_AGG_FUNC, n->line, "@%s must be assigned "
		    "the result of an aggregating function", g->str);
		return NULL;
	}
	if (id == NULL && (id = ident_add(c->u, SP_AGG, ID_AGG, g->str,
	    g->line)) == NULL) {
		diag_error(c->d, D_UNKNOWN, n->line,
		    "out of memory, or the program is too large");
		return NULL;
	}
	if (keys(c, g) < 0 || check_keys(c, id, g) < 0 ||
	    function(c, f, id) < 0)
		return NULL;
	id->written = true;
	g->id = id;
	g->type = f->type = n->type = type_dyn(c->u->types);
	return n;
}
