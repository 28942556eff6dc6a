/*
 * irdump.c - the IR and the emitted BPF as text, for -S and for tests.
 */
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>

#include "trace/ir_impl.h"
#include "trace/prog.h"

const char *const ir_opname[IR_NOPS] = {
	[IR_NOP] = "nop", [IR_MOV] = "mov", [IR_IMM] = "imm",
	[IR_ALU] = "alu", [IR_ALUI] = "alui", [IR_NEG] = "neg",
	[IR_EXT] = "ext", [IR_BSWAP] = "bswap", [IR_LOAD] = "load",
	[IR_STORE] = "store", [IR_STOREI] = "storei",
	[IR_ATOMIC] = "atomic", [IR_CMPXCHG] = "cmpxchg",
	[IR_JMP] = "jmp", [IR_BR] = "br",
	[IR_BRI] = "bri", [IR_LABEL] = "label", [IR_CALL] = "call",
	[IR_CALLSUB] = "callsub", [IR_MAPFD] = "mapfd",
	[IR_MAPVAL] = "mapval", [IR_FUNC] = "func", [IR_FP] = "fp",
	[IR_ARG] = "arg", [IR_EXIT] = "exit",
};
const char *const ir_aluname[] = { "+", "-", "*", "/", "%", "&", "|", "^",
	"<<", ">>", "s>>" };
const char *const ir_ccname[] = { "==", "!=", "<", "<=", ">", ">=", "s<",
	"s<=", "s>", "s>=", "&" };

static const char *const helpername[] = {
#define FN(x) #x
#ifdef ___BPF_FUNC_MAPPER
#define NAME(x, y, ...) [y] = #x,
	___BPF_FUNC_MAPPER(NAME)
#undef NAME
#else
#undef FN
#define FN(x) [BPF_FUNC_##x] = #x
	__BPF_FUNC_MAPPER(FN)
#endif
#undef FN
};

static const char *
helper(int64_t n)
{
	if (n < 0 || n >= (int64_t)(sizeof(helpername) / sizeof(*helpername)) ||
	    helpername[n] == NULL)
		return "helper?";
	return helpername[n];
}

static void
dump_call(const struct gen *g, const struct ir *i, FILE *fp)
{
	unsigned n;

	fprintf(fp, "v%d = %s(", i->dst, i->op == IR_CALL ? helper(i->imm) :
	    g->fn[i->imm].name);
	for (n = 0; n < i->narg; n++)
		fprintf(fp, "%sv%d", n > 0 ? ", " : "", i->arg[n]);
	fprintf(fp, ")");
}

static void
dump_value(const struct gen *g, const struct ir *i, FILE *fp)
{
	fprintf(fp, "v%d = ", i->dst);
	switch (i->op) {
	case IR_MOV:
		fprintf(fp, "v%d", i->a);
		break;
	case IR_IMM:
		fprintf(fp, "%" PRId64, i->imm);
		break;
	case IR_ALU:
		fprintf(fp, "v%d %s v%d", i->a, ir_aluname[i->sub], i->b);
		break;
	case IR_ALUI:
		fprintf(fp, "v%d %s %" PRId64, i->a, ir_aluname[i->sub],
		    i->imm);
		break;
	case IR_NEG:
		fprintf(fp, "-v%d", i->a);
		break;
	case IR_EXT:
		fprintf(fp, "%c%d(v%d)", i->sign ? 's' : 'u', 8 * i->size,
		    i->a);
		break;
	case IR_BSWAP:
		fprintf(fp, "be%d(v%d)", 8 * i->size, i->a);
		break;
	case IR_LOAD:
		fprintf(fp, "u%d[v%d%+d]", 8 * i->size, i->a, i->off);
		break;
	case IR_CMPXCHG:
		fprintf(fp, "cmpxchg u%d[v%d%+d] %" PRId64 " to v%d",
		    8 * i->size, i->a, i->off, i->imm, i->b);
		break;
	case IR_MAPFD:
		fprintf(fp, "map %" PRId64, i->imm);
		break;
	case IR_MAPVAL:
		fprintf(fp, "map %" PRId64 " value + %d", i->imm, i->off);
		break;
	case IR_FUNC:
		fprintf(fp, "&%s", g->fn[i->imm].name);
		break;
	case IR_FP:
		fprintf(fp, "fp%+d", i->off);
		break;
	case IR_ARG:
		fprintf(fp, "argument %" PRId64, i->imm);
		break;
	default:
		fprintf(fp, "%s", ir_opname[i->op]);
		break;
	}
}

