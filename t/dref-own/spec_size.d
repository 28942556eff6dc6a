/* specsize counts no header of records */
#pragma D option quiet
#pragma D option specsize=48

int x, y;

BEGIN { s = speculation(); }
BEGIN { speculate(s); printf("%d %d %d\n", s, x, y); x++; }
BEGIN { speculate(s); printf("%d is one more\n", x); x++; }
BEGIN { speculate(s); printf("%d is too much\n", x); x++; }
BEGIN { commit(s); }
BEGIN { exit(0); }
