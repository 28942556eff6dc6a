/* freopen: output goes to a file, and back */
#pragma D option quiet
#pragma D option destructive
BEGIN
{
	printf("one\n");
	freopen("/tmp/dref-own-%d.txt", $pid);
	printf("two\n");
	freopen("");
	printf("three\n");
	system("cat /tmp/dref-own-%d.txt; rm /tmp/dref-own-%d.txt", $pid, $pid);
	exit(0);
}
