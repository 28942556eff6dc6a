/* printf: widths and precisions, given and from arguments */
#pragma D option quiet

BEGIN
{
	printf("|%1d|%5d|%-5d|%.3d|%7.3d|%-7.3d|\n", 1234, 12, 12, 7, 7, 7);
	printf("|%.0d|%.1d|%.2x|%6.4X|\n", 0, 0, 10, 171);
	printf("|%*d|%-*d|%0*d|%*d|\n", 6, 41, 6, 41, 6, 41, -6, 41);
	printf("|%.*d|%*.*d|\n", 4, 9, 8, 4, 9);
	printf("|%*s|%-*s|%.*s|%*.*s|\n", 6, "ab", 6, "ab", 1, "ab", 6, 1, "ab");
	printf("|%?x|%-?x|%0?x|\n", 0xabc, 0xabc, 0xabc);
	exit(0);
}
