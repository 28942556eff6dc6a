load helper

# dt-finalize on staging directories made by hand (t/stagegen.c).

# stage [-af]: makes the staging directory of b.bundle; $S is its path
stage() {
	S=$("$DT_BUILD/t/mkstage" "$@" b.bundle)
}

# spool NAME [SED...]: edits a spool, or replaces it from standard input
spool() {
	local f=$S/spool/$1.spool
	shift
	if [ $# -gt 0 ]; then
		sed -i "$@" "$f"
	else
		cat >"$f"
	fi
}

# edit EXPR: changes stage.json by a jq expression. The wall clock's ns are more
# than jq's numbers can hold: those lines stay as they are.
edit() {
	jq --tab "$1" "$S/stage.json" | awk -v f="$S/stage.json" '
	BEGIN {
		while ((getline l <f) > 0)
			if (l ~ /"realtime_utc"/)
				kept[++n] = l
	}
	/"realtime_utc"/ { print kept[++k]; next }
	{ print }' >s
	cp s "$S/stage.json"
}

# records FAMILY: without headers
records() {
	grep -v '^#' "b.bundle/raw/$1.tsv"
}

# collector NAME EXPR: a value of its entry in collectors.json
collector() {
	jq -c ".collectors[] | select(.name == \"$1\") | $2" \
	    b.bundle/collectors.json
}

# finalize STATUS: runs it; stdout is in out, stderr in err
finalize() {
	local want=$1
	shift
	status=0
	dt-finalize "${@:-$S}" >out 2>err || status=$?
	output=$(cat out err)
	[ "$status" -eq "$want" ] || {
		echo "exit status $status, not $want: $output"
		return 1
	}
}

# finalize_stdin STATUS: the same, without operands
finalize_stdin() {
	status=0
	dt-finalize >out 2>err || status=$?
	output=$(cat out err)
	[ "$status" -eq "$1" ]
}

complete() {
	finalize 0 "$@"
	grep -q ': complete$' err || {
		cat err
		return 1
	}
}

degraded() {
	finalize 0 "$@"
	grep -q ': degraded$' err || {
		cat err
		return 1
	}
	status 1 dt-validate b.bundle
	status 0 dt-validate --accept degraded b.bundle
}

@test "a capture becomes a bundle" {
	stage -f
	complete
	[ "$(cat out)" = b.bundle ]
	[ "$(wc -l <err)" -eq 1 ]
	[ ! -e "$S" ]
	status 0 dt-validate b.bundle
	[ -z "$(find b.bundle -type f ! -perm 444)" ]
	[ -z "$(find b.bundle -type d ! -perm 555)" ]
	[ "$(find . -mindepth 1 -maxdepth 1 | sort | xargs)" = \
	    "./b.bundle ./err ./out" ]
}

@test "the same capture makes the same bundle" {
	stage -f
	complete -k "$S"
	mv b.bundle first
	complete -k "$S"
	diff -r first b.bundle
	rm -rf "$S"
	stage -f
	mv b.bundle second
	complete
	diff -r first b.bundle
}

@test "--id prints the bundle's id" {
	stage
	finalize 0 --id "$S"
	[ "$(cat out)" = "sha256:$(sha256sum b.bundle/SHA256SUMS |
	    cut -d' ' -f1)" ]
	status 0 dt-validate --expect "$(cat out)" b.bundle
}

@test "paths on standard input; an empty one is an error" {
	stage
	status=0
	echo "$S" | dt-finalize >out 2>err || status=$?
	[ "$status" -eq 0 ]
	[ "$(cat out)" = b.bundle ]
	status 2 dt-finalize </dev/null
	chmod -R u+w b.bundle
	rm -rf b.bundle
	stage
	printf '%s\0' "$S" | dt-finalize -0 >out
	[ "$(cat out)" = b.bundle ]
}

@test "several: the worst status wins, the good ones are published" {
	stage
	status=0
	dt-finalize nowhere "$S" . >out 2>err || status=$?
	[ "$status" -eq 2 ]
	[ "$(cat out)" = b.bundle ]
	grep -q '^dt-finalize: nowhere: error: ' err
	grep -q 'is no staging directory' err
}

@test "usage errors" {
	status 2 dt-finalize --nonsense
	status 2 dt-finalize -o x a b
	status 0 dt-finalize -h
	status 0 dt-finalize --version
	echo '{"schema": 1}' >m.json
	status 2 dt-finalize <m.json
	has "names a bundle, not a staging directory"
	# it has no -C, and tells of none
	finalize_stdin 2 < <(cat m.json)
	has "names a bundle, not a staging directory"
	hasnt "-C"
}

@test "files of staging are named with it" {
	stage
	spool cpu -e '/^READY/s/1/2/'
	finalize 1
	has "dt-finalize: $S/spool/cpu.spool:1: error: version: "
	spool cpu -e '/^READY/s/2/1/'
	mv "$S/spool/cpu.spool" x
	mkdir "$S/spool/cpu.spool"
	finalize 2
	has "dt-finalize: $S/spool/cpu.spool: error: open: "
	rmdir "$S/spool/cpu.spool"
	mv x "$S/spool/cpu.spool"
	mv "$S" sub
	cp sub/stage.json good
	sed 's/launch/lunch/' good >sub/stage.json
	status=0
	dt-finalize sub >out 2>err || status=$?
	[ "$status" -eq 1 ]
	grep -q '^dt-finalize: sub/stage.json: error: ' err
	head -c 1000 good >sub/stage.json
	dt-finalize sub >out 2>err || status=$?
	grep -q '^dt-finalize: sub/stage.json:[0-9]*: error: ' err
	cp good sub/stage.json
	complete sub
}

@test "where the path is printed relative to" {
	stage
	mkdir sub
	mv "$S" sub
	complete "sub/$S/"
	[ "$(cat out)" = sub/b.bundle ]
	stage
	cd "$S"
	dt-finalize . >../out
	cd ..
	[ "$(cat out)" = ./../b.bundle ]
	[ -d b.bundle ]
}

@test "-o: another name" {
	stage
	mkdir sub
	complete -o sub/other.bundle "$S"
	[ "$(cat out)" = sub/other.bundle ]
	status 0 dt-validate sub/other.bundle
	[ ! -e b.bundle ]
}

@test "lines that are no records are counted, with their numbers" {
	stage
	spool procs -e '3i no record at all' \
	    -e '$a proc-fork\t1005420000000\t4000'
	degraded
	[ "$(collector procs .malformed)" = 2 ]
	[ "$(collector procs .malformed_lines)" = '[3,14]' ]
	[ "$(collector procs .counters.dropped)" = 0 ]
	grep -q collector-malformed err
}

@test "a record that became malformed is missing from the balance" {
	stage
	spool syscalls -e '/wait4/s/\t4001\t/\tmany\t/'
	degraded
	[ "$(collector syscalls .malformed)" = 1 ]
	[ "$(collector syscalls .counters.dropped)" = 1 ]
	[ "$(collector syscalls '.drops[0].why')" = '"malformed line"' ]
	[ "$(records syscalls | grep -c ovf)" -eq 1 ]
}

@test "a spool that ends in the middle of a line" {
	stage
	head -c 500 "$S/spool/syscalls.spool" >torn
	spool syscalls <torn
	degraded
	[ "$(collector syscalls .malformed)" = 1 ]
	[ "$(collector syscalls .counters.fired)" = null ]
	[ "$(collector syscalls .counters.dropped)" = null ]
}

@test "without COUNT the counters are null, and it is never complete" {
	stage
	spool cpu -e /COUNT/d
	degraded
	[ "$(collector cpu .counters)" = \
	    '{"fired":null,"recorded":4,"dropped":null,"filtered":0}' ]
	grep -q balance-null err
}

@test "without END nothing is missing" {
	stage
	spool cpu -e '/^END/d'
	finalize 0
}

@test "drops: the tracer's intervals, markers, and calls across them" {
	stage
	# openat was lost; the write before it lasts from before to after
	spool syscalls -e /openat/d \
	    -e '/write/s/\t20000000\t/\t150000000\t/' -e /vfork/d
	jq '.dropped = 2 | .drops = [
	    {"kind": "principal", "cpu": 1, "count": 1,
	     "from": 1000890000000, "to": 1000900000000},
	    {"kind": "principal", "cpu": 0, "count": 1,
	     "from": 1000850000000, "to": 1000850000000}]' \
	    "$S/spool/syscalls.stats" >stats
	cp stats "$S/spool/syscalls.stats"
	degraded
	[ "$(collector syscalls '.drops[].from')" = \
	    "$(printf '1000850000000\n1000890000000')" ]
	[ "$(collector syscalls .counters)" = \
	    '{"fired":10,"recorded":7,"dropped":2,"filtered":1}' ]
	[ "$(collector syscalls .tracer_drops)" = 2 ]
	records syscalls | grep -qP '^1000790000000\tsyscall-open\t4000\t4000\t0\t-\t-\twrite\t1$'
	records syscalls | grep -qP '^1000850000000\tovf\t-\t-\t0\t-\t-\t1\t1000850000000\t1000850000000\tbuffer full$'
	records syscalls | grep -qP '^1000890000000\tovf\t-\t-\t1\t'
	! grep -q -e pair-gap -e balance-tracer err || false
}

