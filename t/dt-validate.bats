bats_require_minimum_version 1.5.0
load helper
load variants

# One good bundle for all tests of this file; each works on copies.
setup_file() {
	export GOOD=$BATS_FILE_TMPDIR/good.bundle
	"${DT_BUILD:-$(dirname "$DT_BIN")}/t/mkbundle" "$GOOD"
}

teardown_file() {
	chmod -R u+w "$BATS_FILE_TMPDIR"
}

setup() {
	PATH=$DT_BUILD/t:$PATH
	helper_setup
}

# good NAME: a copy that can be changed
good() {
	cp -a "$GOOD" "$1" && chmod -R u+w "$1"
}

# ids: the finding ids in $output, one a line
ids() {
	sed -n 's/^dt-validate: .*: [a-z]*: \([a-z0-9-]*\): .*/\1/p' \
	    <<<"$output" | sort -u
}

@test "usage and version" {
	status 0 dt-validate -h
	has 'usage: dt-validate'
	status 0 dt-validate --version
	has 'dt-validate'
	for o in -x --accept=invalid --expect=1 -j0 -j65 --explain=none \
	    --explain; do
		status 2 dt-validate $o
		has 'dt-validate: '
	done
}

@test "a good bundle passes, and its path is printed" {
	good a
	status 0 dt-validate a
	[ "$output" = a ]
	status 0 dt-validate "$PWD/a/manifest.json"
	[ "$output" = "$PWD/a" ]
	good b
	status 0 bash -c 'printf "a\nb\n" | dt-validate'
	[ "$output" = $'a\nb' ]
	status 0 bash -c 'printf "a\0b\0" | dt-validate -0 -j2'
	[ "$output" = $'a\nb' ]
}

@test "a manifest on standard input, from inside and outside" {
	good a
	status 0 dt-validate <a/manifest.json
	status 0 bash -c 'cat a/manifest.json | dt-validate -C a'
	status 2 bash -c 'cat a/manifest.json | dt-validate'
	cd a
	status 0 dt-validate <manifest.json
	status 0 bash -c 'cat manifest.json | dt-validate -C .'
	sed 's/"name"/"nome"/' manifest.json >../other.json
	status 2 bash -c 'cat ../other.json | dt-validate -C .'
}

@test "what names no bundle is 2, and the others still run" {
	good a
	status 2 dt-validate </dev/null
	status 2 dt-validate none a
	has 'none'
	[ "${lines[${#lines[@]} - 1]}" = a ] || [ "${lines[0]}" = a ]
	status 2 dt-validate /dev/null
}

@test "a closed or full standard output is an error" {
	good a
	status 2 bash -c 'dt-validate a >&-'
	status 2 bash -c 'dt-validate a >/dev/full'
	status 2 bash -c 'dt-validate --json a >/dev/full'
	status 2 bash -c 'dt-validate --explain record-nul >/dev/full'
}

@test "copied, moved, tarred and untarred bundles are the same" {
	good a
	id=$(dt-validate --id a)
	[ "${#id}" -eq 71 ]
	mv a 'b c'
	[ "$(dt-validate --id 'b c')" = "$id" ]
	tar cf x.tar 'b c'
	mkdir out
	tar xf x.tar -C out
	[ "$(dt-validate --id 'out/b c')" = "$id" ]
	status 0 dt-validate --expect "$id" 'out/b c'
	[ "sha256:$(sha256sum <'b c/SHA256SUMS' | cut -d' ' -f1)" = "$id" ]
}

@test "one flipped byte in any file" {
	good a
	cd a
	find . -type f | sort >../files
	while IFS= read -r f; do
		[ -s "$f" ] || continue
		cp -p "$f" ../saved
		n=$(($(stat -c %s "$f") / 2))
		b=$(od -An -tu1 -j$n -N1 "$f")
		printf "\\x$(printf %x $((b ^ 1)))" |
		    dd of="$f" bs=1 seek=$n conv=notrunc status=none
		status 1 dt-validate .
		[ -n "$(ids)" ] || {
			echo "$f"
			return 1
		}
		cp -p ../saved "$f"
	done <../files
	[ "$(wc -l <../files)" -gt 30 ]
	status 0 dt-validate .
}

