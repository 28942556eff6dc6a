/* not quiet: a clause that only commits or discards shows no line of its own,
 * one that speculates shows its line when it is committed */
#pragma D option nspec=2
BEGIN { self->a = speculation(); self->b = speculation(); }
BEGIN { speculate(self->a); }
BEGIN { speculate(self->b); printf("gone"); }
BEGIN { speculate(self->a); printf("kept"); }
BEGIN { discard(self->b); }
BEGIN { commit(self->a); }
BEGIN { printf("after"); exit(0); }
