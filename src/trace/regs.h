/*
 * regs.h - where struct pt_regs (bpf_user_pt_regs_t) keeps what probes need,
 * in bytes. Sources: <asm/ptrace.h> of each architecture, the syscall and
 * function call conventions of its ABI. Tables only: nothing is owned.
 */
#ifndef TRACE_REGS_H
#define TRACE_REGS_H

#include <stdint.h>

#if defined(__x86_64__)
enum {
	REGS_R15 = 0, REGS_R14 = 8, REGS_R13 = 16, REGS_R12 = 24,
	REGS_RBP = 32, REGS_RBX = 40, REGS_R11 = 48, REGS_R10 = 56,
	REGS_R9 = 64, REGS_R8 = 72, REGS_RAX = 80, REGS_RCX = 88,
	REGS_RDX = 96, REGS_RSI = 104, REGS_RDI = 112, REGS_ORIG_RAX = 120,
	REGS_RIP = 128, REGS_CS = 136, REGS_FLAGS = 144, REGS_RSP = 152,
	REGS_SS = 160,
	REGS_PC = REGS_RIP, REGS_SP = REGS_RSP, REGS_FP = REGS_RBP,
	REGS_RET = REGS_RAX, REGS_SYSCALL = REGS_ORIG_RAX,
};
static const int16_t regs_call[6] = { REGS_RDI, REGS_RSI, REGS_RDX,
	REGS_RCX, REGS_R8, REGS_R9 };
static const int16_t regs_syscall[6] = { REGS_RDI, REGS_RSI, REGS_RDX,
	REGS_R10, REGS_R8, REGS_R9 };
/* through the 32-bit entry, the low halves */
static const int16_t regs_syscall32[6] = { REGS_RBX, REGS_RCX, REGS_RDX,
	REGS_RSI, REGS_RDI, REGS_RBP };
/* STACKARG: the first stack argument, from the stack pointer */
enum { REGS_NCALL = 6, REGS_STACKARG = 8, REGS_N = 21 };
#elif defined(__aarch64__)
enum {
	REGS_FP = 29 * 8, REGS_LR = 30 * 8, REGS_SP = 31 * 8,
	REGS_PC = 32 * 8, REGS_PSTATE = 33 * 8, REGS_ORIG_X0 = 34 * 8,
	REGS_RET = 0, REGS_SYSCALL = 8 * 8,
};
static const int16_t regs_call[8] = { 0, 8, 16, 24, 32, 40, 48, 56 };
static const int16_t regs_syscall[6] = { REGS_ORIG_X0, 8, 16, 24, 32, 40 };
enum { REGS_NCALL = 8, REGS_STACKARG = 0, REGS_N = 34 };
#else
#error "no register table for this architecture"
#endif

#endif
