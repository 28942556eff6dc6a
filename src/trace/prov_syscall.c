/*
 * prov_syscall.c - system calls: one raw tracepoint for all entries, one for
 * all returns.
 *
 * Names are those of <sys/syscall.h>; the kernel's own (newstat, umount) are
 * understood when written out. A call this table has no name for fires only
 * for a description that takes every call, as sys_NUMBER. Calls through the
 * 32-bit entry have numbers of their own; they are told by name (sys32.c).
 *
 * Facts of the kernel that show here: a fork's child returns 0 from it in its
 * own right; execve's return is the new program's first (execveat's too: its
 * number is execve's by then); exit, exit_group and rt_sigreturn have no
 * return. arg0 and arg1 of return are the call's value as a C program sees it,
 * -1 on error, and errno says why.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/msg.h"
#include "trace/ast.h"
#include "trace/attach.h"
#include "trace/feature.h"
#include "trace/ir.h"
#include "trace/kernel.h"
#include "trace/lower.h"
#include "trace/prog.h"
#include "trace/prov.h"
#include "trace/provider.h"
#include "trace/regs.h"
#include "trace/stability.h"
#include "trace/sys32.h"
#include "trace/trace.h"
#include "trace/type.h"

/* calls by number, and slots for what only 32-bit programs call */
enum { NSYS = 512, NSLOT = 576, NWORD = NSLOT / 64, TS_COMPAT = 2 };
enum { ENTRY, RETURN };

static const char *const side_table[] = { "entry", "return" };

static const struct sysdesc {
	int nr;
	const char *name, *alias, *args;
} sys_table[] = {
#if defined(__x86_64__)
#define S(x86_64, arm64, i386, name, alias, args) \
	{ x86_64, name, alias, args },
#else
#define S(x86_64, arm64, i386, name, alias, args) \
	{ arm64, name, alias, args },
#endif
#include "trace/syscall.def"
#undef S
};
enum { NTABLE = sizeof(sys_table) / sizeof(sys_table[0]) };

/* event->priv; vregs are of the program under construction */
struct sysev {
	int side;
	vreg regs, nr, ret;		/* nr: number of the call */
	uint32_t base;			/* idx of call 0 */
	int32_t status_off;		/* thread_info.status, 0: none */
	vreg compat;			/* 1: through the 32-bit entry */
	bool task_btf;			/* the task may be followed directly */
};

static bool
syscall_claims(const struct pdesc *pd)
{
	return pdesc_match(pd->prov, "syscall") &&
	    (pdesc_match(pd->name, "entry") ||
	    pdesc_match(pd->name, "return"));
}

static struct probe *
syscall_probe(struct trace *t, int nr, int side, const char *name)
{
	struct probe *p = probe_make(t, &prov_syscall, "syscall", "vmlinux",
	    name, side_table[side], PID_SYSCALL + 2 * (uint32_t)nr +
	    (uint32_t)side, NULL);

	if (p != NULL)
		p->key = nr;
	return p;
}

static int
side_of(const struct probe *p)
{
	return p->name[0] == 'e' ? ENTRY : RETURN;
}

static int
syscall_match(struct trace *t, const struct pdesc *pd,
    int (*cb)(struct probe *, void *), void *arg, struct msg *m)
{
	if (!pdesc_match(pd->mod, "vmlinux"))
		return 0;
	for (int i = 0; i < NTABLE; i++) {
		const struct sysdesc *sd = &sys_table[i];

		if (sd->nr < 0 || (!pdesc_match(pd->func, sd->name) &&
		    (sd->alias[0] == '\0' ||
		    strcmp(pd->func, sd->alias) != 0)))
			continue;
		for (int side = ENTRY; side <= RETURN; side++) {
			struct probe *p;
			int rc;

			if (!pdesc_match(pd->name, side_table[side]))
				continue;
			p = syscall_probe(t, sd->nr, side, sd->name);
			if (p == NULL)
				return msg_set_nomem(m);
			rc = cb(p, arg);
			if (rc != 0)
				return rc;
		}
	}
	return 0;
}

static int
syscall_arg(struct trace *t, const struct probe *p, unsigned n,
    struct probearg *a, struct msg *m)
{
	const char *text = "", *end;
	char buf[64];

