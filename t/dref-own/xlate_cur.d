/* curpsinfo, curlwpsinfo and curcpu, made of the kernel's own structs */
#pragma D option quiet

BEGIN
{
	printf("%d %d %d %d\n", curpsinfo->pr_pid == pid,
	    curpsinfo->pr_ppid == ppid, curlwpsinfo->pr_lwpid == tid,
	    curcpu->cpu_id == cpu);
	printf("%d %d %d\n", curpsinfo->pr_uid == uid,
	    curpsinfo->pr_fname == execname, curthread->pid == tid);
	printf("%d %c\n", index(curpsinfo->pr_psargs, "xlate_cur.d") > 0,
	    curlwpsinfo->pr_sname);
	p = curpsinfo;
	printf("%d %d\n", p->pr_egid == gid, execargs == p->pr_psargs);
	exit(0);
}
