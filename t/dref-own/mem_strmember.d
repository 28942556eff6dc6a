/* strings in structs and in arrays are as long as their place */
#pragma D option quiet
#pragma D option strsize=8

struct s { string a; int b; string c; };
struct s v;
string r[3];
BEGIN
{
	v.b = 7; v.c = "z"; v.a = "123456789abc";
	printf("[%s] %d [%s]\n", v.a, v.b, v.c);
	w = v;
	printf("[%s] %d\n", w.a, w.b);
	r[0] = "zero"; r[2] = "two"; i = 2;
	printf("[%s] [%s] [%s] %d\n", r[0], r[1], r[i], v.a == "1234567");
	exit(0);
}
