load helper

# The harness that the tests on a second kernel stand on.

@test "arguments, files, modules, both outputs and the status" {
	local rc=0
	cat >s.sh <<-'END'
	echo "args: $#, $1, $2"
	echo "err" >&2
	cat /in/a "/etc/b b"
	insmod /lib/modules/dummy.ko && ls -d /sys/module/dummy
	for d in /proc /sys /sys/kernel/tracing /sys/kernel/debug /sys/fs/bpf
	do
	    grep -q " $d " /proc/mounts && echo "mounted $d"
	done
	command -v dt-validate
	printf '\tend\r\n'
	exit 7
	END
	echo one >a
	echo two >'b b'
	"$DT_SRC/t/vm/run" -k dummy s.sh 'x y' z -- a 'b b:/etc/b b' \
	    >out 2>err || rc=$?
	[ $rc -ne 77 ] || skip "$(cat err)"
	[ $rc -eq 7 ] || { cat out err; false; }
	diff - out <<-END
	args: 2, x y, z
	err
	one
	two
	/sys/module/dummy
	mounted /proc
	mounted /sys
	mounted /sys/kernel/tracing
	mounted /sys/kernel/debug
	mounted /sys/fs/bpf
	/dtbundle/bin/dt-validate
	$(printf '\tend\r')
	END
	[ ! -s err ]
}

@test "a machine that takes too long is ended, one that dies is told" {
	local rc=0
	echo 'sleep 100' >s.sh
	"$DT_SRC/t/vm/run" -t 1 s.sh >out 2>err || rc=$?
	[ $rc -ne 77 ] || skip "$(cat err)"
	[ $rc -eq 124 ]
	grep -q 'vm: not done in 1 seconds' err
	rc=0
	echo 'echo c >/proc/sysrq-trigger' >s.sh
	"$DT_SRC/t/vm/run" s.sh >out 2>err || rc=$?
	[ $rc -eq 125 ]
	grep -q sysrq_handle_crash err
	grep -q 'vm: the machine stopped without a result' err
}

@test "without a kernel to boot: 77 and the reason" {
	local rc=0
	echo : >s.sh
	VM_KERNEL=$T/none "$DT_SRC/t/vm/run" s.sh >out 2>err || rc=$?
	[ $rc -eq 77 ]
	grep -q '^vm: ' err
}
