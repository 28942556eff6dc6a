/* printf: c takes char, short and int, of which it prints the lowest byte */
#pragma D option quiet

BEGIN
{
	printf("%c%c%c%c\n", 'D', (char)33, (short)63, 0x141);
	printf("[%3c] [%-3c] [%1c]\n", 'a', 'b', 'c');
	printf("%wc%wc%lc\n", 'a', 0xe9, 0x20ac);
	exit(0);
}
