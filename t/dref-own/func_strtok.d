/* strtok keeps its place between calls */
#pragma D option quiet

BEGIN
{
	printf("[%s]", strtok("  one, two;three", " ,"));
	printf("[%s]", strtok(NULL, " ,"));
	printf("%d\n", strtok(NULL, " ,") == NULL);
	exit(0);
}
