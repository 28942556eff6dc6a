/*
 * lower_args.c - execargs: the arguments of the process, as one string.
 */
#include <linux/bpf.h>

#include "trace/kernel.h"
#include "trace/lower_impl.h"
#include "trace/trace.h"

enum { ARGS_MAX = 256 };

static vreg
pointer_at(struct lower *l, vreg p, const char *type, const char *name)
{
	int32_t off = l->t->offline ? 0 : kernel_offset(l->t, type, name);
	int32_t tmp = low_tmp8(l);

	if (off < 0) {
		(void)low_error(l, D_UNSUP, l->line, "the kernel's struct %s "
		    "has no member %s", type, name);
		off = 0;
	}
	ir_storei(l->g, ir_fp(l->g, tmp), 0, 8, 0);
	(void)ir_call(l->g, BPF_FUNC_probe_read_kernel, 3, ir_fp(l->g, tmp),
	    ir_imm(l->g, 8), ir_alui(l->g, A_ADD, p, off));
	return ir_load(l->g, ir_fp(l->g, tmp), 0, 8);
}

/* The NULs between arguments become blanks, eight bytes at a time. */
static void
blank_nuls(struct lower *l, vreg at, uint32_t room)
{
	const int64_t low7 = 0x7f7f7f7f7f7f7f7f;
	struct gen *g = l->g;
	vreg mask = ir_imm(g, low7), x, y;

	for (uint32_t k = 0; k < room; k += 8) {
		x = ir_load(g, at, (int32_t)k, 8);
		/* the high bit of each byte: set unless the byte is 0 */
		y = ir_alu(g, A_ADD, ir_alu(g, A_AND, x, mask), mask);
		y = ir_alu(g, A_OR, ir_alu(g, A_OR, y, x), mask);
		/* 0x20 where it is 0 */
		y = ir_alui(g, A_SHR, ir_alui(g, A_XOR, y, -1), 2);
		ir_store(g, at, (int32_t)k, 8, ir_alu(g, A_OR, x, y));
	}
}

/* The whole of them, or where they cannot be read the thread's name. */
struct sval
low_execargs(struct lower *l)
{
	struct gen *g = l->g;
	struct sval s = low_strnew(l, ARGS_MAX);
	label name = ir_newlabel(g), end = ir_newlabel(g);
	label fits = ir_newlabel(g);
	vreg mm, from, len = ir_new(g), n = ir_new(g), rc;

	low_zero(l, s.r, 0, s.room);
	/* another thread's memory cannot be read from here */
	if (low_other(l)) {
		low_comm(l, s.r);
		return s;
	}
	mm = pointer_at(l, low_task(l), "task_struct", "mm");
	l->cond++;
	ir_bri(g, CC_EQ, mm, 0, name);
	from = pointer_at(l, mm, "mm_struct", "arg_start");
	ir_mov(g, len, ir_alu(g, A_SUB, pointer_at(l, mm, "mm_struct",
	    "arg_end"), from));
	ir_bri(g, CC_ULT, len, 1, name);
	ir_set(g, n, s.bound);
	ir_bri(g, CC_UGE, len, s.bound, fits);
	ir_mov(g, n, len);
	ir_label(g, fits);
	rc = ir_call(g, BPF_FUNC_probe_read_user, 3, s.r, n, from);
	ir_bri(g, CC_NE, rc, 0, name);
	blank_nuls(l, s.r, s.room);
	ir_storei(g, ir_alu(g, A_ADD, s.r, n), -1, 1, 0);
	ir_jmp(g, end);
	ir_label(g, name);
	(void)ir_call(g, BPF_FUNC_get_current_comm, 2, s.r,
	    ir_imm(g, s.bound < COMM ? s.bound : COMM));
	ir_label(g, end);
	l->cond--;
	return s;
}
