/*
 * lower_proc.c - the process's directories, and others, as paths.
 */
#include <string.h>

#include "trace/kernel.h"
#include "trace/lower_rt.h"

/* Offsets in the kernel's structs; 0 offline. */
static int32_t
offset(struct lower *l, const char *type, const char *name)
{
	int32_t off = l->t->offline ? 0 : kernel_offset(l->t, type, name);

	if (off >= 0)
		return off;
	(void)low_error(l, D_UNSUP, l->line, "the kernel's struct %s has no "
	    "member %s", type, name);
	return 0;
}

/* The pointer at an address; 0 where it cannot be read. */
static vreg
follow(struct lower *l, vreg base, int32_t off)
{
	struct gen *g = l->g;
	int32_t tmp = low_tmp8(l);

	(void)ir_call(g, BPF_FUNC_probe_read_kernel, 3, ir_fp(g, tmp),
	    ir_imm(g, 8), ir_alui(g, A_ADD, base, off));
	return ir_load(g, ir_fp(g, tmp), 0, 8);
}

/* The name of a dentry, with a slash before it, in front of P2 in the area a;
 * P0 and P1 then are the parent and its mount, P2 the slash's place; P3: 1 at
 * the root of all. */
void
rt_dentry(struct lower *l)
{
	int32_t parent = offset(l, "mount", "mnt_parent");
	int32_t point = offset(l, "mount", "mnt_mountpoint");
	int32_t root = offset(l, "mount", "mnt") +
	    offset(l, "vfsmount", "mnt_root");
	int32_t up = offset(l, "dentry", "d_parent");
	int32_t name = offset(l, "dentry", "d_name.name");
	int32_t len = offset(l, "dentry", "d_name.len");
	struct gen *g = l->g;
	int32_t tmp;
	label inside, step, mounted;
	struct fnctx save;
	struct cb c;
	vreg d, m, n, at, next;

	rt_begin(l, &c, "dentry", RT_PATHDEPTH);
	/* the helpers' slot is this function's */
	save = l->fn;
	l->fn.tmp8 = 0;
	tmp = low_tmp8(l);
	inside = ir_newlabel(g);
	step = ir_newlabel(g);
	mounted = ir_newlabel(g);
	d = rt_param(g, &c, 0);
	m = rt_param(g, &c, 1);
	ir_br(g, CC_NE, d, follow(l, m, root), inside);
	/* the root of a mount: on with where it is mounted */
	next = follow(l, m, parent);
	ir_br(g, CC_NE, next, m, mounted);
	rt_setparam(g, &c, 3, ir_imm(g, 1));
	ir_jmp(g, c.stop);
	ir_label(g, mounted);
	rt_setparam(g, &c, 0, follow(l, m, point));
	rt_setparam(g, &c, 1, next);
	ir_jmp(g, c.go);
	ir_label(g, inside);
	next = follow(l, d, up);
	ir_br(g, CC_EQ, next, d, c.stop);
	n = ir_new(g);
	(void)ir_call(g, BPF_FUNC_probe_read_kernel, 3, ir_fp(g, tmp),
	    ir_imm(g, 4), ir_alui(g, A_ADD, d, len));
	ir_mov(g, n, ir_load(g, ir_fp(g, tmp), 0, 4));
	ir_bri(g, CC_UGT, n, RT_NAMEMAX, c.stop);
	at = ir_new(g);
	ir_mov(g, at, ir_alui(g, A_SUB, ir_alu(g, A_SUB,
	    rt_param(g, &c, 2), n), 1));
	ir_bri(g, CC_UGE, at, RT_PATHMAX, c.stop);
	ir_storei(g, ir_alu(g, A_ADD, c.a, at), 0, 1, '/');
	(void)ir_call(g, BPF_FUNC_probe_read_kernel, 3, ir_alui(g, A_ADD,
	    ir_alu(g, A_ADD, c.a, at), 1), n, follow(l, d, name));
	ir_label(g, step);
	rt_setparam(g, &c, 0, next);
	rt_setparam(g, &c, 2, at);
	rt_end(l, &c);
	l->fn = save;
}

/* A path that did not fit, or that was too deep, begins with dots. */
static void
mark_cut(struct lower *l, vreg p, vreg at)
{
	struct gen *g = l->g;
	label whole = ir_newlabel(g);

	ir_bri(g, CC_NE, rt_get(l, 3), 0, whole);
	ir_bri(g, CC_UGT, at, RT_PATHMAX - 4, whole);
	p = ir_alu(g, A_ADD, p, at);
	for (int k = 0; k < 3; k++)
		ir_storei(g, p, k, 1, '.');
	ir_label(g, whole);
}

/* The path of the struct path at an address, from the root of all mounts. */
static struct sval
path_at(struct lower *l, vreg path)
{
	struct gen *g = l->g;
	struct sval s;
	vreg p, at = ir_new(g);
	label root = ir_newlabel(g);
	uint32_t buf;

	rt_set(l, 0, follow(l, path, offset(l, "path", "dentry")));
	rt_set(l, 1, ir_alui(g, A_SUB, follow(l, path,
	    offset(l, "path", "mnt")), offset(l, "mount", "mnt")));
	rt_set(l, 2, ir_imm(g, RT_PATHMAX));
	rt_set(l, 3, ir_imm(g, 0));
	/* a name may seem to begin at the end and be as long as can be */
	buf = low_temp(l, RT_PATHMAX + RT_NAMEMAX + 9);
	p = low_tempaddr(l, buf);
	ir_storei(g, p, RT_PATHMAX, 1, 0);
	rt_loop(l, RT_DENTRY, RT_PATHDEPTH, p, -1);
	s = low_strnew(l, l->strmax);
	ir_storei(g, s.r, 0, 8, '/');
	ir_mov(g, at, rt_get(l, 2));
	ir_bri(g, CC_UGE, at, RT_PATHMAX, root);
	mark_cut(l, p, at);
	(void)ir_call(g, BPF_FUNC_probe_read_kernel_str, 3, s.r,
	    ir_imm(g, s.bound), ir_alu(g, A_ADD, p, at));
	ir_label(g, root);
	return s;
}

/* The path of fs->pwd or fs->root. */
struct sval
low_fspath(struct lower *l, const char *which)
{
	struct gen *g = l->g;
	int32_t path = offset(l, "fs_struct", which);
	vreg fs = follow(l, ir_call(g, BPF_FUNC_get_current_task, 0),
	    offset(l, "task_struct", "fs"));

	ir_bri(g, CC_EQ, fs, 0, low_fault(l, FLT_BADADDR, -1));
	return path_at(l, ir_alui(g, A_ADD, fs, path));
}

/* d_path(): the kernel's helper of that name serves few kinds of programs. */
struct sval
low_dpath(struct lower *l, const struct node *n)
{
	return path_at(l, low_int(l, n->list));
}
