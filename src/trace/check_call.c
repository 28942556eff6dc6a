/* check_call.c - calls of subroutines and actions: prototypes, results. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "trace/check_impl.h"
#include "trace/ident.h"
#include "trace/trace.h"
#include "trace/type_decl.h"

/* One parameter of a prototype text. */
struct param {
	const char *s;
	size_t len;
	bool opt, any, rest;
};

/* Takes the next parameter off *p (after the opening parenthesis). */
static bool
next_param(const char **p, struct param *out)
{
	const char *s = *p, *end;

	while (*s == ' ' || *s == ',')
		s++;
	if (*s == ')' || *s == '\0')
		return false;
	end = s + strcspn(s, ",)");
	*p = end;
	memset(out, 0, sizeof(*out));
	if (*s == '[') {
		out->opt = true;
		s++;
		end--;
	}
	out->s = s;
	out->len = (size_t)(end - s);
	out->any = *s == '@';
	out->rest = *s == '.';
	return true;
}

const struct dtype *
check_proto_type(struct checker *c, const char *text, size_t len)
{
	char buf[64];

	while (len > 0 && text[len - 1] == ' ')
		len--;
	if (len >= sizeof(buf))
		return NULL;
	memcpy(buf, text, len);
	buf[len] = '\0';
	if (strcmp(buf, "stack") == 0 || strcmp(buf, "sym") == 0)
		return type_dyn(c->u->types);
	return type_lookup(c->u->types, buf);
}

bool
check_result_is(const struct funcdesc *f, const char *word)
{
	size_t n = strlen(word);

	return strncmp(f->proto, word, n) == 0 && f->proto[n] == ' ';
}

static const struct dtype *
result_type(struct checker *c, const struct node *n)
{
	const char *paren = strchr(n->func->proto, '(');
	const struct dtype *t = check_proto_type(c, n->func->proto,
	    (size_t)(paren - n->func->proto));

	if (t == NULL)
		diag_error(c->d, D_TYPE_ERR, n->line, "the type of %s( ) is "
		    "not in this system's BTF: %s", n->func->name,
		    n->func->proto);
	return t;
}

/* Number of arguments against the prototype. */
static int
check_count(struct checker *c, const struct node *n)
{
	const char *p = strchr(n->func->proto, '(') + 1, *bound = "";
	size_t min = 0, max = 0, want;
	struct param pr;
	bool rest = false;

	while (next_param(&p, &pr)) {
		rest |= pr.rest;
		max += !pr.rest;
		min += !pr.rest && !pr.opt;
	}
	if (n->nlist >= min && (rest || n->nlist <= max))
		return 0;
	want = n->nlist < min ? min : max;
	if (min != max || rest)
		bound = n->nlist < min ? "at least " : "at most ";
	return diag_error(c->d, D_PROTO_LEN, n->line, "%s( ) prototype "
	    "mismatch: %zu arg%s passed, %s%zu expected", n->func->name,
	    n->nlist, n->nlist == 1 ? "" : "s", bound, want);
}

static struct node *
argument(struct checker *c, const struct node *call, struct node *a,
    const struct param *p, size_t i)
{
	const struct dtype *t;
	char got[128];

	if (p->any || p->rest)
		return a;
	if ((t = check_proto_type(c, p->s, p->len)) == NULL) {
		diag_error(c->d, D_TYPE_ERR, call->line, "the type of "
		    "argument #%zu of %s( ) is not in this system's BTF: "
		    "%.*s", i, call->func->name, (int)p->len, p->s);
		return NULL;
	}
	if (!check_argcompat(c, t, a)) {
		diag_error(c->d, D_PROTO_ARG, call->line, "%s( ) argument "
		    "#%zu is incompatible with prototype:\n\tprototype: %.*s"
		    "\n\t argument: %s", call->func->name, i, (int)p->len,
		    p->s, type_name(a->type, got, sizeof(got)));
		if (type_is_integer(t) && check_is_ptr(a->type))
			diag_hint(c->d, "cast it: (%.*s)", (int)p->len, p->s);
		return NULL;
	}
	return check_conv(c, a, t);
}

int
check_arguments(struct checker *c, struct node *n)
{
	const char *p = strchr(n->func->proto, '(') + 1;
	struct node **tail = &n->list, *a, *next;
	struct param pr = { 0 };
	size_t i = 0;
	int rc = 0;

	if (check_count(c, n) < 0)
		return -1;
	for (a = n->list; a != NULL; a = next) {
		next = a->next;
		if (!pr.rest)
			next_param(&p, &pr);
		if ((a = check_read(c, a)) == NULL ||
		    (a = argument(c, n, a, &pr, ++i)) == NULL) {
			rc = -1;
			continue;
		}
		*tail = a;
		tail = &a->next;
		*tail = next;
	}
	return rc;
}

static const struct node *
nth(const struct node *n, unsigned i)
{
	const struct node *a = n->list;

	while (a != NULL && i-- > 0)
		a = a->next;
	return a;
}

