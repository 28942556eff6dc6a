/* sums of squares beyond 64 bits; sums that wrap */
#pragma D option quiet

BEGIN
{
	@d = stddev(6000000000000000000); @d = stddev(-6000000000000000000);
	@s = sum(9223372036854775807); @s = sum(1);
	@a = avg(-7); @a = avg(-8);
	exit(0);
}
