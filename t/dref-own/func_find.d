/* index, rindex, strchr, strrchr and strstr */
#pragma D option quiet

BEGIN
{
	s = "abracadabra";
	printf("%d %d %d %d\n", index(s, "a"), index(s, "bra"), index(s, "z"),
	    index(s, "a", 1));
	printf("%d %d %d %d\n", rindex(s, "a"), rindex(s, "bra"), rindex(s, "z"),
	    rindex(s, "a", 9));
	printf("%d %d %d\n", index(s, "a", -5), index(s, "a", 99), index("", ""));
	printf("[%s] [%s] [%s]\n", strchr(s, 'c'), strrchr(s, 'b'), strchr(s, 'a'));
	printf("[%s] [%s]\n", strstr(s, "cad"), strstr(s, ""));
	printf("%d %d %d\n", strchr(s, 'z') == NULL, strrchr(s, 'z') == NULL,
	    strstr(s, "abrb") == NULL);
	exit(0);
}
