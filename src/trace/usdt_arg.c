/*
 * usdt_arg.c - operands of USDT probes: where the compiler left an argument.
 *
 * Each is N@OPERAND, N its size in bytes, negative if signed. Operands are the
 * assembler's. x86-64: $5, %eax, 8(%rsp), (%rax,%rbx,4), sym+8(%rip), sym.
 * arm64: 5, x0, [sp, 8], [x0].
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "trace/regs.h"
#include "trace/uelf.h"
#include "trace/uprobe.h"

enum opkind { OP_BAD, OP_CONST, OP_REG, OP_MEM, OP_SYM };
struct operand {
	enum opkind kind;
	int size;			/* negative: signed */
	int64_t off;			/* constant, displacement */
	int16_t base, index;		/* offsets in pt_regs, -1: none */
	unsigned scale, shift;		/* shift: bits, for %ah */
	char sym[128];
};

/* The n-th word of the arguments; NULL: there is none. */
static const char *
nth(const char *args, unsigned n)
{
	int depth;

	for (;;) {
		args += strspn(args, " ");
		if (*args == '\0')
			return NULL;
		if (n-- == 0)
			return args;
		/* blanks inside [sp, 8] belong to it */
		for (depth = 0; *args != '\0' && (depth > 0 || *args != ' ');
		    args++)
			depth += (*args == '[') - (*args == ']');
	}
}

int
usdt_arg_size(const char *args, unsigned n)
{
	const char *p = nth(args, n);
	char *end;
	long size;

	if (p == NULL)
		return 0;
	size = strtol(p, &end, 10);
	/* without a size it is a word of the machine */
	if (end == p || *end != '@')
		return 8;
	return size == 0 || size > 8 || size < -8 ? 8 : (int)size;
}

#if defined(__x86_64__)
static const struct { const char *name; int16_t off; uint8_t shift; }
reg_table[] = {
	{ "rax", REGS_RAX, 0 }, { "eax", REGS_RAX, 0 }, { "ax", REGS_RAX, 0 },
	{ "al", REGS_RAX, 0 }, { "ah", REGS_RAX, 8 },
	{ "rbx", REGS_RBX, 0 }, { "ebx", REGS_RBX, 0 }, { "bx", REGS_RBX, 0 },
	{ "bl", REGS_RBX, 0 }, { "bh", REGS_RBX, 8 },
	{ "rcx", REGS_RCX, 0 }, { "ecx", REGS_RCX, 0 }, { "cx", REGS_RCX, 0 },
	{ "cl", REGS_RCX, 0 }, { "ch", REGS_RCX, 8 },
	{ "rdx", REGS_RDX, 0 }, { "edx", REGS_RDX, 0 }, { "dx", REGS_RDX, 0 },
	{ "dl", REGS_RDX, 0 }, { "dh", REGS_RDX, 8 },
	{ "rsi", REGS_RSI, 0 }, { "esi", REGS_RSI, 0 }, { "si", REGS_RSI, 0 },
	{ "sil", REGS_RSI, 0 },
	{ "rdi", REGS_RDI, 0 }, { "edi", REGS_RDI, 0 }, { "di", REGS_RDI, 0 },
	{ "dil", REGS_RDI, 0 },
	{ "rbp", REGS_RBP, 0 }, { "ebp", REGS_RBP, 0 }, { "bp", REGS_RBP, 0 },
	{ "bpl", REGS_RBP, 0 },
	{ "rsp", REGS_RSP, 0 }, { "esp", REGS_RSP, 0 }, { "sp", REGS_RSP, 0 },
	{ "spl", REGS_RSP, 0 },
	{ "rip", REGS_RIP, 0 },
};
static const int16_t reg_r8[8] = { REGS_R8, REGS_R9, REGS_R10, REGS_R11,
	REGS_R12, REGS_R13, REGS_R14, REGS_R15 };

/* Offset of a register named at *p, which moves past it; -1: none. */
static int16_t
reg_of(const char **p, unsigned *shift)
{
	size_t len = 0;
	const char *s = *p;

	*shift = 0;
	if (*s++ != '%')
		return -1;
	while (isalnum((unsigned char)s[len]))
		len++;
	*p = s + len;
	/* r8 to r15, with d, w or b */
	if (s[0] == 'r' && isdigit((unsigned char)s[1])) {
		long n = strtol(s + 1, NULL, 10);

		return n >= 8 && n <= 15 ? reg_r8[n - 8] : -1;
	}
	for (size_t i = 0; i < sizeof(reg_table) / sizeof(reg_table[0]); i++)
		if (strlen(reg_table[i].name) == len &&
		    memcmp(reg_table[i].name, s, len) == 0) {
			*shift = reg_table[i].shift;
			return reg_table[i].off;
		}
	return -1;
}

/* "(%base,%index,scale)" */
static void
parse_base(const char *p, struct operand *o)
{
	unsigned none;

	p++;
	if (*p == '%') {
		o->base = reg_of(&p, &none);
		if (o->base < 0)
			return;
	}
	if (*p == ',') {
		p++;
		o->index = reg_of(&p, &none);
		if (o->index < 0)
			return;
		o->scale = 1;
		if (*p == ',')
			o->scale = (unsigned)strtoul(p + 1, (char **)&p, 10);
	}
	if (*p == ')')
		o->kind = o->sym[0] != '\0' && (o->base < 0 ||
		    o->base == REGS_RIP) ? OP_SYM : OP_MEM;
}

