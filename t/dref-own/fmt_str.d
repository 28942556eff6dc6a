/* printf: strings and arrays of char, cut and filled */
#pragma D option quiet

BEGIN
{
	s = "quartz";
	printf("[%s] [%10s] [%-10s] [%.4s] [%10.4s] [%-10.4s]\n", s, s, s, s,
	    s, s);
	printf("[%s] [%3s] [%.0s] [%.99s]\n", "", "", s, s);
	p = (char *)alloca(8);
	bcopy("granite", p, 8);
	printf("%s %d\n", stringof(p), strlen(stringof(p)));
	exit(0);
}
