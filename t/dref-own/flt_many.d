/* a clause with many places where a fault may be needs little stack */
#pragma D option quiet

BEGIN
{
	printf("%s %s %s %s\n", fds[0].fi_pathname, fds[0].fi_name,
	    fds[0].fi_dirname, fds[0].fi_pathname);
	printf("%d %d %d\n", curpsinfo->pr_sid >= 0, curpsinfo->pr_uid == uid,
	    curthread->parent->tgid == ppid);
}
BEGIN { p = (int *)0; x = curpsinfo->pr_sid + curpsinfo->pr_pgid + *p; }
BEGIN { exit(0); }
ERROR { printf("%d\n", arg4); }
