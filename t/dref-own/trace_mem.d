/* tracemem: whole and partial lines; a third argument cuts it short */
#pragma D option quiet

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
	exit(0);
}
