load helper

# The chain on Debian 12's kernel, where this host's is another one.

@test "the chain on Debian's kernel: complete, and the calls strace sees" {
	need_tool strace python3
	[ -x "$DT_BIN/dt-trace" ] || skip "no dt-trace"
	"${CC:-cc}" -O1 -g -pthread -o sysprog "$DT_SRC/t/sysprog.c"
	cat >chain.sh <<-'END'
	mkdir d
	patient='-x cpu:bufsize=64m --ack-timeout 60 --stop-timeout 60'
	dt-attach $patient -f cpu,syscalls -o x.bundle -- \
	    /usr/bin/strace -f -qq -xx -s 9000 -e signal=none -o log \
	    /in/sysprog d 2>err |
	    dt-finalize 2>>err | dt-validate >path 2>>err
	rc=$?
	cat err
	echo "verdict: $(cat path) $rc"
	/bin/sleep 30 &
	dt-attach $patient -d 1 -o y.bundle -p $! 2>err | dt-finalize 2>>err |
	    dt-validate 2>>err
	cat err
	echo '== log'
	gzip -c log | base64
	echo '== records'
	gzip -c x.bundle/raw/syscalls.tsv | base64
	echo '== end'
	END
	rc=0
	"$DT_SRC/t/vm/run" -t 900 chain.sh -- sysprog \
	    "$(type -P strace):/usr/bin/strace" >out 2>err || rc=$?
	[ $rc -ne 77 ] || skip "$(cat err)"
	sed -n '1,/^== log/p' out
	grep -q '^verdict: x.bundle 0$' out
	grep -qx 'y.bundle' out
	sed -n '/^== log$/,/^== /{/^==/d;p}' out | base64 -d | gzip -d >log
	sed -n '/^== records$/,/^== /{/^==/d;p}' out | base64 -d |
	    gzip -d >records
	status 0 "$DT_SRC/t/strace-compare" log records
	has "0 threads differ"
}
