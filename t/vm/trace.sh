# dt-trace on this kernel, and on what is left of it without this and that.
. /in/check.bash
printf '0123456789abcdef' >/tmp/data
writes='dd if=/dev/zero of=/dev/null bs=1 count=1000 status=none'

test_begin_end() {
	d -qn 'BEGIN { self->a = 1; x["a", 1] = 5; this->s = "str";
	    printf("%d %d %s %d\n", self->a, x["a", 1], this->s,
	    pid == $pid); exit(3); }
	    END { printf("end %d\n", self->a); }' >out || [ $? -eq 3 ]
	same '1 5 str 1
end 1' <out
}

# Pairs of entry and return, none of them lost or counted twice.
pairs() {
	d "$@" -qn 'syscall::write:entry /pid == $target/ {
	    self->t = timestamp; }
	syscall::write:return /self->t/ { @n[execname, arg1] = count();
	    @t = min(timestamp - self->t > 0); self->t = 0; }
	END { printa("%s %d %@d\n", @n); printa("%@d\n", @t); }' \
	    -c "$writes" | same 'dd 1 1000
1'
}
test_pairs() { pairs; }

# Ticks, globals and self-> of our own thread.
ticks() {
	d "$@" -qn 'BEGIN { self->z = 3; } tick-10ms { n++; }
	tick-200ms { printf("%d %d %s\n", n > 3, self->z, execname); exit(0); }
	END { printf("end %d\n", self->z); }' | same '1 3 dt-trace
end 3'
}
test_ticks() { ticks; }

test_profile() {
	d -qn 'profile-197 /pid == $target/ { @n = count();
	    @u[arg1 != 0] = count(); @s[ustack(3)] = count();
	    @k[stack(3)] = count(); }
	END { printa("n %@d\n", @n); trunc(@u); }' \
	    -c 'dd if=/dev/zero of=/dev/null bs=1 count=200000' \
	    >out 2>/dev/null
	[ "$(sed -n 's/^n //p' out)" -gt 10 ]
	grep -q 'busybox`' out
	grep -q 'vmlinux`.*read' out
}

test_structs() {
	d -qn 'BEGIN { printf("%s %d %s\n", curthread->comm, curthread->pid ==
	    tid, curthread->real_parent->comm); exit(0); }' |
	    same 'dt-trace 1 bash'
}

test_proc() {
	d -qn 'proc:::create { @c = count(); self->c = 1; }
	proc:::exec-success { printf("exec %s\n", execname); }
	proc:::exit /execname == "false"/ { printf("exit %d\n", arg0); }
	END { printa("create %@d\n", @c); }' \
	    -c "sh -c '/bin/false; /bin/true; exit 0'" >out
	grep -q 'exec false' out
	grep -q 'exit 1' out
	grep -q '^create [1-9]' out
}

test_sdt() {
	d -ln 'sdt:sched::sched_switch' | grep sched_switch >/dev/null
	d -qn 'sdt:sched::sched_process_exec /execname == "true"/ {
	    printf("%s %d\n", stringof(args[2]->filename), args[1] > 0); }' \
	    -c 'sh -c "/bin/true; :"' | same '/bin/true 1'
}

test_sched() {
	d -qn 'sched:::off-cpu /args[1]->pr_pid == $target/ { @i = count(); }
	sched:::on-cpu /pid == $target/ { @n[execname, probename] = count(); }
	sched:::off-cpu, sched:::sleep /pid == $target/ {
	    @n[execname, probename] = count(); }
	sched:::wakeup /args[1]->pr_pid == $target/ { @w = count(); }
	END { printa("%s %s %@d\n", @n); printa("in %@d\n", @i);
	    printa("woken %@d\n", @w); }' \
	    -c 'sh -c "for i in 1 2 3; do usleep 1000; done"' >out
	for p in 'sh on-cpu' 'sh off-cpu' 'sh sleep' in woken; do
		grep "^$p [1-9]" out
	done
}

