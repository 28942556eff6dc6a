load helper

# dt-trace's providers on real targets.

setup() {
	helper_setup
	[ ! -e "$BATS_FILE_TMPDIR/provprog" ] ||
	    ln -s "$BATS_FILE_TMPDIR/provprog" provprog
}

setup_file() {
	"${CC:-cc}" -O1 -g -pthread -o "$BATS_FILE_TMPDIR/provprog" \
	    "$BATS_TEST_DIRNAME/provprog.c" || true
}

need_trace() {
	need_root
	command -v dt-trace >/dev/null || skip "dt-trace is not built"
	timeout 20 dt-trace -qn 'BEGIN { exit(0); }' >/dev/null 2>why ||
	    skip "cannot trace here: $(cat why)"
	[ -x provprog ] || skip "no compiler, or no <sys/sdt.h>"
}

dt() {
	timeout -k 5 60 dt-trace "$@"
}

# prog MODE PROGRAM: dt-trace -q on provprog in that mode.
prog() {
	status 0 dt -q -c "./provprog $1" -n "$2"
}

@test "syscall: every call of the kernel's has a probe" {
	need_trace
	d=/sys/kernel/tracing/events/syscalls
	[ -d $d ] || skip "no tracefs"
	set --
	for c in "$d"/sys_enter_*; do
		set -- "$@" -n "syscall::${c##*/sys_enter_}:entry"
	done
	status 0 dt -l "$@"
	hasnt "No probe matches"
	[ "$(grep -c ' syscall .* entry$' <<<"$output")" -eq $(($# / 2)) ]
}

@test "syscall: as many of each as strace sees" {
	need_trace
	need_tool strace
	strace -o log -qq find /etc -maxdepth 1 >/dev/null
	sed -n 's/^\([a-z0-9_]*\)(.*/\1/p' log | grep -v '^execve$' | sort |
	    uniq -c | awk '{ print $2, $1 }' >want
	[ "$(wc -l <want)" -gt 10 ]
	dt -q -o got.raw -c 'find /etc -maxdepth 1' -n '
	    syscall:::entry /pid == $target/ { @[probefunc] = count(); }' \
	    >/dev/null
	awk 'NF == 2 { print $1, $2 }' got.raw | sort >got
	diff want got
}

@test "syscall: results and errno as strace prints them" {
	need_trace
	need_tool strace
	strace -o log -qq ./provprog calls >/dev/null
	sed -nE 's/^(close|read|openat|getppid|write)\((.*)\) += (-?[0-9]+) ?([A-Z]*).*/\1 \3 \4/p' \
	    log | sed 's/^getppid .*/getppid 1 /; s/EBADF/9/; s/ENOENT/2/' |
	    sed 's/ $/ 0/' | tail -5 >want
	prog calls 'syscall::getppid:entry /pid == $target/ { self->on = 1; }
	    syscall::close:return, syscall::read:return, syscall::write:return,
	    syscall::openat:return /self->on/
	    { printf("%s %d %d\n", probefunc, arg0, errno); }
	    syscall::getppid:return /self->on/
	    { printf("getppid %d %d\n", arg1 > 0, errno); }'
	diff want - <<<"$output"
	grep -q '^close -1 9$' want
}

@test "syscall: a fork's child returns from it, exec in the new program" {
	need_trace
	prog children 'BEGIN { tracked[$target] = 1; }
	    proc:::create /tracked[pid]/ { tracked[args[0]->pr_pid] = 1; }
	    syscall::*fork:return, syscall::clone*:return /tracked[pid]/
	    { @[arg1 == 0 ? "child" : "parent"] = count(); }
	    syscall::execve:return /tracked[pid]/
	    { @[strjoin(execname, arg1 == 0 ? " ok" : " failed")] = count(); }'
	has "child  "
	[ "$(awk '$1 == "child" || $1 == "parent" { print $2 }' \
	    <<<"$output" | sort -u)" = 4 ]
	[ "$(grep -cE 'true ok +1$|provprog failed +1$' <<<"$output")" -eq 2 ]
}

@test "syscall: a call through the 32-bit entry is told by its own name" {
	need_trace
	[ "$(uname -m)" = x86_64 ] || skip "not on x86-64"
	[ "$(./provprog compat 2>/dev/null)" = 1 ] ||
	    skip "the kernel has no 32-bit entry"
	prog compat 'BEGIN { on = 0; }
	    syscall::close:entry /pid == $target && arg0 == 4321/ { on = 1; }
	    syscall:::entry /pid == $target && on/
	    { printf("%s\n", probefunc); }
	    syscall::close:return /pid == $target && on/
	    { printf("%d %d\n", arg0, errno); }
	    syscall::writev:entry /pid == $target/ { printf("writev\n"); }'
	diff - <(grep -vx 1 <<<"$output") <<-'END'
	close
	-1 9
	getuid
	socketcall
	write
	exit_group
	END
}

@test "syscall: types of arguments" {
	need_trace
	prog calls 'syscall::openat:entry /pid == $target &&
	    args[0] == -100 && arg2 == 0/ { @[sizeof(args[0]),
	    copyinstr((uintptr_t)args[1])] = count(); }'
	has "/no/such"
}

@test "profile: as many samples as the processor's seconds ask for" {
	need_trace
	prog 'cpu 1' 'profile-997 /pid == $target/ { @n = count(); }
	    profile-997 /pid == $target && (arg0 == 0) == (arg1 == 0)/
	    { @bad = count(); }
	    END { printa("n %@d\n", @n); printa("bad %@d\n", @bad); }'
	hasnt "bad"
	n=$(sed -n 's/^n //p' <<<"$output")
	[ "$n" -gt 880 ] && [ "$n" -lt 1100 ]
}

@test "tick: once a period, whether processors sleep or not" {
	need_trace
	ticks() {
		status 0 dt -qn 'BEGIN { t = timestamp; } tick-20ms { n++; }
		    tick-1010ms { printf("%d %d", n, (timestamp - t) / 20000000);
		    exit(0); }'
		read -r n periods <<<"$output"
		# none early; a busy host has some late
		[ "$n" -le $((periods + 1)) ] && [ "$n" -ge $((periods / 2)) ]
	}
	ticks
	./provprog cpu 1.5 & ./provprog cpu 1.5 &
	ticks
	wait
}

@test "profile: units, and what is too fast" {
	status 0 dt -l -n profile-100 -n profile-10ms -n tick-1us -n tick-0 \
	    -n tick-300000ns -n tick-2min -n tick-1day
	[ "$(grep -c ' profile ' <<<"$output")" -eq 5 ]
	has "failed to match tick-1us"
	has "failed to match tick-0"
}

@test "proc: exec's argument is the path, a string of the process" {
	need_tracefs
	need_trace
	printf '%s\n' /bin/true /no/such/file >x.sh
	for size in 4 64; do
		status 0 dt-trace -x strsize=$size -qc 'bash x.sh' -n 'proc:::exec
		    /ppid == $target || pid == $target/
		    { printf("%s %s\n", args[0], stringof(args[0])); }'
		has "$(printf '%.*s %.*s' $size /bin/true $size /bin/true)"
		has "$(printf '%.*s %.*s' $size /no/such/file \
		    $size /no/such/file)"
		hasnt "invalid address"
	done
	status 0 dt-trace -lvn proc:::exec
	has "args[0]: string"
}

@test "proc: births, execs and deaths, with their reasons" {
	need_tracefs
	need_trace
	prog children 'BEGIN { tracked[$target] = 1; }
	    proc:::create /tracked[pid]/ { tracked[args[0]->pr_pid] = 1;
	    @["create"] = count(); }
	    proc:::start /tracked[pid]/ { @["start"] = count(); }
	    proc:::exec-success /tracked[pid]/
	    { @[strjoin("exec ", execname)] = count(); }
	    proc:::exec-failure /tracked[pid]/
	    { @[strjoin("failed ", lltostr(args[0]))] = count(); }
	    proc:::exit /tracked[pid]/
	    { @[strjoin("exit ", lltostr(args[0]))] = count(); }
	    proc:::lwp-exit /tracked[pid]/ { @["lwp-exit"] = count(); }
	    proc:::lwp-create, proc:::lwp-start /tracked[pid]/
	    { @["thread"] = count(); }'
	sed 's/^ *//; s/  */ /g; /^$/d' <<<"$output" | sort >got
	sort >want <<-'END'
	create 4
	start 4
	exec true 1
	failed 2 1
	exit 1 4
	exit 2 1
	lwp-exit 5
	END
	diff want got
}

@test "proc: threads" {
	need_tracefs
	need_trace
	prog threads 'proc:::lwp-create /pid == $target/
	    { @[probename, args[0]->pr_lwpid != tid] = count(); }
	    proc:::lwp-start, proc:::lwp-exit /pid == $target/
	    { @[probename, pid != tid] = count(); }
	    proc:::create, proc:::start, proc:::exit /pid == $target/
	    { @[probename, 0] = count(); }'
	sed 's/^ *//; s/  */ /g; /^$/d' <<<"$output" | sort >got
	sort >want <<-'END'
	exit 0 1
	lwp-create 1 3
	lwp-start 1 3
	lwp-exit 1 3
	lwp-exit 0 1
	END
	diff want got
}

@test "proc: signals sent, handled and discarded" {
	need_trace
	prog signals 'proc:::signal-send /pid == $target && arg2 < 17/
	    { printf("send %d to %d\n", args[2], args[1]->pr_pid == $target); }
	    proc:::signal-handle /pid == $target/
	    { printf("handle %d\n", args[0]); }
	    proc:::signal-discard /pid == $target && arg2 < 17/
	    { printf("discard %d\n", args[2]); }'
	sort <<<"$output" >got
	diff - got <<-'END'
	discard 12
	handle 10
	send 10 to 1
	send 12 to 1
	END
}

@test "sched: on and off as often as the kernel counts" {
	need_trace
	status 0 dt -q -c './provprog sleeps' -n '
	    syscall::getrusage:entry /pid == $target/ { in = 0; calls++; }
	    syscall::getrusage:return /pid == $target && calls == 1/ { in = 1; }
	    sched:::off-cpu /pid == $target && in/ { @off = count(); }
	    sched:::on-cpu /pid == $target && in/
	    { @on = count(); self->t = 1; }
	    sched:::off-cpu /pid == $target && in && self->t/
	    { @paired = count(); }
	    sched:::sleep /pid == $target && in/ { @sleep = count(); }
	    sched:::wakeup /args[1]->pr_pid == $target && in/
	    { @woken = count(); }
	    END { printa("off %@d\n", @off); printa("on %@d\n", @on);
	    printa("paired %@d\n", @paired); printa("sleep %@d\n", @sleep);
	    printa("woken %@d\n", @woken); }'
	v() { sed -n "s/^$1 //p" <<<"$output"; }
	n=$(head -1 <<<"$output")
	# within the two calls themselves it may be taken off, too
	[ "$(v off)" -ge $((n - 2)) ] && [ "$(v off)" -le $((n + 2)) ]
	[ "$(v on)" -ge $(($(v off) - 1)) ] && [ "$(v on)" -le "$(v off)" ]
	[ "$(v paired)" -ge $(($(v off) - 1)) ]
	[ "$(v sleep)" -ge 10 ] && [ "$(v woken)" -ge 10 ]
}

@test "io: requests that start are done, and their bytes" {
	need_trace
	grep -qvE 'loop|ram|zram' <(ls /sys/block) || skip "no block device"
	status 0 dt -q -c 'dd if=/dev/zero of=f bs=64k count=8 conv=fsync' -n '
	    io:::start { t[arg0] = timestamp; @["start"] = count(); }
	    io:::start /execname == "dd"/
	    { @bytes = sum(args[0]->b_bcount); }
	    io:::done /t[arg0]/ { @["done"] = count(); t[arg0] = 0; }
	    END { printa("%s %@d\n", @); printa("bytes %@d\n", @bytes); }'
	has "start "
	bytes=$(sed -n 's/^bytes //p' <<<"$output")
	[ -n "$bytes" ] || skip "the file system writes elsewhere"
	[ "$bytes" -ge 524288 ]
	[ "$(sed -n 's/^done //p' <<<"$output")" -ge 1 ]
}

@test "sdt: a tracepoint's arguments by the kernel's types" {
	need_tracefs
	need_trace
	prog children 'sdt:sched::sched_process_exec
	    /args[0]->real_parent->tgid == $target/
	    { printf("%s %d\n", stringof(args[0]->comm), args[1] > 0); }'
	[ "$output" = "true 1" ]
	status 0 dt -lvn sdt:sched::sched_switch
	has "struct task_struct *"
	status 0 dt -ln 'sdt:sched::sched_wak*'
	[ "${#lines[@]}" -ge 3 ]
}

@test "pid: arguments, more than registers hold, results" {
	need_trace
	prog funcs 'pid$target:provprog:nine:entry
	    { printf("%d%d%d%d%d%d%d%d%d\n", arg0, arg1, arg2, arg3, arg4, arg5,
	    arg6, arg7, arg8); }
	    pid$target:a.out:nine:return { printf("%d\n", arg1); }
	    pid$target::leaf:entry, pid$target::leaf:return
	    { printf("%s %s %s\n", probemod, probefunc, probename); }
	    pid$target::leaf:0 { printf("at %s %d\n", probename, arg0); }'
	sort <<<"$output" >got
	diff - got <<-'END'
	123456789
	63
	at 0 3
	provprog leaf entry
	provprog leaf return
	END
}

@test "pid: libraries that are not mapped yet, globs, one program for many" {
	need_trace
	need_tool jq
	prog calls 'pid$target:libc.so.6:syscall:entry,
	    pid$target:libc:syscall:return { @[probename] = count(); }'
	[ "$(grep -cE '^ +(entry|return) +5$' <<<"$output")" -eq 2 ]
	status 0 dt -q --stats st.json -c './provprog funcs' -n '
	    pid$target:provprog:*:entry { @[probefunc] = count(); }'
	has "  main "
	has "  leaf "
	has "  nine "
	[ "$(jq '.programs | length' st.json)" -eq 1 ]
}

@test "pid: thousands of functions come and go within seconds" {
	need_trace
	need_tool jq
	[ "$(uname -r | awk -F. '{ print $1 * 100 + $2 }')" -ge 610 ] ||
	    skip "needs Linux 6.10"
	status 0 dt -q --stats st.json -c './provprog funcs' -n '
	    pid$target:libc::entry, pid$target:libc::return
	    { @[probename, probefunc] = count(); }'
	[ "$(grep -cE '^ +(entry|return) .*exit +1$' <<<"$output")" -ge 1 ]
	jq -e '.clauses[0].probes > 1000' st.json
	jq -e '.times | .attached_ns - .attach_ns < 10e9 and
	    .detached_ns - .end_ns < 10e9' st.json
}

@test "pid: within functions, only where an instruction begins" {
	need_trace
	need_tool objdump
	objdump -d --no-show-raw-insn provprog |
	    sed -n '/<nine>:$/,/^$/p' >nine
	start=$((16#$(sed -n '1s/ .*//p' nine)))
	end=$((16#$(awk 'NF > 1 { a = $1 } END { sub(/:/, "", a); print a }' \
	    nine)))
	[ "$end" -gt "$start" ]
	sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' nine | while read -r a; do
		printf '%x\n' $((16#$a - start))
	done >want
	[ "$(wc -l <want)" -gt 5 ]
	set --
	for i in $(seq 0 $((end - start))); do
		set -- "$@" -n "pidPID:provprog:nine:$(printf %x "$i")"
	done
	./provprog cpu 3 3>&- & pid=$!
	sleep 0.1
	status 0 dt -l "${@//PID/$pid}"
	awk '$4 == "nine" { print $5 }' <<<"$output" >got
	diff want got
	# they all fire, and the function still does what it did
	set --
	while read -r off; do
		set -- "$@" -n "pid\$target:provprog:nine:$off { @ = count(); }"
	done <want
	status 0 dt -q -c './provprog funcs' "$@"
	[ "$(tr -dc 0-9 <<<"$output")" -eq "$(wc -l <want)" ]
	kill $pid
}

@test "pid: a name with wildcards, or none, means every instruction" {
	need_trace
	need_tool objdump
	objdump -d --no-show-raw-insn provprog | sed -n '/<nine>:$/,/^$/p' |
	    sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' >at
	start=$((16#$(head -1 at)))
	while read -r a; do printf '%x\n' $((16#$a - start)); done <at >offs
	names() { awk '$4 == "nine" { print $5 }' <<<"$output"; }
	status 0 dt -c './provprog funcs' -ln 'pid$target:a.out:nine:'
	diff <(printf 'entry\nreturn\n'; cat offs) <(names)
	status 0 dt -c './provprog funcs' -ln 'pid$target:a.out:nine:[0-9a-f]*'
	diff <(printf 'entry\n'; cat offs) <(names)
	status 0 dt -c './provprog funcs' -ln 'pid$target:a.out:nine:?'
	diff <(grep -x . offs) <(names)
	# each fires once in a call, and the function does what it did
	status 0 dt -qc './provprog funcs' -n 'pid$target:a.out:nine:
	    { @ = count(); }'
	[ "$(tr -dc 0-9 <<<"$output")" -eq $(($(wc -l <offs) + 2)) ]
	# a whole program at once
	status 0 dt -qc './provprog funcs' -n 'pid$target:a.out::
	    /probefunc == "leaf" && probename == "entry"/ { trace(arg0); }'
	[ "$output" = 3 ]
}

# What the loader chose: the C library's, the program's own.
chosen='pid$target:libc*:memcpy:entry /arg2 == 4321/ { @["memcpy"] = count(); }
    pid$target:libc*:strlen:return /arg1 == 4320/ { @["strlen"] = count(); }'

@test "pid: an IFUNC is the function that the process calls" {
	need_trace
	prog chooses "$chosen"
	grep -qx '4320 42 42' <<<"$output"
	grep -qxE ' +memcpy +5' <<<"$output"
	grep -qxE ' +strlen +3' <<<"$output"
	mkfifo in out
	./provprog waits <in >out 3>&- & pid=$!
	exec 8>in 9<out
	read -r line <&9
	[ "$line" = ready ]
	status 0 dt -qwp $pid -n "$chosen"'
	    pid$target:provprog:chosen:entry /arg0 == 21/ { @["chosen"] = count(); }
	    BEGIN { system("echo >in"); }'
	exec 8>&- 9<&-
	wait $pid
	grep -qxE ' +memcpy +5' <<<"$output"
	grep -qxE ' +strlen +3' <<<"$output"
	grep -qxE ' +chosen +2' <<<"$output"
}

@test "pid: an IFUNC that is not chosen yet is told" {
	need_trace
	readelf -s provprog | grep -q ' IFUNC .* chosen$' || skip "no IFUNC"
	status 1 dt -c './provprog chooses' -n 'pid$target:provprog:chosen:entry'
	has "'chosen' in module 'provprog' is an IFUNC"
	has "with -p"
}

@test "pid: returns of all functions, and the process is as it was" {
	need_trace
	status 0 dt -qc './provprog funcs' -n 'pid$target:a.out::return,
	    pid$target:ld-linux*::return { @[probefunc] = count(); }
	    syscall::exit_group:entry /pid == $target/ { trace(arg0); }'
	grep -qxE ' *0' <<<"$output"
	grep -qxE ' +nine +1' <<<"$output"
	grep -qxE ' +main +1' <<<"$output"
}

@test "pid: what is not there is told" {
	need_trace
	status 1 dt -c './provprog funcs' -n 'pid$target:provprog:nope:entry
	    { x = 1; }'
	has "failed to lookup 'nope' in module 'provprog'"
	status 1 dt -c './provprog funcs' -n 'pid$target:provprog:leaf:ffff
	    { x = 1; }'
	has "no instruction begins at offset 0xffff"
	status 1 dt -c './provprog funcs' -n 'pid$target:a.out:_start:return
	    { x = 1; }'
	has "'_start' has no return"
	status 1 dt -n 'pid999999999:libc:write:entry { x = 1; }'
	has "999999999"
}

@test "pid: a running process, left as it was" {
	need_trace
	./provprog cpu 3 3>&- & pid=$!
	sleep 0.2
	status 0 dt -qn 'pid'$pid':libc:clock_gettime:entry,
	    pid'$pid'::clock_gettime:entry { n++; } tick-300ms
	    { printf("%d", n > 100); exit(0); }'
	[ "$output" = 1 ]
	wait $pid
}

@test "usdt: every operand, semaphores, a probe at several places" {
	need_trace
	prog usdt 'prov$target:::types { printf("%d %d %d %d %d %d %d %s\n",
	    arg0, arg1, arg2, arg3, arg4, arg5, arg6, copyinstr(arg7)); }
	    prov$target:::memory { printf("%d %d %d\n", arg0, arg1, arg2); }
	    prov$target:provprog:usdt:twice-placed { printf("%d\n", arg0); }'
	# what the program itself prints comes in between
	has 10
	diff - <(grep -vx 10 <<<"$output") <<-'END'
	-1 255 -300 65535 -70000 4000000000 -1099511627776 text
	1 -77 -5
	0
	1
	99
	END
	[ "$(./provprog usdt)" = 00 ]
	status 0 dt -c './provprog usdt' -ln 'prov$target:::'
	[ "$(grep -c ' usdt ' <<<"$output")" -eq 4 ]
}

@test "usdt: by the file's path, in every process" {
	need_trace
	p=$BATS_FILE_TMPDIR/provprog
	dt-trace -qn "BEGIN { printf(\"up\\n\"); }
	    prov:$p::memory { printf(\"%d\\n\", arg2); exit(0); }" \
	    >out 2>err 3>&- & tracer=$!
	for i in $(seq 100); do grep -q up out && break; sleep .05; done
	[ "$("$p" usdt)" = 00 ]
	wait $tracer
	[ "$(cat out)" = "up
-5" ]
}

@test "usdt: a path is told whole" {
	need_trace
	cp "$BATS_FILE_TMPDIR/provprog" prog
	p=prov:$PWD/prog
	status 0 dt -n "$p::memory, $p::many /arg0/ { exit(0); } BEGIN
	    { exit(0); }"
	has "description '$p::memory, $p::many ' matched 3 probes"
	status 0 dt -n "$p::memory/arg0/ { exit(0); }" -n 'BEGIN { exit(0); }'
	has "description '$p::memory' matched 1 probe"
	# a predicate is no path
	status 0 dt -n 'BEGIN,:::END/1/{ exit(0); }'
	has "description 'BEGIN,:::END' matched 2 probes"
	status 1 dt -n "$p::nothere /1/ { exit(0); }"
	has "invalid probe specifier $p::nothere : "
	status 1 dt -n "$p::memory /1/ { x = nothere; }"
	has "invalid probe specifier $p::memory : "
}

@test "fbt: functions, or why there are none" {
	need_trace
	run dt -ln fbt::vfs_write:entry
	if [[ $output == *"no fbt probes"* ]]; then
		has "refuses to trace its functions"
		return
	fi
	prog calls 'fbt::vfs_write:entry /pid == $target/ { self->n = arg2; }
	    fbt::vfs_write:return /pid == $target/
	    { printf("%d %d\n", self->n, arg1); }'
	has "0 0"
}

@test "self-> arrays belong to a thread, not to its id" {
	need_trace
	need_tool perl
	[ -w /proc/sys/kernel/ns_last_pid ] || skip "pids cannot be chosen"
	cat >again <<-'X'
		for i in 1 2 3; do
			echo 30011 >/proc/sys/kernel/ns_last_pid
			(exec perl -e 'syscall(110)')
		done
	X
	timeout 30 dt-trace -qn 'syscall::getppid:entry
	    /execname == "perl" && progenyof($target)/ {
	    self->n["x"]++; printf("%d %d\n", tid, self->n["x"]); }' \
	    -c 'bash again' >out
	# at least two had the same id
	[ "$(awk 'NF { n[$1]++ } END { for (i in n) if (n[i] > 1) print i }' \
	    out | wc -l)" -ge 1 ]
	! grep -q ' [^1]$' out
}

@test "on-cpu has no stack: it would be another thread's" {
	for f in stack ustack; do
		status 1 dt-trace -en "sched:::on-cpu { @[$f()] = count(); }"
		has "$f( ) in sched:::on-cpu would be that of the thread that"
		status 0 dt-trace -en "sched:::off-cpu { @[$f()] = count(); }"
	done
}

@test "on-cpu: user, name and arguments are those of the thread that comes" {
	need_trace
	need_tool perl setpriv
	cp "$(command -v perl)" sleeper
	setpriv --reuid 65534 --regid 65533 --clear-groups ./sleeper -e \
	    'for (1 .. 600) { select(undef, undef, undef, 0.005) }' 3>&- &
	dt-trace -qn 'sched:::on-cpu /execname == "sleeper"/ {
	    @[uid, gid, execargs] = count(); } tick-1s { exit(0); }' >out
	kill $!
	[ "$(awk 'NF' out | wc -l)" -eq 1 ]
	grep -qE '^ +65534 +65533 +sleeper +[0-9]+$' out
	for b in ucaller caller stackdepth ustackdepth; do
		status 1 dt-trace -en "sched:::on-cpu { trace($b); }"
	done
}

@test "uregs[]: the user's registers where a probe has them" {
	need_trace
	status 0 timeout -k 5 30 dt-trace -c 'sleep 0.1' -qn '
	    syscall::clock_nanosleep:entry /pid == $target/ {
		printf("%d %d", uregs[R_PC] != 0, uregs[R_SP] != 0); }'
	has "1 1"
	status 1 dt-trace -en 'BEGIN { trace(uregs[R_PC]); }'
	has "uregs cannot be had"
}

@test "-l: each provider lists its probes" {
	need_tracefs
	need_trace
	local p pid
	while read -r p probe; do
		status 0 dt -lP "$p"
		grep -qxE ' +ID +PROVIDER +MODULE +FUNCTION NAME' \
		    <<<"${lines[0]}"
		grep -qE "^ *[0-9]+ +$p .*\b$probe *\$" <<<"$output"
	done <<-'END'
	dtrace BEGIN
	profile tick-1000
	syscall read entry
	proc exec-success
	sched on-cpu
	io done
	sdt sched_switch
	END
	sleep 60 3>&- & pid=$!
	until_true 10 grep -q libc "/proc/$pid/maps"
	status 0 dt -p $pid -ln 'pid$target:libc*:malloc:'
	kill $pid
	for name in entry return 0; do
		grep -qE "^ *[0-9]+ +pid$pid +libc.* malloc $name\$" <<<"$output"
	done
}
