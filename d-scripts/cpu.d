/*
 * cpu.d: samples of the stacks of a process and all its descendants, 997 a
 * second on each CPU. Usage: TRACER -s cpu.d PID; prints a spool, see
 * dt-bundle(5).
 *
 * A stack cannot be printed within a line: stack() and ustack() begin with a
 * newline and print a frame a line, so that kernel frames, an empty line,
 * user frames and an empty line follow each record.
 */
#pragma D option quiet
#pragma D option bufsize=8m
#pragma D option switchrate=10hz
#pragma D option stackframes=64
#pragma D option ustackframes=127

BEGIN
{
	tracked[$1] = 1;
	@fired = sum(0);
	printf("READY\t1\tcpu\t%d\n", timestamp);
}

proc:::create
/tracked[pid]/
{
	tracked[args[0]->pr_pid] = 1;
}

/* arg0 is the kernel's program counter, 0 where user code was running. */
profile:::profile-997
/tracked[pid]/
{
	@fired = sum(1);
}

profile:::profile-997
/tracked[pid]/
{
	printf("cpu-sample\t%d\t%d\t%d\t%d\t%s", timestamp, pid, tid, cpu,
	    arg0 != 0 ? "kernel" : "user");
	stack();
	ustack();
	printf("\n");
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
