/*
 * For LD_PRELOAD: a limit on locked memory that cannot be raised is no error;
 * bpftrace gives up where it is, though BPF memory no longer counts.
 */
#define _GNU_SOURCE
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int
setrlimit(__rlimit_resource_t what, const struct rlimit *r)
{
	long rc = syscall(SYS_prlimit64, 0, what, r, NULL);

	return what == RLIMIT_MEMLOCK ? 0 : (int)rc;
}
