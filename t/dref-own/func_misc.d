/* rand, getmajor, getminor, progenyof */
#pragma D option quiet

BEGIN
{
	r = rand(); s = rand();
	printf("%d\n", r != s || rand() != s);
	printf("%d %d\n", getmajor(8 << 20 | 3), getminor(8 << 20 | 3));
	printf("%d %d\n", progenyof($pid), progenyof($pid + 1000000));
	exit(0);
}
