/* strjoin, substr, lltostr, strlen and comparison */
#pragma D option quiet

BEGIN
{
	printf("[%s] [%s] [%s]\n", strjoin("up", "on"), strjoin("", "x"),
	    strjoin("x", ""));
	printf("[%s] [%s] [%s] [%s]\n", substr("weather", 2), substr("weather", 1, 3),
	    substr("weather", -3), substr("weather", -5, 2));
	printf("[%s] [%s] [%s]\n", substr("weather", 9), substr("weather", 0, 0),
	    substr("weather", 3, 99));
	printf("%s %s %s\n", lltostr(0), lltostr(-77), lltostr(9223372036854775807));
	printf("%s %s %s\n", lltostr(255, 16), lltostr(64, 8), lltostr(9, 2));
	printf("%d %d\n", strlen(""), strlen(strjoin("four", "teen")));
	printf("%d%d%d%d%d%d\n", "ab" < "b", "b" < "ab", "ab" == "ab", "ab" != "ab",
	    "a" < "ab", "" < "a");
	exit(0);
}
