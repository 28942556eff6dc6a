/* alloca, bcopy, copyinto memory of the clause */
#pragma D option quiet

BEGIN
{
	p = (int16_t *)alloca(8);
	p[0] = 1; p[1] = -2; p[2] = 300; p[3] = 4;
	q = (int16_t *)alloca(8);
	bcopy(p, q, 6);
	p[1] = 9;
	printf("%d %d %d %d\n", q[0], q[1], q[2], q[3]);
	c = (unsigned char *)q;
	printf("%d %d\n", c[4], *(c + 5));
	exit(0);
}