	if (side_of(p) == RETURN) {
		if (n < 2)
			a->type = type_int(t->types, 8, true);
		return 0;
	}
	for (int i = 0; i < NTABLE; i++)
		if (sys_table[i].nr == p->key)
			text = sys_table[i].args;
	for (; n > 0 && *text != '\0'; n--) {
		text += strcspn(text, ",");
		text += strspn(text, ", ");
	}
	if (*text == '\0')
		return 0;
	end = text + strcspn(text, ",");
	snprintf(buf, sizeof(buf), "%.*s", (int)(end - text), text);
	a->type = prov_ctype(t, buf);
	return a->type == NULL ? msg_set_nomem(m) : 0;
}

/* Numbers the probes of all calls, named and not, so that the index is the
 * call's number plus that of call 0. */
static int
syscall_number(struct trace *t, struct event *ev, struct msg *m)
{
	struct sysev *se = ev->priv;
	struct probe *all[NSLOT] = { NULL };
	char name[16];
	int64_t base;

	for (int i = 0; i < NTABLE; i++) {
		int nr = sys_table[i].nr;

		if (nr < 0 || nr >= NSLOT)
			continue;
		all[nr] = syscall_probe(t, nr, se->side, sys_table[i].name);
	}
	for (int nr = 0; nr < NSLOT; nr++) {
		if (all[nr] == NULL) {
			snprintf(name, sizeof(name), "sys_%d", nr);
			all[nr] = syscall_probe(t, nr, se->side, name);
		}
		if (all[nr] == NULL)
			return msg_set_nomem(m);
		all[nr]->ev = ev;
	}
	base = probe_number(t, all, NSLOT);
	if (base < 0)
		return msg_set_nomem(m);
	se->base = (uint32_t)base;
	return 0;
}

static int
syscall_enable(struct trace *t, struct probe *p, struct msg *m)
{
	int side = side_of(p);
	const char *tp = side == ENTRY ? "sys_enter" : "sys_exit";
	struct event *ev = event_make(t, &prov_syscall, EV_RAWTP, tp);
	struct sysev *se;

	if (ev == NULL)
		return msg_set_nomem(m);
	se = calloc(1, sizeof(*se));
	ev->priv = se;
	ev->tpname = strdup(tp);
	if (se == NULL || ev->tpname == NULL)
		return msg_set_nomem(m);
	se->side = side;
	if (attach_rawtp_id(t, ev, m) == -1)
		return -1;
	if (!t->offline) {
		int32_t off = kernel_offset(t, "thread_info", "status");

		se->status_off = off > 0 ? off : 0;
		se->task_btf = kernel_has(t, KF_TASK_BTF);
	}
	return syscall_number(t, ev, m);
}

#if defined(__x86_64__)
static int
find_call(const char *name)
{
	for (int i = 0; i < NTABLE; i++)
		if (sys_table[i].nr >= 0 &&
		    strcmp(sys_table[i].name, name) == 0)
			return sys_table[i].nr;
	return -1;
}

/* The number of a call through the 32-bit entry as the native one; programs
 * end where there is none. */
static void
gen_compat(struct gen *g, struct sysev *se, label done)
{
	uint16_t map[NSYS32];
	label known = ir_newlabel(g), low = ir_newlabel(g);
	vreg nr = ir_ext(g, se->nr, 4, false), at;

	sys32_map(map, find_call);
	ir_bri(g, CC_ULT, nr, NSYS32, low);
	ir_exit(g, 0);
	ir_label(g, low);
	at = ir_mapval(g, MAP_RODATA, gen_rodata(g, map, sizeof(map)));
	at = ir_alu(g, A_ADD, at, ir_alui(g, A_SHL, nr, 1));
	ir_loadto(g, se->nr, at, 0, 2);
	ir_bri(g, CC_NE, se->nr, SYS32_NONE, known);
	ir_exit(g, 0);
	ir_label(g, known);
	ir_set(g, se->compat, 1);
	ir_jmp(g, done);
}
#endif

/* Leaves the number of the call in se->nr, below NSLOT. */
static void
gen_number(struct gen *g, struct sysev *se)
{
	label done = ir_newlabel(g), known = ir_newlabel(g);

	se->compat = ir_new(g);
	ir_set(g, se->compat, 0);
#if defined(__x86_64__)
	if (se->status_off != 0) {
		label native = ir_newlabel(g);
		vreg status = ir_load(g, ir_call(g,
		    BPF_FUNC_get_current_task_btf, 0), se->status_off, 4);

		ir_bri(g, CC_EQ, ir_alui(g, A_AND, status, TS_COMPAT), 0,
		    native);
		gen_compat(g, se, done);
		ir_label(g, native);
	}
#endif
	ir_bri(g, CC_ULT, se->nr, NSYS, known);
	ir_exit(g, 0);
	ir_label(g, known);
	ir_label(g, done);
}