@test "a rewritten bundle is caught by --expect alone" {
	good a
	id=$(dt-validate --id a)
	cd a
	echo more >>logs/capture.log
	editbundle seal
	status 0 dt-validate .
	status 1 dt-validate --expect "$id" .
	[ "$(ids)" = sums-expect ]
}

@test "--expect is about each of several bundles" {
	good a
	good b
	id=$(dt-validate --id a)
	status 0 dt-validate --expect "$id" a b
	echo more >>b/logs/capture.log
	(cd b && editbundle seal)
	run --separate-stderr dt-validate --expect "$id" a b
	[ "$status" -eq 1 ]
	[ "$output" = a ]
	[ "$(dt-validate --id a b)" != "$id"$'\n'"$id" ]
	(cd b && rm SHA256SUMS)
	status 1 dt-validate --expect "$id" b
}

# A reader of this version and what another may have written: dt-bundle(5).
@test "versions: what is unknown is told, what is newer is refused" {
	for f in manifest cohort settings capabilities collectors; do
		good a
		cd a
		editbundle json $f.json schema set '"dt-other/1"' ||
		    { echo $f; return 1; }
		editbundle seal
		status 1 dt-validate .
		has json-schema
		cd ..
		rm -rf a
	done
	# a member and a header line of a later edition: a note, still complete
	good a
	cd a
	editbundle json collectors.json 'collectors[0].news' set 1 ||
	    editbundle json collectors.json news append 1
	sed -i '/^#clock/a #more x' raw/cpu.tsv
	editbundle verdict
	editbundle report
	editbundle seal
	status 0 dt-validate .
	[ "$(ids)" = $'header-unknown\njson-unknown' ]
	status 0 dt-fold .
	status 0 dt-report -f csv .
	# a family: refused by the validator, of no matter to those who fold
	sed '2s/cpu/lock/' raw/cpu.tsv >raw/locks.tsv
	editbundle seal
	status 1 dt-validate .
	has 'raw/locks.tsv: error: layout-unknown'
	status 0 dt-fold .
	# a kind: refused, and counted where records are read
	rm raw/locks.tsv
	mr cpu cpu-sample kind=cpu-simple
	editbundle seal
	status 1 dt-validate .
	has record-kind
	status 1 dt-fold .
	has 'raw/cpu.tsv:'
}

@test "degraded bundles pass where they are accepted" {
	good a
	cd a
	v_balance_tracer
	editbundle verdict
	editbundle report
	editbundle seal
	status 1 dt-validate .
	[ "$(ids)" = balance-tracer ]
	hasnt $'\n.'
	run --separate-stderr dt-validate --accept degraded .
	[ "$status" -eq 0 ]
	[ "$output" = . ]
	status 1 dt-validate --accept complete .
	rm capabilities.json
	status 1 dt-validate --accept degraded .
}

@test "findings as JSON" {
	good a
	status 0 dt-validate --json a
	has '"verdict":"complete","findings":[]'
	has '"bundle":"a"'
	rm a/capabilities.json
	status 1 dt-validate --json a
	has '"id":"layout-missing","level":"error","path":"capabilities.json"'
	has '"verdict":"invalid"'
	[ "${#lines[@]}" -eq 1 ]
	status 1 dt-validate -q a
	[ -z "$output" ]
}

@test "--quick sees neither records nor SHA-256" {
	good a
	cd a
	status 0 dt-validate --quick .
	sed -i '3s/^./x/' SHA256SUMS
	status 0 dt-validate --quick .
	status 1 dt-validate .
	mr cpu cpu-sample count=0
	status 1 dt-validate --quick .
	[ "$(ids)" = sums-mismatch ]
	editbundle seal
	status 0 dt-validate --quick .
	status 1 dt-validate .
}

