# The whole chain on this kernel: capture, bundle, verdict, report, folding.
. /in/check.bash

# A program of known processes and system calls.
cat >/tmp/prog.sh <<'END'
i=0
while [ $i -lt 50000 ]; do i=$((i + 1)); done
dd if=/dev/zero of=/dev/null bs=1 count=2000 status=none
/bin/false
ls /nonexistent 2>/dev/null
exit 3
END

# Emulated processors on a busy host: what is bounded waits long.
patient='-x cpu:bufsize=64m --ack-timeout 60 --stop-timeout 60'

# chain NAME ARG...: the four steps, each of which must succeed.
chain() {
	local name=$1
	shift
	dt-attach $patient -o "$name" "$@" 2>attach.err |
	    dt-finalize 2>finalize.err | dt-validate 2>validate.err |
	    dt-report >report.md 2>report.err ||
	    { cat ./*.err; return 1; }
	grep "$name: complete" report.err
	balance "$name"
}

# Each collector: fired = recorded + dropped + filtered, nothing dropped.
balance() {
	awk '/"fired":/ { f = $2 + 0 } /"recorded":/ { r = $2 + 0 }
	    /"dropped":/ { d = $2 + 0 }
	    /"filtered":/ { n++; if (f != r + d + $2 || d != 0) exit 1 }
	    END { exit n < 4 }' "$1/collectors.json"
}

records() {
	grep -v '^#' "$1/raw/$2.tsv"
}

# What the program's bundle must hold, call by call.
known() {
	local dd
	dd=$(records "$1" syscalls | awk -F '\t' '$9 == "write" && $11 == 1 {
	    n[$3]++ } END { for (p in n) if (n[p] >= 2000) print p, n[p] }')
	[ "${dd#* }" = 2000 ] || { echo "writes: $dd"; return 1; }
	[ "$(records "$1" syscalls | awk -F '\t' -v p="${dd% *}" '
	    $3 == p && $9 == "read" && $11 == 1' | wc -l)" = 2000 ]
	records "$1" procs | awk -F '\t' '$2 == "proc-exit" { print $8 }' |
	    sort -n | tr '\n' ' ' | grep -x '0 1 1 3 '
	[ "$(grep -c '"incarnation"' "$1/cohort.json")" = 4 ]
}

test_complete() {
	chain x.bundle -f cpu,syscalls --target-out out -- busybox sh \
	    /tmp/prog.sh
	known x.bundle
	# samples of the loop, and kernel frames by name
	[ "$(records x.bundle cpu | wc -l)" -gt 50 ]
	records x.bundle cpu | grep 'busybox`' >/dev/null
	records x.bundle cpu | grep 'vmlinux`[a-z_]' >/dev/null
	grep 'Linux 6\.1\.' report.md
	# what folding counts is what was sampled
	[ "$(dt-fold x.bundle | awk '{ n += $NF } END { print n }')" = \
	    "$(records x.bundle cpu | awk -F '\t' '{ n += $8 }
	    END { print n }')" ]
	grep -A 2 '"kallsyms"' x.bundle/capabilities.json | grep true
	mkdir far && mv x.bundle far/y.bundle
	dt-validate far/y.bundle
}

# On a kernel with less: the same verdict, the same counts.
test_old() {
	chain x.bundle -f cpu,syscalls \
	    -x without=task-storage,task-btf,test-run,cookie,alloc,sleep \
	    --target-out out -- busybox sh /tmp/prog.sh
	known x.bundle
	grep 'without=task-storage' x.bundle/collectors.json >/dev/null
}

test_running() {
	sh -c 'while :; do i=$((i + 1)); [ $((i % 50)) -gt 0 ] ||
	    cat /tmp/prog.sh; done' >/dev/null 2>&1 &
	sleep 0.2
	chain x.bundle -f cpu,syscalls -d 1 -p $!
	kill -0 $!
	kill $!
	[ "$(records x.bundle syscalls | wc -l)" -gt 10 ]
}

# What tracing lacks is told before anything starts: 77, and no staging.
refused() {
	local want=$1 rc=0
	shift
	"$@" >out 2>err || rc=$?
	[ $rc -eq 77 ] && grep "$want" err || { cat err; return 1; }
	[ -z "$(ls -d .??*.bundle* 2>/dev/null)" ]
}

test_lacking() {
	refused CAP_BPF su nobody -c \
	    'cd /tmp && dt-attach -f cpu -o n.bundle -- true'
	mkdir e
	mount --bind e /sys/kernel/btf
	refused BTF dt-attach -f cpu -o x.bundle -- true
	umount /sys/kernel/btf
	# tracefs is needed by neither collector
	umount /sys/kernel/debug/tracing 2>/dev/null || :
	umount /sys/kernel/debug
	umount /sys/kernel/tracing
	chain x.bundle -f cpu,syscalls --target-out out -- busybox sh \
	    /tmp/prog.sh
	known x.bundle
	grep 'no tracefs' x.bundle/capabilities.json
}

run_tests
