/* index() and rindex() of empty strings, which are everywhere */
#pragma D option quiet

BEGIN
{
	e = "";
	printf("%d %d %d %d\n", index(e, e), index(e, e, 1), rindex(e, e, 5),
	    rindex(e, e, -1));
	printf("%d %d %d %d\n", index(e, "a"), rindex(e, "a", 0),
	    index("abc", e, 1), rindex("abc", e));
	printf("%d %d %d %d\n", index("abc", e, 9), index("abc", e, -9),
	    rindex("abc", e, -9), rindex("abc", e, 9));
	exit(0);
}
