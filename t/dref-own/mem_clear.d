/* struct variables and elements set to 0 */
#pragma D option quiet

struct p { int a; char c; string s; };
struct p g, e[int];
self struct p m;

BEGIN
{
	g.a = 1; g.c = 'x'; g.s = "text";
	e[1] = g;
	e[2] = g;
	self->m = g;
	self->n[7] = g;
	e[1] = 0;
	e[3] = 0;
	printf("%d %d %d\n", e[1].a, e[2].a, e[3].a);
	printf("%d %c %s %d\n", self->m.a, self->m.c, self->m.s,
	    self->n[7].a);
	self->m = 0;
	self->n[7] = 0;
	printf("%d %d [%s] %d\n", self->m.a, self->m.c, self->m.s,
	    self->n[7].a);
	exit(0);
}