static uint32_t
arg_len(const struct node *n, unsigned i)
{
	const struct node *a = nth(n, i);

	return a != NULL && a->maxlen > 0 ? a->maxlen : 1;
}

/* Bound of a string result: bytes with the NUL. */
static uint32_t
result_bound(const struct checker *c, const struct node *n)
{
	const struct node *a1 = nth(n, 1), *a2 = nth(n, 2);
	uint64_t len = c->u->strmax;

	switch (n->func->id) {
	case F_STRJOIN:
		len = (uint64_t)arg_len(n, 0) + arg_len(n, 1) - 1;
		break;
	case F_BASENAME: case F_DIRNAME: case F_CLEANPATH:
		len = arg_len(n, 0) > 2 ? arg_len(n, 0) : 2;
		break;
	case F_STRCHR: case F_STRRCHR: case F_STRSTR: case F_TOLOWER:
	case F_TOUPPER: case F_STRIP: case F_JSON:
		len = arg_len(n, 0);
		break;
	case F_SUBSTR:
		len = arg_len(n, 0);
		if (a2 != NULL && a2->kind == N_INT && a2->ival >= 0 &&
		    (uint64_t)a2->ival + 1 < len)
			len = (uint64_t)a2->ival + 1;
		break;
	case F_COPYINSTR:
		if (a1 != NULL && a1->kind == N_INT && a1->ival >= 0 &&
		    (uint64_t)a1->ival + 1 < len)
			len = (uint64_t)a1->ival + 1;
		break;
	case F_LLTOSTR:
		len = a1 == NULL ? 22 : 66;
		break;
	case F_INET_NTOA: len = 16; break;
	case F_INET_NTOA6: case F_INET_NTOP: len = 46; break;
	case F_LINK_NTOP: len = 60; break;
	default: break;
	}
	return len < c->u->strmax ? (uint32_t)len : c->u->strmax;
}

static struct node *
unknown(struct checker *c, const struct node *n)
{
	const struct ident *id = ident_find(c->u, SP_GLOBAL, n->str);
	const char *near;

	if (id != NULL || builtin_lookup(n->str) != NULL) {
		diag_error(c->d, D_FUNC_IDKIND, n->line, "variable '%s' may "
		    "not be referenced as a function", n->str);
		return NULL;
	}
	diag_error(c->d, D_FUNC_UNDEF, n->line, "undefined function name: %s",
	    n->str);
	if ((near = ident_near(c->u, n->str, true)) != NULL)
		diag_hint(c->d, "did you mean %s( )?", near);
	return NULL;
}

/* May it be called here? */
static int
check_place(struct checker *c, const struct node *n, bool stmt)
{
	const struct funcdesc *f = n->func;
	bool value = check_result_is(f, "stack") || check_result_is(f, "sym");

	if (f->flags & FF_UNSUPPORTED)
		return diag_error(c->d, D_UNSUP, n->line,
		    "%s( ) is not available on this system", f->name);
	if (c->t == NULL)
		return diag_error(c->d, D_CG_EXPR, n->line, "%s( ) may not be "
		    "called from a constant expression", f->name);
	if (f->kind == FN_AGG)
		return diag_error(c->d, D_CG_EXPR, n->line, "%s( ) may only be "
		    "assigned to an aggregation", f->name);
	if (f->kind == FN_ACTION && !stmt && !(value && c->dyn))
		return diag_error(c->d, D_CG_EXPR, n->line, "%s( ) may not be "
		    "called from a D expression (D program context required)",
		    f->name);
	return 0;
}

static int
check_scratch(struct checker *c, const struct node *n)
{
	int64_t max = opt_num(&c->t->opt, O_SCRATCHSIZE);

	if (n->list->kind != N_INT || (n->list->ival >= 0 &&
	    n->list->ival <= max))
		return 0;
	return diag_error(c->d, D_ALLOCA_SIZE, n->line, "alloca(%lld) size "
	    "larger than scratch space (%lld): see -x scratchsize",
	    (long long)n->list->ival, (long long)max);
}

struct node *
check_call(struct checker *c, struct node *n, bool stmt)
{
	const struct dtype *t;
	int rc;

	if ((n->func = func_lookup(n->str)) == NULL)
		return unknown(c, n);
	if (check_place(c, n, stmt) < 0)
		return NULL;
	if ((n->func->flags & FF_DESTRUCTIVE) && c->u->destructive == 0)
		c->u->destructive = n->line;
	rc = n->func->kind == FN_ACTION ? check_action(c, n) :
	    check_arguments(c, n);
	if (rc == 0 && n->func->id == F_ALLOCA)
		rc = check_scratch(c, n);
	if (rc < 0 || (t = result_type(c, n)) == NULL)
		return NULL;
	if (type_is_string(t))
		n->maxlen = result_bound(c, n);
	check_settype(c, n, t);
	return n;
}
