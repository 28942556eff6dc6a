/* strtoll in several bases; from the environment of a number */
#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", strtoll("42"), strtoll("-42"), strtoll("  7x"));
	printf("%d %d %d\n", strtoll("ff", 16), strtoll("0x1f", 16), strtoll("17", 8));
	printf("%d %d\n", strtoll("none"), strtoll(""));
	exit(0);
}
