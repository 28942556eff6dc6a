/* inet_ntoa, inet_ntoa6 and inet_ntop */
#pragma D option quiet

BEGIN
{
	a = (uint32_t *)alloca(4);
	*a = htonl(0x0a00ff01);
	printf("%s %s\n", inet_ntoa(a), inet_ntop(2, a));
	b = (unsigned char *)alloca(16);
	b[0] = 0xfe; b[1] = 0x80; b[15] = 1;
	printf("%s\n", inet_ntop(10, b));
	b[0] = 0x20; b[1] = 1; b[2] = 0xd; b[3] = 0xb8; b[7] = 5;
	printf("%s\n", inet_ntop(10, b));
	exit(0);
}