@test "--explain knows every finding" {
	finding_ids >all
	while IFS= read -r id; do
		status 0 dt-validate --explain "$id"
		[ "${lines[0]%% *}" = "$id" ]
		[ "${#lines[@]}" -ge 3 ]
	done <all
	[ "$(wc -l <all)" -gt 150 ]
}

@test "--schema is JSON, with every family and file" {
	need_tool python3
	dt-validate --schema >schema.json
	python3 -m json.tool schema.json >/dev/null
	for w in manifest cohort collectors syscall-open span-start; do
		grep -q "$w" schema.json
	done
	status 2 bash -c 'dt-validate --schema >/dev/full'
}

@test "many findings of an id are counted, not printed" {
	good a
	cd a
	sed -i 's/^1\(.*\)cpu-sample/1\1cpu-sample/' raw/cpu.tsv
	for i in $(seq 30); do
		echo "bad $i" >>raw/cpu.tsv
	done
	editbundle seal
	status 1 dt-validate .
	[ "$(grep -c record-columns <<<"$output")" -eq 21 ]
	has '10 more like this'
	status 1 dt-validate --json .
	has '"error":30'
}

@test "several bundles at once, told in order" {
	for i in 1 2 3 4 5 6 7 8; do
		good $i
	done
	rm 3/settings.json
	run --separate-stderr dt-validate -j3 1 2 3 4 none 5 6 7 8
	[ "$status" -eq 2 ]
	[ "$output" = $'1\n2\n4\n5\n6\n7\n8' ]
}

# redo FAMILY COLLECTOR N: N records more are the bundle's
redo() {
	count "$1" "$2" "$3"
	editbundle verdict
	editbundle report
	editbundle seal
}

@test "a call that another thread's execve ended may be open" {
	good a
	cd a
	mr syscalls syscall#4 after \
	    'TS+55000000 syscall-open 4001 4001 1 - - futex -'
	mr syscalls syscall-open#1 after \
	    'TS+40000000 syscall 4001 4001 1 - - 9000000 execve - 0 0 -'
	redo syscalls syscalls 2
	status 0 dt-validate .
	mr syscalls syscall#5 dur=1000000
	redo syscalls syscalls 0
	status 1 dt-validate .
	[ "$(ids)" = $'call-differs\npair-open' ]
}

# told TEXT: what was done to the bundle in c is refused with that
told() {
	editbundle seal
	status 1 dt-validate .
	has "$1"
	cd ..
	rm -rf c
}

@test "what ran is what was asked for" {
	local t='dt-trace","--stats","spool/io.stats","-x","noresolve'
	good c; cd c
	col cpu 'argv[-4]' set '"switchrate=6hz"'
	told 'collector-settings: cpu: argv lacks -x switchrate=5hz'
	good c; cd c
	col io argv set "[\"$t\",\"-x\",\"more\",\"-x\",\"switchrate=5hz\",
	    \"-s\",\"scripts/io.d\",\"4000\"]"
	told 'collector-settings: io: argv has other options than'
	good c; cd c
	col io tracer set '"dtrace"'
	col io 'argv[0]' set '"dtrace"'
	man environment.tracers.io.tracer set '"dtrace"'
	told 'collector-settings: io: tracer is not that of the settings'
	good c; cd c
	col io tracer_version set '"dt-trace 9"'
	man environment.tracers.io.version set '"dt-trace 9"'
	told 'collector-settings: io: tracer_version is not that of the others'
	good c; cd c
	man preset set null
	told 'family-preset: families.cpu is neither required nor'
	good c; cd c
	man preset set '"all"'
	told 'family-preset: there is no preset all'
	good c; cd c
	echo x >logs/target.out
	told 'log-unknown: '
	mkbundle -a b
	cp -a b c; chmod -R u+w c; cd c
	man window.workload_done add -1
	told 'manifest-end: command.ended is duration'
}

