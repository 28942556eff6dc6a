/* paths, and rindex() with a position */
#pragma D option quiet

BEGIN
{
	printf("[%s] [%s] [%s] [%s]\n", basename("/usr/lib/x.so"),
	    basename("/"), basename(""), basename("a//b//"));
	printf("[%s] [%s] [%s]\n", cleanpath("/a/b/.."), cleanpath("../x/./y"),
	    cleanpath("/a/.../b/..c/."));
	printf("[%s] [%s] [%s]\n", cleanpath("/a/b/../../../c"),
	    cleanpath("//"), cleanpath(""));
	printf("%d %d %d %d\n", rindex("banana", "an"),
	    rindex("banana", "an", 2), rindex("banana", "x"),
	    rindex("banana", "a", 99));
	exit(0);
}
