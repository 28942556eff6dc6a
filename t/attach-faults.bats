load helper
load capture
load faults

# System calls of dt-attach fail, are interrupted, or bring it a signal: no
# success but with all that was to be gathered, never a failure without a
# word; the command runs once and to its end, or never; no tracer stays. At
# some of the calls; with DT_SLOW=1 at every call, or every third where there
# are many. The tracer is a scripted one whose records make a complete bundle.

setup() {
	faults_setup
	need_tool jq pgrep
	export FAKE=whole FAKE_LOG=$T/log
	mkfifo fifo
	launch=(sh nap)
	# one process, and none to wait for
	cat >nap <<-'END'
	#!/bin/bash
	echo x >>began
	read -t 0.05 <>fifo
	echo x >>ended
	END
	chmod +x nap
	pairs=0
}

teardown() {
	[ ! -e log ] || while read -r _ p _; do
		kill -9 -- "-$p" 2>/dev/null || :
	done <log
	[ -z "${target:-}" ] || kill -9 "$target" 2>/dev/null || :
	helper_teardown
}

# facts BUNDLE: what a bundle of the scripted tracer's says, times apart
facts() {
	jq -c '[.collectors[]|[.name, .counters.fired, .counters.dropped,
	    .errors]]' "$1/collectors.json"
	for f in procs cpu syscalls; do
		[ ! -e "$1/raw/$f.tsv" ] ||
		    grep -v '^#' "$1/raw/$f.tsv" | cut -f 2,8-
	done
	(cd "$1" && ls artifacts logs)
	# what a fault adds is all right
	sed 's/^[0-9]* //; s/after .*//; /^the guard has gone/d
	    /^children: /d; /^signal /d; /: stopped by/d' \
	    "$1/logs/capture.log"
}

# want ARG...: what a capture with these arguments is to give
want() {
	args=("$@")
	dt-attach -T "$FAKE_TRACER" -f syscalls -o a.bundle "${args[@]}" \
	    >path 2>err </dev/null
	dt-finalize <path >/dev/null 2>err
	[ "$(jq -r .verdict a.bundle/validation.json)" = complete ]
	facts a.bundle >want
	again
}

again() {
	chmod -R u+w a.bundle 2>/dev/null || :
	rm -rf a.bundle .a.bundle.staging.* log began ended
}

# injected CALL WHAT N [OPTION...]: sets rc, out and err; 1 if there was no Nth
# call
injected() {
	local call=$1 what=$2 n=$3
	again
	rc=0
	# without -f: neither tracers nor the command; the subshell is for
	# what bash says of kills
	(timeout -k 5 100 strace -qq -y -o fault.log -e trace="$call" \
	    -e inject="$call:$what:when=$n" dt-attach -T "$FAKE_TRACER" \
	    -f syscalls -o a.bundle "${@:4}" "${args[@]}" >out 2>err \
	    </dev/null) 2>/dev/null || rc=$?
	case $what in
	signal=KILL) [ $rc -ge 128 ] ;;
	# blocked, and read by signalfd: no word of it in the log
	signal=*) [ "$(grep -c "^$call(" fault.log)" -ge "$n" ] ;;
	*) grep -q INJECTED fault.log ;;
	esac
}

# nobody: no tracer lives, and no command is held
nobody() {
	local p
	[ ! -e log ] || while read -r _ p _; do
		until_true 10 gone "$p" || return 1
	done <log
	for p in $(pgrep -x dt-attach); do
		[ "$(readlink "/proc/$p/cwd")" != "$PWD" ] ||
		    until_true 10 gone "$p" || return 1
	done
}

# ran: the command ran once and to its end, or not at all
ran() {
	[ -n "${target:-}" ] && { alive "$target"; return; }
	[ ! -e began ] || until_true 10 test -e ended || return 1
	[ ! -e began ] || [ "$(cat began ended)" = $'x\nx' ]
}

# sound WHERE: what must be true whatever happened there
sound() {
	rm -f made made.err
	holds && return
	echo "$1: status $rc"
	grep -hs 'INJECTED\|SIG' fault.log
	cat out err
	cat .a.bundle.staging.*/INCOMPLETE made made.err
	return 1
} 2>&1

