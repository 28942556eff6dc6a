/* aggzoom: the fullest bucket fills the line */
#pragma D option quiet
#pragma D option aggzoom
BEGIN
{
	@a = quantize(10); @a = quantize(100); @a = quantize(8, 8);
	exit(0);
}
