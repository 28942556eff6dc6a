/*
 * For LD_PRELOAD: from the moment the file $CLOCK_STEP exists, the wall clock
 * has been set one hour ahead and the host was suspended for a minute.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int
clock_gettime(clockid_t id, struct timespec *ts)
{
	const char *file = getenv("CLOCK_STEP");
	long rc = syscall(SYS_clock_gettime, id, ts);

	if (rc == 0 && file != NULL && access(file, F_OK) == 0) {
		if (id == CLOCK_REALTIME)
			ts->tv_sec += 3600;
		else if (id == CLOCK_BOOTTIME)
			ts->tv_sec += 60;
	}
	return (int)rc;
}
