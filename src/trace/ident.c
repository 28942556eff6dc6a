/* ident.c - identifiers and nodes of a program. */
#include <string.h>

#include "trace/arena.h"
#include "trace/diag.h"
#include "trace/func.h"
#include "trace/ident.h"
#include "trace/suggest.h"
#include "trace/type_decl.h"

struct entry {
	struct entry *next;
	enum space space;
	struct ident *id;
};

enum { NHASH = 1024 };

struct identtab {
	struct entry *hash[NHASH];
	uint32_t nseq[ID_ENUMCONST + 1][SC_THIS + 1];
};

static unsigned
hash(enum space sp, const char *s)
{
	unsigned h = 2166136261U + sp;

	while (*s != '\0')
		h = (h ^ (unsigned char)*s++) * 16777619U;
	return h % NHASH;
}

int
ident_tab_new(struct unit *u)
{
	u->tab = arena_alloc(u->arena, sizeof(*u->tab));
	return u->tab == NULL ? -1 : 0;
}

struct ident *
ident_find(struct unit *u, enum space sp, const char *name)
{
	struct entry *e = u->tab->hash[hash(sp, name)];

	for (; e != NULL; e = e->next)
		if (e->space == sp && strcmp(e->id->name, name) == 0)
			return e->id;
	return NULL;
}

void
ident_morph(struct unit *u, struct ident *id, enum ikind kind)
{
	id->kind = kind;
	id->seq = u->tab->nseq[kind][id->scope]++;
}

struct ident *
ident_add(struct unit *u, enum space sp, enum ikind kind, const char *name,
    int line)
{
	unsigned h = hash(sp, name);
	struct ident *id = arena_alloc(u->arena, sizeof(*id));
	struct entry *e = arena_alloc(u->arena, sizeof(*e));

	if (id == NULL || e == NULL ||
	    (id->name = arena_str(u->arena, name)) == NULL)
		return NULL;
	id->scope = sp == SP_SELF ? SC_SELF : sp == SP_THIS ? SC_THIS :
	    SC_GLOBAL;
	id->line = line;
	ident_morph(u, id, kind);
	e->id = id;
	e->space = sp;
	e->next = u->tab->hash[h];
	u->tab->hash[h] = e;
	*u->ident_tail = id;
	u->ident_tail = &id->next;
	return id;
}

bool
ident_known(struct unit *u, const char *name)
{
	return ident_find(u, SP_GLOBAL, name) != NULL ||
	    builtin_lookup(name) != NULL || func_lookup(name) != NULL;
}

const char *
ident_near(struct unit *u, const char *name, bool fn)
{
	const char *best = NULL;
	size_t dist = SUGGEST_MAX;

	for (unsigned i = 0; fn && i < F_N; i++)
		suggest_best(name, func_at(i)->name, &best, &dist);
	if (fn)
		return best;
	for (unsigned i = 0; i < B_N; i++)
		suggest_best(name, builtin_at(i)->name, &best, &dist);
	for (struct ident *id = u->ident; id != NULL; id = id->next)
		if (id->scope == SC_GLOBAL && id->kind != ID_AGG &&
		    (id->written || id->declared))
			suggest_best(name, id->name, &best, &dist);
	return best;
}

void
ident_hint_type(struct unit *u, struct diag *d, const struct dtype *t)
{
	const char *near;

	t = type_base(t);
	if ((t->kind != DK_STRUCT && t->kind != DK_UNION &&
	    t->kind != DK_ENUM) || t->name == NULL || t->size != 0)
		return;
	near = type_near(u->types, t->kind, t->name);
	if (near != NULL)
		diag_hint(d, "did you mean %s %s?", type_keyword(t->kind),
		    near);
}

struct node *
node_new(struct unit *u, enum nkind kind, int line)
{
	struct node *n = arena_alloc(u->arena, sizeof(*n));

	if (n != NULL) {
		n->kind = kind;
		n->line = line;
	}
	return n;
}

struct node *
node_int(struct unit *u, int64_t v, const struct dtype *type, int line)
{
	struct node *n = node_new(u, N_INT, line);

	if (n != NULL) {
		n->ival = v;
		n->type = type;
	}
	return n;
}

struct node *
node_copy(struct unit *u, const struct node *n)
{
	struct node *c, **tail;

	if (n == NULL || (c = node_new(u, n->kind, n->line)) == NULL)
		return NULL;
	*c = *n;
	c->next = NULL;
	c->a = node_copy(u, n->a);
	c->b = node_copy(u, n->b);
	c->c = node_copy(u, n->c);
	c->list = NULL;
	tail = &c->list;
	for (const struct node *e = n->list; e != NULL; e = e->next) {
		if ((*tail = node_copy(u, e)) == NULL)
			break;
		tail = &(*tail)->next;
	}
	return c;
}

void
node_replace(struct node *n, struct node *(*fn)(void *, struct node *),
    void *arg)
{
	struct node **tail = &n->list, *e, *next;

	n->a = fn(arg, n->a);
	n->b = fn(arg, n->b);
	n->c = fn(arg, n->c);
	for (e = n->list; e != NULL; e = next) {
		next = e->next;
		if ((e = fn(arg, e)) == NULL)
			return;
		*tail = e;
		tail = &e->next;
		*tail = next;
	}
}
