/* printf: Y and T print nanoseconds since 1970 as local time */
#pragma D option quiet

BEGIN
{
	printf("[%Y] [%Y]\n", (int64_t)0, (uint64_t)951782399999999999);
	printf("[%24Y] [%-24Y]\n", (int64_t)1700000000000000000,
	    (int64_t)1700000000000000000);
	printf("[%T]\n", (int64_t)1700000000000000000);
	exit(0);
}
