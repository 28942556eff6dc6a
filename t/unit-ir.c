/*
 * Random IR programs, run by an interpreter as they were built and by the
 * kernel after improvement, register allocation and emission; and the
 * structure of what is emitted, which needs no kernel.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <unistd.h>

#include "libdt/msg.h"
#include "trace/ir_impl.h"
#include "trace/prog.h"
#include "unit.h"

enum { NVAR = 24, NCELL = 6 };

struct rnd { uint64_t s; };

static uint32_t
next(struct rnd *r)
{
	r->s = r->s * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(r->s >> 33);
}

static int64_t
value(struct rnd *r)
{
	static const int64_t odd[] = { 0, 1, -1, 255, 256, INT32_MAX,
	    INT32_MIN, INT64_MAX, INT64_MIN, 0xffffffff, 0x80000000 };
	uint64_t v;

	switch (next(r) % 3) {
	case 0:
		return odd[next(r) % (sizeof(odd) / sizeof(*odd))];
	case 1:
		return (int32_t)next(r) % 100;
	default:
		v = (uint64_t)next(r) << 33 ^ (uint64_t)next(r) << 11;
		return (int64_t)(v ^ next(r));
	}
}

/* The interpreter: registers, a stack, and the functions of a gen. */
struct machine { const struct gen *g; unsigned steps; };

static uint64_t
alu(enum alu op, uint64_t a, uint64_t b)
{
	switch (op) {
	case A_ADD: return a + b;
	case A_SUB: return a - b;
	case A_MUL: return a * b;
	case A_UDIV: return b != 0 ? a / b : 0;
	case A_UMOD: return b != 0 ? a % b : a;
	case A_AND: return a & b;
	case A_OR: return a | b;
	case A_XOR: return a ^ b;
	case A_SHL: return a << (b & 63);
	case A_SHR: return a >> (b & 63);
	case A_SAR: return (uint64_t)((int64_t)a >> (b & 63));
	}
	return 0;
}

static bool
cond(enum cc cc, uint64_t a, uint64_t b)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	switch (cc) {
	case CC_EQ: return a == b;
	case CC_NE: return a != b;
	case CC_ULT: return a < b;
	case CC_ULE: return a <= b;
	case CC_UGT: return a > b;
	case CC_UGE: return a >= b;
	case CC_SLT: return x < y;
	case CC_SLE: return x <= y;
	case CC_SGT: return x > y;
	case CC_SGE: return x >= y;
	case CC_SET: return (a & b) != 0;
	}
	return false;
}

static uint64_t
cut(uint64_t v, unsigned size, bool sign)
{
	switch (size) {
	case 1: return sign ? (uint64_t)(int8_t)v : (uint8_t)v;
	case 2: return sign ? (uint64_t)(int16_t)v : (uint16_t)v;
	case 4: return sign ? (uint64_t)(int32_t)v : (uint32_t)v;
	default: return v;
	}
}

static uint64_t run(struct machine *, int, const uint64_t *);

static size_t
find(const struct irfunc *f, label l)
{
	size_t k;

	for (k = 0; k < f->n; k++)
		if (f->ins[k].op == IR_LABEL && f->ins[k].lab == l)
			return k;
	abort();
}

static void
memop(const struct ir *i, uint64_t *reg, char *fp)
{
	char *at = fp + (int64_t)reg[i->a] + i->off;
	uint64_t v = 0;

	switch (i->op) {
	case IR_LOAD:
		memcpy(&v, at, i->size);
		reg[i->dst] = v;
		break;
	case IR_STORE:
		memcpy(at, &reg[i->b], i->size);
		break;
	case IR_STOREI:
		v = (uint64_t)i->imm;
		memcpy(at, &v, i->size);
		break;
	default:
		memcpy(&v, at, i->size);
		v += reg[i->b];
		memcpy(at, &v, i->size);
		break;
	}
}

