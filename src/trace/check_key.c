/* check_key.c - the keys of associative arrays and aggregations. */
#include "trace/arena.h"
#include "trace/check_impl.h"
#include "trace/type_decl.h"

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
