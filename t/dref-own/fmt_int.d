/* printf: integers of every width and sign go by their own size */
#pragma D option quiet

int8_t a; uint8_t b; int16_t c; uint16_t d; int32_t e; uint32_t f;
int64_t g; uint64_t h;
BEGIN
{
	a = -7; b = 249; c = -1025; d = 64511; e = -65537; f = 4294901759;
	g = -4294967297; h = 18446744069414584319U;
	printf("%d %d %d %d %d %d %d %d\n", a, b, c, d, e, f, g, h);
	printf("%i %i %i %i %i %i %i %i\n", a, b, c, d, e, f, g, h);
	printf("%u %u %u %u %u %u %u %u\n", a, b, c, d, e, f, g, h);
	printf("%x %x %x %x %x %x %x %x\n", a, b, c, d, e, f, g, h);
	printf("%X %X %X %X %X %X %X %X\n", a, b, c, d, e, f, g, h);
	printf("%o %o %o %o %o %o %o %o\n", a, b, c, d, e, f, g, h);
	exit(0);
}
