/* what is added after clear and trunc begins anew */
#pragma D option quiet

BEGIN
{
	@a["x"] = sum(5); @a["y"] = sum(6); @m["x"] = min(3); @c = count();
	@t["x"] = sum(9); @t["y"] = sum(8);
}
tick-400ms { n++; }
tick-400ms / n == 1 / { clear(@a); clear(@m); clear(@c); trunc(@t, 1); }
tick-400ms / n == 3 / { @a["x"] = sum(7); @m["x"] = min(9); @c = count(); }
tick-400ms / n == 3 / { @t["y"] = sum(1); exit(0); }
