/* constants of the D library, of enums, of characters; a base of lltostr */
#pragma D option quiet

enum shade { DARK, MID = 10 } ;
enum shade tone;
BEGIN
{
	tone = MID;
	printf("%d %d %d\n", ENOENT, SIGKILL, O_RDONLY);
	printf("%d %d\n", tone == MID, tone == DARK);
	printf("%d\n", '\'');
	printf("[%s]\n", lltostr(255, 16));
	exit(0);
}
