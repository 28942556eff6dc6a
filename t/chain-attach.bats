load helper
load chain

# Running programs, and dt-attach ended by force.

server() {
	cat >server.py <<-'END'
	import os, time
	count = os.open("count", os.O_WRONLY | os.O_CREAT)
	done = 0
	while True:
	    done += 1
	    os.pwrite(count, b"%d\n" % done, 0)
	    n = sum(i * i for i in range(20000))
	    fd = os.open("/dev/null", os.O_WRONLY)
	    os.write(fd, b"x" * (n % 7 + 1))
	    os.close(fd)
	    time.sleep(0.001)
	END
	python3 server.py 3>&- &
	target=$!
	until_true 20 test -s count
}

# served N: it has come to its Nth turn
served() {
	[ "$(cat count)" -ge "$1" ]
}

# turns N: it does so many more
turns() {
	until_true 60 served $(($(cat count) + $1))
}

teardown() {
	[ -z "${target:-}" ] || kill -9 "$target" 2>/dev/null || :
	helper_teardown
}

@test "python3: complete, and it goes on" {
	need_trace
	need_tool python3
	server
	dt-attach -f cpu,syscalls -o x.bundle -p $target >out 2>err 3>&- &
	attach=$!
	at_phase x.bundle run
	turns 301
	kill -INT $attach
	wait $attach
	dt-finalize <out 2>>err
	complete x.bundle
	balance x.bundle
	alive $target
	[ "$(jq -r .command.ended x.bundle/manifest.json)" = interrupted ]
	[ "$(records x.bundle syscalls | cut -f 9 | grep -c '^write$')" \
	    -ge 300 ]
	# a turn takes about a millisecond
	[ "$(records x.bundle cpu | wc -l)" -gt 50 ]
	# a function of the interpreter is named
	records x.bundle cpu | grep -q '`_PyEval\|`Py\|python'
}

@test "redis-server: complete with calls in flight, and it goes on" {
	need_trace
	need_tool redis-server redis-cli
	redis-server --port 0 --unixsocket "$T/s" --save '' \
	    --daemonize no >log 2>&1 3>&- &
	target=$!
	until_true 10 redis-cli -s s ping
	dt-attach -f cpu,syscalls -o x.bundle -p $target >out 2>err &
	attach=$!
	at_phase x.bundle run
	for i in 1 2 3 4 5; do
		redis-cli -s s set k$i v$i >/dev/null
	done
	# idle, it would have no sample
	redis-cli -s s eval 'local n = 0
	    for i = 1, 2e7 do n = n + i end return n' 0 >/dev/null
	sleep 0.3
	kill -INT $attach
	wait $attach
	dt-finalize <out 2>>err
	complete x.bundle
	balance x.bundle
	[ "$(redis-cli -s s get k5)" = v5 ]
	records x.bundle syscalls | cut -f 9 | grep -qx read
	# its event loop was waiting when the window ended, or the wait was
	# found in flight and returned before the collector ended
	records x.bundle syscalls | awk -F'\t' '$2 == "syscall-open"' |
	    grep -q epoll_wait || jq -e '.collectors[] |
	    select(.name == "inflight").filters[] |
	    select(.rule == "returned").count > 0' x.bundle/collectors.json
}

