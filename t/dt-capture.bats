load helper
load chain

# stubs: dt-capture among tools that do as FAIL_ATTACH, FAIL_FINALIZE and
# FAIL_VALIDATE (exit statuses) say.
stubs() {
	mkdir -p b x.bundle/report p
	cp "$DT_SRC/bin/dt-capture" b/
	echo 'a;b 1' >x.bundle/report/cpu.folded
	echo report >x.bundle/report/report.md
	cat >b/dt-attach <<-'END'
	#!/bin/sh
	echo "attach $*" >>log
	[ "${FAIL_ATTACH:-0}" -eq 0 ] || exit "$FAIL_ATTACH"
	echo .x.bundle.staging.1
	END
	cat >b/dt-finalize <<-'END'
	#!/bin/sh
	echo "finalize $(cat)" >>log
	[ "${FAIL_FINALIZE:-0}" -eq 0 ] || exit "$FAIL_FINALIZE"
	echo x.bundle
	END
	cat >b/dt-validate <<-'END'
	#!/bin/sh
	echo "validate $*" >>log
	echo x.bundle
	exit "${FAIL_VALIDATE:-0}"
	END
	printf '#!/usr/bin/perl\nprint "<svg>", <STDIN>;\n' >p/flamegraph.pl
	chmod +x b/* p/*
}

@test "the steps in their order, with dt-attach's options" {
	stubs
	PATH=$T/p:$PATH b/dt-capture -f cpu -o x.bundle -- echo "a b" >out 2>err
	[ "$(cat out)" = x.bundle ]
	[ "$(cat log)" = "attach -f cpu -o x.bundle -- echo a b
finalize .x.bundle.staging.1
validate x.bundle" ]
	grep -q "report: x.bundle/report/report.md" err
	grep -q "flame graph: x.svg" err
	[ "$(cat x.svg)" = "<svg>a;b 1" ]
}

@test "a step that fails ends it with that step's status" {
	stubs
	for s in 1 2 77; do
		FAIL_ATTACH=$s status $s b/dt-capture true
		[ -z "$output" ]
	done
	! grep finalize log || false
	FAIL_FINALIZE=1 status 1 b/dt-capture true
	[ -z "$output" ]
	! grep validate log || false
	rc=0
	FAIL_VALIDATE=1 b/dt-capture true >out 2>err || rc=$?
	[ "$rc" -eq 1 ]
	[ "$(cat out)" = x.bundle ]
}

@test "-A lets a degraded bundle pass" {
	stubs
	b/dt-capture -A true >out 2>err
	grep -qx "validate --accept degraded x.bundle" log
}

@test "help, version, no command" {
	stubs
	status 0 b/dt-capture -h
	has "usage: dt-capture"
	status 2 b/dt-capture
	status 0 "$DT_BIN/dt-capture" --version
	has "dt-capture (dtbundle)"
}

@test "the picture has the bundle's name, where that is no markup" {
	stubs
	printf '#!/usr/bin/perl\nprint "<svg>@ARGV";\n' >p/flamegraph.pl
	PATH=$T/p:$PATH b/dt-capture -o x.bundle true >out 2>err
	[ "$(cat x.svg)" = '<svg>--hash --title x: cpu samples' ]
	sed -i 's/x.bundle/"x<b>.bundle"/' b/dt-finalize
	mkdir -p 'x<b>.bundle/report'
	cp x.bundle/report/cpu.folded 'x<b>.bundle/report'
	PATH=$T/p:$PATH b/dt-capture true >out 2>err
	[ "$(cat 'x<b>.svg')" = '<svg>--hash --title cpu samples' ]
}

@test "help and version on a full device are errors" {
	status 2 sh -c 'dt-capture -h >/dev/full'
	status 2 sh -c 'dt-capture --version >/dev/full'
	status 0 dt-capture --version
	has 'dt-capture (dtbundle) '
}

@test "a path that cannot be written is told, with the bundle" {
	stubs
	status 2 sh -c 'b/dt-capture true >/dev/full'
	[ "$output" = "dt-capture: the path cannot be written: x.bundle" ]
}

@test "no flamegraph.pl, no samples: no picture, and no failure" {
	stubs
	rm p/flamegraph.pl
	printf '#!/bin/sh\nexit 1\n' >p/perl
	chmod +x p/perl
	for t in sh cat dirname mkdir rm sed; do
		ln -s "$(type -P $t)" p/
	done
	PATH=$T/p b/dt-capture true >out 2>err
	grep -q "no flamegraph.pl" err
	[ ! -e x.svg ]
	: >x.bundle/report/cpu.folded
	b/dt-capture true >out 2>err
	[ ! -e x.svg ]
}

@test "a real command: bundle, report and picture" {
	need_trace
	dt-capture -o x.bundle --target-out o sh -c '
	    i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; echo $i' \
	    >out 2>err
	[ "$(cat out)" = x.bundle ]
	[ "$(cat o)" = 100000 ]
	[ -s x.bundle/report/report.md ]
	complete x.bundle
	if grep -q "flame graph" err; then
		grep -q "</svg>" x.svg
	fi
}

@test "dt-capture(1) and dt-attach(1): the examples run" {
	need_trace
	need_tool mandoc xz redis-server redis-cli
	seq 1 200000 >FILE
	redis-server --port 0 --unixsocket "$T/s" --save '' >log 2>&1 3>&- &
	server=$!
	until_true 10 redis-cli -s s ping
	printf 'all:\n\ttrue\n' >Makefile
	for page in dt-capture dt-attach; do
		mandoc -T ascii -O width=1000 "$DT_SRC/man/$page.1" |
		    sed 's/.\x08//g' | sed -n '/^EXAMPLES/,/^[A-Z]/p' |
		    awk '/^ *[$#] / || more { sub(/^ *[$#] /, ""); print
		    more = /\|$/ }' >$page.cmds
		[ -s $page.cmds ]
	done
	# the running server, a short time, and no other DTrace than ours
	sed -i "s/\$(pidof redis-server)/$server/; s/-d 10/-d 1/
	    s:/usr/sbin/dtrace:$DT_BIN/dt-trace:" dt-attach.cmds
	status 0 bash -o pipefail -c "$(cat dt-capture.cmds)"
	[ -d xz.bundle ]
	chmod -R u+w xz.bundle
	rm -rf xz.bundle x.xz
	status 0 bash -o pipefail -e -c "$(cat dt-attach.cmds)"
	kill $server
	[ -d xz.bundle ]
}

@test "Ctrl-C ends the window, and the rest of the chain runs" {
	need_trace
	need_tool setsid
	setsid env --default-signal=INT dt-capture -P cpu -o x.bundle \
	    sh -c 'cut -d" " -f5 /proc/$$/stat >group; exec sleep 60' \
	    >out 2>err 3>&- &
	at_phase x.bundle run
	# the chain's group is the command's
	until_true 20 test -s group
	kill -INT -- "-$(cat group)"
	until_true 20 grep -qx x.bundle out
	until_true 20 test -s x.bundle/report/report.md
	complete x.bundle
	[ "$(jq -r .command.ended x.bundle/manifest.json)" = interrupted ]
}
