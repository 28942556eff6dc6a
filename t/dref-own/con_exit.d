/* exit: what follows in its clause still runs, later clauses do not */
#pragma D option quiet

BEGIN { exit(5); printf("still\n"); }
BEGIN { printf("not\n"); }
END { printf("end\n"); }
