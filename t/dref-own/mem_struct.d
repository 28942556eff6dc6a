/* structs, unions, bit-fields as variables and elements */
#pragma D option quiet

struct foo { int a; char b; int c:3; unsigned d:5; };
struct foo g, as[int];
this struct foo t;
self struct foo s;
union u { uint32_t w; uint8_t b[4]; };
union u un;

BEGIN
{
	g.a = 1;
	g.c = -2;
	g.d = 31;
	this->t = g;
	self->s = this->t;
	as[3] = self->s;
	as[3].b = 7;
	printf("%d %d %d %d\n", as[3].a, as[3].b, as[3].c, as[3].d);
	as[3].c = 3;
	as[3].d = 0;
	printf("%d %d %d\n", as[3].c, as[3].d, g.d);
	as[3].c++;
	printf("%d %d\n", as[3].c, as[4].a);
	un.w = 0x01020304;
	this->i = 3;
	printf("%d %d\n", un.b[0], un.b[this->i]);
	un.b[this->i] = 9;
	printf("%x\n", un.w);
	exit(0);
}
