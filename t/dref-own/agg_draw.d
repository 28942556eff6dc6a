/* drawings: one sign, both, none; the ends of their ranges */
#pragma D option quiet

BEGIN
{
	@a["pos"] = quantize(3); @a["pos"] = quantize(900, 7);
	@a["neg"] = quantize(3, -2); @a["neg"] = quantize(17, -5);
	@a["both"] = quantize(1, 4); @a["both"] = quantize(-6, -4);
	@a["none"] = quantize(8); @a["none"] = quantize(8, -1);
	@b["out"] = lquantize(-100, -20, 20, 10);
	@b["out"] = lquantize(100, -20, 20, 10);
	@b["in"] = lquantize(-20, -20, 20, 10);
	@c = llquantize(1, 2, 0, 4, 2); @c = llquantize(-31, 2, 0, 4, 2);
	@c = llquantize(32, 2, 0, 4, 2);
	exit(0);
}