holds() {
	local s
	nobody && ran || return 1
	s=$(staging a.bundle) || s=
	if [ "$rc" -eq 0 ]; then
		[ -n "$s" ] && [ "$(cat out)" = "$s" ] || return 1
	else
		[ "$rc" -ge 128 ] || [ -s err ] || return 1
		[ ! -s out ] || return 1
	fi
	# none, or one just made
	[ -n "$s" ] && [ -n "$(ls -A "$s")" ] || return 0
	[ -e "$s/INCOMPLETE" ] || return 1
	# aborted with a reason, or whatever a kill left
	if [ "$rc" -ne 0 ] && [ "$rc" -lt 128 ] &&
	    grep -q '^reason: .' "$s/INCOMPLETE" &&
	    [ "$(jq -r .aborted.reason "$s/stage.json")" != null ]; then
		return 0
	fi
	dt-finalize "$s" >made 2>made.err || :
	[ -s made.err ] || return 1
	[ -e a.bundle ] || return 0
	[ "$(jq -r .verdict a.bundle/validation.json)" = complete ] ||
	    return 0
	pairs=$((pairs + 1))
	facts a.bundle | diff want -
}

# at CALL WHAT STEP [SLOW]: sound with WHAT at each STEPth call; with DT_SLOW
# at each SLOWth, 1 if it is not given
at() {
	local call=$1 what=$2 step=$3 n=1
	[ -z "$DT_SLOW" ] || step=${4:-1}
	while injected "$call" "$what" $n; do
		sound "$call $n $what" || return 1
		n=$((n + step))
	done
	echo "$call $what: up to $n"
}

# Not close: one that is told to fail is not made, and a pipe has no end then.

@test "dt-attach: errors of system calls" {
	need_inject
	want -- ./nap
	for c in openat2 pread64 pwrite64 fsync linkat ftruncate fallocate \
	    mkdirat renameat pipe2 pidfd_open perf_event_open signalfd4 \
	    lseek getrandom; do
		at $c error=EIO 4
	done
	for c in openat read write newfstatat; do
		at $c error=EIO 11 3
	done
}

@test "dt-attach: a log that cannot be written ends the capture" {
	local n=0 logs=0
	need_inject
	want -- ./nap
	while injected write error=EIO $((n += 1)); do
		grep -q 'write([0-9]*<.*/logs/capture.log>.*INJECTED' \
		    fault.log || continue
		logs=$((logs + 1))
		[ $rc -eq 1 ]
		sound "write $n error=EIO"
		grep -q 'cannot write logs/capture.log: Input/output' err
		grep -q '^reason: cannot write logs/capture.log: Input' \
		    "$(staging a.bundle)/INCOMPLETE"
	done
	# phases, collectors, the end of the window
	[ $logs -ge 8 ]
}

@test "dt-attach: a full disk, no more processes or descriptors" {
	need_inject
	want -- ./nap
	for c in write pwrite64 fallocate mkdir mkdirat linkat; do
		at $c error=ENOSPC 9
	done
	at clone error=EAGAIN 2
	for c in openat2 pipe2 inotify_init1; do
		at $c error=EMFILE 9
	done
}

@test "dt-attach: interrupted system calls" {
	need_inject
	want -- ./nap
	for c in read write openat2 ppoll wait4 pread64; do
		at $c error=EINTR 9 3
	done
}

@test "dt-attach: short writes" {
	local n
	"$DT_BUILD/t/killat" 1 true || [ $? -eq 99 ] || skip "no ptrace here"
	want -- ./nap
	for n in 1 2 3; do
		again
		rc=0
		timeout 60 "$DT_BUILD/t/killat" -s $n dt-attach \
		    -T "$FAKE_TRACER" -f syscalls -o a.bundle "${args[@]}" \
		    >out 2>err || rc=$?
		[ $rc -ne 77 ] || skip "not on this processor"
		[ $rc -eq 0 ]
		sound "each ${n}th write cut"
		cat made.err
		[ $pairs -eq $n ]
	done
}

# Each phase begins with a write of INCOMPLETE: 1 stage, 2 hold, 3 attach,
# 4 release, 5 run, 6 drain, 7 captured.

@test "dt-attach: INT, TERM and HUP as each phase begins" {
	local sig n s
	need_inject
	want -- ./nap
	for sig in INT TERM HUP; do
		for n in 1 2 3 4 5 6 7; do
			injected pwrite64 signal=SIG$sig $n
			nobody
			s=$(staging a.bundle)
			case $n in
			[123])
				[ $rc -eq 1 ] && [ ! -s out ]
				[ ! -e began ]
				grep -q '^phase: attach' "$s/INCOMPLETE"
				grep -q '^reason: ended by signal' \
				    "$s/INCOMPLETE"
				grep -q 'ended by signal' err
				status 1 dt-finalize "$s"
				has 'ended by signal'
				;;
			[45])
				[ $rc -eq 0 ] && [ "$(cat out)" = "$s" ]
				[ "$(jq -r .command.ended \
				    "$s/stage.json")" = interrupted ]
				;;
			[67])
				[ $rc -eq 0 ]
				sound "SIG$sig $n"
				;;
			esac
		done
	done
	[ $pairs -eq 6 ]
}

