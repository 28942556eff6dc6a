/* addresses of IPv4 within such of IPv6 */
#pragma D option quiet

BEGIN
{
	p = (uint32_t *)alloca(16);
	q = (struct in6_addr *)p;
	p[3] = htonl(0xc0a80117);
	printf("%s %s %s\n", inet_ntop(10, p), inet_ntoa6(q),
	    inet_ntoa6(q, 1));
	p[2] = htonl(0xffff);
	printf("%s %s %s\n", inet_ntop(10, p), inet_ntoa6(q, 0),
	    inet_ntoa6(q, 1));
	p[3] = 0;
	printf("%s\n", inet_ntop(10, p));
	p[2] = 0;
	printf("%s %s\n", inet_ntop(10, p), inet_ntoa6(q));
	p[3] = htonl(1);
	printf("%s %s\n", inet_ntop(10, p), inet_ntoa6(q));
	p[3] = htonl(0x10000);
	printf("%s\n", inet_ntop(10, p));
	p[1] = 1;
	printf("%s\n", inet_ntop(10, p));
	exit(0);
}
