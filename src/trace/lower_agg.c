/*
 * lower_agg.c - aggregations: what they keep, and updating it on this CPU.
 */
#include <string.h>

#include "trace/aggbucket.h"
#include "trace/lower_impl.h"

static const struct aggrow_fn { enum fid func; enum aggfn fn; } fn_table[] = {
	{ F_COUNT, AGG_COUNT }, { F_SUM, AGG_SUM }, { F_AVG, AGG_AVG },
	{ F_MIN, AGG_MIN }, { F_MAX, AGG_MAX }, { F_STDDEV, AGG_STDDEV },
	{ F_QUANTIZE, AGG_QUANTIZE }, { F_LQUANTIZE, AGG_LQUANTIZE },
	{ F_LLQUANTIZE, AGG_LLQUANTIZE },
};

static int
shape(struct aggdesc *a)
{
	struct llq q;

	switch (a->fn) {
	case AGG_COUNT:
		a->nval = 1;
		return 0;
	case AGG_STDDEV:
		a->nval = 4;
		return 0;
	case AGG_QUANTIZE:
		a->nval = 1 + QUANT_NBUCKET;
		return 0;
	case AGG_LQUANTIZE:
		if (a->arg[2] == 0)
			a->arg[2] = 1;
		if (a->arg[2] < 0 || a->arg[1] <= a->arg[0] ||
		    (a->arg[1] - a->arg[0]) / a->arg[2] > 4096)
			return -1;
		a->nval = 1 + lquant_nbucket(a->arg);
		return 0;
	case AGG_LLQUANTIZE:
		if (llq_init(&q, a->arg) < 0)
			return -1;
		a->nval = 2 + 2 * q.beyond;
		return 0;
	default:
		a->nval = 2;
		return 0;
	}
}

int
agg_shape(struct lower *l, struct ident *id, struct aggdesc *a)
{
	size_t k;

	for (k = 0; k < sizeof(fn_table) / sizeof(*fn_table); k++)
		if (fn_table[k].func == id->func->id)
			a->fn = fn_table[k].fn;
	memcpy(a->arg, id->aggarg, sizeof(a->arg));
	if (shape(a) < 0)
		return low_error(l, D_PROTO_ARG, id->line,
		    "@%s: the bounds or steps of %s() make no sense or too "
		    "many buckets", id->name, id->func->name);
	return 0;
}

/* The element's value on this CPU, made where it is not there. */
static vreg
element(struct lower *l, const struct aggdesc *a, vreg key, label done)
{
	struct gen *g = l->g;
	vreg p;
	label have;
	int32_t at;

	if (a->nkey == 0) {
		at = low_tmp8(l);
		ir_storei(g, ir_fp(g, at), 0, 4, (int32_t)a->slot);
		p = low_lookup(l, a->map, ir_fp(g, at));
		ir_bri(g, CC_EQ, p, 0, done);
		return p;
	}
	p = ir_new(g);
	have = ir_newlabel(g);
	ir_mov(g, p, low_lookup(l, a->map, key));
	ir_bri(g, CC_NE, p, 0, have);
	(void)ir_call(g, BPF_FUNC_map_update_elem, 4, ir_mapfd(g, a->map),
	    key, ir_mapval(g, MAP_RODATA, ro_zero(l, 8 * a->nval)),
	    ir_imm(g, BPF_NOEXIST));
	ir_mov(g, p, low_lookup(l, a->map, key));
	ir_bri(g, CC_EQ, p, 0, low_drop(l, DROP_AGG, done));
	ir_label(g, have);
	return p;
}

/* An interrupt may come between load and store where a second program
 * updates the same element. */
static void
add(struct lower *l, const struct aggdesc *a, vreg p, int32_t off, vreg v)
{
	struct gen *g = l->g;

	if (a->shared)
		ir_atomic_add(g, p, off, 8, v);
	else
		ir_store(g, p, off, 8, ir_alu(g, A_ADD,
		    ir_load(g, p, off, 8), v));
}

