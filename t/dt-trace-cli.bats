load helper

# dt-trace's command line: what it takes, says and returns.

# need_trace: skips where nothing can be traced.
need_trace() {
	need_root
	command -v dt-trace >/dev/null || skip "dt-trace is not built"
	timeout 20 dt-trace -qn 'BEGIN { exit(0); }' >/dev/null 2>why ||
	    skip "cannot trace here: $(cat why)"
}

# dt ARG...: dt-trace, bounded.
dt() {
	timeout -k 5 30 dt-trace "$@"
}

@test "a program's output, its exit status, the newline at the end" {
	need_trace
	status 3 dt -qn 'BEGIN { printf("%d\n", 6 * 7); exit(3); }'
	[ "$output" = 42 ]
	dt -qn 'BEGIN { printf("x"); exit(0); }' >out
	[ "$(od -An -c out | tr -d ' ')" = 'x\n' ]
}

@test "usage errors are 2, and so is a closed output" {
	status 2 dt-trace
	has "no probes specified"
	status 2 dt-trace -y
	has "unknown option: -y"
	status 2 dt-trace -s
	has "option needs an argument"
	status 2 dt-trace -G -s x.d
	has "not supported"
	status 0 dt-trace --version
	has "dt-trace (dtbundle)"
	status 0 dt-trace -V
	has " D 2"
	need_trace
	status 2 sh -c 'dt-trace -qn "BEGIN { exit(0); }" >&-'
}

@test "output that is lost is told once, with its name and cause, and is 2" {
	need_trace
	# lost NAME OPTION...
	lost() {
		status 2 dt -q "${@:2}"
		[ "$output" = \
		    "dt-trace: $1: cannot write: No space left on device" ]
	}
	dt() { dt-trace "$@" >/dev/full; }
	lost "standard output" -n 'BEGIN { exit(0); }'
	lost "standard output" -n 'BEGIN { @ = count(); printa(@); exit(0); }'
	lost /dev/full -o /dev/full -n 'BEGIN { exit(0); }'
	lost "output of freopen()" -wn 'BEGIN { freopen("/dev/full");
	    printf("x\n"); } BEGIN { freopen(""); exit(0); }'
}

@test "without privilege: a program compiles, tracing is refused" {
	need_root
	need_tool setpriv
	command -v dt-trace >/dev/null || skip "dt-trace is not built"
	cp "$DT_BIN/dt-trace" . && chmod 755 . dt-trace
	for d in "$T" "${T%/*}"; do chmod go+x "$d"; done
	un() { setpriv --reuid 65534 --clear-groups --inh-caps=-all \
	    --bounding-set=-all ./dt-trace "$@"; }
	un -e -n BEGIN 2>err || skip "nobody cannot run a program here"
	status 0 un -en 'syscall::read:entry { @[execname] = count(); }'
	status 1 un -n 'BEGIN { exit(0); }'
	has "CAP_BPF and CAP_PERFMON"
}

@test "with CAP_BPF and CAP_PERFMON alone: what needs more is told" {
	local c=+bpf,+perfmon
	need_trace
	need_tool setpriv
	cp "$DT_BIN/dt-trace" . && chmod 755 . dt-trace
	for d in "$T" "${T%/*}"; do chmod go+x "$d"; done
	un() { setpriv --reuid 65534 --clear-groups --inh-caps=$c \
	    --ambient-caps=$c ./dt-trace "$@"; }
	un -qn 'BEGIN { exit(0); }' 2>err ||
	    skip "nobody cannot run a program here"
	status 0 un -qn 'syscall:::entry, tick-100ms { exit(0); }'
	run un -qc true -n 'pid$target:libc:_exit:entry { exit(0); }'
	[ "$status" -eq 0 ] || has "need CAP_SYS_ADMIN"
	[ -d /sys/kernel/tracing/events ] || skip "no tracefs"
	run un -qn 'sdt:sched::sched_switch { exit(0); }'
	setpriv --reuid 65534 test -r /sys/kernel/tracing/events ||
	    has "tracefs may not be read: mount -o"
}

# apart SCRIPT: in a mount namespace of its own.
apart() {
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	run unshare -m sh -c "$1"
}

