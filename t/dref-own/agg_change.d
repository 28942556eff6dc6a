/* clear, trunc, normalize and denormalize */
#pragma D option quiet

BEGIN
{
	@a["k1"] = sum(100); @a["k2"] = sum(250); @a["k3"] = sum(400);
	@q = quantize(5, 10); @n["neg"] = sum(-70);
	exit(0);
}
END
{
	normalize(@a, 10); printa("%s %@d,", @a); printf("\n");
	denormalize(@a); printa("%s %@d,", @a); printf("\n");
	trunc(@a, 2); printa("%s %@d,", @a); printf("\n");
	trunc(@a, -1); printa("%s %@d,", @a); printf("\n");
	clear(@a); printa("%s %@d,", @a); printf("\n");
	trunc(@a); printa("%s %@d,", @a); printf("\n");
	normalize(@n, 7); printa("%@d\n", @n);
	normalize(@q, 5); printa(@q);
	clear(@q); printa(@q);
}
