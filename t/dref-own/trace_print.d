/* print: members with their types; zeroes are left out */
#pragma D option quiet

enum hue { RED, GREEN = 4, BLUE };
struct inner { int16_t x; uint8_t y; };
struct outer {
	char name[8];
	enum hue hue;
	struct inner in;
	struct inner pair[2];
	unsigned long long big;
	char *p;
	union { int i; char c; } u;
	int unused;
	unsigned flag:3;
	int bits:5;
};
BEGIN
{
	o = (struct outer *)alloca(sizeof (struct outer));
	bcopy("opal", o->name, 5);
	o->hue = GREEN;
	o->in.x = -2; o->in.y = 200;
	o->pair[1].x = 5;
	o->big = 1234567890123;
	o->p = (char *)0x1000;
	o->u.i = 65;
	print(o);
	exit(0);
}