@test "without tracefs, without BTF: what is needed is told" {
	need_trace
	apart 'umount -l /sys/kernel/tracing /sys/kernel/debug/tracing \
	    /sys/kernel/debug 2>/dev/null
	    dt-trace -n "proc:::start { exit(0); }"'
	[ "$status" -eq 1 ]
	has "mount -t tracefs tracefs /sys/kernel/tracing"
	# where it is not needed nobody asks for it
	apart 'umount -l /sys/kernel/tracing /sys/kernel/debug 2>/dev/null
	    dt-trace -qn "syscall::read:entry /pid == \$target/ { exit(5); }" \
	    -c "cat /etc/passwd"'
	[ "$status" -eq 5 ]
	apart 'mount -t tmpfs none /sys/kernel/btf
	    dt-trace -n "syscall::read:entry { exit(0); }"'
	[ "$status" -eq 1 ]
	has "CONFIG_DEBUG_INFO_BTF"
	apart 'mount -t tmpfs none /sys/kernel/btf
	    dt-trace -qn "BEGIN { exit(4); }"'
	[ "$status" -eq 4 ]
}

@test "limits: locked memory does not matter, descriptors are raised" {
	need_trace
	need_tool prlimit
	status 0 prlimit --memlock=0 dt-trace -qn 'BEGIN { exit(0); }'
	status 0 prlimit --nofile=30:4096 dt-trace -qc 'sh -c "ulimit -n"' \
	    -n 'pid$target::a*:entry { x++; }'
	[ "$output" = 30 ]
	status 1 prlimit --nofile=24 dt-trace -x without=uprobe-multi -qc true \
	    -n 'pid$target::a*:entry { x++; }'
	has "Too many open files"
}

@test "files: -s, -, one that is missing, one with an error" {
	need_trace
	echo 'BEGIN { printf("%s", $$1); exit(0); }' >a.d
	status 0 dt -q -s a.d one
	[ "$output" = one ]
	status 0 sh -c 'dt-trace -q -s - two <a.d'
	[ "$output" = two ]
	status 1 dt -s nothere.d
	has "dt-trace: failed to open nothere.d: No such file"
	printf 'BEGIN {\n\n  x = nothere; }\n' >b.d
	status 1 dt -s b.d
	has "failed to compile script b.d: line 3: "
	status 1 dt -xerrtags -s b.d
	has "[D_IDENT_UNDEF] line 3: "
	status 1 dt -q -s a.d
	has 'line 1: '
	status 1 dt -q -s a.d one two
	has "two"
}

@test "several programs share variables; how each is told" {
	need_tracefs
	need_trace
	echo 'BEGIN { printf("%d\n", v); exit(0); }' >a.d
	dt -n 'BEGIN { v = 5; }' -s a.d >out 2>err
	grep -q '^ .* :BEGIN 5$' out
	grep -qx "dt-trace: description 'BEGIN ' matched 1 probe" err
	grep -qx "dt-trace: script 'a.d' matched 1 probe" err
	status 0 dt -P dtrace -n 'BEGIN { exit(0); }'
	has "description 'dtrace' matched 3 probes"
	status 0 dt -m vmlinux -f getppid -n 'BEGIN { exit(0); }'
	has "description 'getppid' matched 2 probes"
	status 0 dt -n 'BEGIN { exit(0); }' -n 'BEGIN { }' -n 'BEGIN,END { }'
	[ "$(grep -c "'BEGIN ' matched 1 probe\$" <<<"$output")" -eq 2 ]
	has "'BEGIN,END ' matched 2 probes"
}

@test "-C runs cpp with -D, -U, -I" {
	need_trace
	need_tool cpp
	mkdir inc
	echo '#define ANSWER 42' >inc/answer.h
	cat >a.d <<-'END'
	#!/usr/sbin/dtrace -qs
	#include <answer.h>
	#ifdef GONE
	nothing:::here {}
	#endif
	BEGIN { printf("%d %d", ANSWER, WHAT); exit(0); }
	END
	status 0 dt -q -C -I inc -D WHAT=7 -D GONE -U GONE -s a.d
	[ "$output" = "42 7" ]
	echo 'BEGIN { x = nothere; }' >>a.d
	status 1 dt -q -C -I inc -D WHAT=7 -s a.d
	has "line 7: "
	status 1 dt -q -C -x cpppath=/no/cpp -s a.d
	has "cannot run /no/cpp"
	echo '#include <answer.h>
	BEGIN { exit(0); }' >b.d
	for h in -H -xcpphdrs; do
		status 0 dt -e -C $h -I inc -s b.d
		has "inc/answer.h"
	done
}

