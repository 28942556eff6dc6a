load helper
load capture
load faults

# Hosts and moments that are not as one would like, with a scripted tracer.

# hidden CMD: in a mount namespace of its own
hidden() {
	unshare -m --propagation private sh -c "$@"
}

need_mounts() {
	need_root
	need_tool unshare
	unshare -m true 2>/dev/null || skip "no mount namespaces"
}

# A directory that everybody can reach; teardown removes it.
open_dir() {
	D=$(mktemp -d /tmp/dt-edges.XXXXXX)
	chmod 755 "$D"
	cd "$D"
}

teardown() {
	[ -z "${D:-}" ] || rm -rf "$D"
	helper_teardown
}

@test "without privilege: 77, and what is missing" {
	need_root
	need_tool setpriv
	open_dir
	cp "$DT_BIN/dt-attach" .
	printf '#!/bin/sh\n' >dt-trace
	chmod 755 dt-attach dt-trace
	mkdir -m 777 out
	cd out
	PATH=/usr/bin:/bin run setpriv --reuid=65534 --regid=65534 \
	    --clear-groups --bounding-set=-all ../dt-attach -o a.bundle true
	[ "$status" -eq 77 ]
	has "needs root or CAP_BPF and CAP_PERFMON"
	[ -z "$(ls -A)" ]
}

@test "an ordinary user can capture his own command with such a tracer" {
	need_root
	need_tool setpriv
	open_dir
	mkdir -m 777 out
	cp "$DT_BIN/dt-attach" "$DT_SRC/t/fake-tracer" .
	cp -r "$DT_SRC/d-scripts" .
	chmod -R a+rX .
	cd out
	PATH=/usr/bin:/bin DT_SCRIPTS=$D/d-scripts setpriv --reuid=65534 \
	    --regid=65534 --clear-groups ../dt-attach -o a.bundle -P cpu \
	    -T "/usr/bin/python3 -IS ../fake-tracer" true >path
	[ "$(cat path)" = "$(staging a.bundle)" ]
	[ "$(stage a.bundle '.capabilities[]|select(.name=="bpf").available')" \
	    = false ]
	[ "$(stage a.bundle .command.uid)" = 65534 ]
}

# idle_tracer: b/dt-attach with a dt-trace beside it that does nothing
idle_tracer() {
	mkdir b
	cp "$DT_BIN/dt-attach" b/
	printf '#!/bin/sh\n' >b/dt-trace
	chmod +x b/dt-trace
	export PATH=/usr/bin:/bin:/usr/sbin:/sbin
}

@test "no BTF: 77" {
	need_mounts
	idle_tracer
	run hidden 'mount -t tmpfs none /sys/kernel/btf || exit 99
	    b/dt-attach -o a.bundle true'
	[ "$status" -ne 99 ] || skip "cannot hide /sys/kernel/btf"
	[ "$status" -eq 77 ]
	has "no kernel types (BTF)"
}

@test "kernel lockdown: 77" {
	need_mounts
	[ -d /sys/kernel/security ] || skip "no /sys/kernel/security"
	idle_tracer
	run hidden 'mount -t tmpfs none /sys/kernel/security || exit 99
	    echo "none integrity [confidentiality]" \
	    >/sys/kernel/security/lockdown
	    b/dt-attach -o a.bundle true'
	[ "$status" -ne 99 ] || skip "cannot hide /sys/kernel/security"
	[ "$status" -eq 77 ]
	has "lockdown"
}

