/* basename, dirname and cleanpath */
#pragma D option quiet

BEGIN
{
	printf("[%s] [%s] [%s] [%s]\n", basename("/usr/lib/x.so"), basename("x"),
	    basename("/a/b/"), basename("/"));
	printf("[%s] [%s] [%s] [%s]\n", dirname("/usr/lib/x.so"), dirname("x"),
	    dirname("/a/b/"), dirname("/"));
	printf("[%s] [%s] [%s] [%s]\n", cleanpath("/a//b/../c/."),
	    cleanpath("/.."), cleanpath("a/./b//c"), cleanpath("/x/y"));
	exit(0);
}
