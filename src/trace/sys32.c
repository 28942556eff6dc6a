/*
 * sys32.c - numbers of the 32-bit system call entry to probes.
 *
 * A call that differs from a 64-bit one only in the width of what it is given
 * (stat64, getuid32, futex_time64) is told by that one's probe; those without
 * such a sibling have probes of their own (socketcall). Source:
 * <asm/unistd_32.h>.
 */
#include <stddef.h>
#include <string.h>

#include "trace/sys32.h"

static const struct { int nr; const char *name; } number_table[] = {
#define S(x86_64, arm64, i386, name, alias, args) { i386, name },
#include "trace/syscall.def"
#undef S
};

static const struct { int nr; const char *name; } sibling_table[] = {
	{ 7, "wait4" },		/* waitpid */
	{ 18, "stat" },		/* oldstat */
	{ 22, "umount2" },	/* umount */
	{ 28, "fstat" },	/* oldfstat */
	{ 59, "uname" },	/* oldolduname */
	{ 67, "rt_sigaction" }, { 72, "rt_sigsuspend" },
	{ 73, "rt_sigpending" },
	{ 84, "lstat" },	/* oldlstat */
	{ 89, "getdents" },	/* readdir */
	{ 109, "uname" },	/* olduname */
	{ 119, "rt_sigreturn" }, { 126, "rt_sigprocmask" },
	{ 140, "lseek" },	/* _llseek */
	{ 142, "select" },	/* _newselect */
	{ 191, "getrlimit" },	/* ugetrlimit */
	{ 192, "mmap" },	/* mmap2 */
	{ 193, "truncate" }, { 194, "ftruncate" }, { 195, "stat" },
	{ 196, "lstat" }, { 197, "fstat" }, { 198, "lchown" },
	{ 199, "getuid" }, { 200, "getgid" }, { 201, "geteuid" },
	{ 202, "getegid" }, { 203, "setreuid" }, { 204, "setregid" },
	{ 205, "getgroups" }, { 206, "setgroups" }, { 207, "fchown" },
	{ 208, "setresuid" }, { 209, "getresuid" }, { 210, "setresgid" },
	{ 211, "getresgid" }, { 212, "chown" }, { 213, "setuid" },
	{ 214, "setgid" }, { 215, "setfsuid" }, { 216, "setfsgid" },
	{ 221, "fcntl" }, { 239, "sendfile" }, { 268, "statfs" },
	{ 269, "fstatfs" }, { 272, "fadvise64" }, { 300, "newfstatat" },
	{ 403, "clock_gettime" }, { 404, "clock_settime" },
	{ 405, "clock_adjtime" }, { 406, "clock_getres" },
	{ 407, "clock_nanosleep" }, { 408, "timer_gettime" },
	{ 409, "timer_settime" }, { 410, "timerfd_gettime" },
	{ 411, "timerfd_settime" }, { 412, "utimensat" },
	{ 413, "pselect6" }, { 414, "ppoll" }, { 416, "io_pgetevents" },
	{ 417, "recvmmsg" }, { 418, "mq_timedsend" },
	{ 419, "mq_timedreceive" }, { 420, "semtimedop" },
	{ 421, "rt_sigtimedwait" }, { 422, "futex" },
	{ 423, "sched_rr_get_interval" },
};

static void
enter(uint16_t *map, int nr, const char *name, sys32_find *find)
{
	int to = nr < 0 || nr >= NSYS32 ? -1 : find(name);

	if (to >= 0)
		map[nr] = (uint16_t)to;
}

void
sys32_map(uint16_t map[NSYS32], sys32_find *find)
{
	size_t i;

	memset(map, 0xff, NSYS32 * sizeof(map[0]));
	for (i = 0; i < sizeof(number_table) / sizeof(number_table[0]); i++)
		enter(map, number_table[i].nr, number_table[i].name, find);
	for (i = 0; i < sizeof(sibling_table) / sizeof(sibling_table[0]); i++)
		enter(map, sibling_table[i].nr, sibling_table[i].name, find);
}
