/*
 * prov_util.c - what several providers share.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/bpf.h>

#include "trace/ast.h"
#include "trace/ir.h"
#include "trace/prov.h"
#include "trace/provider.h"
#include "trace/regs.h"
#include "trace/trace.h"
#include "trace/type.h"

vreg
gen_probe_const(struct gen *g, struct event *ev, const struct evclause *ec)
{
	(void)ev;
	return ir_imm(g, ec->probe[0]->idx);
}

vreg
gen_read(struct gen *g, vreg addr, unsigned size, bool user)
{
	vreg fp = ir_fp(g, ir_stack(g, 8, 8));

	ir_storei(g, fp, 0, 8, 0);
	ir_call(g, user ? BPF_FUNC_probe_read_user :
	    BPF_FUNC_probe_read_kernel, 3, fp, ir_imm(g, size), addr);
	return ir_load(g, fp, 0, 8);
}

int
uregs_offset(const char *name)
{
	char *end;
	unsigned long n;

	if (strncmp(name, "uregs.", 6) != 0)
		return -1;
	n = strtoul(name + 6, &end, 10);
	return *end == '\0' && end != name + 6 && n < REGS_N
	    ? (int)n * 8 : -1;
}

vreg
gen_arg_zero(struct gen *g, struct event *ev, unsigned n)
{
	(void)ev, (void)n;
	return ir_imm(g, 0);
}

void
gen_match_number(struct gen *g, vreg n, const uint64_t *bits, size_t nword,
    int skip)
{
	label found = ir_newlabel(g), next;
	vreg word = -1, bit;

	if (nword > 1)
		word = ir_alui(g, A_SHR, n, 6);
	bit = ir_alu(g, A_SHL, ir_imm(g, 1), ir_alui(g, A_AND, n, 63));
	for (size_t i = 0; i < nword; i++) {
		if (bits[i] == 0)
			continue;
		next = ir_newlabel(g);
		if (nword > 1)
			ir_bri(g, CC_NE, word, (int64_t)i, next);
		ir_br(g, CC_SET, bit, ir_imm(g, (int64_t)bits[i]), found);
		if (nword > 1)
			ir_jmp(g, skip);
		ir_label(g, next);
	}
	ir_jmp(g, skip);
	ir_label(g, found);
}

const struct dtype *
prov_ctype(struct trace *t, const char *text)
{
	const struct dtype *ty;
	char buf[128];
	size_t n = strcspn(text, "*"), len;
	unsigned stars = 0;

	for (const char *p = text + n; *p != '\0'; p++)
		stars += *p == '*';
	while (n > 0 && text[n - 1] == ' ')
		n--;
	len = n < sizeof(buf) ? n : sizeof(buf) - 1;
	memcpy(buf, text, len);
	buf[len] = '\0';
	ty = type_lookup(t->types, buf);
	if (ty == NULL)
		ty = stars > 0 ? type_void(t->types)
		    : type_int(t->types, 8, true);
	while (stars-- > 0 && ty != NULL)
		ty = type_ptr(t->types, ty);
	return ty;
}

vreg
gen_differ(struct gen *g, vreg a, vreg b)
{
	label same = ir_newlabel(g);
	vreg v = ir_new(g);

	ir_set(g, v, 0);
	ir_br(g, CC_EQ, a, b, same);
	ir_set(g, v, 1);
	ir_label(g, same);
	return v;
}

void
gen_unless(struct gen *g, enum cc cc, vreg v, int64_t imm)
{
	label ok = ir_newlabel(g);

	ir_bri(g, cc, v, imm, ok);
	ir_exit(g, 0);
	ir_label(g, ok);
}