@test "what one file tells the others do not deny" {
	good c; cd c
	man 'command.argv[0]' set '"other"'
	told 'manifest-command: the target began with /usr/bin/prog, and not'
	good c; cd c
	mr procs thread-start tid=4001
	told 'thread-twice: id 4001 is a thread of members[1] and one of'
	good c; cd c
	mr syscalls syscall#6 name=fork
	told 'call-differs: there is no birth within it'
	good c; cd c
	mr syscalls syscall#1 dur-50000
	told 'call-differs: there is no proc-exec record of it'
	good c; cd c
	mr syscalls syscall#6 name=exit_group
	told 'record-value: exit() and exit_group() never return'
	good c; cd c
	mr cpu cpu-sample cpu=2
	told "record-range: processor 2 is none of the host's 2"
	good c; cd c
	mj $cap 'capabilities[name=live-maps]' drop
	told 'capability-maps: live-maps is not there'
	good c; cd c
	mr maps unmap#1 drop
	mr maps unmap#1 drop
	told "capability-maps: live-maps was available, and the target's"
	good c; cd c
	col cpu cost.bpf_run_count set 0
	told 'collector-cost: cpu: its programs never ran, yet took time'
	good c; cd c
	col maps cost.cpu_user_ns set 1
	col maps cost.cpu_system_ns set 1
	told 'collector-cost: maps: has a cost, and no statistics tell it'
	good c; cd c
	col cpu cost.bpf_run_ns set null
	told 'collector-cost: cpu: half of its cost is not known'
	good c; cd c
	col cpu stops set "[{\"signal\":\"INT\",\"at\":$(get collectors.json \
	    'collectors[name=cpu].ack')}]"
	told 'collector-stops: cpu: stops[0] is before window.workload_done'
	good c; cd c
	col cpu detach set "$(($(get manifest.json window.drained) + 1))"
	told 'collector-order: cpu: it lasted 1 ns beyond window.drained'
}

