/* assignment through pointers to global variables */
#pragma D option quiet

int v[3];
int *p, *q;
struct { char c; short s; } st;
short *h;

BEGIN
{
	v[0] = 200; v[1] = 400; v[2] = 600;
	p = v;
	q = p;
	q[0] = 1; q[1] = 22; *(q + 2) = 333;
	printf("%d %d %d %d\n", v[0], v[1], v[2], p[2]);
	h = &st.s;
	*h = -7;
	printf("%d %d\n", st.s, st.c);
	p = (int *)alloca(8);
	p[1] = 9;
	printf("%d %d\n", p[0], p[1]);
}

BEGIN { p = &v[2]; p[100000] = 1; printf("no\n"); }
BEGIN { p = 0; *p = 1; printf("no\n"); }
BEGIN { exit(0); }
