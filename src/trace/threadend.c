/*
 * threadend.c - a program at a thread's end that deletes its self-> variables.
 */
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "trace/prog.h"
#include "trace/threadend.h"
#include "trace/trace.h"

static const char tracepoint[] = "sched_process_exit";

int
threadend_attach(struct trace *t, struct msg *m)
{
	struct prog *p = t->prog;
	int prog, map = p->selfhash > 0 ? p->map[p->selfhash].fd : -1;
	const struct bpf_insn insn[] = {
		{ .code = BPF_JMP | BPF_CALL,
		  .imm = BPF_FUNC_get_current_pid_tgid },
		/* the key is the thread's id, 64 bits wide */
		{ .code = BPF_ALU | BPF_MOV | BPF_X, .dst_reg = BPF_REG_0,
		  .src_reg = BPF_REG_0 },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10,
		  .src_reg = BPF_REG_0, .off = -8 },
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_MAP_FD, .imm = map },
		{ 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2,
		  .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2,
		  .imm = -8 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_map_delete_elem },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	if (p->selfhash == 0)
		return 0;
	prog = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "reap",
	    "Dual BSD/GPL", insn, sizeof(insn) / sizeof(insn[0]), NULL);
	if (prog < 0)
		return msg_set_errno(m, "load", NULL, "the kernel refuses the "
		    "program that sees threads end");
	p->threadend_fd = bpf_raw_tracepoint_open(tracepoint, prog);
	close(prog);
	return p->threadend_fd >= 0 ? 0 : msg_set_errno(m, "attach", NULL,
	    "cannot attach tracepoint %s", tracepoint);
}
