/*
 * killat [-m] N CMD [ARG...]: runs CMD and kills it (SIGKILL, all threads) when
 * it is about to make its Nth system call, counted from its exec over all its
 * threads and children. -m counts only calls that can change what others see:
 * between two of them it makes no difference where it dies.
 *
 * killat -s N CMD [ARG...]: every Nth write(2) of more than one byte is cut to
 * half its bytes.
 *
 * Exit: 99 it was killed, else CMD's own (128 + signal); 2 on a failure here,
 * 77 where -s is not known for this processor.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <elf.h>
#include <linux/ptrace.h>

#define KILLED	99

/* Calls that leave no trace outside the process; sorted by nothing. */
static const long private_calls[] = {
	SYS_read, SYS_pread64, SYS_readv, SYS_lseek, SYS_close, SYS_fstat,
	SYS_newfstatat, SYS_statx, SYS_getdents64, SYS_mmap, SYS_munmap,
	SYS_mprotect, SYS_mremap, SYS_madvise, SYS_brk, SYS_futex,
	SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_clone,
	SYS_clone3, SYS_exit, SYS_set_robust_list, SYS_rseq, SYS_getrandom,
	SYS_prlimit64, SYS_sched_getaffinity, SYS_clock_gettime, SYS_fcntl,
	SYS_ioctl, SYS_getpid, SYS_gettid, SYS_faccessat2, SYS_readlinkat,
	SYS_set_tid_address, SYS_getcwd, SYS_fadvise64, SYS_flock, SYS_dup,
#ifdef SYS_access
	SYS_access, SYS_arch_prctl, SYS_readlink,
#endif
};

static bool
is_private(unsigned long long nr)
{
	size_t i;

	for (i = 0; i < sizeof(private_calls) / sizeof(private_calls[0]); i++)
		if ((unsigned long long)private_calls[i] == nr)
			return true;
	return false;
}

static int
fail(const char *what)
{
	perror(what);
	return 2;
}

/* The thread stands at the entry of a call that counts. */
static bool
at_entry(pid_t tid, bool mutating)
{
	struct ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return false;
	return !mutating || !is_private(info.entry.nr);
}

#if defined(__x86_64__)
#define COUNT(r)	((r).rdx)
#elif defined(__aarch64__)
#define COUNT(r)	((r).regs[2])
#endif

/* At the entry of a write of more than one byte: cuts its count to half. */
static void
cut_write(pid_t tid, unsigned long n)
{
#ifdef COUNT
	static unsigned long seen;
	struct ptrace_syscall_info info;
	struct user_regs_struct regs;
	struct iovec iov = { &regs, sizeof(regs) };

	if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY ||
	    info.entry.nr != SYS_write || info.entry.args[2] < 2 ||
	    ++seen % n != 0)
		return;
	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &iov) == -1)
		return;
	COUNT(regs) /= 2;
	(void)ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &iov);
#else
	(void)tid, (void)n;
#endif
}

static int
ended(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) :
	    128 + WTERMSIG(status);
}

/* Lets it run from stop to stop; `first` is the process itself. */
static int
follow(pid_t first, unsigned long n, bool mutating, bool cut)
{
	unsigned long seen = 0;
	int status, sig;
	pid_t tid;

	for (;;) {
		tid = waitpid(-1, &status, __WALL);
		if (tid == -1 && errno == EINTR)
			continue;
		if (tid == -1)
			return fail("waitpid");
		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			if (tid == first)
				return ended(status);
			continue;
		}
		sig = WSTOPSIG(status);
		if (sig == (SIGTRAP | 0x80)) {
			if (cut)
				cut_write(tid, n);
			else if (at_entry(tid, mutating) && ++seen == n) {
				kill(first, SIGKILL);
				/* its threads come first, or it never does */
				while ((tid = waitpid(-1, &status, __WALL)) > 0)
					if (tid == first && !WIFSTOPPED(status))
						break;
				return KILLED;
			}
			sig = 0;
		} else if (status >> 16 != 0 || sig == SIGSTOP) {
			sig = 0;	/* events, and new threads */
		}
		(void)ptrace(PTRACE_SYSCALL, tid, 0, sig);
	}
}

int
main(int argc, char **argv)
{
	bool mutating = false, cut = false;
	unsigned long n;
	int opt, status;
	pid_t pid;

	while ((opt = getopt(argc, argv, "+ms")) != -1) {
		if (opt == '?')
			return 2;
		mutating |= opt == 'm';
		cut |= opt == 's';
	}
#ifndef COUNT
	if (cut)
		return 77;
#endif
	if (argc - optind < 2 ||
	    (n = strtoul(argv[optind], NULL, 10)) == 0)
		return 2;
	if ((pid = fork()) == -1)
		return fail("fork");
	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0) == -1)
			_exit(fail("ptrace"));
		raise(SIGSTOP);
		execvp(argv[optind + 1], argv + optind + 1);
		_exit(fail(argv[optind + 1]));
	}
	if (waitpid(pid, &status, __WALL) == -1 || !WIFSTOPPED(status))
		return fail("waitpid");
	if (ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD |
	    PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
	    PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL) == -1)
		return fail("ptrace");
	/* up to the exec, so that only CMD's own calls count */
	(void)ptrace(PTRACE_CONT, pid, 0, 0);
	if (waitpid(pid, &status, __WALL) == -1)
		return fail("waitpid");
	if (!WIFSTOPPED(status))
		return ended(status);
	(void)ptrace(PTRACE_SYSCALL, pid, 0, 0);
	return follow(pid, n, mutating, cut);
}