static void
step(struct machine *m, const struct ir *i, uint64_t *reg, const uint64_t *arg,
    char *fp)
{
	uint64_t sub[IR_MAXARG];
	int n;

	switch (i->op) {
	case IR_MOV: reg[i->dst] = reg[i->a]; break;
	case IR_IMM: reg[i->dst] = (uint64_t)i->imm; break;
	case IR_ALU: reg[i->dst] = alu(i->sub, reg[i->a], reg[i->b]); break;
	case IR_ALUI:
		reg[i->dst] = alu(i->sub, reg[i->a], (uint64_t)i->imm);
		break;
	case IR_NEG: reg[i->dst] = -reg[i->a]; break;
	case IR_EXT: reg[i->dst] = cut(reg[i->a], i->size, i->sign); break;
	case IR_BSWAP:
		reg[i->dst] = __builtin_bswap64(reg[i->a]) >>
		    (64 - 8 * i->size);
		break;
	case IR_FP: reg[i->dst] = (uint64_t)(int64_t)i->off; break;
	case IR_ARG: reg[i->dst] = arg[i->imm]; break;
	case IR_CALL: reg[i->dst] = 0; break;
	case IR_CALLSUB:
		for (n = 0; n < i->narg; n++)
			sub[n] = reg[i->arg[n]];
		reg[i->dst] = run(m, (int)i->imm, sub);
		break;
	default:
		memop(i, reg, fp);
		break;
	}
}

static uint64_t
run(struct machine *m, int fn, const uint64_t *arg)
{
	const struct irfunc *f = &m->g->fn[fn];
	uint64_t *reg, rv = 0;
	char stack[BPF_STACK];
	const struct ir *i;
	size_t k;

	memset(stack, 0, sizeof(stack));
	reg = calloc((size_t)f->nvreg, sizeof(*reg));
	if (reg == NULL)
		abort();
	for (k = 0; k < f->n; k++) {
		i = &f->ins[k];
		if (m->steps++ > 1000000)
			abort();
		if (i->op == IR_EXIT) {
			rv = reg[i->a];
			break;
		}
		if (i->op == IR_JMP ||
		    (i->op == IR_BR && cond(i->sub, reg[i->a], reg[i->b])) ||
		    (i->op == IR_BRI && cond(i->sub, reg[i->a],
		    (uint64_t)i->imm)))
			k = find(f, i->lab);
		else if (i->op != IR_BR && i->op != IR_BRI &&
		    i->op != IR_LABEL && i->op != IR_NOP)
			step(m, i, reg, arg, stack + BPF_STACK);
	}
	free(reg);
	return rv;
}

/* The generator. */
struct build {
	struct gen *g;
	struct rnd r;
	vreg var[NVAR];
	int nvar;
	int32_t cell[NCELL];
	int sub, depth;
};

static vreg
any(struct build *b)
{
	return b->var[next(&b->r) % (unsigned)b->nvar];
}

static unsigned
size(struct build *b)
{
	return 1U << next(&b->r) % 4;
}

static void block(struct build *, unsigned);

static void
branch(struct build *b)
{
	label l = ir_newlabel(b->g), end = ir_newlabel(b->g);
	enum cc cc = next(&b->r) % 11;

	if (next(&b->r) % 2)
		ir_br(b->g, cc, any(b), any(b), l);
	else
		ir_bri(b->g, cc, any(b), value(&b->r), l);
	block(b, 4);
	if (next(&b->r) % 2)
		ir_jmp(b->g, end);
	ir_label(b->g, l);
	block(b, 4);
	ir_label(b->g, end);
}

static void
loop(struct build *b)
{
	vreg n = ir_imm(b->g, 0);
	label top = ir_newlabel(b->g);

	ir_label(b->g, top);
	block(b, 5);
	ir_aluito(b->g, n, A_ADD, n, 1);
	ir_bri(b->g, CC_ULT, n, 1 + next(&b->r) % 6, top);
}

static void
memory(struct build *b)
{
	int32_t off = b->cell[next(&b->r) % NCELL];
	unsigned sz = size(b);
	vreg base = ir_fp(b->g, off);

	switch (next(&b->r) % 4) {
	case 0:
		ir_store(b->g, base, 0, sz, any(b));
		break;
	case 1:
		ir_storei(b->g, base, 0, sz, (int32_t)value(&b->r));
		break;
	case 2:
		ir_atomic_add(b->g, base, 0, sz < 8 ? 4 : 8, any(b));
		break;
	default:
		ir_loadto(b->g, any(b), base, 0, sz);
		break;
	}
}

