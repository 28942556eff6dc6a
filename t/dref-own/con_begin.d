/* the command of BEGIN's system() is traced; an address copied in */
#pragma D option quiet
#pragma D option destructive

BEGIN { system("printf '\177\1\2\376' > /dev/null"); }

syscall::write:entry
/ppid == $pid && arg2 == 4/
{
	p = alloca(4);
	copyinto(arg1, 4, p);
	printf("%s %s\n", inet_ntoa(p), inet_ntoa(copyin(arg1, 4)));
	exit(0);
}
tick-10s { exit(1); }
