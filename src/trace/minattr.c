/*
 * minattr.c - how stable a program is, for -v.
 *
 * Source: the stability chapter of the DTrace guide: a statement is as stable
 * as the least stable thing it names. D's own variables and functions are
 * Stable/Stable/Common; kernel structs are what their kernel is.
 */
#include <stdbool.h>
#include <string.h>

#include "trace/ast.h"
#include "trace/func.h"
#include "trace/lower_impl.h"
#include "trace/minattr.h"
#include "trace/probe.h"
#include "trace/source.h"
#include "trace/stability.h"
#include "trace/trace.h"

static const struct stability stable = { ST_STABLE, ST_STABLE, CL_COMMON };
static const struct stability kernel = { ST_PRIVATE, ST_PRIVATE, CL_ISA };

struct walk {
	const struct clause *cl;
	struct stability min;
};

static struct stability
args_attr(const struct clause *cl)
{
	struct stability s = stable;

	for (size_t i = 0; i < cl->nprobe; i++)
		s = stability_least(s, cl->probe[i]->pv->attr->args);
	return s;
}

static struct stability
builtin_attr(const struct clause *cl, enum bid id)
{
	if ((id >= B_ARG0 && id <= B_ARG9) || id == B_ARGS)
		return args_attr(cl);
	if (id == B_CURTHREAD)
		return (struct stability){ ST_STABLE, ST_PRIVATE, CL_COMMON };
	return stable;
}

static bool
visit(const struct node *n, void *arg)
{
	struct walk *w = arg;

	if (n->kind == N_ARGS)
		w->min = stability_least(w->min, args_attr(w->cl));
	else if (n->kind == N_VAR && n->id != NULL &&
	    n->id->kind == ID_BUILTIN && n->id->builtin != NULL)
		w->min = stability_least(w->min, builtin_attr(w->cl,
		    n->id->builtin->id));
	else if (n->kind == N_MEMBER && n->a != NULL && n->a->type != NULL) {
		const struct dtype *t = type_base(n->a->type);

		if (t->kind == DK_PTR && t->ref != NULL)
			t = type_base(t->ref);
		if (t->btf_id != 0)
			w->min = stability_least(w->min, kernel);
	}
	return true;
}

static struct stability
statement_attr(const struct clause *cl)
{
	struct walk w = { cl, stable };

	(void)clause_walk(cl, visit, &w);
	return w.min;
}

/* Fields that a probe leaves empty do not count. */
static struct stability
probe_attr(const struct clause *cl)
{
	struct stability s = stable;

	for (size_t i = 0; i < cl->nprobe; i++) {
		const struct probe *p = cl->probe[i];
		const struct pvattr *a = p->pv->attr;

		s = stability_least(stability_least(s, a->prov), a->name);
		if (p->mod[0] != '\0')
			s = stability_least(s, a->mod);
		if (p->func[0] != '\0')
			s = stability_least(s, a->func);
	}
	return s;
}

void
minattr_tell(const struct trace *t, FILE *fp, const struct source *src)
{
	struct stability probe = stable, stmt = stable;

	for (const struct clause *cl = t->unit->clause; cl != NULL;
	    cl = cl->next) {
		if (strcmp(cl->source, src->label) != 0)
			continue;
		probe = stability_least(probe, probe_attr(cl));
		stmt = stability_least(stmt, statement_attr(cl));
	}
	fprintf(fp, "\nStability attributes for %s:\n\n", src->label);
	stability_print(fp, "Minimum Probe Description Attributes", probe);
	stability_print(fp, "Minimum Statement Attributes", stmt);
}
