/* agghist: numbers with bars; aggzoom: bars to the largest one */
#pragma D option quiet
#pragma D option agghist
BEGIN
{
	@a["one", 1] = sum(10); @a["two hundred", 3] = sum(30);
	@b["x"] = sum(-3); @b["y"] = sum(6);
	exit(0);
}
END { setopt("aggzoom"); printa(@a); }