@test "drops told on standard error by another tracer" {
	stage
	rm "$S"/spool/*.stats
	edit '(.collectors[]|select(.builtin|not)) |= (.argv = [.argv[0], "-x",
	    "switchrate=5hz"] + .argv[-3:] | .tracer_version = "dtrace: 1.6")'
	echo "dtrace: 2 drops on CPU 0" >"$S/spool/cpu.err"
	spool cpu -e '/^COUNT/s/4/6/'
	degraded
	[ "$(collector cpu .tracer_drops)" = 2 ]
	[ "$(collector cpu '.drops[0].count')" = 2 ]
	[ "$(collector cpu '.drops[0].why')" = '"not accounted for"' ]
	[ "$(cat b.bundle/logs/cpu.err.log)" = "dtrace: 2 drops on CPU 0" ]
	! grep -q balance-tracer err || false
}

@test "the tracer says it lost more than is missing" {
	stage
	jq '.dropped = 5' "$S/spool/cpu.stats" >stats
	cp stats "$S/spool/cpu.stats"
	degraded
	grep -q balance-tracer err
}

@test "errors of clauses and other losses are facts" {
	stage
	jq '.errors = 3 | .missed = 1 | .drops = [{"kind": "aggregation",
	    "cpu": 0, "count": 7, "from": 1, "to": 2}]' \
	    "$S/spool/cpu.stats" >stats
	cp stats "$S/spool/cpu.stats"
	degraded
	[ "$(collector cpu .errors)" = \
	    '["7 aggregation drops","3 errors in clauses","1 firings missed"]' ]
}

@test "statistics that cannot be read are an error of the collector" {
	stage
	echo '{' >"$S/spool/cpu.stats"
	degraded
	[ "$(collector cpu '.errors[0]')" = '"its statistics cannot be read"' ]
}

@test "a spool without READY, or another collector's, is told" {
	stage
	spool cpu -e '/^READY/d'
	degraded
	[ "$(collector cpu '.errors')" = \
	    '["its spool does not begin with READY"]' ]
	rm -rf b.bundle
	stage
	spool cpu -e '/^READY/s/cpu/procs/'
	degraded
	[ "$(collector cpu '.errors')" = \
	    '["its spool is that of collector procs"]' ]
}

@test "a spool of another version is refused" {
	stage
	spool cpu -e '/^READY/s/1/2/'
	finalize 1
	has "spool/cpu.spool:1: error: version: "
	[ ! -e b.bundle ]
	spool cpu -e '/^READY/s/2/1/'
	complete
}

@test "a pid that is used again is another incarnation" {
	stage
	spool procs -e '/^COUNT/s/9/12/' -e '/^thread-exit.*4002/a \
proc-fork\t1003100000000\t4000\t4000\t0\t4001\
thread-exit\t1003900000000\t4001\t4001\t0\
proc-exit\t1004000000000\t4001\t4001\t0\t-9'
	spool syscalls -e '/^COUNT/s/10/11/' -e '/wait4/a \
syscall\t1003500000000\t4001\t4001\t0\t10\tgetpid\t0\t4001\t0\t'
	complete
	[ "$(jq -c '[.members[] | [.pid, .start, .exit_status]]' \
	    b.bundle/cohort.json)" = '[[4000,1000050000000,0],[4001,1001000000000,3],[4001,1003100000000,-9]]' ]
	[ "$(jq -r '.members[2].exe' b.bundle/cohort.json)" = /usr/bin/prog ]
	grep -q '^#incarnation .*:4001:1003100000000$' b.bundle/raw/cpu.tsv
}

@test "a grandchild whose parent has gone stays a member" {
	stage
	spool procs -e '/^COUNT/s/9/11/' -e '/^thread-exit.*4001/i \
proc-fork\t1001700000000\t4001\t4001\t1\t4005' \
	    -e '/^thread-exit.*4002/a \
proc-exit\t1004500000000\t4005\t4005\t0\t0'
	spool cpu -e '/^COUNT/s/4/5/' -e '/^COUNT/i \
cpu-sample\t1003000000000\t4005\t4005\t1\tuser\n\n'
	complete
	[ "$(jq -r '.members[2] | [.pid, .parent] | @tsv' \
	    b.bundle/cohort.json)" = "$(printf \
	    '4005\t01234567-89ab-cdef-0123-456789abcdef:4001:1001000000000')" ]
	records cpu | grep -q 4005
}

@test "records of processes that are no members are removed, and that told" {
	stage
	spool cpu -e '/^COUNT/s/4/5/' -e '/^COUNT/i \
cpu-sample\t1003000000000\t999\t999\t1\tuser\n\n'
	degraded
	[ "$(collector cpu .filters)" = '[{"rule":"not-member","count":1}]' ]
	grep -q filter-member err
}

@test "the window begins with the execve, or with its record" {
	stage
	complete -k "$S"
	[ "$(jq .window.workload_start b.bundle/manifest.json)" = \
	    1000600000000 ]
	[ "$(collector syscalls .filters)" = \
	    '[{"rule":"before-window","count":1}]' ]
	[ "$(collector maps .filters)" = \
	    '[{"rule":"before-window","count":1}]' ]
	chmod -R u+w b.bundle
	rm -rf b.bundle "$S"
	stage
	# the call was not captured
	spool syscalls -e /execve/d -e '/^COUNT/s/10/9/'
	complete
	[ "$(jq .window.workload_start b.bundle/manifest.json)" = \
	    1000600050000 ]
}

@test "what ends after the window, or after its process, is removed" {
	stage
	spool cpu -e '/^COUNT/s/4/6/' -e '/^COUNT/i \
cpu-sample\t1002000500000\t4001\t4001\t1\tkernel\n\n\
cpu-sample\t1005500000001\t4000\t4000\t1\tuser\n\n'
	complete
	[ "$(collector cpu .filters)" = \
	    '[{"rule":"after-window","count":1},{"rule":"after-exit","count":1}]' ]
}

@test "attached to: a call found in flight that returned after all" {
	stage -a
	complete
	[ "$(collector inflight .filters)" = '[{"rule":"returned","count":1}]' ]
	! records syscalls | grep -q syscall-open || false
	[ "$(jq .window.workload_start b.bundle/manifest.json)" = \
	    1000600000000 ]
	chmod -R u+w b.bundle
	rm -rf b.bundle
	stage -a
	spool syscalls -e /poll/d -e '/^COUNT/s/3/2/'
	complete
	records syscalls | grep -qP '^1005300001000\tsyscall-open\t4000\t4000\t0\t-\t-\tpoll\t-$'
}

@test "strings are escaped, frames resolved and turned round" {
	stage
	complete
	records syscalls | grep -qF '/tmp/a b\x09c'
	records procs | grep -qP '\t/usr/bin/child ö$'
	records cpu | grep -qP '\tlibc.so.6`\+0x3234;prog`(main\+0x10|\+0x110);libc.so.6`write\+0x14;vmlinux`do_syscall_64\+0x50;vmlinux`ksys_write\+0x40$'
	records cpu | grep -qP '\t0xdead0000;child ö`\+0x123$'
}

@test "symbols are those of the file with the mapping's build-id alone" {
	grep -q '^#define HAVE_LIBELF 1' "$DT_BUILD/config.h" ||
	    skip "built without libelf"
	stage
	# a path that is there, but not what was mapped: no name from it
	spool maps -e 's|/usr/lib/libc.so.6|/bin/sh|'
	complete
	records cpu | grep -q '	sh`+0x3234;prog`main+0x10;'
	chmod -R u+w b.bundle
	rm -rf b.bundle
	# the copy of the executable is not what was mapped
	stage
	spool maps -e 's/0102030405/0102030406/'
	finalize 1
	has artifact-exe
	[ ! -e b.bundle ]
}

@test "runtime and span of a thread join its other records" {
	stage -f
	complete
	# in the inner span, in the outer one, by a context, of no span
	records syscalls | grep -qP '^1000900000000\tsyscall\t4000\t4000\t0\t77\t2\t'
	records cpu | grep -qP '^1000700000000\tcpu-sample\t4000\t4000\t0\t77\t1\t'
	records cpu | grep -qP '^1002500000000\tcpu-sample\t4000\t4002\t1\t77\t1\t'
	records cpu | grep -qP '^1001500000000\tcpu-sample\t4001\t4001\t1\t-\t-\t'
	records spans | grep -qP '^1000905000000\tevent\t4000\t4000\t0\t77\t2\t'
}

@test "families say what no records means" {
	stage -f
	printf 'READY\t1\tio\t1000350000000\nCOUNT\tfired\t0\nEND\t1005440000000\n' |
	    spool io
	: | spool gc
	echo 'dtrace: probe description dt*:::gc-start does not match any probes' \
	    >"$S/spool/gc.err"
	: | spool allocations
	edit '(.collectors[] | select(.name == "gc" or .name == "allocations"))
	    |= (.ack = null | .exit_code = 1)'
	degraded
	[ "$(jq -c '.families | map_values(.state)' b.bundle/manifest.json)" = \
	    '{"procs":"observed","maps":"observed","cpu":"observed","syscalls":"observed","io":"none-fired","allocations":"failed","gc":"probe-absent","spans":"observed"}' ]
}

@test "an aborted capture stays a staging directory" {
	stage
	edit '.aborted = {"phase": "attach", "reason": "cpu never came"}'
	finalize 1
	[ ! -s out ]
	has "aborted in phase attach: cpu never came"
	[ ! -e b.bundle ]
	[ -s "$S/spool/cpu.spool" ]
	[ -e "$S/INCOMPLETE" ]
}

@test "a capture that was never drained stays a staging directory" {
	stage
	edit '.window.drained = null'
	finalize 1
	has "never drained: dt-attach was killed"
	[ ! -e b.bundle ]
	printf 'dt-staging 1\nphase: run\n' >"$S/INCOMPLETE"
	finalize 1
	has "never drained: dt-attach was killed in phase run"
	# before its first stage.json
	rm -r "$S"/stage.json "$S"/spool "$S"/scripts
	finalize 1
	has "nothing was gathered"
	hasnt published
	[ -e "$S/INCOMPLETE" ]
}

@test "a bundle that would be invalid is not published" {
	stage
	spool cpu -e '/^COUNT/s/4/3/'
	finalize 1
	[ ! -s out ]
	has balance-broken
	[ ! -e b.bundle ]
	# put right, it is
	spool cpu -e '/^COUNT/s/3/4/'
	complete
}

@test "a stage.json that is broken" {
	stage
	cp "$S/stage.json" good
	for e in 's/"dt-staging.1"/"dt-staging\/2"/' '2i "x" 1' \
	    's/"pid":/"pidd":/' 's/launch/lunch/'; do
		sed "$e" good >"$S/stage.json"
		finalize 1
		has "stage.json"
		[ ! -e b.bundle ]
	done
	head -c 1000 good >"$S/stage.json"
	finalize 1
	cp good "$S/stage.json"
	complete
}

@test "an existing destination is never replaced" {
	stage
	echo mine >b.bundle
	finalize 2
	has "exists already"
	[ "$(cat b.bundle)" = mine ]
	rm b.bundle
	ln -s nowhere b.bundle
	finalize 2
	has "exists already"
	rm b.bundle
	mkdir b.bundle
	finalize 2
	has "exists already"
	rmdir b.bundle
	complete
	# another capture of the same name
	stage
	before=$(ls -lR b.bundle)
	finalize 2
	has "exists already"
	[ "$(ls -lR b.bundle)" = "$before" ]
	[ -d "$S/spool" ]
}

@test "two at once: one works, the other says so" {
	need_tool flock
	stage
	flock "$S" -c 'sleep 5' 3>&- &
	holder=$!
	for i in $(seq 50); do
		flock -n "$S" true || break
		sleep 0.1
	done
	finalize 2
	has "another dt-finalize is at work on it"
	kill $holder
	pkill -P $holder sleep || true
	wait $holder || true
	for i in $(seq 50); do
		flock -n "$S" true && break
		sleep 0.1
	done
	complete
}

@test "many at once on one staging directory: one bundle" {
	stage -f
	for i in 1 2 3 4; do
		dt-finalize "$S" >out.$i 2>err.$i 3>&- &
	done
	wait
	status 0 dt-validate b.bundle
	[ ! -e "$S" ]
	grep -qx b.bundle out.*
	[ "$(cat out.* | sort -u)" = b.bundle ]
	for i in 1 2 3 4; do
		[ -s out.$i ] || grep -qE 'at work|just published|cannot open|no such' -i err.$i || {
			cat err.$i
			return 1
		}
	done
}

@test "two captures to one destination at once: one is published" {
	stage
	mv "$S" .b.bundle.staging.1
	stage
	mv "$S" .b.bundle.staging.2
	dt-finalize .b.bundle.staging.1 >out.1 2>err.1 3>&- &
	dt-finalize .b.bundle.staging.2 >out.2 2>err.2 3>&- &
	wait
	status 0 dt-validate b.bundle
	[ "$(cat out.1 out.2)" = b.bundle ]
	grep -q 'exists already' err.1 err.2
	[ "$(ls -d .b.bundle.staging.* | wc -l)" -eq 1 ]
}

@test "a destination on another file system" {
	[ "$(stat -c %d .)" != "$(stat -c %d /dev/shm)" ] ||
	    skip "/dev/shm is not another file system"
	stage
	D=$(mktemp -d /dev/shm/t.XXXXXX)
	finalize 2 -o "$D/b.bundle" "$S"
	rmdir "$D"
	has "another file system"
	[ -d "$S/spool" ]
	complete
}

@test "a directory that is read-only" {
	need_root
	need_tool setpriv
	mkdir d
	chmod 755 "$T"
	stage
	mv "$S" d
	chown -R 65534:65534 d
	chmod 555 d
	as="setpriv --reuid=65534 --regid=65534 --clear-groups"
	status=0
	$as "$DT_BIN/dt-finalize" "d/$S" >out 2>err || status=$?
	[ "$status" -eq 2 ]
	[ ! -s out ]
	grep -q 'Permission denied' err
	[ -d "d/$S/spool" ]
	[ -e "d/$S/INCOMPLETE" ]
	chmod 755 d
	$as "$DT_BIN/dt-finalize" "d/$S" >out 2>err
	[ "$(cat out)" = d/b.bundle ]
	[ -z "$(find d/b.bundle -type d ! -perm 555)" ]
	status 0 dt-validate d/b.bundle
	[ ! -e "d/$S" ]
}

@test "standard output that cannot be written is no success" {
	stage
	status=0
	dt-finalize "$S" >/dev/full 2>err || status=$?
	[ "$status" -eq 2 ]
	[ "$(cat err)" = "dt-finalize: standard output: error: write:\
 cannot write: No space left on device" ]
	status 0 dt-validate b.bundle
	# it is told again, and cleared away
	complete
	[ "$(cat out)" = b.bundle ]
	[ ! -e "$S" ]
}

@test "half cleared away: the bundle is found" {
	stage
	complete -k "$S"
	id=$(sha256sum b.bundle/SHA256SUMS)
	rm -rf "$S/spool" "$S/stage.json"
	complete
	[ "$(cat out)" = b.bundle ]
	[ ! -e "$S" ]
	mkdir "$S"
	complete
	[ "$(cat out)" = b.bundle ]
	[ ! -e "$S" ]
	[ "$(sha256sum b.bundle/SHA256SUMS)" = "$id" ]
	# but not another one's
	mkdir "$S"
	echo sha256:00 >"$S/published"
	finalize 2
	has "exists already"
}

@test "names that hide or lead elsewhere" {
	stage
	sed -i 's/"b.bundle"/"..\/b.bundle"/' "$S/stage.json"
	finalize 2
	has "no name for a bundle"
	ln -s "$S" link
	finalize 2 link
	[ -d "$S/spool" ]
}

@test "anonymous memory is mapped, but no library" {
	stage
	spool maps -e '/^COUNT/s/6/8/' -e '/^COUNT/i \
map\t1001600000000\t4000\t4000\t0\t0x20000000\t0x20001000\t0x0\t-\t//anon\
map\t1001600000001\t4000\t4000\t0\t0x30000000\t0x30001000\t0x0\t-\t'
	spool cpu -e '/^COUNT/s/4/5/' -e '/^COUNT/i \
cpu-sample\t1003000000000\t4000\t4000\t1\tuser\n\n 0x20000010\n'
	complete
	records cpu | grep -q '	user	0x20000010$'
	! jq -r '.libraries[].path' b.bundle/manifest.json | grep -v '^/usr'
}

@test "a staging directory that is read-only" {
	need_root
	need_tool setpriv
	chmod 755 "$T"
	stage
	chown -R 65534:65534 "$S" .
	chmod 500 "$S"
	as="setpriv --reuid=65534 --regid=65534 --clear-groups"
	status=0
	$as "$DT_BIN/dt-finalize" "$S" >out 2>err || status=$?
	[ "$status" -eq 2 ]
	[ ! -s out ]
	grep -q 'Permission denied' err
	chmod 700 "$S"
	$as "$DT_BIN/dt-finalize" "$S" >out
	[ "$(cat out)" = b.bundle ]
}