@test "two captures at once, of one target and of two: all complete" {
	need_trace
	need_tool python3
	server
	local n pid=()
	for n in a b; do
		dt-attach -f cpu,syscalls -o $n.bundle -p $target >$n \
		    2>$n.err 3>&- &
		pid[${#pid[@]}]=$!
		at_phase $n.bundle run
	done
	turns 51
	chain c.bundle -f syscalls -- sh -c 'for i in 1 2 3 4 5; do
	    /bin/true; done'
	kill -INT "${pid[@]}"
	wait "${pid[@]}"
	cat a b | dt-finalize 2>err
	for n in a b c; do
		complete $n.bundle
		balance $n.bundle
	done
	alive $target
	# each has all calls of the process, once, and no others
	for n in a b; do
		records $n.bundle syscalls | awk -F'\t' '$9 == "write" {
		    print $1 }' >writes
		[ "$(wc -l <writes)" -ge 50 ]
		[ -z "$(uniq -d writes)" ]
		[ "$(jq '.members|length' $n.bundle/cohort.json)" -eq 1 ]
	done
}

# tracers NAME [COLLECTOR]: those that have the staging directory, which has
# dt-attach's pid in its name, as an argument
tracers() {
	pgrep -f -- "-s $(staging "$1")/scripts/${2:-}"
}

none_left() {
	! tracers "$1"
}

@test "dt-attach killed in each phase: its tracers go, the target goes on" {
	need_trace
	need_tool python3 pgrep
	server
	for ph in attach run drain; do
		dt-attach -f cpu,syscalls -o $ph.bundle -p $target \
		    >/dev/null 2>&1 3>&- &
		attach=$!
		if [ $ph = drain ]; then
			at_phase $ph.bundle run
			# or it would be over too soon
			kill -STOP $(tracers $ph.bundle)
			kill -INT $attach
		fi
		at_phase $ph.bundle $ph
		kill -KILL $attach
		wait $attach || :
		until_true 6 none_left $ph.bundle
		alive $target
		[ -e .$ph.bundle.staging.*/INCOMPLETE ]
		status 1 dt-finalize .$ph.bundle.staging.*
		[ ! -e $ph.bundle ]
	done
}

@test "a script with an error: told with its line, nothing runs" {
	need_trace
	mkdir scripts
	cp "$DT_SRC"/d-scripts/*.d scripts/
	sed -i 's/^BEGIN$/BEGIN { nonsense(; }\n&/' scripts/cpu.d
	status 1 dt-attach -s scripts -f cpu -o a.bundle touch ran
	has "collector cpu: ended before it was ready"
	has "line"
	[ ! -e ran ]
}

@test "a tracer killed in the window: aborted, what it had is kept" {
	need_trace
	need_tool pgrep
	dt-attach -f syscalls -o a.bundle -- sh -c 'echo $$ >pid
	    while sleep 0.05; do :; done' >out 2>err 3>&- &
	attach=$!
	at_phase a.bundle run
	sleep 0.5
	kill -KILL "$(tracers a.bundle syscalls)"
	rc=0
	wait $attach || rc=$?
	alive "$(cat pid)"
	kill -9 "$(cat pid)"
	[ "$rc" -eq 1 ]
	grep -q "killed by signal 9" err
	grep -q $'\t'nanosleep$'\t\|\t'clock_nanosleep$'\t' \
	    .a.bundle.staging.*/spool/syscalls.spool
	status 1 dt-finalize .a.bundle.staging.*
	[ ! -e a.bundle ]
}

@test "a tracer that is stopped: the end is bounded, the bundle not complete" {
	need_trace
	need_tool pgrep
	dt-attach -f syscalls --stop-timeout 500ms -o a.bundle -- sleep 2 \
	    >out 2>err 3>&- &
	attach=$!
	at_phase a.bundle run
	kill -STOP "$(tracers a.bundle syscalls)"
	wait $attach
	[ "$(stage a.bundle '.collectors[]|select(.name=="syscalls")|
	    [.stops[].signal]|join(" ")')" = "INT TERM KILL" ]
	run dt-finalize .a.bundle.staging.*
	run dt-validate a.bundle
	[ "$status" -ne 0 ]
}

@test "little locked memory, few descriptors, no tracefs: still complete" {
	need_trace
	# long enough to be sampled
	echo 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' >busy.sh
	(ulimit -l 64 -n 64 && chain x.bundle -f cpu,syscalls -- sh busy.sh)
	complete x.bundle
	need_tool unshare
	unshare -m true 2>/dev/null || skip "no mount namespaces"
	unshare -m --propagation private sh -c '
	    mount -t tmpfs none /sys/kernel/tracing || exit 99
	    dt-attach -f cpu,syscalls -o y.bundle sh busy.sh' >out 2>err || {
		[ $? -ne 99 ] || skip "cannot hide tracefs"
		cat err
		false
	}
	dt-finalize <out
	complete y.bundle
}

@test "a shell that keeps forking: its children of before are not followed" {
	need_trace
	(while :; do /bin/true; done) 3>&- &
	target=$!
	dt-attach -f syscalls -o x.bundle -p $target -d 1 2>err | dt-finalize
	kill $target
	complete x.bundle
	balance x.bundle
	jq -e '.members | length > 5' x.bundle/cohort.json
}

@test "cpu alone: the program's own mappings are in the bundle" {
	need_trace
	chain x.bundle -f cpu -- python3 -c 'sum(i * i for i in range(10 ** 6))'
	complete x.bundle
	id=$(jq -r '.artifacts[]|select(.kind == "binary").build_id' \
	    x.bundle/manifest.json)
	records x.bundle maps | head -n 1 | grep -q '	unmap	'
	[ -n "$id" ] && records x.bundle maps | grep -q "	$id	"
	jq -e --arg id "$id" '[.libraries[].build_id]|index($id) != null' \
	    x.bundle/manifest.json
}

@test "an optional collector without a script: degraded, and a bundle" {
	need_trace
	mkdir d
	cp "$DT_SRC/d-scripts/procs.d" "$DT_SRC/d-scripts/cpu.d" d
	chain x.bundle -f cpu -P default -s d -- \
	    python3 -c 'sum(i * i for i in range(10 ** 6))'
	status 1 dt-validate x.bundle
	[ "$(jq -r .verdict x.bundle/validation.json)" = degraded ]
	[ "$(jq -r '.findings[].id' x.bundle/validation.json |
	    sort -u | tr '\n' ' ')" = \
	    'balance-null collector-errors family-lost ' ]
	[ "$(jq -r .families.syscalls.state x.bundle/manifest.json)" = \
	    not-attached ]
}