@test "-o appends, and says what it cannot open" {
	need_trace
	echo before >out
	status 0 dt -qo out -n 'BEGIN { printf("x\n"); exit(0); }'
	[ -z "$output" ]
	[ "$(cat out)" = "before
x" ]
	status 1 dt -qo /no/dir/out -n 'BEGIN { exit(0); }'
	has "failed to open output file /no/dir/out"
}

@test "-l lists ids that -i takes" {
	status 0 dt -ln syscall::getppid:entry
	id=$(awk 'END { print $1 }' <<<"$output")
	[ "$id" -gt 0 ]
	status 0 dt -li "$id"
	has "getppid entry"
	status 0 dt -l -f getppid
	[ "${#lines[@]}" -eq 3 ]
	status 0 dt -l -P nosuch
	has "No probe matches description"
	status 0 dt -lvn syscall::getppid:return
	has "args[0]: "
	status 0 dt -ln 'BEGIN, END { x = 1; }'
	[ "${#lines[@]}" -eq 3 ]
	status 0 dt -lf getppid,getpid
	[ "${#lines[@]}" -eq 5 ]
	status 1 dt -ln getppid:entry,nosuch:entry
	has "nosuch:entry does not match any probes"
}

@test "-S prints the passes that are asked for, without privilege" {
	status 0 dt -eSn 'BEGIN { exit(0); }'
	all=${#lines[@]}
	status 0 dt -eSx disasm=bpf -n 'BEGIN { exit(0); }'
	has "exit"
	[ "${#lines[@]}" -gt 5 ] && [ "${#lines[@]}" -lt "$all" ]
	status 0 dt -eSx disasm=ast -n 'BEGIN { exit(0); }'
	[ "${#lines[@]}" -gt 1 ] && [ "${#lines[@]}" -lt "$all" ]
}

@test "-v: how stable a program is" {
	status 0 dt -ven 'BEGIN { trace(pid); }'
	diff - <(printf '%s\n' "$output" | tr -d '\t') <<-'END'
	
	Stability attributes for description 'BEGIN ':
	
		Minimum Probe Description Attributes
			Identifier Names: Stable
			Data Semantics:   Stable
			Dependency Class: Common
	
		Minimum Statement Attributes
			Identifier Names: Stable
			Data Semantics:   Stable
			Dependency Class: Common
	END
	status 0 dt -ven 'profile-10 { trace(arg0); }'
	has "Identifier Names: Unstable"
	has "Dependency Class: Unknown"
}

@test "options that cannot be had are refused" {
	status 1 dt -x bufpolicy=ring -en BEGIN
	has "bufpolicy"
	has "(bufpolicy=ring: there is switch)"
	status 1 dt -x unwind=orc -en BEGIN
	has "(unwind=orc: there are fp dwarf)"
	status 1 dt -x evaltime=main -en BEGIN
	has "evaltime"
	status 1 dt -x nosuch -en BEGIN
	has "failed to set -x nosuch: "
	status 0 dt -x bufpolicy=switch -x evaltime=exec -en BEGIN
}

@test "-Z and zdefs: what matches nothing is no error" {
	need_trace
	status 1 dt -n 'nosuch:::thing { x = 1; }'
	has "line 1: probe description nosuch:::thing does not match any probes"
	status 0 dt -Zqn 'nosuch:::thing { x = 1; }' -n 'BEGIN { exit(0); }'
	status 0 dt -qZn 'pid'$$':nomod:f:entry { x = 1; } BEGIN { exit(0); }'
	status 1 dt -qn 'pid'$$':nomod:f:entry { x = 1; } BEGIN { exit(0); }'
	has "process $$ has no module 'nomod'"
}

@test "-w: destructive actions" {
	need_trace
	status 1 dt -qn 'BEGIN { system("echo %s", "x y"); exit(0); }'
	has "Destructive actions not allowed"
	status 0 dt -wqn 'BEGIN { system("echo %s", "x y"); exit(0); }'
	has "x y"
	dt -wqn 'syscall::getppid:entry /execname == "perl"/ {
	    stop(); exit(0); } BEGIN { printf("up\n"); }' >out 3>&- & tracer=$!
	for i in $(seq 100); do grep -q up out && break; sleep .05; done
	perl -e 'getppid(); sleep 20' 3>&- & pid=$!
	wait $tracer
	for i in $(seq 40); do
		grep -q '^State:.T' /proc/$pid/status && break
		sleep .05
	done
	state=$(grep '^State' /proc/$pid/status)
	kill -9 $pid
	[[ $state == *T* ]]
	for i in panic breakpoint; do
		status 1 dt -wqn "BEGIN { $i(); }"
		has "line 1: $i( ) is not available on this system"
	done
	status 1 dt -wqn 'BEGIN { chill(10); }'
	has "line 1: chill( ) is not available on this system"
}

@test "-c: words and quotes, its end, what cannot be executed" {
	need_trace
	status 0 dt -qc "sh -c 'echo \"a b\" >out; exit 9'" \
	    -n 'BEGIN { printf("%d", $target > 1); } END { printf("end"); }'
	[ "$output" = "1end" ]
	[ "$(cat out)" = "a b" ]
	status 1 dt -c /no/such -n BEGIN
	has "failed to execute /no/such: No such file"
	: >notexec
	status 1 dt -c ./notexec -n BEGIN
	has "Permission denied"
	status 1 dt -c '' -n BEGIN
	has "the command is empty"
	status 1 dt -c "echo don't" -n BEGIN
	has "-c: a quote has no end: echo don't"
	# one that goes on when tracing ends does not
	status 0 timeout 60 dt-trace -qc 'sleep 600' -n 'BEGIN
	    { printf("%d", $target); exit(0); }'
	[ ! -e "/proc/$output" ]
	# one that does not begin: it has run nothing when a program is wrong
	status 1 dt -c 'touch ran' -n 'BEGIN { x = nothere; }'
	[ ! -e ran ]
}

@test "-c: nothing of the command is missed" {
	need_trace
	status 0 dt -qc true \
	    -n 'syscall:::entry /pid == $target/ { @[probefunc] = count(); }'
	has exit_group
	# the first thing a dynamic program does, and nothing of ours
	has " brk "
	hasnt ptrace
	hasnt execve
}

@test "-p: ends when the process does, which is never stopped" {
	need_trace
	sleep 2 3>&- & pid=$!
	status 0 dt -qp $pid -n 'BEGIN { printf("%d", $target); }'
	[ "$output" = $pid ]
	status 1 dt -p 999999999 -n BEGIN
	has "failed to grab process 999999999"
	status 1 dt -n 'pid999999999:::entry'
	has "failed to grab process 999999999: No such process"
	if [ "$(cat /proc/2/comm)" = kthreadd ]; then
		status 1 dt -n 'pid2:::entry'
		has "failed to grab process 2: a kernel thread has no program"
	fi
	status 1 dt -p x -n BEGIN
	has "no process id"
	sleep 30 3>&- & pid=$!
	dt-trace -qp $pid -n 'BEGIN { printf("ready\n"); }' >out 3>&- & tracer=$!
	for i in $(seq 100); do grep -q ready out && break; sleep .05; done
	grep -q ready out
	[[ $(sed -n 's/^State:\t//p' /proc/$pid/status) == S* ]]
	grep -q '^TracerPid:[[:space:]]0$' /proc/$pid/status
	kill -9 $tracer
	kill -0 $pid
	kill $pid
}

@test "INT and TERM end a run in order: END fires, aggregations are printed" {
	need_trace
	for sig in INT TERM; do
		dt-trace -qn 'BEGIN { @["a"] = count(); printf("up\n"); }
		    END { printf("end\n"); }' >out 3>&- & pid=$!
		for i in $(seq 100); do grep -q up out && break; sleep .05
		done
		# a background job of a script ignores INT otherwise
		kill -$sig $pid
		wait $pid
		[ "$(head -2 out | tail -1)" = end ]
		grep -q 'a  *1$' out
	done
}

@test "lines reach a pipe at once" {
	need_trace
	dt-trace -qn 'BEGIN { printf("READY\n"); } tick-20s { exit(0); }' \
	    2>/dev/null 3>&- | cat >got 3>&- &
	for i in $(seq 100); do [ -s got ] && break; sleep .05; done
	[ "$(cat got)" = READY ]
	# the pipe's reader has gone: SIGPIPE ends it, quietly
	kill %%
}

@test "--stats: counts, times, programs; whole or not at all" {
	need_trace
	need_tool jq
	status 4 dt -q --stats st.json -n 'BEGIN { printf("x"); }
	    tick-20ms { i++; printf("t"); } tick-20ms /i == 3/ { exit(4); }'
	jq -e '.fired == 4 or .fired == 5' st.json
	jq -e '.records >= 4 and .dropped == 0 and .errors == 0' st.json
	jq -e '.exit_status == 4 and .clock == "CLOCK_MONOTONIC"' st.json
	jq -e '.times | .start_ns < .load_ns and .load_ns < .attach_ns and
	    .attach_ns <= .attached_ns and .attached_ns <= .begin_ns and
	    .begin_ns < .end_ns and .end_ns <= .detached_ns' st.json
	jq -e '.programs | length == 2' st.json
	jq -e '.run_cnt >= 4 and .run_time_ns > 0 and .missed == 0' st.json
	jq -e '.tracer.name == "dt-trace" and .tracer.version != ""' st.json
	[ -z "$(find . -name '.st.json*')" ]
	status 1 dt -q --stats /no/dir/x -n 'BEGIN { exit(0); }'
	has "/no/dir/x"
}

@test "--stats: a device, a pipe and a link stay what they are" {
	need_trace
	need_tool jq mknod
	mkfifo fifo
	mknod full c 1 7 || skip "no devices can be made here"
	ln -s real link
	jq .fired fifo >fired &
	status 0 dt -q --stats fifo -n 'BEGIN { exit(0); }'
	wait $!
	[ "$(cat fired)" = 1 ] && [ -p fifo ]
	status 2 dt -q --stats full -n 'BEGIN { exit(0); }'
	has "full: cannot write: No space left on device"
	[ -c full ]
	status 0 dt -q --stats link -n 'BEGIN { exit(0); }'
	[ -L link ]
	jq -e '.fired == 1' real
	# a regular file is another one
	ln real was
	status 3 dt -q --stats real -n 'BEGIN { exit(3); }'
	jq -e '.exit_status == 0' was
	jq -e '.exit_status == 3' real
	status 0 dt -q --stats /dev/stdout -n 'BEGIN { exit(0); }'
	jq -e '.fired == 1' <<<"$output"
}

@test "losses are told by CPU, and are intervals in --stats" {
	need_trace
	need_tool jq
	# the consumer has something else to do while the buffer fills
	dt -qw -b 4k --stats st.json -x switchrate=1s -c \
	    'dd if=/dev/zero of=/dev/null bs=1 count=30000' \
	    -n 'syscall::write:entry /pid == $target/ {
	    printf("%s %s\n", probefunc, execname); n++; }
	    syscall::write:entry /pid == $target && n == 3/ {
	    system("sleep .3"); }' >out 2>err
	jq -e '.dropped > 0 and .fired == .records + .dropped' st.json
	jq -e 'all(.drops[]; .kind == "principal" and .from <= .to and
	    .count > 0)' st.json
	jq -e '.times.begin_ns < .drops[0].from and
	    .drops[-1].to < .times.end_ns' st.json
	grep -qE 'dt-trace: [0-9]+ drops? on CPU [0-9]+' err
	[ "$(jq .records st.json)" -eq $(($(grep -c '^write dd$' out) + 1)) ]
}

