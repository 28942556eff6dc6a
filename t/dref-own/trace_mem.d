/* tracemem: whole and partial lines; a third argument cuts it short; an array
 * is its address */
#pragma D option quiet

int a[4];

BEGIN
{
	p = (char *)alloca(64);
	bcopy("The quick brown fox jumps over it\n\t\001\377", p, 38);
	tracemem(p, 1);
	tracemem(p, 16);
	tracemem(p, 38);
	tracemem(p, 38, 5);
	tracemem(p, 38, 0);
	tracemem(p, 8, 99);
	tracemem(p, 8, -1);
	a[1] = 0x04030201;
	tracemem(a, 12);
	exit(0);
}
