/* aggpack: one line a distribution */
#pragma D option quiet
#pragma D option aggpack
BEGIN
{
	@a["one"] = quantize(10); @a["one"] = quantize(100);
	@a["two"] = quantize(8, 8); @a["two"] = quantize(64, -1);
	@l["lin", 4] = lquantize(3, 0, 10, 1); @c = count();
	exit(0);
}
