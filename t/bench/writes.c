/*
 * writes N: N write(2) calls of one byte to /dev/null; prints the wall time of
 * one in ns on stderr.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 300000, i;
	struct timespec a, z;
	int fd = open("/dev/null", O_WRONLY);

	if (fd == -1)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (i = 0; i < n; i++)
		if (write(fd, "x", 1) != 1)
			return 1;
	clock_gettime(CLOCK_MONOTONIC, &z);
	fprintf(stderr, "%.1f\n", ((double)(z.tv_sec - a.tv_sec) * 1e9 +
	    (double)(z.tv_nsec - a.tv_nsec)) / (double)n);
	return 0;
}