static int
syscall_gen_enter(struct gen *g, struct event *ev)
{
	struct sysev *se = ev->priv;

	se->nr = ir_new(g);
	se->regs = ir_load(g, ir_ctx(g), 0, 8);
	if (se->side == ENTRY) {
		ir_loadto(g, se->nr, ir_ctx(g), 8, 8);
	} else {
		se->ret = ir_load(g, ir_ctx(g), 8, 8);
		ir_loadto(g, se->nr, se->regs, REGS_SYSCALL, 8);
	}
	gen_number(g, se);
	return 0;
}

static int
syscall_gen_match(struct gen *g, struct event *ev, const struct evclause *ec,
    int skip)
{
	struct sysev *se = ev->priv;
	uint64_t bits[NWORD] = { 0 };
	size_t named = 0;

	for (int i = 0; i < NTABLE; i++)
		named += sys_table[i].nr >= 0;
	if (ec->nprobe >= named)
		return 0;
	if (ec->nprobe == 1) {
		ir_bri(g, CC_NE, se->nr, ec->probe[0]->key, skip);
		return 0;
	}
	for (size_t i = 0; i < ec->nprobe; i++)
		bits[ec->probe[i]->key / 64] |=
		    UINT64_C(1) << (ec->probe[i]->key % 64);
	gen_match_number(g, se->nr, bits, NWORD, skip);
	return 0;
}

static vreg
syscall_gen_probe(struct gen *g, struct event *ev, const struct evclause *ec)
{
	struct sysev *se = ev->priv;

	if (ec->nprobe == 1)
		return ir_imm(g, ec->probe[0]->idx);
	return ir_alui(g, A_ADD, se->nr, (int64_t)se->base);
}

/* errno of a return: 1 to 4095, else 0. */
static vreg
gen_errno(struct gen *g, struct sysev *se)
{
	label none = ir_newlabel(g);
	vreg v = ir_new(g);

	ir_set(g, v, 0);
	ir_bri(g, CC_ULE, se->ret, -4096, none);
	ir_mov(g, v, ir_alu(g, A_SUB, ir_imm(g, 0), se->ret));
	ir_label(g, none);
	return v;
}

static vreg
gen_entry_arg(struct gen *g, struct sysev *se, unsigned n)
{
	vreg v = ir_new(g);

	ir_loadto(g, v, se->regs, regs_syscall[n], 8);
#if defined(__x86_64__)
	if (se->status_off != 0) {
		label native = ir_newlabel(g);

		ir_bri(g, CC_EQ, se->compat, 0, native);
		ir_loadto(g, v, se->regs, regs_syscall32[n], 4);
		ir_label(g, native);
	}
#endif
	return v;
}

static vreg
syscall_gen_arg(struct gen *g, struct event *ev, unsigned n)
{
	struct sysev *se = ev->priv;
	label ok;
	vreg v;

	if (se->side == ENTRY)
		return n < 6 ? gen_entry_arg(g, se, n) : ir_imm(g, 0);
	if (n > 1)
		return ir_imm(g, 0);
	ok = ir_newlabel(g);
	v = ir_new(g);
	ir_mov(g, v, se->ret);
	ir_bri(g, CC_ULE, v, -4096, ok);
	ir_set(g, v, -1);
	ir_label(g, ok);
	return v;
}

static vreg
syscall_builtin(struct gen *g, struct event *ev, const char *name)
{
	struct sysev *se = ev->priv;

	if (strcmp(name, "errno") == 0)
		return se->side == RETURN ? gen_errno(g, se) : ir_imm(g, 0);
	if (uregs_offset(name) >= 0)
		return ir_load(g, se->regs, uregs_offset(name), 8);
	return -1;
}

const struct provider prov_syscall = {
	.name = "syscall",
	.attr = &stability_syscall,
	.claims = syscall_claims,
	.match = syscall_match,
	.arg = syscall_arg,
	.enable = syscall_enable,
	.gen_enter = syscall_gen_enter,
	.gen_match = syscall_gen_match,
	.gen_probe = syscall_gen_probe,
	.gen_arg = syscall_gen_arg,
	.gen_builtin = syscall_builtin,
	.attach = attach_rawtp,
};
