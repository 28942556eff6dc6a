/*
 * btfarg.c - argument types and places by BTF.
 */
#include <bpf/btf.h>

#include "trace/btfarg.h"
#include "trace/kernel.h"
#include "trace/trace.h"
#include "trace/type.h"

static const struct btf_type *
proto_of(struct trace *t, uint32_t id)
{
	struct btf *b = kernel_btf(t, NULL);
	const struct btf_type *ty;

	if (b == NULL || id == 0)
		return NULL;
	for (ty = btf__type_by_id(b, id); ty != NULL;
	    ty = btf__type_by_id(b, ty->type)) {
		if (btf_is_func_proto(ty))
			return ty;
		if (!btf_is_func(ty) && !btf_is_typedef(ty) &&
		    !btf_is_ptr(ty))
			break;
	}
	return NULL;
}

const struct btf_param *
btfarg_param(struct trace *t, uint32_t id, unsigned n)
{
	const struct btf_type *ty = proto_of(t, id);

	return ty != NULL && n < btf_vlen(ty) ? &btf_params(ty)[n] : NULL;
}

uint32_t
btfarg_result(struct trace *t, uint32_t id)
{
	const struct btf_type *ty = proto_of(t, id);

	return ty != NULL ? ty->type : 0;
}

/* A number or pointer; id 0 (void, or a variable list) is none. */
static bool
word(struct trace *t, uint32_t id)
{
	struct btf *b = t->kern.vmlinux;
	const struct btf_type *ty = id == 0 ? NULL
	    : btf__type_by_id(b, (uint32_t)btf__resolve_type(b, id));

	return ty != NULL && (btf_is_ptr(ty) || ((btf_is_int(ty) ||
	    btf_is_any_enum(ty)) && ty->size <= 8));
}

bool
btfarg_plain(struct trace *t, uint32_t id, unsigned max)
{
	const struct btf_type *ty = proto_of(t, id);

	if (ty == NULL || btf_vlen(ty) > max ||
	    (ty->type != 0 && !word(t, ty->type)))
		return false;
	for (unsigned i = 0; i < btf_vlen(ty); i++)
		if (!word(t, btf_params(ty)[i].type))
			return false;
	return true;
}

/* Size and sign of a value of a type; pointers and what is larger than a word
 * are words. */
static void
scalar(struct trace *t, uint32_t id, uint8_t *size, bool *sign)
{
	struct btf *b = t->kern.vmlinux;
	const struct btf_type *ty = btf__type_by_id(b,
	    (uint32_t)btf__resolve_type(b, id));
	uint32_t bytes = ty == NULL ? 0 : btf_is_ptr(ty) ? 8 : ty->size;

	*size = bytes == 1 || bytes == 2 || bytes == 4 ? (uint8_t)bytes : 8;
	*sign = false;
	if (ty != NULL && btf_is_int(ty))
		*sign = (btf_int_encoding(ty) & BTF_INT_SIGNED) != 0;
	else if (ty != NULL && btf_is_enum(ty))
		*sign = btf_kflag(ty);
}

void
btfarg_layout(struct trace *t, uint32_t id, unsigned first,
    struct btfargs *ba)
{
	const struct btf_type *ty = proto_of(t, id);
	unsigned n = ty == NULL ? 0 : btf_vlen(ty);

	*ba = (struct btfargs){ .nparam = n };
	for (unsigned i = first; i < n && ba->n < PROBE_MAXARG; i++) {
		scalar(t, btf_params(ty)[i].type, &ba->arg[ba->n].size,
		    &ba->arg[ba->n].sign);
		ba->n++;
	}
	if (ty != NULL && ty->type != 0)
		scalar(t, ty->type, &ba->ret_size, &ba->ret_sign);
}

int
btfarg_type(struct trace *t, uint32_t type_id, struct probearg *a,
    struct msg *m)
{
	a->type = type_id == 0 ? NULL : type_btf(t->types, type_id);
	if (a->type == NULL && type_id != 0)
		a->type = type_int(t->types, 8, true);
	(void)m;
	return 0;
}

vreg
btfarg_gen(struct gen *g, const struct btfargs *ba, unsigned n)
{
	vreg v;

	if (n >= (ba->nparam == 0 ? 5 : ba->n))
		return ir_imm(g, 0);
	v = ir_load(g, ir_ctx(g), (int32_t)n * 8, 8);
	if (ba->nparam == 0 || ba->arg[n].size == 8)
		return v;
	return ir_ext(g, v, ba->arg[n].size, ba->arg[n].sign);
}