@test "records within a loss are legal, and open ends at the edges" {
	good a
	cd a
	t=$(ts cpu cpu-sample#2)
	lose cpu cpu $((t - 5)) $((t + 5)) 7
	col cpu tracer_drops set 7
	redo cpu cpu 0
	status 1 dt-validate .
	[ "$(ids)" = collector-drops ]
	status 0 dt-validate --accept degraded .
	# a call in flight when the window ended
	mr syscalls syscall-open#3 name=read fd=3
	redo syscalls syscalls 0
	status 0 dt-validate --accept degraded .
	[ "$(ids)" = collector-drops ]
}

@test "a verdict of another version may be worse, not better" {
	good a
	cd a
	sed -i 's/"0.1.0"/"9.9"/' manifest.json validation.json
	v_balance_tracer
	editbundle verdict
	sed -i 's/"degraded"/"complete"/' validation.json
	editbundle report
	editbundle seal
	status 1 dt-validate .
	[ "$(ids)" = $'balance-tracer\nvalidation-verdict' ]
	cd ..
	good b
	cd b
	sed -i 's/"0.1.0"/"9.9"/' manifest.json validation.json
	sed -i 's/"complete"/"degraded"/' validation.json
	editbundle report
	editbundle seal
	status 0 dt-validate .
}

@test "attached to: what began before the window is no orphan" {
	mkbundle -a b
	chmod -R u+w b
	cd b
	status 0 dt-validate .
}

# lie WORD ...: a bundle in which `editbundle` did this is told with $want.
lie() {
	chmod -R u+w l 2>/dev/null && rm -rf l
	cp -a "$from" l && chmod -R u+w l
	(cd l && editbundle json manifest.json "$@" && editbundle seal)
	status 1 dt-validate l
	has "$want"
}

@test "the manifest against what was recorded" {
	from=$GOOD
	want="manifest-end: command.ended is exited, and the target died 1 ns"
	lie window.workload_done add -1
	want="artifact-exe: artifacts/exe/prog is not the /usr/bin/child"
	lie 'artifacts[path=artifacts/exe/prog].source' set \
	    "$(cd "$GOOD" && editbundle get manifest.json 'libraries[0].path')"
	want="collector-rate: "
	from=dense
	cp -a "$GOOD" dense && chmod -R u+w dense
	awk -F'\t' -v OFS='\t' '$2 == "cpu-sample" { $8 = 100000 } 1' \
	    "$GOOD/raw/cpu.tsv" >dense/raw/cpu.tsv
	lie command.cwd set '"/tmp"'
	mkbundle -a b
	from=b want="window-start: window.workload_start is not"
	lie window.workload_start add 1
}

# broken WANT COMMAND ...: the command breaks a copy of the good bundle
broken() {
	local want=$1
	shift
	chmod -R u+w l 2>/dev/null && rm -rf l
	cp -a "$GOOD" l && chmod -R u+w l
	(cd l && "$@" && editbundle seal)
	status 1 dt-validate l
	has "$want"
}
# filter COLLECTOR RULE: it removed one record by that rule
filter() {
	col "$1" filters append "{\"rule\":\"$2\",\"count\":1}"
	col "$1" counters.filtered add 1
	col "$1" counters.fired add 1
}
no_exec() {
	mr procs proc-exec#2 drop
	count procs procs -1
}
move_script() {
	mv artifacts/scripts/cpu.d "$1"
	man 'artifacts[path=artifacts/scripts/cpu.d].path' set "\"$1\""
	col cpu script set "\"$1\""
}

@test "what the contract says once: files" {
	broken "layout-unknown: no directory" mkdir artifacts/more
	broken "layout-unknown: no file" cp artifacts/exe/prog artifacts/prog
	broken "layout-unknown: no file" \
	    cp artifacts/exe/prog artifacts/scripts/prog
	broken "collector-script: cpu: script is not artifacts/scripts/cpu.d" \
	    move_script artifacts/scripts/other.d
	broken "collector-log: cpu: log is not logs/cpu.err.log" \
	    col cpu log set '"logs/capture.log"'
}

@test "what the contract says once: the executable" {
	move_exe() {
		mv artifacts/exe/prog artifacts/exe/other
		man 'artifacts[kind=binary].path' set '"artifacts/exe/other"'
	}
	broken "artifact-exe: artifacts/exe/other is not artifacts/exe/prog" \
	    move_exe
}

@test "what the contract says once: members" {
	broken "manifest-end: command was attached to" eval \
	    "man command.mode set '\"attach\"'; man command.hold set '\"running\"';
	     man command.ended set '\"duration\"'"
	broken "environment.tracers has a member that is no" \
	    man environment.tracers.more append '{"tracer":"x","version":"y"}'
	broken "environment.rates_hz has a member that is no" \
	    man environment.rates_hz.more append 7
	broken "families.syscalls.collector is not syscalls" \
	    man families.syscalls.collector set '"inflight"'
	broken "collector-builtin: maps: " \
	    col maps argv append '"x"'
	broken "filter-rule: procs: filters" filter procs before-window
	broken "filter-rule: syscalls: filters" filter syscalls returned
	broken "filter-rule: maps: filters" filter maps not-followed
	broken "collector-stops: cpu: " \
	    col cpu stops set '[{"signal":"INT","at":0}]'
	broken "families.gc.state is not what became of" empty gc gc failed
	broken "families.gc.state is not what became of" empty gc gc unsupported
	broken "families.gc.state is not what became of" empty gc gc not-attached
	broken "families.gc.state is not what became of" empty gc gc probe-absent
	broken "manifest-created: " man created_utc set '"2099-01-01T00:00:00Z"'
}

@test "what the contract says once: records and members" {
	broken "record-value: start, end or offset" \
	    mr maps map end=0xffffffffffffffff
	broken "stack has a frame that is none" mr cpu cpu-sample stack=main
	broken "stack has a frame that is none" \
	    mr cpu cpu-sample 'stack=prog`main+0x01'
	# of a process that executes nothing, its parent's program tells
	broken "cohort-exe: members[1].exe is not that of its parent" no_exec
}

@test "a bundle of another's tools is held to the same contract" {
	good a
	cd a
	man 'tools[0].name' set '"their-capture"'
	man 'tools[1].name' set '"their-bundler"'
	mj validation.json tool.name set '"their-bundler"'
	echo '# theirs' >report/report.md
	jq '.more = 1' report/report.json >r && mv r report/report.json
	editbundle seal
	status 0 dt-validate .
	jq '.cpu.samples += 1' report/report.json >r
	cp report/report.json good && mv r report/report.json
	mv good ../good.json
	editbundle seal
	status 1 dt-validate .
	has "report-differs: cpu.samples is not"
	jq '.run.verdict = "degraded"' ../good.json >report/report.json
	editbundle seal
	status 1 dt-validate .
	has "report-differs: run.verdict is not"
	echo '{' >report/report.json
	editbundle seal
	status 1 dt-validate .
	has "report/report.json:2: error: json-syntax: "
	cp ../good.json report/report.json
	rm report/cpu.csv
	echo x >report/more.csv
	editbundle seal
	status 1 dt-validate .
	[ "$(ids)" = $'report-missing\nreport-unknown' ]
}

# Findings: each id has a variant of the good bundle that has it alone.

@test "every finding id has a variant, every variant an id" {
	finding_ids | sort >all
	declare -F | sed -n 's/^declare -f v_//p' | tr _ - | sort >have
	diff all have
}

# class NAME: runs the variants of the findings of a class
class() {
	local id bad=0
	in_memory || return 1
	finding_ids "$1" >"class.$1"
	while IFS= read -r id; do
		variant "$id" && continue
		cd "$T"
		echo "$id: found '$found', not '$want'"
		bad=1
	done <"class.$1"
	[ -s "class.$1" ] && [ $bad -eq 0 ]
}

@test "variants: layout" { class LAYOUT; }
@test "variants: sums" { class SUMS; }
@test "variants: json" { class JSON; }
@test "variants: manifest" { class MANIFEST; }
@test "variants: clock" { class CLOCK; }
@test "variants: cohort" { class COHORT; }
@test "variants: settings" { class SETTINGS; }
@test "variants: artifacts" { class ARTIFACT; }
@test "variants: families" { class FAMILY; }
@test "variants: collectors" { class COLLECTOR; }
@test "variants: headers" { class HEADER; }
@test "variants: records" { class RECORD; }
@test "variants: members" { class MEMBER; }
@test "variants: pairs" { class PAIR; }
@test "variants: report" { class REPORT; }

# Untrusted bundles: a clear finding, bounded memory, no hang. Memory: what
# dt-validate(1) says, and threads' stacks.

# bounded N CMD...: as status, within 60 s and 1 GiB of address space
bounded() {
	local want=$1
	shift
	run timeout 60 bash -c '
		grep -q san_init "$(command -v dt-validate)" ||
		    ulimit -v 1048576
		exec "$@"' - "$@"
	[ "$status" -eq "$want" ] || {
		echo "exit status $status, not $want: $*"
		echo "$output"
		return 1
	}
}

@test "untrusted: what is neither file nor directory" {
	need_root
	good a
	cd a
	mkfifo logs/fifo
	mknod logs/zero c 1 5
	mknod logs/block b 7 0
	ln -s /proc/self/fd/0 logs/proc
	ln -s .. raw/up
	python3 -c 'import socket
socket.socket(socket.AF_UNIX).bind("logs/socket")' || true
	bounded 1 dt-validate .
	[ "$(ids)" = layout-type ]
	[ "$(grep -c layout-type <<<"$output")" -ge 5 ]
}

@test "untrusted: links in the place of files" {
	need_root
	for f in manifest.json cohort.json raw/cpu.tsv SHA256SUMS \
	    artifacts/exe/prog report/report.json validation.json; do
		for to in /dev/zero /proc/self/mem "$GOOD/$f" nowhere; do
			good a
			ln -sf "$to" "a/$f"
			bounded 1 dt-validate a
			has "a/$f: error: layout-type: "
			rm -rf a
		done
		good a
		rm "a/$f"
		mkfifo "a/$f"
		bounded 1 dt-validate a
		rm -rf a
	done
	good a
	mv a/raw raw
	ln -s ../raw a/raw
	bounded 1 dt-validate a
	has 'a/raw: error: layout-type: '
}

@test "untrusted: a directory in the place of a file, and the reverse" {
	for f in manifest.json raw/cpu.tsv SHA256SUMS; do
		good a
		rm "a/$f"
		mkdir "a/$f"
		bounded 1 dt-validate a
		has "a/$f: error: layout-type: is a directory"
		rm -rf a
	done
	good a
	rm -rf a/raw
	echo x >a/raw
	bounded 1 dt-validate a
	has 'a/raw: error: layout-type: is a file'
}

@test "untrusted: more files than a bundle has" {
	good a
	mkdir a/artifacts/many
	(cd a/artifacts/many && seq 66000 | xargs touch)
	bounded 1 dt-validate a
	has 'layout-limit'
}

@test "untrusted: directories without end" {
	good a
	(cd a/artifacts && for i in $(seq 300); do
		mkdir 0123456789 && cd 0123456789 || exit 1
	done)
	bounded 1 dt-validate a
	has 'layout-limit'
}

@test "untrusted: a line of 1 GiB" {
	good a
	truncate -s 1G a/raw/cpu.tsv
	bounded 1 dt-validate --json a
	has '"id":"record-long"'
	good b
	{
		cat b/raw/syscalls.tsv
		head -c 1073741824 /dev/zero | tr '\0' x
		echo
	} >long
	mv long b/raw/syscalls.tsv
	bounded 1 dt-validate --json b
	has '"id":"record-long"'
}

@test "untrusted: files of 1 GiB, sparse" {
	for f in manifest.json collectors.json validation.json SHA256SUMS \
	    XXH3SUMS logs/capture.log report/report.json; do
		good a
		truncate -s 1G "a/$f"
		bounded 1 dt-validate a
		rm -rf a
	done
}

@test "untrusted: a file without end ends when one interrupts" {
	good a
	truncate -s 8E a/logs/capture.log 2>/dev/null ||
	    truncate -s 8T a/logs/capture.log
	for o in "" --quick; do
		run timeout -s INT 1 dt-validate $o -q a
		[ "$status" -eq 124 ] || [ "$status" -eq 1 ]
		[ -z "$output" ]
	done
}

@test "untrusted: a million files" {
	in_memory
	good a
	mkdir a/artifacts/many
	(cd a/artifacts/many && seq 1000000 | xargs touch)
	bounded 1 dt-validate a
	has 'layout-limit'
	bounded 1 dt-report a
	# this one has findings of each
	bounded 1 sh -c 'dt-sum -cq a 2>/dev/null'
}

@test "untrusted: a bundle that is another user's" {
	need_root
	need_tool setpriv
	chmod 755 "$T" "${T%/*}" 2>/dev/null || true
	cp -r "$GOOD" a
	id=$(dt-validate --id a)
	chown -R 12345:12345 a
	status 0 dt-validate --expect "$id" a
	tar cf a.tar a
	mkdir out
	chown 65534:65534 out
	as="setpriv --reuid=65534 --regid=65534 --clear-groups"
	# unpacked, it is his
	$as tar xf a.tar -C out
	[ "$(stat -c %u out/a/manifest.json)" = 65534 ]
	for b in a out/a; do
		status 0 $as "$DT_BIN/dt-validate" --expect "$id" $b
	done
}

@test "untrusted: JSON that is deep, large or ambiguous" {
	good a
	head -c 100000 /dev/zero | tr '\0' '[' >a/capabilities.json
	bounded 1 dt-validate a
	has 'json-depth'
	{
		printf '{"schema":"dt-capabilities/1","capabilities":['
		seq 100000 |
		    sed 's/.*/{"name":"c&","available":true,"reason":null},/'
		printf '{"name":"c","available":true,"reason":null}]}'
	} >a/capabilities.json
	bounded 1 dt-validate a
	hasnt 'json-'
	{
		printf '['
		head -c 4000000 /dev/zero | tr '\0' '1' | sed 's/1/1,/g'
		printf '1]'
	} >a/capabilities.json
	bounded 1 dt-validate a
	has 'a/capabilities.json'
	printf '{"schema":"dt-capabilities/1","schema":"x"}' \
	    >a/capabilities.json
	bounded 1 dt-validate a
	has 'json-duplicate'
}

@test "untrusted: names" {
	good a
	for n in $'new\nline' $'tab\t' $'esc\e[31m' $'\xff' $'e\xcc\x81' \
	    $'\xc3\xa9' LOG .hidden ' ' "$(printf %0200d 1)"; do
		echo x >"a/logs/$n.log"
	done
	echo x >a/logs/log.log
	bounded 1 dt-validate a
	has 'layout-name'
	has 'layout-case: another entry is named'
	has 'new\x0aline'
	hasnt $'\e'
}

@test "untrusted: hard links and a bundle that cannot be read" {
	good a
	for f in a/logs/*; do
		ln "$f" "${f##*/}.link"
	done
	bounded 0 dt-validate a
	has 'layout-hardlink'
	[ "$(id -u)" -eq 0 ] || {
		chmod 0 a/manifest.json
		bounded 2 dt-validate a
	}
}

