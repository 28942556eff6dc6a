/* system: its text through a format; output in its place */
#pragma D option quiet
#pragma D option destructive
BEGIN
{
	printf("before\n");
	system("echo %s %d; echo 100%%", "inside", 42);
	printf("after\n");
	exit(0);
}
