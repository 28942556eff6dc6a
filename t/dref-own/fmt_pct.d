/* printf: percent signs and text without conversions */
#pragma D option quiet

BEGIN
{
	printf("%%\n");
	printf("5%% of %d%%%%\n", 20);
	printf("%%d %%s\n");
	printf("plain\n");
	exit(0);
}