static vreg
compute(struct build *b)
{
	enum alu op = next(&b->r) % 11;
	int64_t imm;

	switch (next(&b->r) % 7) {
	case 0:
	case 1:
		if (op >= A_SHL)
			return ir_alu(b->g, op, any(b),
			    ir_alui(b->g, A_AND, any(b), 63));
		return ir_alu(b->g, op, any(b), any(b));
	case 2:
	case 3:
		imm = op >= A_SHL ? next(&b->r) % 64 : value(&b->r);
		if ((op == A_UDIV || op == A_UMOD) && imm == 0)
			imm = 1 << next(&b->r) % 16;
		return ir_alui(b->g, op, any(b), imm);
	case 4:
		return ir_ext(b->g, any(b), size(b), next(&b->r) % 2);
	case 5:
		return ir_neg(b->g, any(b));
	default:
		return ir_bswap(b->g, any(b), 2U << next(&b->r) % 3);
	}
}

static void
statement(struct build *b)
{
	vreg v;

	switch (next(&b->r) % 12) {
	case 0:
		if (b->depth < 3)
			branch(b);
		break;
	case 1:
		if (b->depth < 2)
			loop(b);
		break;
	case 2:
	case 3:
		memory(b);
		break;
	case 4:
		/* clobbers r0-r5; its result counts for nothing */
		v = ir_call(b->g, BPF_FUNC_ktime_get_ns, 0);
		if (next(&b->r) % 2)
			ir_aluto(b->g, b->var[0], A_ADD, b->var[0],
			    ir_alui(b->g, A_AND, v, 0));
		break;
	case 5:
		if (b->sub > 0)
			ir_mov(b->g, any(b), ir_callsub(b->g, b->sub, 4,
			    any(b), any(b), any(b), any(b)));
		break;
	case 6:
		ir_set(b->g, any(b), value(&b->r));
		break;
	default:
		ir_mov(b->g, any(b), compute(b));
		break;
	}
}

static void
block(struct build *b, unsigned n)
{
	b->depth++;
	for (n = 1 + next(&b->r) % n; n > 0; n--)
		statement(b);
	b->depth--;
}

static void
body(struct build *b, unsigned narg, unsigned length)
{
	struct gen *g = b->g;
	unsigned n;
	vreg sum;

	b->nvar = 1 + (int)(next(&b->r) % NVAR);
	for (n = 0; n < (unsigned)b->nvar; n++)
		b->var[n] = n < narg ? ir_arg(g, n) : ir_imm(g, value(&b->r));
	for (n = 0; n < NCELL; n++) {
		b->cell[n] = ir_stack(g, 8, 8);
		ir_storei(g, ir_fp(g, b->cell[n]), 0, 8, (int)n);
	}
	for (n = 0; n < length; n++)
		statement(b);
	sum = ir_imm(g, 0);
	for (n = 0; n < (unsigned)b->nvar; n++)
		sum = ir_alu(g, A_XOR, ir_alui(g, A_MUL, sum, 31), b->var[n]);
	for (n = 0; n < NCELL; n++)
		sum = ir_alu(g, A_ADD, ir_alui(g, A_MUL, sum, 17),
		    ir_load(g, ir_fp(g, b->cell[n]), 0, 8));
	sum = ir_alu(g, A_XOR, sum, ir_alui(g, A_SHR, sum, 32));
	ir_exitv(g, ir_ext(g, sum, 4, false));
}

static struct gen *
program(uint64_t seed, unsigned length)
{
	struct build b = { .r = { seed } };

	b.g = gen_new();
	if (b.g == NULL)
		abort();
	(void)next(&b.r);
	if (next(&b.r) % 3 == 0) {
		int sub = ir_func(b.g, "helper", 4);

		body(&b, 4, 6);
		ir_endfunc(b.g);
		b.sub = sub;
	}
	body(&b, 0, length);
	return b.g;
}

static void
compare(uint64_t seed, bool kernel)
{
	LIBBPF_OPTS(bpf_test_run_opts, to);
	LIBBPF_OPTS(bpf_prog_load_opts, lo);
	static char log[1 << 16];
	struct gen *g = program(seed, 30);
	struct bpfprog p = { 0 };
	struct machine m = { .g = g };
	struct msg msg;
	uint32_t want = (uint32_t)run(&m, 0, (uint64_t[5]){ 0 });
	int fd;

	CHECK_INT(gen_finish(g, &p, &msg), 0);
	gen_free(g);
	if (kernel) {
		lo.log_buf = log;
		lo.log_size = sizeof(log);
		fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "t", "GPL",
		    p.insn, p.ninsn, &lo);
		if (fd < 0) {
			printf("seed %" PRIu64 ": %s\n%.3000s\n", seed,
			    strerror(errno), log);
			unit_fail(__FILE__, __LINE__, "load");
		} else {
			CHECK_INT(bpf_prog_test_run_opts(fd, &to), 0);
			if (to.retval != want)
				printf("seed %" PRIu64 "\n", seed);
			CHECK_INT(to.retval, want);
			close(fd);
		}
	}
	free(p.insn);
	free(p.rel);
	free(p.sub);
	free(p.linemap);
}