/* What is left of the sign and digits, names and parentheses of a memory
 * operand: "-8(%rbp)", "sym+4(%rip)", "8+sym(%rip)", "sym". */
static void
parse_memory(const char *p, struct operand *o)
{
	while (*p != '\0' && *p != ' ' && *p != '(') {
		size_t n = strcspn(p, "+-( ");
		char *end;

		if (isdigit((unsigned char)*p) || *p == '-' || *p == '+') {
			if (!isdigit((unsigned char)p[*p == '-' ||
			    *p == '+'])) {
				p++;
				continue;
			}
			o->off += strtoll(p, &end, 0);
			p = end;
			continue;
		}
		if (n == 0 || n >= sizeof(o->sym) || o->sym[0] != '\0')
			return;
		memcpy(o->sym, p, n);
		o->sym[n] = '\0';
		p += n;
	}
	if (*p == '(')
		parse_base(p, o);
	else if (o->sym[0] != '\0')
		o->kind = OP_SYM;
}

static void
parse_operand(const char *p, struct operand *o)
{
	if (*p == '$') {
		o->kind = OP_CONST;
		o->off = strtoll(p + 1, NULL, 0);
	} else if (*p == '%') {
		o->base = reg_of(&p, &o->shift);
		if (o->base >= 0)
			o->kind = OP_REG;
	} else {
		parse_memory(p, o);
	}
}
#elif defined(__aarch64__)
/* x0 to x30, w0 to w30, sp, xzr is left out */
static int16_t
reg_of(const char **p)
{
	char *end;
	long n;

	if (strncmp(*p, "sp", 2) == 0) {
		*p += 2;
		return REGS_SP;
	}
	if (**p != 'x' && **p != 'w')
		return -1;
	n = strtol(*p + 1, &end, 10);
	if (end == *p + 1 || n < 0 || n > 30)
		return -1;
	*p = end;
	return (int16_t)(n * 8);
}

static void
parse_operand(const char *p, struct operand *o)
{
	if (*p == '[') {
		p++;
		o->base = reg_of(&p);
		if (o->base < 0)
			return;
		p += strspn(p, ", ");
		if (*p != ']')
			o->off = strtoll(p + (*p == '#'), NULL, 0);
		o->kind = OP_MEM;
		return;
	}
	o->base = reg_of(&p);
	if (o->base >= 0) {
		o->kind = OP_REG;
	} else if (isdigit((unsigned char)*p) || *p == '-' || *p == '#') {
		o->kind = OP_CONST;
		o->off = strtoll(p + (*p == '#'), NULL, 0);
	}
}
#endif

static void
operand_of(const char *args, unsigned n, struct operand *o)
{
	const char *p = nth(args, n), *at;

	*o = (struct operand){ .base = -1, .index = -1,
	    .size = usdt_arg_size(args, n) };
	if (p == NULL)
		return;
	at = p + strcspn(p, "@ ");
	parse_operand(*at == '@' ? at + 1 : p, o);
}

/* The load bias: the probe stands at a known place of the file. */
static vreg
gen_bias(struct gen *g, const struct upsite *site)
{
	if (site->elf->exec)
		return ir_imm(g, 0);
	return ir_alu(g, A_SUB, ir_load(g, ir_ctx(g), REGS_PC, 8),
	    ir_imm(g, (int64_t)site->vaddr));
}

static vreg
gen_address(struct gen *g, const struct operand *o)
{
	vreg a = ir_imm(g, o->off), x;

	if (o->base >= 0)
		a = ir_alu(g, A_ADD, a, ir_load(g, ir_ctx(g), o->base, 8));
	if (o->index < 0)
		return a;
	x = ir_load(g, ir_ctx(g), o->index, 8);
	if (o->scale > 1)
		x = ir_alui(g, A_SHL, x, __builtin_ctz(o->scale));
	return ir_alu(g, A_ADD, a, x);
}

static unsigned
width(const struct operand *o)
{
	unsigned n = (unsigned)(o->size < 0 ? -o->size : o->size);

	return n > 4 ? 8 : n > 2 ? 4 : n;
}

vreg
usdt_gen_arg(struct gen *g, struct event *ev, unsigned n)
{
	const struct upsite *site = ((struct upevent *)ev->priv)->site;
	struct operand o;
	uint64_t sym;
	vreg v;

	operand_of(site->args, n, &o);
	switch (o.kind) {
	case OP_CONST:
		return ir_ext(g, ir_imm(g, o.off), width(&o), o.size < 0);
	case OP_REG:
		v = ir_load(g, ir_ctx(g), o.base, 8);
		if (o.shift != 0)
			v = ir_alui(g, A_SHR, v, o.shift);
		break;
	case OP_MEM:
		v = uprobe_read(g, gen_address(g, &o), width(&o));
		break;
	case OP_SYM:
		sym = uelf_symbol(site->elf, o.sym);
		if (sym == 0)
			return ir_imm(g, 0);
		v = ir_alu(g, A_ADD, gen_bias(g, site),
		    ir_imm(g, (int64_t)sym + o.off));
		v = uprobe_read(g, v, width(&o));
		break;
	default:
		return ir_imm(g, 0);
	}
	return ir_ext(g, v, width(&o), o.size < 0);
}
