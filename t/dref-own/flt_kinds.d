/* each kind of fault: the clause ends, what it did stays, ERROR is told */
#pragma D option quiet

int a[4];

ERROR { printf("clause %d, kind %d, value %d\n", arg1, arg4, arg5); }
BEGIN { z = 0; n = 7; }
BEGIN { x = 1 / z; }
BEGIN { x = 1 % z; }
BEGIN { x = a[n]; }
BEGIN { x = *(int *)NULL; }
BEGIN { s = strjoin("a", (string)NULL); }
BEGIN { x = 5; @c = count(); trace(*(int *)8); x = 6; }
BEGIN / 1 / z / { printf("no\n"); }
BEGIN { printf("x=%d\n", x); exit(0); }