static void
extreme(struct lower *l, vreg p, vreg v, bool max)
{
	struct gen *g = l->g;
	label set = ir_newlabel(g), keep = ir_newlabel(g);

	ir_bri(g, CC_EQ, ir_load(g, p, 0, 8), 0, set);
	ir_br(g, max ? CC_SLE : CC_SGE, v, ir_load(g, p, 8, 8), keep);
	ir_label(g, set);
	ir_store(g, p, 8, 8, v);
	ir_label(g, keep);
}

/* sum += v; the 128 bits of the sum of squares += v * v */
static void
stddev(struct lower *l, vreg p, vreg v)
{
	struct gen *g = l->g;
	label nocarry = ir_newlabel(g);
	vreg s = ir_alui(g, A_SAR, v, 63), m, hi, lo, cross, low, high, old;

	ir_store(g, p, 8, 8, ir_alu(g, A_ADD, ir_load(g, p, 8, 8), v));
	m = ir_alu(g, A_SUB, ir_alu(g, A_XOR, v, s), s);
	hi = ir_alui(g, A_SHR, m, 32);
	lo = ir_ext(g, m, 4, false);
	/* m * m = hi^2 << 64 + 2 hi lo << 32 + lo^2 */
	cross = ir_alu(g, A_MUL, hi, lo);
	low = ir_alu(g, A_MUL, lo, lo);
	high = ir_new(g);
	ir_mov(g, high, ir_alu(g, A_ADD, ir_alu(g, A_MUL, hi, hi),
	    ir_alui(g, A_SHR, cross, 31)));
	cross = ir_alui(g, A_SHL, cross, 33);
	low = ir_alu(g, A_ADD, low, cross);
	ir_br(g, CC_UGE, low, cross, nocarry);
	ir_aluito(g, high, A_ADD, high, 1);
	ir_label(g, nocarry);
	nocarry = ir_newlabel(g);
	old = ir_alu(g, A_ADD, ir_load(g, p, 16, 8), low);
	ir_store(g, p, 16, 8, old);
	ir_br(g, CC_UGE, old, low, nocarry);
	ir_aluito(g, high, A_ADD, high, 1);
	ir_label(g, nocarry);
	ir_store(g, p, 24, 8, ir_alu(g, A_ADD, ir_load(g, p, 24, 8), high));
}

/* floor(log2(m)), 0 for 0: without branches, so that the verifier need not
 * follow 64 ways */
static vreg
log2of(struct gen *g, vreg m)
{
	static const int64_t top[] = { 0xffffffff, 0xffff, 0xff, 0xf, 3, 1 };
	vreg n = -1, s;
	int k;

	for (k = 0; k < 6; k++) {
		s = ir_alu(g, A_SUB, ir_imm(g, top[k]), m);
		s = ir_alui(g, A_SHL, ir_alui(g, A_SHR, s, 63), 5 - k);
		m = ir_alu(g, A_SHR, m, s);
		n = n < 0 ? s : ir_alu(g, A_OR, n, s);
	}
	return n;
}

/* quant_index() of aggbucket.c */
static vreg
quantize(struct gen *g, vreg v)
{
	vreg s = ir_alui(g, A_SAR, v, 63), m, k, nz;

	m = ir_alu(g, A_SUB, ir_alu(g, A_XOR, v, s), s);
	k = ir_alui(g, A_ADD, log2of(g, m), 1);
	nz = ir_alui(g, A_SAR, ir_alu(g, A_OR, v, ir_neg(g, v)), 63);
	k = ir_alu(g, A_AND, k, nz);
	k = ir_alu(g, A_SUB, k, ir_alui(g, A_SHR, k, 6));
	k = ir_alu(g, A_SUB, ir_alu(g, A_XOR, k, s), s);
	return ir_alui(g, A_ADD, k, QUANT_ZERO);
}

/* lquant_index() of aggbucket.c */
static vreg
lquantize(struct gen *g, const int64_t *arg, vreg v)
{
	int64_t levels = (arg[1] - arg[0]) / arg[2];
	label done = ir_newlabel(g);
	vreg i = ir_new(g), d;

	ir_set(g, i, 0);
	ir_bri(g, CC_SLT, v, arg[0], done);
	ir_set(g, i, levels + 1);
	ir_bri(g, CC_SGE, v, arg[0] + levels * arg[2], done);
	d = ir_alui(g, A_SUB, v, arg[0]);
	ir_aluito(g, i, A_ADD, ir_alui(g, A_UDIV, d, arg[2]), 1);
	ir_label(g, done);
	return i;
}

