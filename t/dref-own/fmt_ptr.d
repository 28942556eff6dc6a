/* printf: p prints pointers and integers in hex without 0x */
#pragma D option quiet

BEGIN
{
	printf("%p %p %p\n", (void *)0xfeed, (char *)0, 48879);
	printf("[%12p] [%-12p]\n", (int *)0x77, (int *)0x77);
	printf("%a %A\n", 0x20, 0x20);
	exit(0);
}