@test "drops of each kind: counted with their times, and told" {
	need_trace
	need_tool jq
	local n=20000 w='syscall::write:entry /pid == $target && arg0 == 1/'
	# lost KIND: how many --stats tells of, each interval within the run
	lost() {
		jq --arg k "$1" '[.drops[] | select(.kind == $k)] as $d |
		    .times as $t | if all($d[]; .from <= .to and
		    .cpu >= 0 and $t.begin_ns <= .from and
		    .to <= $t.end_ns) then [$d[].count] | add // 0
		    else -1 end' st.json
	}
	try() {
		dt -q --stats st.json "$@" \
		    -c "dd if=/dev/zero of=/dev/null bs=1 count=$n" \
		    >out 2>err
	}
	try -x aggsize=4k -n "$w { @[i++] = count(); }"
	[ $(($(lost aggregation) + $(grep -c . out))) -eq $n ]
	grep -qE '^dt-trace: [0-9]+ aggregation drops? on CPU [0-9]+$' err

	try -x dynvarsize=4k -n "$w { a[i++] = 1; }"
	[ "$(lost dynvar)" -gt $((n - 200)) ] && [ "$(lost dynvar)" -lt $n ]
	grep -qE '^dt-trace: [0-9]+ dynamic variable drops?$' err

	try -x specsize=4k -n 'BEGIN { s = speculation(); }' \
	    -n "$w { speculate(s); printf(\"one\n\"); }" \
	    -n 'END { commit(s); }'
	[ $(($(lost speculation) + $(grep -c one out))) -eq $n ]
	grep -qE '^dt-trace: [0-9]+ speculative drops?$' err

	try -n 'BEGIN { speculation(); speculation(); speculation(); }'
	[ "$(lost speculation-unavailable)" -eq 2 ]
	grep -q '2 failed speculations (no speculative buffer avail' err
}

