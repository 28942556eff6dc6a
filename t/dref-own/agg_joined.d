/* printa of several: zero where a key is missing; aggsortpos */
#pragma D option quiet

BEGIN
{
	@a["p"] = sum(5); @a["q"] = sum(1); @b["q"] = count(); @b["r"] = count();
	@c["p"] = max(9); @c["r"] = max(7);
	printa("%s %@d %@d %@d\n", @a, @b, @c);
	printa(@a, @b);
	exit(0);
}
END { setopt("aggsortpos", "2"); printa("%s %@d %@d %@d\n", @a, @b, @c); }
