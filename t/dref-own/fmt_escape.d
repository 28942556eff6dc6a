/* printf: S and C print what does not print as C escapes */
#pragma D option quiet

BEGIN
{
	printf("%S|\n", "tab\there \"quoted\" back\\slash\n");
	printf("%S|\n", "bell\a bs\b ff\f cr\r vt\v \001\177\377");
	printf("[%20S] [%-20S] [%.3S]\n", "a\n", "a\n", "abcdef");
	printf("%C%C%C%C%C\n", 'x', '\n', '\0', '"', '\x80');
	printf("[%4C] [%-4C]\n", '\t', '\t');
	exit(0);
}
