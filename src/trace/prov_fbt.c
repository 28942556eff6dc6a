/*
 * prov_fbt.c - functions of the kernel: fbt:MODULE:FUNCTION:entry and return.
 *
 * A function that BTF describes is traced by fentry and fexit; others, those
 * whose arguments fentry does not take, and all where the kernel has no fentry,
 * by a kprobe. Arguments are typed by BTF either way, but not those of a
 * module's functions. arg0 and on of entry are the arguments; of return, arg1
 * is the result and arg0 is 0.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

#include "libdt/msg.h"
#include "trace/ast.h"
#include "trace/attach.h"
#include "trace/btfarg.h"
#include "trace/ir.h"
#include "trace/kernel.h"
#include "trace/prov.h"
#include "trace/provider.h"
#include "trace/regs.h"
#include "trace/stability.h"
#include "trace/trace.h"
#include "trace/type.h"
#include "trace/uprobe.h"

struct matching {
	struct trace *t;
	const struct pdesc *pd;
	int (*cb)(struct probe *, void *);
	void *arg;
	struct msg *m;
};

static bool
fbt_claims(const struct pdesc *pd)
{
	return pdesc_match(pd->prov, "fbt") &&
	    (pdesc_match(pd->name, "entry") ||
	    pdesc_match(pd->name, "return"));
}

static bool
by_fentry(struct trace *t, uint32_t id)
{
	return kernel_no_fentry(t) == NULL &&
	    btfarg_plain(t, id, REGS_NCALL);
}

/* Both sides of one function, as far as they are wanted. */
static int
take(struct matching *mt, const char *mod, const char *func)
{
	static const char *const side[] = { "entry", "return" };
	uint32_t id = 0;
	int rc = 0;

	if (!pdesc_match(mt->pd->mod, mod) || !pdesc_match(mt->pd->func, func))
		return 0;
	if (strcmp(mod, "vmlinux") == 0)
		id = kernel_btf_id(mt->t, func, BTF_KIND_FUNC);
	if (kernel_no_kprobe(mt->t) != NULL && !by_fentry(mt->t, id))
		return 0;
	for (uint32_t i = 0; i < 2 && rc == 0; i++) {
		struct probe *p;

		if (!pdesc_match(mt->pd->name, side[i]))
			continue;
		p = probe_make(mt->t, &prov_fbt, "fbt", mod, func, side[i],
		    id != 0 ? PID_BTF + 2 * id + i : 0, NULL);
		if (p == NULL)
			return msg_set_nomem(mt->m);
		p->key = id;
		rc = mt->cb(p, mt->arg);
	}
	return rc;
}

/* "vfs_read", "btrfs_sync_file [btrfs]" */
static int
take_line(struct matching *mt, char *line)
{
	char *mod = strchr(line, '['), *end = line + strcspn(line, " \t\n");

	if (mod != NULL) {
		mod++;
		mod[strcspn(mod, "]\n")] = '\0';
	}
	*end = '\0';
	return take(mt, mod != NULL ? mod : "vmlinux", line);
}

/* All functions that ftrace can trace; 1: the list cannot be read. */
static int
take_list(struct matching *mt)
{
	char path[128], line[512];
	FILE *fp;
	int rc = 0;

	if (kernel_tracefs("available_filter_functions", path, sizeof(path),
	    mt->m) == NULL || (fp = fopen(path, "re")) == NULL)
		return 1;
	while (rc == 0 && fgets(line, sizeof(line), fp) != NULL)
		rc = take_line(mt, line);
	fclose(fp);
	return rc;
}

/* Without the list: what BTF knows, traceable or not. */
static int
take_btf(struct matching *mt)
{
	struct btf *b = kernel_btf(mt->t, mt->m);
	uint32_t n = b == NULL ? 0 : btf__type_cnt(b);
	int rc = b == NULL ? -1 : 0;

	for (uint32_t i = 1; i < n && rc == 0; i++) {
		const struct btf_type *ty = btf__type_by_id(b, i);

		if (btf_is_func(ty))
			rc = take(mt, "vmlinux", btf__name_by_offset(b,
			    ty->name_off));
	}
	return rc;
}

static int
fbt_match(struct trace *t, const struct pdesc *pd,
    int (*cb)(struct probe *, void *), void *arg, struct msg *m)
{
	struct matching mt = { t, pd, cb, arg, m };
	bool asked = !pdesc_is_glob(pd->prov);
	int rc;

	if (kernel_no_fentry(t) != NULL && kernel_no_kprobe(t) != NULL)
		return asked ? msg_set(m, "no-match", "no fbt probes: %s; %s",
		    kernel_no_fentry(t), kernel_no_kprobe(t)) : 0;
	if (!pdesc_is_glob(pd->func) && pdesc_match(pd->mod, "vmlinux") &&
	    kernel_btf_id(t, pd->func, BTF_KIND_FUNC) != 0)
		return take(&mt, "vmlinux", pd->func);
	rc = take_list(&mt);
	return rc == 1 ? take_btf(&mt) : rc;
}