@test "temporal: records of all processors in the order of their time" {
	need_trace
	dt -q -x temporal -n 'profile-4999 { printf("%d %d\n", timestamp, cpu); }
	    tick-500ms { exit(0); }' >out
	grep . out | sort -ns -k 1,1 >sorted
	grep . out | diff - sorted
	[ "$(wc -l <sorted)" -gt 500 ]
	[ "$(cut -d' ' -f2 sorted | sort -u | wc -l)" -eq "$(nproc)" ]
}

@test "dt-trace(1): the examples run" {
	need_trace
	need_tool mandoc
	local n=0
	printf '#!/bin/sh\ni=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done\n' \
	    >prog
	chmod +x prog
	mandoc -T ascii -O width=1000 "$DT_SRC/man/dt-trace.1" |
	    sed 's/.\x08//g' | sed -n '/^EXAMPLES/,/^SEE/p' |
	    sed -nE 's/^ *(\$ )?(dt-trace .*)/\2/p' >cmds
	while IFS= read -r c; do
		n=$((n + 1))
		status 0 timeout 20 bash -c "$c"
		case $c in
		*-en*) [ -z "$output" ] ;;
		*-ln*) has BEGIN ;;
		*6*7*) has 42 ;;
		*probefunc*) has exit_group ;;
		*ustack*) has '`' ;;
		*) return 1 ;;
		esac
	done <cmds
	[ "$n" -eq 5 ]
}

