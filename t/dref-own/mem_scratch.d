/* alloca(), bcopy(), and what may not be written */
#pragma D option quiet

BEGIN
{
	this->p = (char *)alloca(16);
	this->q = (char *)alloca(8);
	bcopy("hello world", this->p, 12);
	bcopy(this->p + 6, this->q, 6);
	this->q[0] = 'W';
	printf("%s %s\n", stringof(this->p), stringof(this->q));
}

/* nothing but alloca()'s memory may be written */
BEGIN { this->n = (int *)NULL; this->k = (int *)curthread; n = 1000000; }
BEGIN { this->n[0] = 1; printf("no\n"); }
BEGIN { this->k[1] = 1; printf("no\n"); }
BEGIN { bcopy("x", (void *)curthread, 2); printf("no\n"); }
BEGIN { this->r = alloca(n); printf("no\n"); }
BEGIN { exit(0); }