static int
fbt_arg(struct trace *t, const struct probe *p, unsigned n,
    struct probearg *a, struct msg *m)
{
	const struct btf_param *par;
	uint32_t id = (uint32_t)p->key;

	if (!btfarg_plain(t, id, PROBE_MAXARG))
		return 0;
	if (p->name[0] == 'r') {
		if (n == 0)
			a->type = type_int(t->types, 8, true);
		return n == 1 ? btfarg_type(t, btfarg_result(t, id), a, m)
		    : 0;
	}
	par = btfarg_param(t, id, n);
	return par == NULL ? 0 : btfarg_type(t, par->type, a, m);
}

static int
fbt_enable(struct trace *t, struct probe *p, struct msg *m)
{
	bool entry = p->name[0] == 'e', fentry;
	uint32_t id = (uint32_t)p->key;
	char name[256];
	struct event *ev;
	struct btfargs *ba;

	snprintf(name, sizeof(name), "%s:%s", p->func, p->name);
	fentry = by_fentry(t, id);
	ev = event_make(t, &prov_fbt, fentry
	    ? (entry ? EV_FENTRY : EV_FEXIT)
	    : (entry ? EV_KPROBE : EV_KRETPROBE), name);
	if (ev == NULL)
		return msg_set_nomem(m);
	p->ev = ev;
	ev->btf_id = fentry ? id : 0;
	ev->tpname = strdup(p->func);
	ev->priv = ba = calloc(1, sizeof(*ba));
	if (ev->tpname == NULL || ba == NULL)
		return msg_set_nomem(m);
	btfarg_layout(t, btfarg_plain(t, id, PROBE_MAXARG) ? id : 0, 0, ba);
	return 0;
}

/* What fexit's program finds after the arguments. */
static vreg
gen_result(struct gen *g, const struct btfargs *ba)
{
	vreg v;

	if (ba->ret_size == 0)
		return ir_imm(g, 0);
	v = ir_load(g, ir_ctx(g), (int32_t)ba->nparam * 8, 8);
	return ba->ret_size == 8 ? v
	    : ir_ext(g, v, ba->ret_size, ba->ret_sign);
}

/* Argument n of a kprobe: in a register, or above the return address. */
static vreg
kprobe_arg(struct gen *g, const struct btfargs *ba, unsigned n)
{
	vreg v;

	if (n >= (ba->nparam == 0 ? REGS_NCALL : ba->n))
		return ir_imm(g, 0);
	if (n < REGS_NCALL)
		v = ir_load(g, ir_ctx(g), regs_call[n], 8);
	else
		v = gen_read(g, ir_alui(g, A_ADD, ir_load(g, ir_ctx(g),
		    REGS_SP, 8), REGS_STACKARG + 8 * (n - REGS_NCALL)), 8,
		    false);
	return ba->nparam == 0 || ba->arg[n].size == 8 ? v
	    : ir_ext(g, v, ba->arg[n].size, ba->arg[n].sign);
}

/* The result of a kretprobe's function. */
static vreg
kprobe_result(struct gen *g, const struct btfargs *ba)
{
	vreg v = ir_load(g, ir_ctx(g), REGS_RET, 8);

	return ba->ret_size == 0 || ba->ret_size == 8 ? v
	    : ir_ext(g, v, ba->ret_size, ba->ret_sign);
}

static vreg
fbt_gen_arg(struct gen *g, struct event *ev, unsigned n)
{
	const struct btfargs *ba = ev->priv;

	switch (ev->type) {
	case EV_FENTRY:
		return n < ba->n ? btfarg_gen(g, ba, n) : ir_imm(g, 0);
	case EV_FEXIT:
		return n == 1 ? gen_result(g, ba) : ir_imm(g, 0);
	case EV_KPROBE:
		return kprobe_arg(g, ba, n);
	default:
		return n == 1 ? kprobe_result(g, ba) : ir_imm(g, 0);
	}
}

static int
fbt_attach(struct trace *t, struct event *ev, struct msg *m)
{
	return ev->btf_id != 0 ? attach_rawtp(t, ev, m)
	    : attach_kprobe(t, ev, m);
}

const struct provider prov_fbt = {
	.name = "fbt",
	.attr = &stability_private,
	.claims = fbt_claims,
	.match = fbt_match,
	.arg = fbt_arg,
	.enable = fbt_enable,
	.gen_probe = gen_probe_const,
	.gen_arg = fbt_gen_arg,
	.attach = fbt_attach,
};
