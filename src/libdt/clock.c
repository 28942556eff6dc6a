/* Clocks: readings in pairs, resolution, sleeping until a time. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libdt/clock.h"
#include "libdt/file.h"

#define BRACKETS	16

static uint64_t
ns_of(const struct timespec *ts)
{
	return (uint64_t)ts->tv_sec * NS_PER_S + (uint64_t)ts->tv_nsec;
}

uint64_t
clock_now(void)
{
	struct timespec ts = { 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ns_of(&ts);
}

/*
 * Reads clock id between two readings of the bundle's clock, several times,
 * and keeps the narrowest.
 */
static int
bracket(clockid_t id, struct clock_pair *best)
{
	struct timespec ts;
	uint64_t before, after;
	int i;

	best->within_ns = UINT64_MAX;
	for (i = 0; i < BRACKETS; i++) {
		before = clock_now();
		if (clock_gettime(id, &ts) == -1)
			return -1;
		after = clock_now();
		if ((after - before + 1) / 2 >= best->within_ns)
			continue;
		best->within_ns = (after - before + 1) / 2;
		best->at_ns = before + (after - before) / 2;
		best->wall_ns = (int64_t)ts.tv_sec * (int64_t)NS_PER_S +
		    ts.tv_nsec;
	}
	return 0;
}

int
clock_pair_read(struct clock_pair *p, struct msg *m)
{
	if (bracket(CLOCK_REALTIME, p) == -1)
		return msg_set_errno(m, "clock", NULL,
		    "cannot read the wall clock");
	return 0;
}

int
clock_suspended(int64_t *ns, struct msg *m)
{
#ifdef CLOCK_BOOTTIME
	struct clock_pair p;

	if (bracket(CLOCK_BOOTTIME, &p) == -1)
		return msg_set_errno(m, "clock", NULL,
		    "cannot read CLOCK_BOOTTIME");
	*ns = p.wall_ns - (int64_t)p.at_ns;
	/* Never suspended: the two differ by the reading's width only. */
	if (*ns < 0 || (uint64_t)*ns <= p.within_ns)
		*ns = 0;
	return 0;
#else
	*ns = 0;
	return msg_set(m, "clock", "this system has no CLOCK_BOOTTIME");
#endif
}

uint64_t
clock_resolution(void)
{
	struct timespec ts = { 0, 1 };

	(void)clock_getres(CLOCK_MONOTONIC, &ts);
	return ns_of(&ts);
}

void
clock_source(char *buf, size_t cap)
{
	static const char path[] =
	    "/sys/devices/system/clocksource/clocksource0/current_clocksource";
	ssize_t n = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (cap == 0)
		return;
	if (fd != -1) {
		n = file_read(fd, buf, cap - 1);
		close(fd);
	}
	buf[n > 0 ? n : 0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	if (buf[0] == '\0')
		(void)snprintf(buf, cap, "unknown");
}

void
clock_utc(int64_t wall_ns, char buf[CLOCK_UTC_SIZE])
{
	int64_t ns = wall_ns % (int64_t)NS_PER_S;
	time_t s = (time_t)(wall_ns / (int64_t)NS_PER_S);
	struct tm tm;
	size_t n;

	if (ns < 0) {
		ns += (int64_t)NS_PER_S;
		s--;
	}
	/* An int64_t of ns lies between the years 1677 and 2262. */
	memset(&tm, 0, sizeof(tm));
	(void)gmtime_r(&s, &tm);
	n = strftime(buf, CLOCK_UTC_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
	(void)snprintf(buf + n, CLOCK_UTC_SIZE - n, ".%09lldZ",
	    (long long)ns);
}

int
clock_sleep_until(uint64_t t)
{
	struct timespec ts = {
		.tv_sec = (time_t)(t / NS_PER_S),
		.tv_nsec = (long)(t % NS_PER_S),
	};
	int rc = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);

	if (rc == 0)
		return 0;
	errno = rc;
	return -1;
}