@test "no tracefs is a fact in stage.json" {
	need_mounts
	export FAKE_TRACER
	run hidden 'mount -t tmpfs none /sys/kernel/tracing || exit 99
	    dt-attach -T "$FAKE_TRACER" -P cpu -o a.bundle true'
	[ "$status" -ne 99 ] || skip "cannot hide tracefs"
	[ "$status" -eq 0 ]
	[ "$(stage a.bundle '.capabilities[]|select(.name=="tracefs")|
	    .available')" = false ]
}

@test "few descriptors, little locked memory" {
	# but its own, whatever the tests have been given
	(for n in {3..63}; do
		eval "exec $n>&-"
	done
	ulimit -n 24 -l 64
	fake -o a.bundle -- true >out)
	[ "$(cat out)" = "$(staging a.bundle)" ]
}

# memlock LIMITS ARG...: what a capture under such limits says of memlock, in
# one line; ARG may be a program to run it and its arguments
memlock() {
	rm -rf .a.bundle.staging.*
	prlimit --memlock="$1" "${@:2}" dt-attach -T "$FAKE_TRACER" -P cpu \
	    -o a.bundle -- true >out
	stage a.bundle '.capabilities[]|select(.name=="memlock")|
	    [.available, .reason]|@json'
}

need_memlock() {
	need_root
	need_tool prlimit setpriv
	bound=(setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource)
}

@test "memlock: a limit that does not bound BPF; the tracers have it still" {
	need_memlock
	[ "$(printf '%s\n' 5.11 "$(uname -r)" | sort -V | head -n 1)" = 5.11 ] ||
	    skip "a kernel before 5.11"
	dt-trace -qn 'BEGIN { exit(0); }' || skip "no BPF"
	printf '#!/bin/sh\nulimit -l >>limits\nexec "$@"\n' >limited
	chmod +x limited
	FAKE_TRACER="$PWD/limited $FAKE_TRACER"
	[ "$(memlock 65536:131072 "${bound[@]}")" = '[true,null]' ]
	[ "$(sort -u limits)" = 64 ]
}

@test "memlock: a kernel that counts what BPF takes" {
	local n old
	need_memlock
	need_inject
	old=(strace -qq -o log -e trace=bpf,prlimit64 -e inject=bpf:error=EPERM)
	[[ "$(memlock 65536 "${bound[@]}" "${old[@]}")" == \
	    '[false,"RLIMIT_MEMLOCK is 65536 bytes, and this kernel counts '* ]]
	grep -q INJECTED log
	# it may be raised
	n=$(grep prlimit64 log | grep -n -m 1 'MEMLOCK.*INFINITY' | cut -d: -f1)
	[ "$(memlock 65536 "${bound[@]}" "${old[@]}" \
	    -e inject=prlimit64:retval=0:when="$n..$((n + 1))")" = \
	    '[true,null]' ]
	[ "$(grep -c 'MEMLOCK.*INJECTED' log)" -eq 2 ]
	old=(strace -qq -o log -e trace=bpf -e inject=bpf:error=ENOSYS)
	[[ "$(memlock 65536 "${bound[@]}" "${old[@]}")" == \
	    '[false,"RLIMIT_MEMLOCK is 65536 bytes; '*' cannot be told: '* ]]
}

@test "a limit on the size of files ends the tracer, and that is told" {
	export FAKE_CPU=flood
	rc=0
	(ulimit -f 4000
	fake -f cpu -o a.bundle -- sleep 5 >out 2>err) || rc=$?
	[ "$rc" -eq 1 ]
	grep -q "collector cpu" err
	[ -s "$(staging a.bundle)/stage.json" ]
}

@test "a limit on the size of files that dt-attach itself meets is told" {
	cp "$(type -P sh)" ./prog
	rc=0
	(ulimit -f 16
	fake -f cpu -o a.bundle -- ./prog -c 'exec dd if=/dev/zero of=big \
	    bs=1k count=100' >out 2>err) || rc=$?
	[ "$rc" -eq 1 ]
	grep -q "File too large" err
	grep -q "^reason: .*File too large" "$(staging a.bundle)/INCOMPLETE"
	# to the command it is what it was
	[ "$(stage a.bundle .command.signal)" = "$(kill -l XFSZ)" ]
	[ "$(stat -c %s big)" -eq 16384 ]
}

@test "Ctrl-C reaches dt-attach and its command, not the tracers" {
	need_tool setsid
	export FAKE_LOG=$T/log
	cat >target <<-'END'
	trap 'echo got >got; exit 3' INT
	cut -d' ' -f5 /proc/$$/stat >ready
	while :; do sleep 0.1; done
	END
	setsid env --default-signal=INT dt-attach -T "$FAKE_TRACER" -P cpu \
	    -o a.bundle -- sh target >out 2>err 3>&- &
	attach=$!
	at_phase a.bundle run
	until_true 10 test -s ready
	# dt-attach leads the group its command is in
	kill -INT -- "-$(cat ready)"
	wait $attach
	# setsid forks, and does not wait, if it leads a group already
	until_true 20 test -s out
	[ "$(stage a.bundle .aborted)" = null ]
	[ "$(stage a.bundle '[.collectors[]|select(.builtin|not)|
	    (.exit_code == 0) and ([.stops[].signal] == ["INT"])]|all')" = \
	    true ]
	[ -e got ]
}

@test "a clock that is stepped, a host that was suspended: it shows" {
	"${CC:-cc}" -shared -fPIC -o clock.so "$DT_SRC/t/preload-clock.c"
	export CLOCK_STEP=$T/stepped
	export ASAN_OPTIONS=verify_asan_link_order=0
	LD_PRELOAD=$T/clock.so fake -P cpu -o a.bundle -- \
	    touch "$CLOCK_STEP" >out
	[ "$(stage a.bundle '.clock.drift_ns/1e9|round')" = 3600 ]
	[ "$(stage a.bundle '.clock.suspended_ns/1e9|round')" = 60 ]
	[ "$(stage a.bundle '[.window[]] == ([.window[]]|sort)')" = true ]
	[ "$(stage a.bundle '.window.drained - .window.ready < 5e9')" = true ]
}

@test "a target that is all of /proc: pid namespaces, chroot, setuid" {
	need_root
	need_tool unshare chroot
	fake -P cpu -o a.bundle -- unshare -pf true >out
	[ "$(stage a.bundle .command.exit_code)" = 0 ]
	fake -P cpu -o b.bundle -- chroot / /bin/true >out
	[ "$(stage b.bundle .command.exit_code)" = 0 ]
	chmod 755 "$T"
	cp "$(type -P id)" ./id
	chmod 4755 id
	fake -P cpu -u nobody -o c.bundle --target-out o -- ./id -u >out
	# nosuid or not, it is captured
	grep -qx "0\|$(id -u nobody)" o
	[ "$(stage c.bundle .command.exit_code)" = 0 ]
}

@test "mappings of a set-user-id program that a user starts" {
	need_root
	id nobody >/dev/null 2>&1 || skip "no user nobody"
	open_dir
	cp "$(type -P sleep)" ./nap
	chmod 4755 nap
	fake -P cpu -u nobody -o a.bundle -- ./nap 0.1 >out
	[ "$(stage a.bundle '.capabilities[]|select(.name=="live-maps")
	    .available')" = true ] || skip "no perf events"
	grep -q "^map.*/nap\$" "$(cat out)/spool/maps.spool"
}

@test "names of commands and bundles may be any bytes" {
	printf '#!/bin/sh\necho "$1"\n' >$'c m\td\n\xff'
	chmod +x $'c m\td\n\xff'
	fake -P cpu -o 'a b.bundle' --target-out o -- \
	    $'./c m\td\n\xff' $'x\xfe' >out
	[ "$(cat o)" = $'x\xfe' ]
	[ "$(cat out)" = "$(staging 'a b.bundle')" ]
	[ "$(stage 'a b.bundle' '.command.argv[0]')" = \
	    './c m\x09d\x0a\xff' ]
	status 2 fake -P cpu -o $'new\nline' -- true
	has "control"
}

@test "the bundle may be named with slashes, or anywhere" {
	mkdir sub
	fake -P cpu -o sub/a.bundle/ -- true >out
	[ "$(cat out)" = "$(echo sub/.a.bundle.staging.*)" ]
	fake -P cpu -o "$T/sub/b.bundle" -- true >out
	[ "$(cat out)" = "$(echo "$T"/sub/.b.bundle.staging.*)" ]
	cd sub
	fake -P cpu -- true >out
	[[ "$(cat out)" == .dt-*T*Z.bundle.staging.* ]]
}
