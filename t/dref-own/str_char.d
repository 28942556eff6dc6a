/* case, blanks, characters */
#pragma D option quiet

BEGIN
{
	printf("[%s] [%s] [%s]\n", toupper("abcXYz09{`"), tolower("ABCxyZ[@"),
	    toupper(""));
	printf("[%s] [%s] [%s] [%s]\n", strip("  hi there \t"), strip(""),
	    strip(" \t "), strip("x"));
	printf("[%s] [%s]\n", strchr("a.b.c", '.'), strrchr("a.b.c", '.'));
	printf("%d %d\n", strchr("abc", 'z') == NULL, strstr("abc", "d") == NULL);
	exit(0);
}
