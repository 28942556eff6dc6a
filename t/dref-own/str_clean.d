/* cleanpath() of relative paths, of dots, of slashes at the end */
#pragma D option quiet

BEGIN
{
	printf("%s %s %s\n", cleanpath("/usr/lib/"), cleanpath("/usr/./."),
	    cleanpath("usr//lib/."));
	printf("%s %s %s\n", cleanpath("x/.."), cleanpath("x/../y"),
	    cleanpath("./x/./y/"));
	printf("%s %s %s\n", cleanpath(".."), cleanpath("../x/../.."),
	    cleanpath("x/../../../y"));
	printf("%s %s %s\n", cleanpath("/"), cleanpath("/../.."),
	    cleanpath("/x/y/../../.."));
	printf("%s %s [%s]\n", cleanpath("."), cleanpath("././/"),
	    cleanpath(""));
	printf("%s %s\n", cleanpath(".x/..y/...z/"), cleanpath("/.../..x/.."));
	exit(0);
}
