/* strings in elements that are structs, in self-> ones, in alloca's memory */
#pragma D option quiet

struct pair { string a; int n; string b; };
struct pair cmd[int];
self struct pair mine;
int i;

BEGIN
{
	cmd[i].a = "foobarbaz";
	cmd[i].b = "barbaz";
	cmd[i].n = 3;
	i++;
	cmd[i].a = "boofoofoo";
	cmd[i].b = "foo";
	cmd[i].n = 6;
	self->mine.b = cmd[1].a;
	self->mine.n = 7;
	s = (string *)alloca(sizeof(string));
	*s = "in scratch memory";
}

BEGIN
{
	printf("%d %d\n", index(cmd[0].a, cmd[0].b), cmd[0].n);
	printf("%d %d\n", rindex(cmd[1].a, cmd[1].b), cmd[1].n);
	printf("%s %s\n", strtok(cmd[0].a, "r"), strtok(NULL, cmd[1].b));
	printf("[%s] %s %d\n", self->mine.a, self->mine.b, self->mine.n);
	t = (string *)alloca(sizeof(string));
	*t = cmd[1].b;
	printf("%s\n", stringof(*t));
	exit(0);
}
