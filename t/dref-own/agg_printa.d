/* printa: values and keys in any order, formats of both, repeated values */
#pragma D option quiet

BEGIN
{
	@a["oak", 12] = sum(255); @a["ash", -3] = sum(-1);
	printa("%s|%d|%@d|\n", @a);
	printa("%@8d|%-6s|%04d|\n", @a);
	printa("%@x %@u %@o %@d\n", @a);
	printa("%@-8d|%@08d|%@+d|%S|\n", @a);
	printa("value %@d only\n", @a);
	printa("nothing\n", @a);
	exit(0);
}
