/* addresses of networks as text, byte order */
#pragma D option quiet

BEGIN
{
	this->p = (uint64_t *)alloca(16);
	this->p[0] = htonll(0x20010db800000000);
	this->p[1] = htonll(0x0000000100000001);
	printf("%s\n", inet_ntoa6((struct in6_addr *)this->p));
	printf("%s %s\n", inet_ntop(10, (void *)this->p),
	    inet_ntop(2, (void *)this->p));
	this->p[0] = 0;
	this->p[1] = htonll(1);
	printf("%s\n", inet_ntop(10, (void *)this->p));
	this->p[1] = 0;
	printf("%s\n", inet_ntop(10, (void *)this->p));
	this->p[0] = htonll(0xfe80000000000000);
	printf("%s\n", inet_ntop(10, (void *)this->p));
	this->p[0] = htonll(0x0123456789abcdef);
	printf("%s\n", link_ntop(1, (void *)this->p));
	printf("%x %x %x\n", htons(0x1234), htonl(0x12345678), ntohs(1));
}

BEGIN { this->q = inet_ntop(99, (void *)alloca(16)); printf("no\n"); }
BEGIN { exit(0); }