# Requests of a loop device: as many done as started, as many bytes as read.
test_io() {
	for f in /lib/modules/*.ko; do
		insmod "$f"
	done
	dd if=/dev/zero of=img bs=64k count=4 status=none
	losetup /dev/loop0 img
	d -qn 'io:::start, io:::done /args[1]->dev_name == "loop0"/ {
	    @[probename] = sum(args[0]->b_bcount); }
	END { printa("%s %@d\n", @); }' \
	    -c 'dd if=/dev/loop0 of=/dev/null bs=64k' 2>/dev/null |
	    sort | same '
done 262144
start 262144'
	losetup -d /dev/loop0
}

# No frame pointers there: libc's callers are found all the same.
test_unwind() {
	d -x unwind=dwarf -qn 'syscall::write:entry /pid == $target/ {
	    ustack(8); exit(0); }' -c 'bash -c "echo x"' >out
	grep 'libc.*write' out
	grep -c 'bash`' out
}

test_stats() {
	d -qn 'syscall::write:entry /pid == $target/ { printf("%d\n", arg2); }' \
	    --stats st -c "$writes" >out
	[ "$(grep -c '^1$' out)" = 1000 ]
	grep '"records":.*1000' st
	grep '"release":.*"6\.1\.' st
}

# Vectors of our own; their time is too long for each run.
test_vectors() {
	[ -d /in/dref-own ] || return 0
	LIMIT=60 DT_TRACE=dt-trace /in/run-vectors /in/dref-own
}

# Losses are told: a buffer too small for a burst.
test_drops() {
	d -b 4k -x switchrate=2s -qn 'syscall::write:entry /pid == $target/ {
	    trace(timestamp); @ = count(); } END { printa("%@d\n", @); }' \
	    --stats st -c "$writes" >out 2>err
	grep -q 'drops on CPU' err
	grep -q '"principal"' st
}

# Everything that 5.8 lacks left unused.
old=task-storage,task-btf,test-run,cookie,alloc,sleep
test_old_pairs() { pairs -x without=$old; }
test_old_ticks() { ticks -x without=$old; }
test_old_unused() {
	d -x without=$old -qn 'BEGIN { ustack(1); exit(0); }' |
	    grep 'dt-trace`' >/dev/null
	d -S -x disasm=bpf -en 'syscall::read:entry { self->x = ppid; }' >new
	d -S -x disasm=bpf -x without=$old \
	    -en 'syscall::read:entry { self->x = ppid; }' >old
	grep 'task_btf' new && grep 'task_storage_get' new
	! grep 'task_btf\|task_storage_get' old
	grep 'map_lookup_elem' old
}
test_hash_pairs() { pairs -x without=task-storage; }
test_old_proc() {
	d -x without=$old -qn 'syscall::exit_group:entry /pid == $target/ {
	    self->x = 7; } proc:::lwp-exit /self->x/ { printf("%d %d\n",
	    self->x, ppid > 0); }' -c true | same '7 1'
}

# Variables of threads that ended do not fill the hash.
test_old_reap() {
	d -x without=task-storage -x dynvarsize=4k -qn 'syscall::brk:entry {
	    self->x = 1; self->y = 2; @ = count(); }
	END { printa("%@d\n", @); }' --stats st \
	    -c 'sh -c "for i in $(seq 1 300 | xargs); do /bin/true; done"' \
	    >out 2>err
	same '' <err
	[ "$(cat out)" -ge 300 ]
}

test_old_loop() {
	d -x without=loop -qn 'BEGIN { printf("%s %d\n", strjoin("a", "b"),
	    strlen("abc")); exit(0); }' | same 'ab 3'
	fails 'line 1: this string function needs Linux 5.17' \
	    d -x without=loop -n 'BEGIN { trace(index("abc", "c")); }'
	fails 'line 1: speculations need Linux 5.12' \
	    d -x without=cmpxchg -n 'BEGIN { self->s = speculation(); }'
}

test_privilege() {
	fails 'CAP_BPF and CAP_PERFMON' su nobody -c \
	    "dt-trace -n 'BEGIN { exit(0); }'"
	su nobody -c "dt-trace -en 'syscall::read:entry { trace(arg0); }'"
	su nobody -c "dt-trace -ln 'syscall::read:entry'" |
	    grep 'syscall *vmlinux *read entry' >/dev/null
}

test_tracefs() {
	umount /sys/kernel/debug/tracing 2>/dev/null || :
	umount /sys/kernel/debug
	umount /sys/kernel/tracing
	fails 'mount -t tracefs tracefs /sys/kernel/tracing' \
	    d -n 'sdt:sched::sched_switch { exit(0); }'
	fails 'mount -t tracefs tracefs /sys/kernel/tracing' \
	    d -n 'proc:::start { exit(0); }'
	# what does not need it works, fbt too
	pairs
	d -qn 'proc:::exit /pid == $target/ { printf("%d\n", arg0); }
	    fbt::do_exit:entry /pid == $target/ { printf("do_exit\n"); }' \
	    -c true | same 'do_exit
1'
	mount -t tracefs tracefs /sys/kernel/tracing
	mount -t debugfs debugfs /sys/kernel/debug
}

test_btf() {
	mkdir e
	mount --bind e /sys/kernel/btf
	ticks
	d -qn 'profile-97 /arg0/ { @[stack(2)] = count(); } tick-500ms {
	    exit(0); }' | grep 'vmlinux`' >/dev/null
	for p in syscall:::entry proc:::create fbt::vfs_read:entry; do
		fails BTF d -n "$p { exit(0); }"
	done
	umount /sys/kernel/btf
}

# The programs with real DTrace's output; their executables are made outside.
test_reference() {
	[ -d /in/d-reference ] || return 0
	cp /in/gcc /bin/gcc
	cd /in/d-reference
	# shellcheck disable=SC2046
	SHOW=1 LIMIT=60 JOBS=2 ./run.sh dt-trace . $(cat /in/cases)
}

run_tests
