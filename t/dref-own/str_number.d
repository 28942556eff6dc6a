/* numbers from text and text from numbers */
#pragma D option quiet

BEGIN
{
	printf("%d %d %d %d\n", strtoll("123"), strtoll("  -0x1f", 16),
	    strtoll("777", 8), strtoll("z", 36));
	printf("%d %d %d\n", strtoll(""), strtoll("12ab"), strtoll("-"));
	printf("%d\n", strtoll("-9223372036854775808"));
	printf("[%s] [%s] [%s] [%s]\n", lltostr(255, 16), lltostr(8, 8),
	    lltostr(5, 2), lltostr(-1, 16));
	printf("[%s] [%s] [%s]\n", lltostr(0, 16), lltostr(0, 8), lltostr(0));
	exit(0);
}