@test "dt-attach: SIGKILL as each phase begins" {
	local n s was=(x stage stage hold attach release run drain)
	need_inject
	want -- ./nap
	for n in 1 2 3 4 5 6 7; do
		injected pwrite64 signal=KILL $n
		nobody
		ran
		[ $n -gt 4 ] || [ ! -e began ]
		[ $n -le 4 ] || [ -e began ]
		[ ! -s out ]
		s=$(staging a.bundle)
		status 1 dt-finalize "$s"
		if [ $n -gt 2 ]; then
			has "dt-attach was killed in phase ${was[n]}"
		else
			has "nothing was gathered"
		fi
		[ ! -e a.bundle ]
		[ -e "$s/INCOMPLETE" ]
	done
}

@test "dt-attach: SIGKILL at system calls" {
	need_inject
	want -- ./nap
	for c in write openat2 clone ppoll wait4 kill linkat; do
		at $c signal=KILL 7 3
	done
}

@test "dt-attach -p: errors of system calls; the process goes on" {
	need_inject
	sleep 300 3>&- &
	target=$!
	want -d 50ms -p $target
	for c in openat2 write pread64 getdents64 perf_event_open pidfd_open
	do
		at $c error=EIO 13 3
	done
	# as many as there are processes
	for c in openat read newfstatat; do
		at $c error=EIO 31 13
	done
	for c in write ppoll pwrite64; do
		at $c signal=KILL 9 3
	done
}

# immortal WHEN ARG...: a capture whose kill(2)s are not sent; sets rc
immortal() {
	need_inject
	rc=0
	timeout -k 5 60 strace -qq -o fault.log -e trace=kill \
	    -e inject="kill:retval=0:when=$1" dt-attach -T "$FAKE_TRACER" \
	    -o a.bundle --stop-timeout 200ms "${@:2}" >out 2>err </dev/null ||
	    rc=$?
	grep -q INJECTED fault.log
}

# kept PHASE REASON: it was aborted for that, and nothing is lost or published
kept() {
	local s
	s=$(staging a.bundle)
	[ $rc -eq 1 ]
	[ ! -s out ]
	grep -q "$2" err
	[ "$(sed 1d "$s/INCOMPLETE")" = "phase: $1"$'\n'"reason: $2" ]
	[ "$(stage a.bundle .aborted.reason)" = "$2" ]
	[ -s "$s/spool/procs.spool" ]
	[ "$(stage a.bundle '.collectors[]|select(.name=="cpu")|
	    [.detach, .exit_code, .signal, .errors[-1],
	    ([.stops[].signal]|join(" "))]|@json')" = \
	    '[null,null,null,"it outlived SIGKILL","INT TERM KILL"]' ]
	status 1 dt-finalize "$s"
	has "aborted in phase $1: $2"
	[ ! -e a.bundle ]
	[ -e "$s/INCOMPLETE" ]
	# what dt-attach could not do, the guard has done
	nobody
}

@test "a collector that outlives SIGKILL: aborted, optional or not" {
	local how
	for how in -f -P; do
		again
		immortal 1..3 $how cpu -- ./nap
		kept drain "collector cpu cannot be ended: it outlived SIGKILL"
		ran
		# the others were ended
		[ "$(stage a.bundle '.collectors[]|select(.name=="procs")|
		    [.exit_code, ([.stops[].signal]|join(" "))]|@json')" = \
		    '[0,"INT"]' ]
		[ "$(stage a.bundle .command.exit_code)" = 0 ]
	done
}

@test "the first of two collectors that outlive SIGKILL is told" {
	immortal 1+ -f cpu -- ./nap
	kept drain "collector cpu cannot be ended: it outlived SIGKILL"
	[ "$(stage a.bundle '[.collectors[].errors[]]|length')" = 2 ]
}

@test "a collector that is not ready and outlives SIGKILL" {
	export FAKE_CPU=never
	immortal 1..3 -f cpu --ack-timeout 500ms -- ./nap
	kept attach "collector cpu: not ready within 0.5 s"
	[ ! -e began ]
	# it might have gone within the window
	again
	immortal 1..3 -P cpu --ack-timeout 500ms -- ./nap
	kept drain "collector cpu cannot be ended: it outlived SIGKILL"
	ran
}

@test "an optional tracer that cannot be watched is ended, and is a fact" {
	need_inject
	want -- ./nap
	# the target's, procs' and cpu's
	injected pidfd_open error=EMFILE 3 -P cpu
	[ $rc -eq 0 ]
	nobody
	[ "$(stage a.bundle '.collectors[]|select(.name=="cpu")|
	    [.ack, .detach > .started, .signal]|@json')" = '[null,true,9]' ]
	dt-finalize <out 2>err
	grep -q "degraded" err
}
