/*
 * prov_pid.c - pidPID:module:function:entry, return: functions of a process.
 *
 * Argument n of entry is the function's n-th; of return, arg1 is what it
 * returned and arg0 is 0 (the place it returned from is not known). A probe
 * within a function is named by its offset in hex, "0" being its first
 * instruction; further ones must be where an instruction begins. A name with
 * wildcards, or none, means the offsets too.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/msg.h"
#include "trace/ast.h"
#include "trace/ifunc.h"
#include "trace/insnlen.h"
#include "trace/module.h"
#include "trace/prov.h"
#include "trace/provider.h"
#include "trace/regs.h"
#include "trace/stability.h"
#include "trace/trace.h"
#include "trace/type.h"
#include "trace/uelf.h"
#include "trace/uprobe.h"

enum kind { K_ENTRY, K_RETURN, K_OFFSET };
enum { MAX_OFFSETS = 100000 };		/* of one description */

struct matching {
	struct trace *t;
	const struct pdesc *pd;
	pid_t pid;
	int (*cb)(struct probe *, void *);
	void *arg;
	struct msg *m;
	const struct procmods *pm;
	size_t found, noffset;
	const struct module *unknown;	/* that has an IFUNC not chosen yet */
};

/* The pid of "pid123", 0: something else. */
static pid_t
pid_of(const char *prov)
{
	char *end;
	long n;

	if (strncmp(prov, "pid", 3) != 0 || !isdigit((unsigned char)prov[3]))
		return 0;
	n = strtol(prov + 3, &end, 10);
	return *end == '\0' && n > 0 && n <= INT32_MAX ? (pid_t)n : 0;
}

static bool
pid_claims(const struct pdesc *pd)
{
	return pid_of(pd->prov) != 0;
}

static int
take(struct matching *mt, const struct module *mod, const struct ufunc *f,
    const char *name, enum kind kind, uint64_t at)
{
	struct upsites *us;
	struct probe *p;
	bool made;

	p = probe_make(mt->t, &prov_pid, mt->pd->prov, mod->elf->base,
	    f->name, name, 0, &made);
	if (p == NULL)
		return msg_set_nomem(mt->m);
	if (made) {
		us = calloc(1, sizeof(*us) + sizeof(us->site[0]));
		p->priv = us;
		if (us == NULL)
			return msg_set_nomem(mt->m);
		p->key = kind;
		us->pid = mt->pid;
		us->type = kind == K_RETURN ? EV_URETPROBE : EV_UPROBE;
		us->n = 1;
		us->site[0] = (struct upsite){ .elf = mod->elf,
		    .off = f->off + at, .vaddr = f->vaddr + at };
	}
	mt->found++;
	return mt->cb(p, mt->arg);
}

/* A name that is a number in hex: a place in the function. */
static int
take_offset(struct matching *mt, const struct module *mod,
    const struct ufunc *f)
{
	const char *name = mt->pd->name;
	unsigned long long at;
	char *end;

	if (!isxdigit((unsigned char)*name))
		return 0;
	at = strtoull(name, &end, 16);
	if (*end != '\0')
		return 0;
	/* of an IFUNC's choice the size need not be known */
	if (at != 0 && !insn_begins(mod->elf, f, at))
		return msg_set(mt->m, "no-match", "no instruction begins at "
		    "offset 0x%llx of function '%s'", at, f->name);
	return take(mt, mod, f, name, K_OFFSET, at);
}

/* A name with wildcards, or none: every instruction that can be probed. */
static int
take_offsets(struct matching *mt, const struct module *mod,
    const struct ufunc *f)
{
	char name[24];
	uint64_t at = 0;
	size_t len;
	bool can;
	int rc = 0;

	for (; rc == 0 && (len = insn_at(mod->elf, f, at, &can)) > 0;
	    at += len) {
		snprintf(name, sizeof(name), "%llx", (unsigned long long)at);
		if (!can || !pdesc_match(mt->pd->name, name))
			continue;
		if (++mt->noffset > MAX_OFFSETS)
			return msg_set(mt->m, "no-match", "more than %d "
			    "instructions of process %d: give a module, a "
			    "function, or entry or return as the name",
			    MAX_OFFSETS, (int)mt->pid);
		rc = take(mt, mod, f, name, K_OFFSET, at);
	}
	return rc;
}

/* Is it called, so that there is an address it returns to? Where a process
 * begins, lazy binding and signals' ends there is none on the stack: the
 * kernel would overwrite what is in its place. */
static bool
returns(const struct module *mod, const struct ufunc *f)
{
	static const char *const no[] = { "_start", "_dl_start_user",
	    "_dl_runtime_resolve*", "_dl_runtime_profile*", "__restore_rt",
	    "__start_context" };

	if (f->vaddr == mod->elf->entry)
		return false;
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		if (pdesc_match(no[i], f->name))
			return false;
	return true;
}

