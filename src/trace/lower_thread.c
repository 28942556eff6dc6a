/*
 * lower_thread.c - the thread that a firing is about: its numbers, its name.
 */
#include "trace/kernel.h"
#include "trace/lower_impl.h"
#include "trace/prov.h"

vreg
low_provided(struct lower *l, const char *name)
{
	if (l->fn.error || l->ev->pv->gen_builtin == NULL)
		return -1;
	return l->ev->pv->gen_builtin(l->g, l->ev, name);
}

bool
low_other(struct lower *l)
{
	return low_provided(l, "curthread") >= 0;
}

/* Once a firing: the provider's, else that of the thread that runs. */
static vreg
once(struct lower *l, int which, const char *name, int helper)
{
	vreg r = low_cached(l, which);

	if (r >= 0)
		return r;
	r = low_provided(l, name);
	if (r < 0)
		r = ir_call(l->g, helper, 0);
	low_cache(l, which, r);
	return r;
}

vreg
low_pidtgid(struct lower *l)
{
	return once(l, CA_PIDTGID, "pidtgid", BPF_FUNC_get_current_pid_tgid);
}

vreg
low_task(struct lower *l)
{
	return once(l, CA_TASK, "curthread", kernel_has(l->t, KF_TASK_BTF) ?
	    BPF_FUNC_get_current_task_btf : BPF_FUNC_get_current_task);
}

/* A member of a struct of the kernel; 0 offline. */
static vreg
kmember(struct lower *l, vreg p, const char *type, const char *name,
    unsigned size)
{
	int32_t off = l->t->offline ? 0 : kernel_offset(l->t, type, name);

	if (off < 0) {
		(void)low_error(l, D_UNSUP, l->line, "the kernel's struct %s "
		    "has no member %s", type, name);
		off = 0;
	}
	return kernel_has(l->t, KF_TASK_BTF) ? ir_load(l->g, p, off, size)
	    : gen_read(l->g, ir_alui(l->g, A_ADD, p, off), size, false);
}

vreg
low_ppid(struct lower *l)
{
	vreg p = kmember(l, low_task(l), "task_struct", "real_parent", 8);

	return ir_ext(l->g, kmember(l, p, "task_struct", "tgid", 4), 4, true);
}

vreg
low_vtime(struct lower *l)
{
	return kmember(l, low_task(l), "task_struct", "se.sum_exec_runtime", 8);
}

/* Its start and its id: no other thread has the same, also when the id is used
 * again. The idle threads, which share all of that, by CPU. */
vreg
low_thread(struct lower *l)
{
	struct gen *g = l->g;
	vreg id = ir_ext(g, low_pidtgid(l), 4, false), r = ir_new(g);
	label ok = ir_newlabel(g);

	ir_mov(g, r, ir_alu(g, A_OR, ir_alui(g, A_SHL, kmember(l, low_task(l),
	    "task_struct", "start_time", 8), 22),
	    ir_alui(g, A_AND, id, (1 << 22) - 1)));
	ir_bri(g, CC_NE, id, 0, ok);
	ir_mov(g, r, ir_alui(g, A_SUB, ir_imm(g, -1),
	    ir_call(g, BPF_FUNC_get_smp_processor_id, 0)));
	ir_label(g, ok);
	return r;
}

vreg
low_uidgid(struct lower *l)
{
	vreg r = low_cached(l, CA_UIDGID), cred;

	if (r >= 0)
		return r;
	if (low_other(l)) {
		cred = kmember(l, low_task(l), "task_struct", "cred", 8);
		r = ir_alu(l->g, A_OR, ir_alui(l->g, A_SHL,
		    kmember(l, cred, "cred", "gid", 4), 32),
		    kmember(l, cred, "cred", "uid", 4));
	} else {
		r = ir_call(l->g, BPF_FUNC_get_current_uid_gid, 0);
	}
	low_cache(l, CA_UIDGID, r);
	return r;
}

/* The name of this thread, or of the one that the probe stands for. */
void
low_comm(struct lower *l, vreg dst)
{
	vreg from = low_provided(l, "execname");

	if (from < 0) {
		(void)ir_call(l->g, BPF_FUNC_get_current_comm, 2, dst,
		    ir_imm(l->g, COMM));
		return;
	}
	low_zero(l, dst, 0, COMM);
	(void)ir_call(l->g, BPF_FUNC_probe_read_kernel_str, 3, dst,
	    ir_imm(l->g, COMM), from);
}
