/* paths of the process and of its open files */
#pragma D option quiet

BEGIN
{
	printf("%s %s\n", root, basename(cwd));
	printf("%s %s\n", fds[0].fi_pathname, fds[0].fi_name);
	printf("%s %s\n", fds[0].fi_dirname, fds[5000].fi_pathname);
	exit(0);
}
