/* printf: length modifiers are taken, the argument's size decides */
#pragma D option quiet

BEGIN
{
	printf("%hd %hi %ho %hu %hx %hX\n", (short)-1, (short)-1, (short)8,
	    (short)-1, (short)-1, (short)-1);
	printf("%ld %li %lo %lu %lx %lX\n", -1L, -1L, 8L, 8L, 255L, 255L);
	printf("%lld %lli %llo %llu %llx %llX\n", -1LL, -1LL, 8LL, 8LL, 255LL,
	    255LL);
	printf("%ld %hd %lld\n", (int8_t)-3, 100000, (uint8_t)255);
	exit(0);
}
