/* htons and its kind turn bytes around */
#pragma D option quiet

BEGIN
{
	printf("%x %x %x\n", htons(0x1234), htonl(0x12345678),
	    htonll(0x123456789abcdef0));
	printf("%x %x %x\n", ntohs(0x3412), ntohl(0x78563412),
	    ntohll(0xf0debc9a78563412));
	printf("%d %d %d\n", sizeof (htons(1)), sizeof (htonl(1)), sizeof (htonll(1)));
	exit(0);
}
