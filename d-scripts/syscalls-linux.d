/*
 * syscalls-linux.d: the system calls of a process and all its descendants.
 * Usage: TRACER -s syscalls-linux.d PID; prints a spool, see dt-bundle(5).
 *
 * A call is paired in the kernel and printed at its return. Its first path is
 * read at return, when its page is resident for certain, in a clause of its
 * own, so that a fault there costs the path and not the record. An execve()
 * that succeeds replaces the memory: its path is where it leaves it for the
 * new program, after the environment (AT_EXECFN; of an execveat() that is
 * relative to a descriptor N it begins with /dev/fd/N). Calls without a path
 * are printed by a clause without strings: they are the frequent ones.
 */
#pragma D option quiet
#pragma D option zdefs
#pragma D option strsize=4096
#pragma D option bufsize=16m
#pragma D option switchrate=10hz

this string path;

BEGIN
{
	tracked[$1] = 1;
	@fired = sum(0);
	printf("READY\t1\tsyscalls\t%d\n", timestamp);
}

proc:::create
/tracked[pid]/
{
	tracked[args[0]->pr_pid] = 1;
}

syscall:::entry
/tracked[pid]/
{
	self->ts = timestamp;
	self->arg0 = arg0;
	self->arg1 = arg1;
	self->id = id;
}

/* Names of calls, for a thread that ends in one. */
syscall:::entry
/self->ts && !named[id]/
{
	names[id] = probefunc;
	named[id] = 1;
}

/* It never returns: it restores what a signal interrupted. */
syscall::rt_sigreturn:entry
/self->ts/
{
	@fired = sum(1);
}

syscall::rt_sigreturn:entry
/self->ts/
{
	printf("syscall\t%d\t%d\t%d\t%d\t0\t%s\t%d\t0\t0\t\n", self->ts, pid,
	    tid, cpu, probefunc, self->arg0);
}

syscall::rt_sigreturn:entry
{
	self->ts = 0;
}

syscall:::return
{
	this->ts = self->ts;
	this->at = (uintptr_t)0;
}

syscall:::return
/this->ts/
{
	self->ts = 0;
	@fired = sum(1);
}

/* Calls whose first argument is a path. */
syscall::access:return,
syscall::acct:return,
syscall::chdir:return,
syscall::chmod:return,
syscall::chown:return,
syscall::chroot:return,
syscall::creat:return,
syscall::execve:return,
syscall::getxattr:return,
syscall::lchown:return,
syscall::lgetxattr:return,
syscall::link:return,
syscall::listxattr:return,
syscall::llistxattr:return,
syscall::lremovexattr:return,
syscall::lsetxattr:return,
syscall::lstat:return,
syscall::mkdir:return,
syscall::mknod:return,
syscall::newlstat:return,
syscall::newstat:return,
syscall::open:return,
syscall::pivot_root:return,
syscall::readlink:return,
syscall::removexattr:return,
syscall::rename:return,
syscall::rmdir:return,
syscall::setxattr:return,
syscall::stat:return,
syscall::statfs:return,
syscall::swapoff:return,
syscall::swapon:return,
syscall::symlink:return,
syscall::symlinkat:return,
syscall::truncate:return,
syscall::umount2:return,
syscall::umount:return,
syscall::unlink:return,
syscall::utime:return,
syscall::utimes:return
{
	this->at = (uintptr_t)self->arg0;
}

/* Calls whose second argument is a path. */
syscall::execveat:return,
syscall::faccessat2:return,
syscall::faccessat:return,
syscall::fanotify_mark:return,
syscall::fchmodat2:return,
syscall::fchmodat:return,
syscall::fchownat:return,
syscall::fstatat64:return,
syscall::futimesat:return,
syscall::inotify_add_watch:return,
syscall::linkat:return,
syscall::mkdirat:return,
syscall::mknodat:return,
syscall::mount:return,
syscall::move_mount:return,
syscall::name_to_handle_at:return,
syscall::newfstatat:return,
syscall::open_tree:return,
syscall::openat2:return,
syscall::openat:return,
syscall::readlinkat:return,
syscall::renameat2:return,
syscall::renameat:return,
syscall::statx:return,
syscall::unlinkat:return,
syscall::utimensat:return
{
	this->at = (uintptr_t)self->arg1;
}

syscall:::return
/this->ts && this->at == 0/
{
	printf("syscall\t%d\t%d\t%d\t%d\t%d\t%s\t%d\t%d\t%d\t\n", this->ts,
	    pid, tid, cpu, timestamp - this->ts, probefunc, self->arg0,
	    errno != 0 ? -1 : arg1, errno);
}

syscall:::return
/this->ts && this->at != 0/
{
	this->path = "";
}

syscall::execve:return,
syscall::execveat:return
/this->ts && errno == 0/
{
	this->at = (uintptr_t)curthread->mm->env_end;
}

/* EFAULT: 14, there is nothing to read */
syscall:::return
/this->ts && this->at != 0 && errno != 14/
{
	this->path = copyinstr(this->at);
}

syscall:::return
/this->ts && this->at != 0/
{
	printf("syscall\t%d\t%d\t%d\t%d\t%d\t%s\t%d\t%d\t%d\t%S\n", this->ts,
	    pid, tid, cpu, timestamp - this->ts, probefunc, self->arg0,
	    errno != 0 ? -1 : arg1, errno, this->path);
}

/* A thread that ends in a call: exit(), exit_group(), or it was killed. */
proc:::lwp-exit
/self->ts/
{
	@fired = sum(1);
}

proc:::lwp-exit
/self->ts/
{
	printf("syscall-open\t%d\t%d\t%d\t%d\t%s\t%d\n", self->ts, pid, tid,
	    cpu, names[self->id], self->arg0);
}

proc:::lwp-exit
/tracked[pid]/
{
	self->ts = 0;
	self->arg0 = 0;
	self->arg1 = 0;
	self->id = 0;
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
