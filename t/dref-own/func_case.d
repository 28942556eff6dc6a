/* toupper and tolower leave all but ASCII letters alone */
#pragma D option quiet

BEGIN
{
	printf("[%s] [%s]\n", toupper("Mixed 09_z\303\251"), tolower("MIXED 09_Z"));
	exit(0);
}
