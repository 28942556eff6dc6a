/*
 * lower_key.c - keys of associative arrays and aggregations, made in memory.
 */
#include "trace/lower_impl.h"

static void
key_string(struct lower *l, const struct keyshape *ks, size_t i,
    const struct node *n, vreg key)
{
	struct gen *g = l->g;
	const struct datum *c = &ks->comp[i];
	struct sval s;
	uint32_t k;

	if (ks->strid[i]) {
		ir_store(g, key, (int32_t)c->off, 8, low_strid(l, n));
		return;
	}
	if (low_readable(n)) {
		low_zero(l, key, (int32_t)c->off, c->size);
		low_strinto(l, n, key, (int32_t)c->off,
		    c->size < l->strmax ? c->size : l->strmax);
		return;
	}
	s = low_str(l, n);
	low_notnull(l, &s);
	if (s.mem && s.canon && s.room <= COPY_UNROLL && s.room <= c->size) {
		for (k = 0; k < s.room; k += 8)
			ir_store(g, key, (int32_t)(c->off + k), 8,
			    ir_load(g, s.r, (int32_t)k, 8));
		if (c->size > s.room)
			low_zero(l, key, (int32_t)(c->off + s.room),
			    c->size - s.room);
		return;
	}
	low_zero(l, key, (int32_t)c->off, c->size);
	/* only up to the NUL: what is behind it may differ */
	s.room = UINT32_MAX;
	low_strcopy(l, &s, key, (int32_t)c->off,
	    c->size < l->strmax ? c->size : l->strmax);
}

/* A char array counts up to its NUL, as a string does. */
static void
key_object(struct lower *l, const struct node *n, const struct datum *c,
    vreg key)
{
	const struct dtype *t = type_base(c->type);
	vreg addr = low_int(l, n);

	if (t->kind == DK_ARRAY && type_base(t->ref)->size == 1)
		low_strread(l, addr, false, key, (int32_t)c->off, c->size);
	else
		low_copyin(l, key, (int32_t)c->off, c->size, addr, false);
}

vreg
low_key(struct lower *l, const struct keyshape *ks, const struct node *n,
    int line)
{
	struct gen *g = l->g;
	bool small = ks->size <= KEY_ONSTACK;
	const struct datum *c;
	const struct dtype *t;
	vreg key, v;
	int32_t at;
	size_t i;

	(void)line;
	for (i = 0; i < ks->n; i++) {
		t = type_base(ks->comp[i].type);
		if (!ks->strid[i] && !type_is_scalar(t))
			small = false;
	}
	at = small ? low_stktemp(l, ks->size) : 0;
	if (at != 0)
		key = ir_fp(g, at);
	else
		key = low_tempaddr(l, low_temp(l, ks->size));
	if (ks->tag != 0)
		ir_store(g, key, 0, 8, ir_imm(g, ks->tag));
	if (ks->self)
		ir_store(g, key, ks->tag != 0 ? 8 : 0, 8, low_thread(l));
	for (i = 0; i < ks->n && n != NULL; i++, n = n->next) {
		c = &ks->comp[i];
		t = type_base(c->type);
		if (type_is_string(t)) {
			key_string(l, ks, i, n, key);
		} else if (t->kind == DK_DYN) {
			low_zero(l, key, (int32_t)c->off, up8(c->size));
			dyn_into(l, n, c, key, (int32_t)c->off);
		} else if (type_is_scalar(t)) {
			v = low_int(l, n);
			if (c->size < 8)
				v = ir_ext(g, v, c->size, false);
			ir_store(g, key, (int32_t)c->off, 8, v);
		} else {
			low_zero(l, key, (int32_t)c->off, up8(c->size));
			key_object(l, n, c, key);
		}
	}
	return key;
}
