/* speculations are free again after commit() or discard() */
#pragma D option quiet
#pragma D option nspec=1

/* a number is free again as soon as it is committed or discarded */
BEGIN { s = speculation(); speculate(s); }
BEGIN { speculate(s); printf("one\n"); }
BEGIN { commit(s); }
BEGIN { old = s; s = speculation(); }
BEGIN { speculate(s); printf("dropped\n"); }
BEGIN { discard(s); s = speculation(); }
BEGIN { speculate(s); printf("two\n"); }
BEGIN { commit(s); commit(s); discard(s); }
/* not a speculation any more: nothing is recorded, all else is done */
BEGIN { speculate(s); printf("lost\n"); t = 1; }
BEGIN { speculate(0); printf("lost\n"); }
BEGIN { printf("%d %d %d\n", old, s, t); exit(0); }
