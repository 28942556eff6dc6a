/*
 * procs.d: births, execs and deaths of a process and all its descendants.
 * Usage: TRACER -s procs.d PID; prints a spool, see dt-bundle(5).
 *
 * tracked[] holds the living cohort: PID, and each child as it is born, so
 * that a child whose parent has gone is followed too. Linux: the path comes
 * from where execve() leaves it, after the environment (AT_EXECFN), and the
 * exit status from the kernel's task, which is the leader's unless the whole
 * group exits (SIGNAL_GROUP_EXIT, 4).
 */
#pragma D option quiet
#pragma D option strsize=4096
#pragma D option bufsize=4m
#pragma D option switchrate=10hz

BEGIN
{
	tracked[$1] = 1;
	@fired = sum(0);
	printf("READY\t1\tprocs\t%d\n", timestamp);
}

proc:::create
/tracked[pid]/
{
	tracked[args[0]->pr_pid] = 1;
	@fired = sum(1);
}

proc:::create
/tracked[pid]/
{
	printf("proc-fork\t%d\t%d\t%d\t%d\t%d\n", timestamp, pid, tid, cpu,
	    args[0]->pr_pid);
}

/* The path cannot be read if its page is gone: then the name is enough. */
proc:::exec-success
/tracked[pid]/
{
	this->path = execname;
	@fired = sum(1);
}

proc:::exec-success
/tracked[pid]/
{
	this->path = copyinstr(curthread->mm->env_end);
}

proc:::exec-success
/tracked[pid]/
{
	printf("proc-exec\t%d\t%d\t%d\t%d\t%S\n", timestamp, pid, tid, cpu,
	    this->path);
}

/* In the creator's context, so that no record of a thread precedes its own. */
proc:::lwp-create
/tracked[pid]/
{
	@fired = sum(1);
}

proc:::lwp-create
/tracked[pid]/
{
	printf("thread-start\t%d\t%d\t%d\t%d\n", timestamp, pid,
	    args[0]->pr_lwpid, cpu);
}

proc:::lwp-exit
/tracked[pid]/
{
	@fired = sum(1);
}

proc:::lwp-exit
/tracked[pid]/
{
	printf("thread-exit\t%d\t%d\t%d\t%d\n", timestamp, pid, tid, cpu);
}

proc:::exit
/tracked[pid]/
{
	this->code = curthread->signal->flags & 4 ?
	    curthread->signal->group_exit_code :
	    curthread->group_leader->exit_code;
	@fired = sum(1);
}

proc:::exit
/tracked[pid]/
{
	printf("proc-exit\t%d\t%d\t%d\t%d\t%d\n", timestamp, pid, tid, cpu,
	    this->code & 0x7f ? -(this->code & 0x7f) :
	    (this->code >> 8) & 0xff);
}

proc:::exit
/tracked[pid]/
{
	tracked[pid] = 0;
}

END
{
	printa("COUNT\tfired\t%@d\n", @fired);
	printf("END\t%d\n", timestamp);
}
