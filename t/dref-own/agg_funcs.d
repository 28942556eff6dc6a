/* every aggregating function over the same values, from two clauses */
#pragma D option quiet

BEGIN
{
	@c = count(); @s = sum(7); @a = avg(7); @lo = min(7); @hi = max(7);
	@d = stddev(7); @q = quantize(7); @l = lquantize(7, 0, 20, 5);
	@ll = llquantize(7, 10, 0, 1, 10);
}
BEGIN
{
	@c = count(); @s = sum(-2); @a = avg(-2); @lo = min(-2); @hi = max(-2);
	@d = stddev(-2); @q = quantize(-2); @l = lquantize(-2, 0, 20, 5);
	@ll = llquantize(-2, 10, 0, 1, 10);
	exit(0);
}