/* What is decided at compile time leaves nothing to run. */
static void
test_folding(void)
{
	struct gen *g = gen_new();
	struct bpfprog p = { 0 };
	struct msg m;
	label l = ir_newlabel(g);
	vreg a = ir_imm(g, 6), b = ir_imm(g, 7);

	a = ir_alu(g, A_MUL, a, b);
	ir_bri(g, CC_EQ, a, 42, l);
	(void)ir_call(g, BPF_FUNC_ktime_get_ns, 0);
	ir_exit(g, 1);
	ir_label(g, l);
	ir_exitv(g, a);
	CHECK_INT(gen_finish(g, &p, &m), 0);
	CHECK_INT(p.ninsn, 2);
	CHECK_INT(p.insn[0].imm, 42);
	gen_free(g);
	free(p.insn);
	free(p.sub);
	free(p.linemap);
}

static void
test_unused_function(void)
{
	struct gen *g = gen_new();
	struct bpfprog p = { 0 };
	struct msg m;

	(void)ir_func(g, "unused", 1);
	ir_exit(g, 3);
	ir_endfunc(g);
	ir_exit(g, 0);
	CHECK_INT(gen_finish(g, &p, &m), 0);
	CHECK_INT(p.nsub, 1);
	CHECK_INT(p.ninsn, 2);
	gen_free(g);
	free(p.insn);
	free(p.sub);
	free(p.linemap);
}

static void
test_stack(void)
{
	struct gen *g = gen_new();
	struct bpfprog p = { 0 };
	struct msg m;

	(void)ir_stack(g, 520, 8);
	ir_exit(g, 0);
	CHECK_INT(gen_finish(g, &p, &m), -1);
	CHECK_STR(m.id, "bpf-stack");
	gen_free(g);
	free(p.insn);
	free(p.sub);
	free(p.linemap);
}

/* No jump is so long that the kernel could not patch the code between. */
static void
test_far(void)
{
	enum { LONG = 40000, LIMIT = 12000 };
	struct gen *g = gen_new();
	struct bpfprog p = { 0 };
	struct msg m;
	label end = ir_newlabel(g), half = ir_newlabel(g);
	label begin = ir_newlabel(g);
	vreg v = ir_load(g, ir_ctx(g), 0, 4), s = ir_load(g, ir_ctx(g), 4, 4);
	int k, longest = 0, jumps = 0;
	size_t i;

	ir_label(g, begin);
	ir_bri(g, CC_EQ, v, 7, end);
	ir_br(g, CC_UGT, v, s, half);
	for (k = 0; k < LONG; k++) {
		if (k == LONG / 2)
			ir_label(g, half);
		ir_aluito(g, v, A_MUL, v, k | 1);
	}
	ir_bri(g, CC_NE, v, 9, begin);
	ir_label(g, end);
	ir_exitv(g, v);
	CHECK_INT(gen_finish(g, &p, &m), 0);
	CHECK(p.ninsn > LONG && p.ninsn < LONG + LONG / 100);
	for (i = 0; i < p.ninsn; i++)
		if ((p.insn[i].code & 7) == BPF_JMP && p.insn[i].off != 0) {
			jumps++;
			if (abs(p.insn[i].off) > longest)
				longest = abs(p.insn[i].off);
		}
	CHECK(longest < LIMIT);
	CHECK(jumps > LONG / LIMIT + 2);
	gen_free(g);
	free(p.insn);
	free(p.sub);
	free(p.linemap);
}

int
main(int argc, char **argv)
{
	uint64_t n, from = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : 1000;
	bool kernel = geteuid() == 0;

	test_folding();
	test_unused_function();
	test_stack();
	test_far();
	for (n = from; n < from + count; n++)
		compare(n, kernel);
	if (!kernel)
		printf("not root: programs were not run by the kernel\n");
	return unit_end();
}
