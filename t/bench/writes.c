/*
 * writes N: N write(2) calls of one byte to /dev/null; prints the cpu time and
 * the wall time of one in ns on stderr.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double
now(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

int
main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 300000, i;
	int fd = open("/dev/null", O_WRONLY);
	double cpu, wall;

	if (fd == -1 || n < 1)
		return 1;
	cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	wall = now(CLOCK_MONOTONIC);
	for (i = 0; i < n; i++)
		if (write(fd, "x", 1) != 1)
			return 1;
	cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	wall = now(CLOCK_MONOTONIC) - wall;
	fprintf(stderr, "%.1f %.1f\n", cpu / (double)n, wall / (double)n);
	return 0;
}
