/*
 * check_xlate.c - members of translated structs, rewritten into expressions
 * over what they are made of.
 */
#include <string.h>

#include "trace/check_impl.h"
#include "trace/ident.h"
#include "trace/parse_impl.h"
#include "trace/type_decl.h"
#include "trace/xlate.h"

/* What a translator's parameter stands for. */
struct binding {
	struct checker *c;
	const char *param;
	struct node *input;
};

/* Puts the input where n mentions the translator's parameter. */
static struct node *
bind(void *binding, struct node *n)
{
	const struct binding *b = binding;
	struct node *done;

	if (n == NULL)
		return NULL;
	if (n->kind == N_VAR && n->ival == SP_GLOBAL &&
	    strcmp(n->str, b->param) == 0) {
		if ((done = node_new(b->c->u, N_DONE, n->line)) == NULL)
			return n;
		done->a = b->input;
		return done;
	}
	node_replace(n, bind, binding);
	return n;
}

static struct node *
expression(struct checker *c, const struct xlator *x, const struct xmember *m,
    struct node *input, int line)
{
	struct binding b = { c, x->param, input };
	struct node *n = m->text == NULL ? node_copy(c->u, m->expr) :
	    parse_text(c->t, m->text, line, c->d);

	if (n == NULL || (n = bind(&b, n)) == NULL)
		return NULL;
	return check_read(c, n);
}

/* The member's value; alternatives are tried until one has a type here. */
static struct node *
define(struct checker *c, const struct xlator *x, struct node *input,
    const char *name, int line)
{
	struct diag *report = c->d, quiet = { .max = 1 };
	struct xmember m, next;
	struct node *r = NULL;

	for (unsigned i = 0; r == NULL && xlate_member(x, name, i, &m); i++) {
		bool last = !xlate_member(x, name, i + 1, &next);

		c->d = last ? report : &quiet;
		r = expression(c, x, &m, input, line);
	}
	c->d = report;
	diag_free(&quiet);
	return r;
}

/* The input: the same value as the kernel's type. */
static struct node *
input_of(struct checker *c, const struct node *a, const struct xlator *x)
{
	struct node *n, *cast;

	if (a->kind == N_XLATE)
		return a->a;
	if (a->kind == N_CAST && a->implicit && a->native != NULL)
		return a->a;
	if ((n = node_copy(c->u, a)) == NULL)
		return NULL;
	if (a->kind == N_ARGS) {
		n->type = x->in;
		n->native = NULL;
		return n;
	}
	if ((cast = node_new(c->u, N_CAST, n->line)) == NULL)
		return NULL;
	cast->a = n;
	cast->implicit = true;
	check_settype(c, cast, x->in);
	return cast;
}

/* curpsinfo and curlwpsinfo are curthread, curcpu is cpu, translated. */
struct node *
check_xbuiltin(struct checker *c, struct node *n, const struct ident *id)
{
	struct node *cast = node_new(c->u, N_CAST, n->line);

	n->str = id->builtin->id == B_CURCPU ? "cpu" : "curthread";
	if (cast == NULL || (n = check_var(c, n, USE_READ)) == NULL)
		return NULL;
	cast->a = n;
	cast->implicit = true;
	cast->native = n->type;
	check_settype(c, cast, id->type);
	return cast;
}

/* fds[n]: the process's open file, translated. n's list holds the number. */
struct node *
check_fds(struct checker *c, struct node *n)
{
	static const char file[] = "I >= 0 && "
	    "I < (int)curthread->files->fdt->max_fds ? "
	    "curthread->files->fdt->fd[I] : (struct file *)NULL";
	struct node *i, *x = node_new(c->u, N_XLATE, n->line);

	if (n->nlist != 1) {
		diag_error(c->d, D_PROTO_LEN, n->line, "fds[ ] prototype "
		    "mismatch: %zu args passed, 1 expected", n->nlist);
		return NULL;
	}
	if (x == NULL || (i = check_read(c, n->list)) == NULL ||
	    (i = check_conv(c, i, type_int(c->u->types, 4, true))) == NULL)
		return NULL;
	x->type = type_lookup(c->u->types, "fileinfo_t");
	x->a = parse_text(c->t, file, n->line, c->d);
	if (x->type == NULL || x->a == NULL)
		return NULL;
	x->a = bind(&(struct binding){ c, "I", i }, x->a);
	return check_xlate(c, x);
}

bool
check_translated(struct checker *c, const struct node *a,
    const struct dtype *t)
{
	struct xlator x;

	if (a->kind == N_XLATE || a->native != NULL)
		return true;
	/* a D variable that holds such a pointer */
	return check_is_ptr(a->type) && t->btf_id == 0 &&
	    xlate_find(c->u, t, NULL, &x) && x.tag != NULL;
}

struct node *
check_xmember(struct checker *c, const struct node *n, const struct dtype *t)
{
	const struct dtype *in = n->a->kind == N_XLATE ? n->a->a->type :
	    n->a->native;
	const struct dmember *m;
	struct xmember xm;
	struct xlator x;
	struct node *input, *r;
	char buf[128];
	uint64_t bit;

	if (!xlate_find(c->u, t, in, &x)) {
		diag_error(c->d, D_XLATE_NONE, n->line, "no translator to %s "
		    "is defined for these arguments",
		    type_name(t, buf, sizeof(buf)));
		return NULL;
	}
	if ((m = check_member_of(c, t, n, &bit)) == NULL)
		return NULL;
	if (!xlate_member(&x, n->str, 0, &xm)) {
		diag_error(c->d, D_XLATE_NOCONV, n->line, "translator does "
		    "not define conversion for member: %s", n->str);
		return NULL;
	}
	if ((input = input_of(c, n->a, &x)) == NULL ||
	    (r = define(c, &x, input, n->str, n->line)) == NULL)
		return NULL;
	if (!check_argcompat(c, m->type, r) &&
	    !(type_is_scalar(m->type) && check_is_scalar(r))) {
		diag_error(c->d, D_XLATE_INCOMPAT, n->line, "translator member "
		    "%s definition uses incompatible types", n->str);
		return NULL;
	}
	return check_conv(c, r, m->type);
}

struct node *
check_xlate(struct checker *c, struct node *n)
{
	const struct dtype *t = type_base(n->type);
	struct xlator x;
	struct tnames s;

	if ((n->a = check_read(c, n->a)) == NULL)
		return NULL;
	if (t->kind == DK_PTR)
		t = type_base(t->ref);
	if (t->kind != DK_STRUCT && t->kind != DK_UNION) {
		diag_error(c->d, D_XLATE_SOU, n->line, "xlate: the output type "
		    "must be a struct or union, or a pointer to one");
		return NULL;
	}
	if (xlate_find(c->u, t, n->a->type, &x))
		return n;
	check_names(&s, n->a, n);
	diag_error(c->d, D_XLATE_NONE, n->line,
	    "cannot translate from \"%s\" to \"%s\"", s.a, s.b);
	return NULL;
}