/* llq_index() of aggbucket.c */
static vreg
llquantize(struct gen *g, const int64_t *arg, vreg v)
{
	label done = ir_newlabel(g), next;
	vreg s = ir_alui(g, A_SAR, v, 63), m, k = ir_new(g);
	struct llq q;
	unsigned n;

	if (llq_init(&q, arg) < 0)
		return ir_imm(g, 0);
	m = ir_alu(g, A_SUB, ir_alu(g, A_XOR, v, s), s);
	ir_set(g, k, 0);
	ir_bri(g, CC_ULT, m, (int64_t)q.mag[0].lo, done);
	for (n = 0; n < q.nmag; n++) {
		next = ir_newlabel(g);
		ir_bri(g, CC_UGE, m, (int64_t)q.mag[n].hi, next);
		ir_aluito(g, k, A_ADD, ir_alui(g, A_UDIV, m,
		    (int64_t)q.mag[n].width), (int64_t)q.mag[n].first -
		    (int64_t)q.mag[n].skip);
		ir_jmp(g, done);
		ir_label(g, next);
	}
	ir_set(g, k, q.beyond);
	ir_label(g, done);
	m = ir_alu(g, A_SUB, ir_alu(g, A_XOR, k, s), s);
	return ir_alui(g, A_ADD, m, q.beyond);
}

static void
bucket(struct lower *l, const struct aggdesc *a, vreg p, vreg v, vreg by,
    label done)
{
	struct gen *g = l->g;
	vreg i = ir_new(g);

	if (a->fn == AGG_QUANTIZE)
		ir_mov(g, i, quantize(g, v));
	else if (a->fn == AGG_LQUANTIZE)
		ir_mov(g, i, lquantize(g, a->arg, v));
	else
		ir_mov(g, i, llquantize(g, a->arg, v));
	/* never so, but the verifier cannot know */
	ir_bri(g, CC_UGE, i, (int64_t)a->nval - 1, done);
	add(l, a, ir_alu(g, A_ADD, p, ir_alui(g, A_SHL, i, 3)), 8, by);
}

/* @a[keys] = fn(value, …) */
void
low_aggregate(struct lower *l, const struct node *n)
{
	const struct node *call = n->b, *arg = call->list;
	const struct var *var = var_of(l, n->a->id);
	struct aggdesc *a = var->agg;
	struct gen *g = l->g;
	label done = ir_newlabel(g);
	vreg v = -1, key = -1, by, p;
	size_t skip;

	if (a == NULL)
		return;
	if (arg != NULL) {
		v = ir_new(g);
		ir_mov(g, v, low_int(l, arg));
		a->sign = type_base(arg->type)->sign;
	}
	/* quantize's and its kind's last argument: the increment */
	skip = a->fn == AGG_QUANTIZE ? 1 : a->fn == AGG_LQUANTIZE ? 4 :
	    a->fn == AGG_LLQUANTIZE ? 5 : 9;
	for (; arg != NULL && skip > 0; skip--)
		arg = arg->next;
	by = arg != NULL ? low_int(l, arg) : ir_imm(g, 1);
	if (a->nkey > 0)
		key = low_key(l, &var->key, n->a->list, n->line);
	l->cond++;
	p = element(l, a, key, done);
	switch (a->fn) {
	case AGG_SUM:
	case AGG_AVG:
		add(l, a, p, 8, v);
		break;
	case AGG_MIN:
	case AGG_MAX:
		extreme(l, p, v, a->fn == AGG_MAX);
		break;
	case AGG_STDDEV:
		stddev(l, p, v);
		break;
	case AGG_QUANTIZE:
	case AGG_LQUANTIZE:
	case AGG_LLQUANTIZE:
		bucket(l, a, p, v, by, done);
		break;
	default:
		break;
	}
	add(l, a, p, 0, ir_imm(g, 1));
	ir_label(g, done);
	l->cond--;
}