@test "error messages that find no room are counted too" {
	need_trace
	need_tool jq
	dt -q -b 16k --stats st.json -x switchrate=2s -c \
	    'dd if=/dev/zero of=/dev/null bs=1 count=20000' \
	    -n 'syscall::write:entry /pid == $target && arg0 == 1/ {
	    x = *(int *)8; }' >out 2>err
	told=$(grep -c 'invalid address (0x8)' err)
	lost=$(jq '[.drops[] | select(.kind == "error") | .count] | add' \
	    st.json)
	[ "$lost" -gt 0 ]
	[ $((told + lost)) -eq 20000 ]
	grep -qE 'dt-trace: [0-9]+ error message drops? on CPU [0-9]+' err
}

@test "faults are told, counted, and do not end the run" {
	need_trace
	need_tool jq
	dt -q --stats st.json -n 'BEGIN { trace(*(int *)0); }
	    BEGIN { printf("on\n"); exit(0); }' >out 2>err
	grep -qx on out
	grep -q 'error in action #1 of clause 1 for probe ID .* (dtrace:::BEGIN): invalid address (0x0)' err
	[ "$(jq .errors st.json)" -eq 1 ]
}

@test "killed with its parent's blessing or not: nothing stays behind" {
	need_trace
	dt-trace -qn 'syscall:::entry { @ = count(); } BEGIN { printf("up\n"); }' \
	    >out 3>&- & pid=$!
	for i in $(seq 100); do grep -q up out && break; sleep .05; done
	grep -q up out
	kill -9 $pid
	wait $pid || true
	need_tool bpftool
	# the kernel frees programs a little later
	for i in $(seq 100); do
		bpftool prog list 2>/dev/null | grep -q 'name sys_enter' ||
			return 0
		sleep .1
	done
	false
}