static void
dump_ins(const struct gen *g, const struct ir *i, FILE *fp)
{
	switch (i->op) {
	case IR_LABEL:
		fprintf(fp, "L%d:", i->lab);
		return;
	case IR_STORE:
		fprintf(fp, "\tu%d[v%d%+d] = v%d", 8 * i->size, i->a, i->off,
		    i->b);
		return;
	case IR_STOREI:
		fprintf(fp, "\tu%d[v%d%+d] = %" PRId64, 8 * i->size, i->a,
		    i->off, i->imm);
		return;
	case IR_ATOMIC:
		fprintf(fp, "\tu%d[v%d%+d] += v%d atomic", 8 * i->size, i->a,
		    i->off, i->b);
		return;
	case IR_JMP:
		fprintf(fp, "\tgoto L%d", i->lab);
		return;
	case IR_BR:
		fprintf(fp, "\tif v%d %s v%d goto L%d", i->a,
		    ir_ccname[i->sub], i->b, i->lab);
		return;
	case IR_BRI:
		fprintf(fp, "\tif v%d %s %" PRId64 " goto L%d", i->a,
		    ir_ccname[i->sub], i->imm, i->lab);
		return;
	case IR_EXIT:
		fprintf(fp, "\treturn v%d", i->a);
		return;
	case IR_CALL:
	case IR_CALLSUB:
		fprintf(fp, "\t");
		dump_call(g, i, fp);
		return;
	default:
		fprintf(fp, "\t");
		dump_value(g, i, fp);
		return;
	}
}

void
gen_dump(struct gen *g, FILE *fp)
{
	const struct irfunc *f;
	const struct ir *i;
	int n, line = -1;
	size_t k;

	for (n = 0; n < g->nfn; n++) {
		f = &g->fn[n];
		fprintf(fp, "function %s (%u arguments, %d registers, "
		    "%d bytes of stack)\n", f->name, f->narg, f->nvreg,
		    -f->stack);
		for (k = 0; k < f->n; k++) {
			i = &f->ins[k];
			if (i->line != line && i->line > 0)
				fprintf(fp, "# line %d\n", i->line);
			line = i->line;
			dump_ins(g, i, fp);
			fputc('\n', fp);
		}
	}
}

static const char *const bpfalu[16] = { "+=", "-=", "*=", "/=", "|=", "&=",
	"<<=", ">>=", "neg", "%=", "^=", "=", "s>>=", "be", "?", "?" };
static const char *const bpfjmp[16] = { "", "==", ">", ">=", "&", "!=", "s>",
	"s>=", "call", "exit", "<", "<=", "s<", "s<=", "?", "?" };
static const int memsize[4] = { 32, 16, 8, 64 };

static void
dump_alu(const struct bpf_insn *b, FILE *fp)
{
	char r = BPF_CLASS(b->code) == BPF_ALU ? 'w' : 'r';
	const char *op = bpfalu[BPF_OP(b->code) >> 4];

	if (BPF_OP(b->code) == BPF_END)
		fprintf(fp, "r%d = be%d(r%d)", b->dst_reg, b->imm, b->dst_reg);
	else if (BPF_OP(b->code) == BPF_NEG)
		fprintf(fp, "%c%d = -%c%d", r, b->dst_reg, r, b->dst_reg);
	else if (BPF_SRC(b->code) == BPF_X)
		fprintf(fp, "%c%d %s %c%d", r, b->dst_reg, op, r, b->src_reg);
	else
		fprintf(fp, "%c%d %s %d", r, b->dst_reg, op, b->imm);
}

