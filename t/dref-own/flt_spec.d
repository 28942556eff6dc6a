/* speculations that never were; names of faults */
#pragma D option quiet

BEGIN { commit(-1); i++; }
BEGIN { n = 300; discard(n); i++; }
BEGIN { speculate(2); i++; printf("no\n"); }
BEGIN { speculate(0); i++; printf("no\n"); }
BEGIN { commit(0); }
BEGIN { discard(0); commit(1); j++; }
BEGIN { printf("%d %d\n", i, j); }
BEGIN { x = *(int *)0x10; }
BEGIN { x = 1 / i; }

ERROR
{
	printf("%s\n", arg4 == DTRACEFLT_ILLOP ? "illop" :
	    arg4 == DTRACEFLT_BADADDR ? "badaddr" :
	    arg4 == DTRACEFLT_DIVZERO ? "divzero" : "?");
}

BEGIN { exit(0); }
