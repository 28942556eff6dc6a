/* printf: every flag, alone and together, with positive, negative and zero */
#pragma D option quiet

BEGIN
{
	printf("|%8d|%-8d|%08d|%+d|% d|\n", 90, 90, 90, 90, 90);
	printf("|%8d|%-8d|%08d|%+d|% d|\n", -90, -90, -90, -90, -90);
	printf("|%+8d|%-+8d|%+08d|% 8d|%- 8d|\n", 3, 3, 3, 3, 3);
	printf("|%#x|%#X|%#o|%#10x|%-#10o|%#010x|\n", 63, 63, 63, 63, 63, 63);
	printf("|%#x|%#o|%+d|% d|%08d|\n", 0, 0, 0, 0, 0);
	printf("|%-08d|%+ d|\n", 12, 12);
	exit(0);
}