static void
dump_jmp(const struct bpf_insn *b, size_t at, FILE *fp)
{
	const char *op = bpfjmp[BPF_OP(b->code) >> 4];

	switch (BPF_OP(b->code)) {
	case BPF_JA:
		fprintf(fp, "goto %zu", at + 1 + (size_t)(long)b->off);
		break;
	case BPF_CALL:
		if (b->src_reg == BPF_PSEUDO_CALL)
			fprintf(fp, "call %zu", at + 1 + (size_t)(long)b->imm);
		else
			fprintf(fp, "call %s", helper(b->imm));
		break;
	case BPF_EXIT:
		fprintf(fp, "exit");
		break;
	default:
		if (BPF_SRC(b->code) == BPF_X)
			fprintf(fp, "if r%d %s r%d goto %zu", b->dst_reg, op,
			    b->src_reg, at + 1 + (size_t)(long)b->off);
		else
			fprintf(fp, "if r%d %s %d goto %zu", b->dst_reg, op,
			    b->imm, at + 1 + (size_t)(long)b->off);
		break;
	}
}

static void
dump_imm64(const struct bpfprog *p, const struct bpf_insn *b, size_t at,
    FILE *fp)
{
	size_t k;

	for (k = 0; k < p->nrel; k++)
		if (p->rel[k].insn == at) {
			fprintf(fp, "r%d = map %d", b->dst_reg, p->rel[k].map);
			if (p->rel[k].value)
				fprintf(fp, " value + %u", p->rel[k].off);
			return;
		}
	if (b->src_reg == BPF_PSEUDO_FUNC)
		fprintf(fp, "r%d = &function at %zu", b->dst_reg,
		    at + 1 + (size_t)(long)b->imm);
	else
		fprintf(fp, "r%d = 0x%" PRIx64, b->dst_reg,
		    (uint64_t)(uint32_t)b[1].imm << 32 | (uint32_t)b->imm);
}

static void
dump_insn(const struct bpfprog *p, size_t at, FILE *fp)
{
	const struct bpf_insn *b = &p->insn[at];
	int sz = memsize[BPF_SIZE(b->code) >> 3];

	switch (BPF_CLASS(b->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		dump_alu(b, fp);
		break;
	case BPF_JMP:
		dump_jmp(b, at, fp);
		break;
	case BPF_LD:
		dump_imm64(p, b, at, fp);
		break;
	case BPF_LDX:
		fprintf(fp, "r%d = u%d[r%d%+d]", b->dst_reg, sz, b->src_reg,
		    b->off);
		break;
	case BPF_ST:
		fprintf(fp, "u%d[r%d%+d] = %d", sz, b->dst_reg, b->off,
		    b->imm);
		break;
	case BPF_STX:
		fprintf(fp, "u%d[r%d%+d] %s r%d", sz, b->dst_reg, b->off,
		    BPF_MODE(b->code) == BPF_MEM ? "=" : "+=", b->src_reg);
		break;
	default:
		fprintf(fp, "code %#x", b->code);
		break;
	}
}

void
bpf_dump(const struct bpfprog *p, FILE *fp)
{
	size_t k, s = 0, l = 0;

	for (k = 0; k < p->ninsn; k++) {
		if (s < p->nsub && p->sub[s].insn == k)
			fprintf(fp, "%s:\n", p->sub[s++].name);
		while (l < p->nlinemap && p->linemap[l].insn == k) {
			if (p->linemap[l].line > 0)
				fprintf(fp, "; clause %d line %d\n",
				    p->linemap[l].clause, p->linemap[l].line);
			l++;
		}
		fprintf(fp, "%5zu: ", k);
		dump_insn(p, k, fp);
		fputc('\n', fp);
		if (p->insn[k].code == (BPF_LD | BPF_IMM | BPF_DW))
			k++;
	}
}
