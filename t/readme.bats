load helper

# What the README tells a newcomer to type.

# commands WORD: the README's indented lines that begin with WORD
commands() {
	sed -n "s/^    \($1 .*\)/\1/p" "$DT_SRC/README.md"
}

@test "the two commands are there, and .ci/run calls the second" {
	[ -x "$DT_SRC/.ci/demo" ]
	[ -x "$DT_SRC/.ci/test" ]
	grep -qx '    .ci/demo' "$DT_SRC/README.md"
	grep -qx '    .ci/test' "$DT_SRC/README.md"
	grep -q '^\.ci/test' "$DT_SRC/.ci/run"
	grep -q '^\.ci/demo' "$DT_SRC/.ci/test"
	img=$(sed -n 's/^!\[.*\](\(.*\))$/\1/p' "$DT_SRC/README.md")
	[ -s "$DT_SRC/$img" ]
}

@test "the dt-trace lines run" {
	need_root
	[ -x "$DT_BIN/dt-trace" ] || skip "built without the D engine"
	need_tool perl
	seq 200000 >FILE
	# an idle host has no samples
	perl -e 'alarm 60; 1 while 1' 3>&- &
	busy=$!
	[ "$(commands dt-trace | wc -l)" -ge 4 ]
	while IFS= read -r c; do
		c=${c/tick-10s/tick-1s}
		rm -f FILE.xz
		rc=0
		timeout -s INT 3 bash -c "$c" >out 2>err || rc=$?
		[ $rc -eq 0 ] || [ $rc -eq 124 ] || {
			echo "$c: status $rc"
			cat err
			return 1
		}
		grep -q '[0-9]' out || {
			echo "$c: printed nothing"
			cat err
			return 1
		}
	done < <(commands dt-trace)
	kill $busy
}

@test "the lines on bundles run" {
	mkdir runs bin
	"$DT_BUILD/t/mkbundle" runs/run.bundle
	cp -r runs/run.bundle .
	printf '#!/bin/sh\ncat\n' >bin/flamegraph.pl
	chmod +x bin/flamegraph.pl
	{ commands dt-validate; commands ls; commands dt-fold; } >cmds
	[ "$(wc -l <cmds)" -eq 3 ]
	while IFS= read -r c; do
		PATH=$PWD/bin:$PATH status 0 bash -c "set -o pipefail; $c"
	done <cmds
}

@test "the captures and the Makefile run" {
	need_root
	need_tool make
	[ -x "$DT_BIN/dt-trace" ] || skip "built without the D engine"
	cat >prog <<-'X'
		#!/bin/sh
		i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; echo done
	X
	chmod +x prog
	c=$(commands 'dt-attach -f')
	[ -n "$c" ]
	status 0 bash -c "set -o pipefail; $c"
	has 'complete'
	chmod -R u+w run.bundle
	rm -rf run.bundle
	sed -n '/^    \.DELETE/p; /^    run.bundle/,/^$/p; /^    run.md/,/^$/p' \
	    "$DT_SRC/README.md" | sed 's/^    //' >Makefile
	make run.md
	grep -q 'run.bundle: complete' run.md
	# another prog: another bundle in the place of the first
	id=$(dt-validate --id run.bundle)
	touch prog
	make run.md
	[ "$(dt-validate --id run.bundle)" != "$id" ]
	# what cannot be reported leaves no report to be taken for one
	chmod u+w run.bundle run.bundle/report
	rm run.bundle/report/report.md run.md
	run make run.md
	[ "$status" -ne 0 ]
	[ ! -e run.md ]
	perl -e 'alarm 30; while (1) { getppid() }' &
	c=$(commands 'dt-attach -p' | sed "s/4711/$!/; s/-d 10/-d 1/")
	status 0 bash -c "set -o pipefail; $c"
	kill $!
}
