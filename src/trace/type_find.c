/*
 * type_find.c - types by name, of the program or of the kernel's BTF; forward
 * declarations completed.
 */
#include <stdio.h>
#include <string.h>

#include "trace/suggest.h"
#include "trace/type_impl.h"
#include "trace/xlate.h"

static unsigned
hash(const char *s)
{
	unsigned h = 2166136261U;

	while (*s != '\0')
		h = (h ^ (unsigned char)*s++) * 16777619U;
	return h % NHASH;
}

const struct dtype *
type_known(struct typeset *ts, const char *name)
{
	for (struct tname *n = ts->hash[hash(name)]; n != NULL; n = n->next)
		if (strcmp(n->name, name) == 0)
			return n->type;
	return NULL;
}

int
type_register(struct typeset *ts, const char *name, const struct dtype *t)
{
	unsigned h = hash(name);
	struct tname *n;

	if ((n = arena_alloc(ts->arena, sizeof(*n))) == NULL ||
	    (n->name = arena_str(ts->arena, name)) == NULL)
		return -1;
	n->type = t;
	n->next = ts->hash[h];
	ts->hash[h] = n;
	return 0;
}

void
type_no_kernel(struct typeset *ts)
{
	ts->btf_tried = true;
}

void
type_set_btf(struct typeset *ts, type_btf_fn *fn, void *arg)
{
	ts->btf_data = fn;
	ts->btf_arg = arg;
}

struct btfidx *
type_btfidx(struct typeset *ts)
{
	if (!ts->btf_tried) {
		size_t size = 0;
		const void *data = ts->btf_data == NULL ? NULL
		    : ts->btf_data(ts->btf_arg, &size);

		ts->btf_tried = true;
		ts->btf = btfidx_open(data, size);
	}
	return ts->btf;
}

static const struct dtype *
lookup(struct typeset *ts, const char *name)
{
	const struct dtype *t = type_known(ts, name);
	struct btfidx *b;

	if (t == NULL)
		t = xlate_type(ts, name);
	if (t != NULL || (b = type_btfidx(ts)) == NULL)
		return t;
	return btfidx_lookup(b, ts, name);
}

/* "struct foo *": stars make pointers; a scope before ` is dropped */
const struct dtype *
type_lookup(struct typeset *ts, const char *name)
{
	const char *tick = strrchr(name, '`');
	const struct dtype *t;
	char buf[MAXNAME];
	size_t len, star = 0;

	if (tick != NULL)
		name = tick + 1;
	len = strlen(name);
	for (; len > 0 && (name[len - 1] == '*' || name[len - 1] == ' ');
	    len--)
		star += name[len - 1] == '*';
	if (len == 0 || len >= sizeof(buf))
		return NULL;
	memcpy(buf, name, len);
	buf[len] = '\0';
	t = lookup(ts, buf);
	while (t != NULL && star-- > 0)
		t = type_ptr(ts, t);
	return t;
}

const struct dtype *
type_btf(struct typeset *ts, uint32_t id)
{
	struct btfidx *b = type_btfidx(ts);

	return b == NULL ? NULL : btfidx_type(b, ts, id);
}

/* The full type of a forward-declared tag; t where there is none. */
static const struct dtype *
full_type(struct typeset *ts, const struct dtype *t)
{
	char name[MAXNAME];
	const struct dtype *full;

	if (t->name == NULL)
		return t;
	snprintf(name, sizeof(name), "%s %s", type_keyword(t->kind), t->name);
	full = lookup(ts, name);
	return full != NULL ? full : t;
}

const struct dtype *
type_complete(struct typeset *ts, const struct dtype *t)
{
	t = type_base(t);
	if (t->kind != DK_STRUCT && t->kind != DK_UNION && t->kind != DK_ENUM)
		return t;
	if (t->nmem == 0 && t->btf_id == 0)
		t = full_type(ts, t);
	if (t->btf_id != 0 && t->nmem == 0 && ts->btf != NULL)
		btfidx_fill(ts->btf, ts, &type_own(t)->d);
	return t;
}

static void
deep(struct typeset *ts, const struct dtype *t, int depth)
{
	t = type_complete(ts, t);
	if (depth > 16)
		return;
	if (t->kind == DK_ARRAY)
		deep(ts, t->ref, depth + 1);
	if (t->kind == DK_STRUCT || t->kind == DK_UNION)
		for (size_t i = 0; i < t->nmem; i++)
			deep(ts, t->mem[i].type, depth + 1);
}

void
type_complete_deep(struct typeset *ts, const struct dtype *t)
{
	deep(ts, t, 0);
}

const char *
type_near(struct typeset *ts, enum dkind kind, const char *name)
{
	const char *key = kind == DK_TYPEDEF ? "" : type_keyword(kind);
	struct btfidx *b = type_btfidx(ts);
	const char *best = NULL;
	size_t dist = SUGGEST_MAX, skip = *key == '\0' ? 0 : strlen(key) + 1;

	for (size_t i = 0; i < NHASH; i++)
		for (struct tname *n = ts->hash[i]; n != NULL; n = n->next)
			if (strncmp(n->name, key, strlen(key)) == 0 &&
			    strlen(n->name) > skip &&
			    strcmp(n->name + skip, name) != 0)
				suggest_best(name, n->name + skip, &best,
				    &dist);
	if (b != NULL)
		btfidx_near(b, kind, name, &best, &dist);
	return best;
}
