/* trace: what is neither integer nor string is dumped */
#pragma D option quiet

struct mix { int i; char c[7]; short s; };
struct mix m;
BEGIN
{
	m.i = 0x41424344; m.s = 513;
	trace(m);
	exit(0);
}