static int
take_return(struct matching *mt, const struct module *mod,
    const struct ufunc *f)
{
	if (returns(mod, f))
		return take(mt, mod, f, "return", K_RETURN, 0);
	if (pdesc_is_glob(mt->pd->func) || pdesc_is_glob(mt->pd->name))
		return 0;
	return msg_set(mt->m, "no-match", "function '%s' has no return: "
	    "nothing calls it", f->name);
}

static int
take_func(struct matching *mt, const struct module *mod,
    const struct ufunc *f)
{
	const char *name = mt->pd->name;
	int rc = 0;

	if (!pdesc_is_glob(name) && strcmp(name, "entry") != 0 &&
	    strcmp(name, "return") != 0)
		return take_offset(mt, mod, f);
	if (pdesc_match(name, "entry"))
		rc = take(mt, mod, f, "entry", K_ENTRY, 0);
	if (rc == 0 && pdesc_match(name, "return"))
		rc = take_return(mt, mod, f);
	if (rc == 0 && pdesc_is_glob(name))
		rc = take_offsets(mt, mod, f);
	return rc;
}

static int
take_symbol(struct matching *mt, const struct module *mod,
    const struct ufunc *f)
{
	struct ufunc real;

	if (!f->ifunc)
		return take_func(mt, mod, f);
	if (ifunc_resolve(mt->pm, mod, f, &real))
		return take_func(mt, mod, &real);
	mt->unknown = mod;
	return 0;
}

static int
take_module(struct matching *mt, const struct module *mod)
{
	const struct uelf *u = mod->elf;
	const struct ufunc *f, *last = NULL;
	int rc = 0;

	if (!pdesc_is_glob(mt->pd->func)) {
		f = uelf_func(u, mt->pd->func);
		return f != NULL ? take_symbol(mt, mod, f) : 0;
	}
	/* one probe a place, though it may have several names */
	for (size_t i = 0; i < u->nfunc && rc == 0; i++) {
		f = &u->func[i];
		if ((last != NULL && last->vaddr == f->vaddr) ||
		    !pdesc_match(mt->pd->func, f->name) ||
		    (f->old && uelf_func(u, f->name) != f))
			continue;
		last = f;
		rc = take_symbol(mt, mod, f);
	}
	return rc;
}

static int
pid_match(struct trace *t, const struct pdesc *pd,
    int (*cb)(struct probe *, void *), void *arg, struct msg *m)
{
	struct matching mt = { .t = t, .pd = pd, .pid = pid_of(pd->prov),
	    .cb = cb, .arg = arg, .m = m };
	const struct procmods *pm = modules_of(t, mt.pid, m);
	size_t nmod = 0;
	int rc = 0;

	if (pm == NULL)
		return -1;
	mt.pm = pm;
	for (size_t i = 0; i < pm->n && rc == 0; i++) {
		if (!module_match(&pm->mod[i], pd->mod))
			continue;
		nmod++;
		rc = take_module(&mt, &pm->mod[i]);
	}
	if (rc != 0 || mt.found > 0)
		return rc;
	if (nmod == 0 && !pdesc_is_glob(pd->mod))
		return msg_set(m, "no-match", "process %d has no module '%s'",
		    (int)mt.pid, pd->mod);
	if (mt.unknown != NULL)
		return msg_set(m, "no-match", "'%s' in module '%s' is an "
		    "IFUNC: which function it is is chosen when process %d "
		    "first needs it; trace it with -p after that", pd->func,
		    mt.unknown->elf->base, (int)mt.pid);
	if (!pdesc_is_glob(pd->func))
		return msg_set(m, "no-match", "failed to lookup '%s' in "
		    "module '%s'", pd->func, pd->mod);
	return 0;
}

static int
pid_arg(struct trace *t, const struct probe *p, unsigned n,
    struct probearg *a, struct msg *m)
{
	(void)m;
	if (p->key == K_RETURN ? n < 2 : n < PROBE_MAXARG)
		a->type = type_int(t->types, 8, true);
	return 0;
}

static vreg
pid_gen_arg(struct gen *g, struct event *ev, unsigned n)
{
	vreg sp;

	if (ev->type == EV_URETPROBE)
		return n == 1 ? ir_load(g, ir_ctx(g), REGS_RET, 8)
		    : ir_imm(g, 0);
	if (n < REGS_NCALL)
		return ir_load(g, ir_ctx(g), regs_call[n], 8);
	sp = ir_load(g, ir_ctx(g), REGS_SP, 8);
	return uprobe_read(g, ir_alui(g, A_ADD, sp, REGS_STACKARG +
	    8 * ((int64_t)n - REGS_NCALL)), 8);
}

const struct provider prov_pid = {
	.name = "pid",
	.attr = &stability_isa,
	.claims = pid_claims,
	.match = pid_match,
	.arg = pid_arg,
	.enable = uprobe_enable,
	.gen_enter = uprobe_gen_enter,
	.gen_probe = uprobe_gen_probe,
	.gen_arg = pid_gen_arg,
	.gen_builtin = uprobe_builtin,
	.attach = uprobe_attach,
};