@test "untrusted: a file that grows, shrinks and goes while it is read" {
	good a
	cat a/logs/capture.log >log
	(while :; do
		echo more >>a/logs/capture.log
		cat log >a/logs/capture.log
		for f in raw/procs.tsv artifacts/exe/prog cohort.json; do
			mv a/$f x && mv x a/$f
		done
	done) &
	pid=$!
	for i in $(seq 20); do
		run timeout 60 dt-validate -q a
		[ "$status" -le 1 ] || break
	done
	kill $pid
	wait $pid || true
	[ "$status" -le 1 ] || {
		echo "$output"
		return 1
	}
}

@test "untrusted: huge numbers" {
	good a
	cd a
	mr cpu cpu-sample ts=99999999999999999999
	mr syscalls syscall dur=9223372036854775807
	mr maps map start=0xffffffffffffffffffff
	mr syscalls syscall#2 ret=-9223372036854775808
	man window.drained set 9223372036854775807
	man clock.end.mono set 18446744073709551615
	editbundle seal
	bounded 1 dt-validate .
	has 'record-range'
	has 'json-range'
}

# in_memory: to a directory in memory, if there is one: much is written and
# synced
in_memory() {
	rm -rf "$T"
	T=$(mktemp -d /dev/shm/dt-validate.XXXXXX 2>/dev/null ||
	    mktemp -d) && cd "$T"
}

@test "mutants: whatever is changed is told, but for t/survivors.txt" {
	in_memory
	good m
	cd m
	status 0 mutation "$DT_SRC/t/survivors.txt"
	has ' 0 of them new'
	[ "${lines[-1]%% *}" -gt 5000 ]
	# and a survivor that is not listed would fail
	grep -v '^logs/capture.log' "$DT_SRC/t/survivors.txt" >../less.txt
	status 1 mutation ../less.txt logs/capture.log
	has 'new survivor: logs/capture.log::longer'
}
