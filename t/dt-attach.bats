load helper
load capture

# Everything here uses a scripted tracer, so that it can be tested anywhere.

@test "usage errors are told and are 2" {
	status 2 dt-attach
	has "usage: dt-attach"
	status 2 dt-attach -f nothing true
	has "no such family: nothing"
	status 2 dt-attach -P nothing true
	has "no such preset: nothing"
	status 2 dt-attach -p 1 true
	has "exclude each other"
	status 2 dt-attach -p x
	has 'dt-attach: -p: "x" is no whole number'
	status 2 dt-attach --stop-timeout soon true
	has 'dt-attach: --stop-timeout: "soon" is no duration'
	status 2 dt-attach -p 1 -u root
	status 2 dt-attach -p 1 --target-out x
	status 2 dt-attach --max-bytes 1000 true
	has "at least 1M"
	status 2 dt-attach -x = true
	status 2 dt-attach -x nothing:a=b true
	has "no such collector: nothing"
	status 2 dt-attach -d soon true
	[ -z "$(ls -A)" ]
}

@test "--stop-timeout 0: who got SIGKILL is waited for" {
	FAKE_CPU=deaf fake -f cpu -o a.bundle --stop-timeout 0 -- true >out
	[ "$(stage a.bundle '.collectors[] |
	    select(.exit_code == null and .signal == null and .argv != []) |
	    .name')" = "" ]
}

@test "help and version" {
	status 0 dt-attach -h
	has "--target-out"
	status 0 dt-attach --version
	has "dt-attach (dtbundle)"
}

@test "a capture prints its staging path, and nothing else" {
	fake -o a.bundle -- echo hello >out 2>err
	[ "$(cat out)" = "$(staging a.bundle)" ]
	[ "$(cat err)" = hello ]
	[ ! -e a.bundle ]
	cd "$(cat out)"
	[ "$(stat -c %a .)" = 700 ]
	[ "$(find . -perm /077 | wc -l)" -eq 0 ]
	[ "$(head -n 2 INCOMPLETE)" = $'dt-staging 1\nphase: captured' ]
	cmp exe "$(type -P echo)"
	for c in procs cpu syscalls; do
		grep -q '^READY' spool/$c.spool
		[ -e spool/$c.err ]
		[ -s scripts/$c.d ]
	done
	cmp scripts/syscalls.d "$DT_SRC/d-scripts/syscalls-linux.d"
}

@test "stage.json says what was done, in order" {
	fake -o a.bundle -- sh -c 'exit 3' >out
	[ "$(stage a.bundle .schema)" = dt-staging/1 ]
	[ "$(stage a.bundle .name)" = a.bundle ]
	[ "$(stage a.bundle .command.exit_code)" = 3 ]
	[ "$(stage a.bundle .command.signal)" = null ]
	[ "$(stage a.bundle .command.hold)" = pre-exec ]
	[ "$(stage a.bundle '.command.argv|@json')" = '["sh","-c","exit 3"]' ]
	[ "$(stage a.bundle .aborted)" = null ]
	[ "$(stage a.bundle .preset)" = default ]
	[ "$(stage a.bundle '[.window[]] == ([.window[]]|sort) and
	    ([.window[]|select(. == null)] == [])')" = true ]
	[ "$(stage a.bundle '[.collectors[].name]|join(" ")')" = \
	    "maps procs cpu syscalls inflight" ]
	[ "$(stage a.bundle '[.collectors[]|select(.builtin|not)|
	    .started < .ack and .ack < .detach and .exit_code == 0]|all')" = \
	    true ]
	# serial: one starts when the one before is ready
	[ "$(stage a.bundle '[.collectors[]|select(.builtin|not)] |
	    .[0].ack < .[1].started and .[1].ack < .[2].started')" = true ]
	[ "$(stage a.bundle '.target.nonce|length')" = 32 ]
}

@test "tracers are run as TRACER -x ... -s SCRIPT PID" {
	export FAKE_LOG=$T/log
	fake -o a.bundle -x strsize=100 -x cpu:bufsize=1m -- true >out
	s=$(cat out) p=$(stage a.bundle .target.pid)
	grep -q "^procs [0-9]* -x strsize=100 -s $s/scripts/procs.d $p$" log
	x='-x strsize=100 -x bufsize=1m'
	grep -q "^cpu [0-9]* $x -s $s/scripts/cpu.d $p$" log
	[ "$(wc -l <log)" -eq 3 ]
}

@test "-x wins over a script's pragma; lines keep their numbers" {
	fake -P cpu -o a.bundle -x cpu:bufsize=1m -x quiet=0 -- true >out
	s=$(cat out)/scripts
	diff "$s/cpu.d" "$DT_SRC/d-scripts/cpu.d" >diff || :
	[ "$(grep -c '^> #pragma D option' diff)" -eq 2 ]
	grep -q '^> #pragma D option bufsize=' diff
	[ "$(wc -l <"$s/cpu.d")" -eq "$(wc -l <"$DT_SRC/d-scripts/cpu.d")" ]
	grep -q '^#pragma D option bufsize=' "$s/procs.d"
}

@test "families that are named are required, those of a preset are not" {
	fake -f cpu -o a.bundle -- true >out
	[ "$(stage a.bundle '.families.cpu.required')" = true ]
	[ "$(stage a.bundle '.families.procs.required')" = true ]
	[ "$(stage a.bundle '.families.syscalls')" = null ]
	fake -P syscalls -o b.bundle -- true >out
	[ "$(stage b.bundle '.families.syscalls.required')" = false ]
	status 2 fake -f spans -o c.bundle -- true
	has "no script for spans"
	[ -z "$(staging c.bundle)" ]
}

@test "the target has its own umask, signals, environment and descriptors" {
	umask 027
	export DT_RUNTIME_NONCE=old
	fake -P cpu -o a.bundle --target-out o -- sh -c 'umask
	    echo $DT_RUNTIME_NONCE; ls /proc/self/fd | wc -l
	    grep -E "^Sig(Blk|Ign)" /proc/self/status' >out
	# timeout(1) has handlers for what it may have been told to ignore
	timeout 60 sh -c "grep -E '^Sig(Blk|Ign)' /proc/self/status" >want
	[ "$(sed -n 1p o)" = 0027 ]
	[ "$(sed -n 2p o)" = "$(stage a.bundle .target.nonce)" ]
	sed -n '4,$p' o | diff - want
	[ "$(stat -c %a o)" = 640 ]
}

@test "the target's output: to stderr, a file, a log" {
	fake -P cpu -o a.bundle -- echo one >out 2>err
	grep -qx one err
	fake -P cpu -o b.bundle --target-out b.txt -- echo two >out 2>err
	[ "$(cat b.txt)" = two ]
	[ ! -s err ]
	fake -P cpu -o c.bundle --target-out - -- echo three >out 2>err
	[ "$(cat "$(cat out)/logs/target.out")" = three ]
	status 2 fake -P cpu -o d.bundle --target-out /nonexistent/x -- true
	[ -z "$(staging d.bundle)" ]
}

@test "mappings of the target are there with build-ids" {
	fake -P cpu -o a.bundle -- sh -c '/bin/true; :' >out
	f=$(cat out)/spool/maps.spool
	head -n 1 "$f" | grep -q $'^READY\t1\tmaps\t'
	tail -n 1 "$f" | grep -q $'^END\t'
	[ "$(stage a.bundle '.capabilities[]|select(.name=="live-maps")
	    .available')" = true ] || skip "no perf events"
	id=$(stage a.bundle .target.exe_build_id)
	grep -q "^map.*$id"$'\t'"$(readlink -f "$(command -v sh)")\$" "$f"
	grep -q "^map.*/libc" "$f"
	# of the child, too
	grep -q "^map.*/true\$" "$f"
	[ "$(grep -c ^unmap "$f")" -eq 2 ]
	n=$(grep -cE '^(map|unmap)' "$f")
	grep -q "^COUNT"$'\t'"fired"$'\t'"$n\$" "$f"
}

# A required collector that goes wrong in the phase of attaching.
refused() {
	status 1 fake -f cpu -o a.bundle --ack-timeout 1 \
	    --stop-timeout 300ms -- touch ran
	has "$1"
	has "aborted"
	[ ! -e ran ]
	s=$(staging a.bundle)
	grep -q '^phase: attach' "$s/INCOMPLETE"
	grep -q "^reason: .*$1" "$s/INCOMPLETE"
	[ "$(stage a.bundle .aborted.phase)" = attach ]
	[ -s "$s/spool/procs.spool" ]
}

@test "a tracer that is never ready" {
	FAKE_CPU=never refused "collector cpu: not ready within 1 s"
	[ "$(stage a.bundle '.collectors[]|select(.name=="cpu")|
	    [.stops[].signal]|join(" ")')" = INT ]
}

@test "a tracer that acknowledges with something else" {
	FAKE_CPU=garbage refused "its first line is no READY: this is not"
}

@test "a tracer that dies before it is ready; what it said is told" {
	FAKE_CPU=die refused "failed to enable: no luck"
	[ "$(stage a.bundle '.collectors[]|select(.name=="cpu").exit_code')" \
	    = 3 ]
}

@test "a tracer that is slow, and says READY in two pieces" {
	FAKE_CPU=slow fake -f cpu -o a.bundle -- touch ran
	[ -e ran ]
}

@test "an optional collector that fails is a fact, the capture goes on" {
	export FAKE_CPU=die
	fake -P cpu -o a.bundle -- touch ran >out 2>err
	[ -e ran ]
	grep -q "warning: collector: collector cpu: .*no luck" err
	[ "$(stage a.bundle '.collectors[]|select(.name=="cpu")|
	    [.ack, (.errors|length > 0)]|@json')" = '[null,true]' ]
}

# A required collector that goes away while the target runs.
lost() {
	rc=0
	fake -f cpu -o a.bundle -- \
	    sh -c 'echo $$ >pid; sleep 2; echo done >done' >out 2>err || rc=$?
	[ "$rc" -eq 1 ]
	[ ! -s out ]
	grep -q "$1" err
	grep -q "^reason: .*$1" "$(staging a.bundle)/INCOMPLETE"
	[ "$(stage a.bundle .aborted.phase)" = run ]
	[ ! -e done ]
	alive "$(cat pid)"
	until_true 5 test -e done
}

@test "a tracer that dies while the target runs: it goes on" {
	FAKE_CPU=late-die lost \
	    "collector cpu: ended within the window: exit status 4: fake-trac"
}

@test "a tracer that is killed while the target runs" {
	FAKE_CPU=kill lost "killed by signal 9"
}

@test "a tracer that exits without need" {
	FAKE_CPU=exit lost "exit status 0"
}

@test "an optional tracer that dies late leaves its error" {
	export FAKE_CPU=late-die
	fake -P cpu -o a.bundle -- sleep 1 >out
	[ "$(stage a.bundle '.collectors[]|select(.name=="cpu").errors|
	    length > 0')" = true ]
	[ "$(stage a.bundle '.collectors[]|select(.name=="cpu").exit_code')" \
	    = 4 ]
}

@test "a tracer that ignores INT gets TERM" {
	export FAKE_CPU=deaf
	fake -f cpu -o a.bundle --stop-timeout 300ms -- true >out
	[ "$(stage a.bundle '.collectors[]|select(.name=="cpu")|
	    [.stops[].signal]|join(" ")')" = "INT TERM" ]
	grep -q ^END "$(cat out)/spool/cpu.spool"
}

@test "a tracer that ignores INT and TERM is killed" {
	export FAKE_CPU=deafer
	fake -f cpu -o a.bundle --stop-timeout 300ms -- true >out
	[ "$(stage a.bundle '.collectors[]|select(.name=="cpu")|
	    [.signal, ([.stops[].signal]|join(" "))]|@json')" = \
	    '[9,"INT TERM KILL"]' ]
	[ "$(stage a.bundle '.collectors[]|select(.name=="cpu").stops|
	    .[1].at - .[0].at > 290000000')" = true ]
}

@test "a tracer that leaves its process group is ended all the same" {
	export FAKE_CPU=group
	fake -f cpu -o a.bundle --stop-timeout 300ms -- true >out
	[ "$(stage a.bundle '.collectors[]|select(.name=="cpu")|
	    [.exit_code, ([.stops[].signal]|join(" "))]|@json')" = '[0,"INT"]' ]
}

# signalled N WORDS: the tracers have got what that line of the log says
signalled() {
	until_true 20 grep -qx "$1" signals
}

@test "however often INT comes, who got SIGKILL is waited for" {
	local i n
	export FAKE_CPU=deafer
	for n in 1 2 3 4; do
		fake_bg $n.bundle -f cpu -- sleep 600
		at_phase $n.bundle run
		for i in {1..400}; do
			kill -INT $attach || break
		done 2>/dev/null
		wait $attach
		[ "$(stage $n.bundle '.collectors[] |
		    select(.exit_code == null and .signal == null and
		    .argv != []) | .name')" = "" ]
	done
}

@test "INT and TERM while draining: each hastens by one step" {
	export FAKE_CPU=deafer FAKE_SIGNALS=$T/signals
	for sig in INT TERM; do
		rm -f signals
		fake_bg $sig.bundle -f cpu --stop-timeout 600 -- true
		# the window has ended by itself
		signalled "cpu 2"
		kill -$sig $attach
		signalled "cpu 15"
		kill -$sig $attach
		wait $attach
		[ "$(cat $sig.bundle.out)" = "$(staging $sig.bundle)" ]
		[ "$(stage $sig.bundle '.collectors[]|
		    select(.name=="cpu")|[.signal,
		    ([.stops[].signal]|join(" "))]|@json')" = \
		    '[9,"INT TERM KILL"]' ]
		# procs was not hastened
		[ "$(stage $sig.bundle '.collectors[]|
		    select(.name=="procs")|[.exit_code,
		    ([.stops[].signal]|join(" "))]|@json')" = '[0,"INT"]' ]
		[ "$(stage $sig.bundle .command.ended)" = exited ]
		[ "$(stage $sig.bundle .command.exit_code)" = 0 ]
		# a collector without an end is never complete
		run dt-finalize "$(staging $sig.bundle)"
		hasnt complete
	done
}

@test "a second and a third Ctrl-C hasten, after one that ended the window" {
	export FAKE_CPU=deafer FAKE_SIGNALS=$T/signals
	fake_bg a.bundle -f cpu --stop-timeout 600 -- sleep 600
	at_phase a.bundle run
	kill -INT $attach
	signalled "cpu 2"
	kill -INT $attach
	signalled "cpu 15"
	kill -INT $attach
	wait $attach
	[ "$(stage a.bundle '.collectors[]|select(.name=="cpu")|
	    [.stops[].signal]|join(" ")')" = "INT TERM KILL" ]
	[ "$(stage a.bundle '.command.ended')" = interrupted ]
}

@test "an aborted capture is hastened, too" {
	export FAKE_CPU=never,deafer FAKE_PROCS=deafer FAKE_SIGNALS=$T/signals
	export FAKE_LOG=$T/log
	fake_bg a.bundle -f cpu --stop-timeout 600 -- touch ran
	until_true 20 grep -q '^cpu ' log
	kill -TERM $attach
	for want in "cpu 2" "cpu 15" "procs 2" "procs 15"; do
		signalled "$want"
		kill -TERM $attach
	done
	rc=0
	wait $attach || rc=$?
	[ $rc -eq 1 ]
	[ ! -e ran ]
	grep -q "^reason: ended by signal 15" \
	    "$(staging a.bundle)/INCOMPLETE"
}

@test "a tracer that acknowledges and records nothing" {
	need_tool jq
	export FAKE=whole FAKE_CPU=silent FAKE_SYSCALLS=silent
	fake -f cpu -o a.bundle -- sleep 0.05 >out
	grep -q "^COUNT"$'\t'"fired"$'\t'"0$" "$(cat out)/spool/cpu.spool"
	dt-finalize <out
	[ "$(jq -r .families.cpu.state a.bundle/manifest.json)" = none-fired ]
	status 1 dt-validate a.bundle
	has family-required
	# optional: a fact, no fault
	fake -P syscalls -o b.bundle -- sleep 0.05 >out
	dt-finalize <out
	[ "$(jq -r .families.syscalls.state b.bundle/manifest.json)" = \
	    none-fired ]
	status 0 dt-validate b.bundle
}

@test "tracers have the highest priority there is" {
	need_root
	need_tool nice
	[ "$(nice -n -20 nice)" = -20 ] || skip "cannot have it"
	export FAKE_LOG=$T/log
	fake_bg a.bundle -P cpu -- sh -c 'nice >nice; exec sleep 600'
	at_phase a.bundle run
	while read -r _ tracer _; do
		[ "$(cut -d' ' -f19 "/proc/$tracer/stat")" = -20 ]
	done <log
	until_true 10 test -s nice
	kill -INT $attach
	wait $attach
	# that of the command is its own
	[ "$(cat nice)" = "$(nice)" ]
}

@test "a guard that is killed: the capture goes on to its end" {
	need_tool pgrep
	fake_bg a.bundle -P cpu -- sh -c 'echo $$ >pid; exec sleep 600'
	at_phase a.bundle run
	until_true 10 test -s pid
	# the guard leads a session of its own, and has the pipe from dt-attach
	for guard in $(pgrep -x dt-guard); do
		pipe=$(readlink "/proc/$guard/fd/0") || continue
		! ls -l "/proc/$attach/fd" | grep -qF "$pipe" ||
		    kill -KILL "$guard"
	done
	kill -TERM "$(cat pid)"
	wait $attach
	[ "$(cat a.bundle.out)" = "$(staging a.bundle)" ]
	[ "$(stage a.bundle '[.collectors[].errors[]]|length')" = 0 ]
}

@test "--max-bytes ends it; nothing is thrown away" {
	rc=0
	FAKE_CPU=flood fake -f cpu -o a.bundle --max-bytes 3M -- \
	    sh -c 'echo $$ >pid; exec sleep 30' 2>err || rc=$?
	[ "$rc" -eq 1 ]
	grep -q "max-bytes" err
	grep -q "^reason: .*--max-bytes 3145728" \
	    "$(staging a.bundle)/INCOMPLETE"
	[ "$(stat -c %s "$(staging a.bundle)/spool/cpu.spool")" -gt 3000000 ]
	alive "$(cat pid)"
	kill "$(cat pid)"
}

@test "--max-bytes holds in every phase" {
	FAKE_CPU=flood-never status 1 fake -f cpu -o a.bundle \
	    --max-bytes 3M -- touch ran
	has "max-bytes"
	[ "$(stage a.bundle .aborted.phase)" = attach ]
	[ ! -e ran ]
	FAKE_CPU=flood-end status 1 fake -f cpu -o b.bundle \
	    --max-bytes 3M -- touch ran
	has "max-bytes"
	[ "$(stage b.bundle .aborted.phase)" = drain ]
	[ "$(stage b.bundle '.collectors[]|select(.name=="cpu")|
	    [.stops[].signal]|join(" ")')" = "INT TERM KILL" ]
	[ "$(stat -c %s "$(staging b.bundle)/spool/cpu.spool")" -lt 60000000 ]
	[ -e ran ]
}

@test "a command that does not exist, or is no program: nothing is made" {
	status 2 fake -o a.bundle -- ./nothing
	has "./nothing"
	has "No such file"
	status 2 fake -o a.bundle -- no-such-command-anywhere
	touch plain
	status 2 fake -o a.bundle -- ./plain
	has "Permission denied"
	status 2 fake -o a.bundle -- /
	rm plain
	[ -z "$(ls -A)" ]
}

@test "a command that cannot be executed after all" {
	printf '\177ELFnonsense' >bad
	chmod +x bad
	run fake -P cpu -o a.bundle -- ./bad
	# ENOEXEC: to execvp(3), and here, that is a script of sh
	[ "$status" -eq 0 ]
	[ "$(stage a.bundle .command.exit_code)" = 127 ]
	printf '#!/nonexistent\n' >bad
	status 1 fake -P cpu -o b.bundle -- ./bad
	has "No such file"
	[ "$(stage b.bundle .aborted.phase)" = release ]
}

@test "a script without #! runs as sh" {
	printf 'echo ran "$1" >ran\n' >s
	chmod +x s
	fake -P cpu -o a.bundle -- ./s arg >out
	[ "$(cat ran)" = "ran arg" ]
}

@test "targets that end in their own way" {
	fake -P cpu -o a.bundle -- sh -c 'kill -9 $$' >out
	[ "$(stage a.bundle '[.command.exit_code, .command.signal]|@json')" = \
	    '[null,9]' ]
	# forks and exits
	fake -P cpu -o b.bundle -- sh -c 'sleep 1 & exit 5' >out
	[ "$(stage b.bundle .command.exit_code)" = 5 ]
	# closes all it has
	fake -P cpu -o c.bundle -- sh -c 'exec 0<&- 1>&- 2>&-; sleep 0.1' >out
	[ "$(stage c.bundle .command.exit_code)" = 0 ]
}

@test "a target that stops itself goes on when it is told to" {
	fake_bg a.bundle -P cpu -- sh -c 'echo $$ >pid; kill -STOP $$; exit 6'
	until_true 10 test -s pid
	p=$(cat pid)
	until_true 10 grep -q '^State:.T' "/proc/$p/status"
	sleep 0.3
	alive $attach
	kill -CONT "$p"
	wait $attach
	[ "$(stage a.bundle .command.exit_code)" = 6 ]
}

@test "a target that ignores signals outlives an interrupted capture" {
	fake_bg a.bundle -P cpu -- sh -c 'trap "" TERM INT; echo $$ >pid
	    sleep 60 & wait; sleep 60'
	until_true 10 test -s pid
	at_phase a.bundle run
	kill -TERM $attach
	at_phase a.bundle drain || at_phase a.bundle captured
	sleep 0.3
	kill -INT $attach 2>/dev/null || :
	wait $attach
	alive "$(cat pid)"
	# while its child is one
	kill -KILL $(pgrep -P "$(cat pid)") "$(cat pid)"
}

@test "an interrupted capture ends its command, as perf record does" {
	fake_bg a.bundle -P cpu -- sh -c 'echo $$ >pid; exec sleep 60'
	at_phase a.bundle run
	until_true 10 test -s pid
	kill -INT $attach
	wait $attach
	[ "$(cat a.bundle.out)" = "$(staging a.bundle)" ]
	gone "$(cat pid)"
	[ "$(stage a.bundle .command.ended)" = interrupted ]
}

@test "-d ends the window" {
	fake -P cpu -d 500ms -o a.bundle -- sleep 60 >out
	[ "$(stage a.bundle .command.ended)" = duration ]
	[ "$(stage a.bundle '.window.workload_done - .window.workload_start |
	    . >= 500000000 and . < 10000000000')" = true ]
}

@test "INT and TERM before the window: aborted, the command never ran" {
	export FAKE_CPU=never
	for sig in INT TERM; do
		fake_bg $sig.bundle -f cpu -- touch ran
		at_phase $sig.bundle attach
		sleep 0.3
		kill -$sig $attach
		rc=0
		wait $attach || rc=$?
		[ "$rc" -eq 1 ]
		[ ! -s $sig.bundle.out ]
		grep -q "^reason: ended by signal" \
		    "$(staging $sig.bundle)/INCOMPLETE"
	done
	[ ! -e ran ]
}

@test "-p: a running process goes on afterwards and is never stopped" {
	sleep 60 3>&- &
	target=$!
	fake -P cpu -d 300ms -o a.bundle -p $target >out
	alive $target
	[ "$(stage a.bundle .command.mode)" = attach ]
	[ "$(stage a.bundle .command.hold)" = running ]
	[ "$(stage a.bundle '.command.argv|@json')" = '["sleep","60"]' ]
	[ "$(stage a.bundle '.window|.workload_start == .attached')" = true ]
	grep -q "^map.*/sleep\$" "$(cat out)/spool/maps.spool"
	# looked at once or polled, each is there once
	[ -z "$(grep ^map "$(cat out)/spool/maps.spool" | cut -f 3- | sort |
	    uniq -d)" ]
	cmp "$(cat out)/exe" "$(command -v sleep)"
	kill $target
}

@test "a held command that is killed: told, and it never ran" {
	need_tool pgrep
	export FAKE_LOG=$T/log FAKE_CPU=never
	fake_bg a.bundle -P cpu -- touch ran
	until_true 20 grep -q '^cpu ' log
	# the command's process still has dt-attach's name
	kill -KILL "$(pgrep -x -P $attach dt-attach)"
	rc=0
	wait $attach || rc=$?
	[ $rc -eq 1 ]
	[ ! -e ran ]
	grep -q "the target ended before all collectors were attached" \
	    a.bundle.err
	status 1 dt-finalize "$(staging a.bundle)"
	has "aborted in phase attach"
}

@test "a held command that is stopped: INT ends the capture in any phase" {
	need_tool pgrep
	export FAKE_LOG=$T/log
	for how in never slow; do
		export FAKE_CPU=$how
		rm -f log
		fake_bg $how.bundle -f cpu -- touch ran
		until_true 20 grep -q '^cpu ' log
		held=$(pgrep -x -P $attach dt-attach)
		kill -STOP "$held"
		[ $how = never ] || at_phase $how.bundle release
		kill -INT $attach
		until_true 20 gone $attach || {
			kill -CONT "$held"
			false
		}
		gone "$held"
		rc=0
		wait $attach || rc=$?
		[ $rc -eq 1 ]
		grep -q "^reason: ended by signal 2" \
		    "$(staging $how.bundle)/INCOMPLETE"
	done
	[ ! -e ran ]
}

@test "-p: children that it has already are named, those to come are not" {
	printf 'sleep 600 & sleep 601 & echo $! >two; wait\n' >parent
	sh parent 3>&- &
	target=$!
	until_true 10 test -s two
	children=$(pgrep -P $target -d ', ')
	fake -P cpu -d 100ms -o a.bundle -p $target >out 2>err
	kill $(pgrep -P $target) $target
	grep -q "warning: children: process $target has 2 children already, "`
	    `"not followed: $children\$" err
	grep -q " children of before, not followed: 2: $children\$" \
	    "$(cat out)/logs/capture.log"
	sleep 600 3>&- &
	target=$!
	fake -P cpu -d 100ms -o b.bundle -p $target >out 2>err
	kill $target
	[ ! -s err ]
	! grep children "$(cat out)/logs/capture.log" || false
}

@test "-p: ends when the process does" {
	sleep 3 3>&- &
	fake -P cpu -o a.bundle -p $! >out
	[ "$(stage a.bundle .command.ended)" = exited ]
}

@test "-p: no such process, or a thread" {
	status 2 fake -o a.bundle -p 4000000
	has "process 4000000"
	[ -z "$(ls -A)" ]
}

@test "a call in flight is noted at the end of the window" {
	sleep 60 3>&- &
	target=$!
	fake -P syscalls -d 200ms -o a.bundle -p $target >out
	kill $target
	f=$(cat out)/spool/inflight.spool
	[ "$(sed -n 2p "$f" | cut -f 1,3,4,6)" = \
	    $'syscall-open\t'"$target"$'\t'"$target"$'\t'clock_nanosleep ]
	grep -q $'^COUNT\tfired\t1$' "$f"
}

@test "a destination that exists is never touched" {
	mkdir a.bundle
	status 2 fake -o a.bundle -- touch ran
	has "exists"
	echo x >b.bundle
	status 2 fake -o b.bundle -- touch ran
	ln -s nowhere c.bundle
	status 2 fake -o c.bundle -- touch ran
	[ ! -e ran ]
	[ "$(ls -A | wc -l)" -eq 3 ]
}

@test "a destination that cannot be" {
	status 2 fake -o no/such/dir/a.bundle -- touch ran
	has "No such file"
	status 2 fake -o .. -- touch ran
	status 2 fake -o '' -- touch ran
	status 2 fake -o "$(printf %300s x)" -- touch ran
	[ ! -e ran ]
}

@test "a destination that is not writable" {
	mkdir ro
	chmod 555 ro
	[ "$(id -u)" -ne 0 ] || mounted ro -o ro
	status 2 fake -o ro/a.bundle -- touch ran
	[ ! -e ran ]
}

# mounted DIR OPTION...: a tmpfs there until teardown
mounted() {
	local d=$1
	shift
	mount -t tmpfs "$@" none "$d" 2>/dev/null || skip "cannot mount"
	mnt=$T/$d
}

teardown() {
	cd /
	[ -z "${mnt:-}" ] || umount -l "$mnt"
	helper_teardown
}

@test "a destination that fills up" {
	need_root
	mkdir small
	mounted small -o size=2m
	FAKE_CPU=flood run fake -f cpu -o small/a.bundle -- \
	    sh -c 'echo $$ >pid; sleep 2'
	cp -r small kept
	[ "$status" -eq 1 ]
	has "disk is full"
	cd kept
	grep -q "^reason: the disk is full" "$(staging a.bundle)/INCOMPLETE"
	[ "$(stage a.bundle .aborted.reason)" = "the disk is full" ]
	[ -s "$(staging a.bundle)/spool/procs.spool" ]
}

@test "no room for the executable: aborted, with the reason" {
	need_root
	need_tool perl
	mkdir small
	mounted small -o size=3m
	cp "$(command -v perl)" big
	[ "$(stat -c %s big)" -gt 3145728 ] || truncate -s 4M big
	run fake -f cpu -o small/a.bundle -- ./big -e 1
	cp -r small kept
	[ "$status" -eq 1 ]
	has "No space left on device"
	grep -q "^reason: .*No space left" \
	    "kept/$(cd kept && staging a.bundle)/INCOMPLETE"
}

@test "a destination that disappears" {
	fake_bg a.bundle -f cpu -- sh -c 'echo $$ >pid; sleep 3'
	at_phase a.bundle run
	rm -rf .a.bundle.staging.*
	rc=0
	wait $attach || rc=$?
	[ "$rc" -eq 1 ]
	grep -q "was removed" a.bundle.err
	alive "$(cat pid)"
	kill "$(cat pid)"
}

# dt-attach SIGKILLed: the tracers go by themselves, and the target goes on
killed_at() {
	export FAKE_LOG=$T/log
	fake_bg a.bundle -f cpu "${@:2}"
	at_phase a.bundle "$1"
	until_true 10 test -s log
	sleep 0.3
	kill -KILL $attach
	wait $attach || :
	while read -r _ tracer _; do
		until_true 5 gone "$tracer"
	done <log
	[ -e "$(staging a.bundle)/INCOMPLETE" ]
	status 1 dt-finalize "$(staging a.bundle)"
	has "dt-attach was killed in phase $1"
	[ ! -e a.bundle ]
	[ -e "$(staging a.bundle)/INCOMPLETE" ]
}

@test "SIGKILL while attaching: the held command does not run" {
	FAKE_CPU=never killed_at attach -- touch ran
	[ ! -e ran ]
}

@test "SIGKILL while the target runs: it goes on" {
	killed_at run -- sh -c 'echo $$ >pid; sleep 2; echo done >done'
	alive "$(cat pid)"
	until_true 5 test -e done
}

@test "SIGKILL while draining: the target goes on" {
	sleep 60 3>&- &
	target=$!
	FAKE_CPU=deafer killed_at drain --stop-timeout 20 -d 200ms -p $target
	alive $target
	kill $target
}

@test "SIGKILL with -p in each phase: the target goes on" {
	sleep 60 3>&- &
	target=$!
	FAKE_CPU=never killed_at attach -p $target
	alive $target
	rm -rf .a.bundle.* log
	killed_at run -p $target
	alive $target
	kill $target
}

@test "SIGKILL ends tracers behind a wrapper and those that are deaf" {
	FAKE_CPU=wrapper,deafer FAKE_PROCS=deafer \
	    killed_at run -- sh -c 'echo $$ >pid; sleep 5'
	alive "$(cat pid)"
	kill "$(cat pid)"
}

@test "two captures at once, of one target and of two" {
	sleep 60 3>&- &
	target=$!
	fake_bg a.bundle -P cpu -d 1 -p $target
	a=$attach
	fake_bg b.bundle -P cpu -d 1 -p $target
	b=$attach
	fake_bg c.bundle -P cpu -- sleep 1
	c=$attach
	wait $a
	wait $b
	wait $c
	alive $target
	kill $target
	for n in a b c; do
		[ "$(cat $n.bundle.out)" = "$(staging $n.bundle)" ]
	done
}

@test "-u runs the target as another user with a clean environment" {
	need_root
	id nobody >/dev/null 2>&1 || skip "no user nobody"
	chmod 755 "$T"
	SECRET=1 fake -P cpu -u nobody -o a.bundle --target-out o -- \
	    sh -c 'id -un; id -G; env; umask' >out
	[ "$(sed -n 1p o)" = nobody ]
	[ "$(sed -n 2p o)" = "$(id -G nobody)" ]
	run cat o
	hasnt SECRET
	hasnt DT_SCRIPTS
	has "LOGNAME=nobody"
	has "USER=nobody"
	has "HOME=$(getent passwd nobody | cut -d: -f6)"
	has "PATH=/usr/local/sbin:"
	has "DT_RUNTIME_NONCE="
	[ "$(stage a.bundle .command.uid)" = "$(id -u nobody)" ]
	status 2 fake -P cpu -u no-such-user-here -o b.bundle -- true
	has "no such user"
}

@test "a host without a tracer is 77 and says what is missing" {
	mkdir b
	cp "$DT_BIN/dt-attach" b/
	PATH=/nonexistent status 77 b/dt-attach -o a.bundle /bin/true
	has "no-tracer"
	has "b/dt-trace: No such file"
	has "no dtrace in PATH"
	# that of systemtap-sdt-dev is none
	mkdir p
	printf '#!/bin/sh\necho "invalid option $1"\nexit 1\n' >p/dtrace
	chmod +x p/dtrace
	PATH=$T/p status 77 b/dt-attach -o a.bundle /bin/true
	has "does not answer -V"
	status 2 dt-attach -T ./no-such-tracer -o a.bundle /bin/true
	[ -z "$(staging a.bundle)" ]
}

@test "a dtrace in PATH is the tracer where there is no dt-trace" {
	need_root
	mkdir b p
	cp "$DT_BIN/dt-attach" b/
	printf '#!/bin/sh\nexec %s "$@"\n' "$FAKE_TRACER" >p/dtrace
	chmod +x p/dtrace
	PATH=$T/p:$PATH b/dt-attach -P cpu -o a.bundle true >out
	[ "$(stage a.bundle '.collectors[]|select(.name=="cpu").tracer')" = \
	    "$T/p/dtrace" ]
	[ "$(stage a.bundle .settings.ack_ns)" = 60000000000 ]
}

@test "a full or closed stdout is an error" {
	[ -w /dev/full ] || skip "no /dev/full"
	rc=0
	fake -P cpu -o a.bundle -- true >/dev/full 2>err || rc=$?
	[ "$rc" -eq 2 ]
}
