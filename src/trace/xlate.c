/* xlate.c - the table of built-in translators. */
#include <stdio.h>
#include <string.h>

#include "trace/type_decl.h"
#include "trace/xlate.h"

static const struct xt { const char *tag, *alias, *input; } xt[] = {
#define XT(tag, alias, input) { #tag, alias, input },
#define XM(tag, member, type, expr)
#include "trace/xlate.def"
#undef XT
#undef XM
};

/* In the file's order: an XT row ends the members of the one before. */
static const struct xm { const char *tag, *name, *type, *expr; } xm[] = {
#define XT(tag, alias, input) { #tag, NULL, NULL, input },
#define XM(tag, member, type, expr) { #tag, #member, type, expr },
#include "trace/xlate.def"
#undef XT
#undef XM
};

enum { NXT = sizeof(xt) / sizeof(*xt), NXM = sizeof(xm) / sizeof(*xm) };

static bool
seen(size_t i)
{
	for (size_t k = i; k-- > 0 && xm[k].name != NULL;)
		if (strcmp(xm[k].name, xm[i].name) == 0)
			return true;
	return false;
}

/* Where the members of the translator tag < input > begin in xm[]. */
static size_t
members_of(const char *tag, const char *input)
{
	size_t i = 0;

	while (i < NXM && (xm[i].name != NULL ||
	    strcmp(xm[i].tag, tag) != 0 || strcmp(xm[i].expr, input) != 0))
		i++;
	return i + 1;
}

static const struct dtype *
declare(struct typeset *ts, const struct xt *x)
{
	size_t first = members_of(x->tag, x->input), n = 0;
	struct dtype *t = type_open(ts, DK_STRUCT, x->tag);
	struct dmember *m = arena_calloc(type_arena(ts), NXM, sizeof(*m));

	if (t == NULL || m == NULL)
		return NULL;
	for (size_t i = first; i < NXM && xm[i].name != NULL; i++) {
		if (seen(i))
			continue;
		m[n].name = xm[i].name;
		m[n].type = type_lookup(ts, xm[i].type);
		m[n].bit_off = LAYOUT;
		if (m[n++].type == NULL)
			return NULL;
	}
	type_close(t, m, n);
	return type_typedef(ts, x->alias, t);
}

const struct dtype *
xlate_type(struct typeset *ts, const char *name)
{
	bool tag = strncmp(name, "struct ", 7) == 0;
	const struct dtype *t;

	for (size_t i = 0; i < NXT; i++) {
		if (strcmp(tag ? xt[i].tag : xt[i].alias,
		    tag ? name + 7 : name) != 0)
			continue;
		t = declare(ts, &xt[i]);
		return t != NULL && tag ? type_base(t) : t;
	}
	return NULL;
}

/* Pointers to one struct, or the same in D's eyes. */
static bool
same_input(const struct dtype *want, const struct dtype *have)
{
	return type_same(want, have) ||
	    (type_is_integer(want) && type_is_integer(have));
}

bool
xlate_find(const struct unit *u, const struct dtype *out,
    const struct dtype *in, struct xlator *x)
{
	const struct dtype *t;

	for (const struct xlator *p = u->xlator; p != NULL; p = p->next) {
		if (type_same(p->out, out) &&
		    (in == NULL || same_input(p->in, in))) {
			*x = *p;
			return true;
		}
	}
	for (size_t i = 0; out->name != NULL && i < NXT; i++) {
		if (strcmp(xt[i].tag, out->name) != 0 ||
		    (t = type_lookup(u->types, xt[i].input)) == NULL ||
		    (in != NULL && !same_input(t, in)))
			continue;
		*x = (struct xlator){ .tag = xt[i].tag, .out = out,
		    .intext = xt[i].input, .in = t, .param = "T" };
		return true;
	}
	return false;
}

bool
xlate_member(const struct xlator *x, const char *name, unsigned n,
    struct xmember *m)
{
	if (x->tag == NULL) {
		struct xmember *p = x->mem;

		while (p != NULL && strcmp(p->name, name) != 0)
			p = p->next;
		if (p == NULL || n > 0)
			return false;
		*m = *p;
		return true;
	}
	for (size_t i = members_of(x->tag, x->intext); i < NXM &&
	    xm[i].name != NULL; i++) {
		if (strcmp(xm[i].name, name) != 0 || n-- > 0)
			continue;
		*m = (struct xmember){ .name = xm[i].name,
		    .text = xm[i].expr };
		return true;
	}
	return false;
}
