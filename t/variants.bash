# A variant for every finding id: v_ID (with _ for -) breaks one thing in the
# good bundle that is the working directory, so that exactly that id is found.
# The sums are made again afterwards, the verdict and the report too where the
# id is no error. Settings a variant may make:
#
# also="ID ..."	ids that are found with it of necessity
# nosum=1	the variant itself cares for the sums
# args="..."	options of dt-validate
# direct=...	the command that prints the ids, instead of dt-validate

mj() { editbundle json "$@"; }
mr() { editbundle rec "$@"; }
man() { editbundle json manifest.json "$@"; }
get() { editbundle get "$@"; }
# col NAME PLACE ...: in the collector's entry
col() { local c=$1 p=$2; shift 2; mj collectors.json "collectors[name=$c].$p" "$@"; }
# count FAMILY COLLECTOR N: N records more
count() {
	man "families.$1.records" add "$3"
	col "$2" counters.recorded add "$3"
	col "$2" counters.fired add "$3"
}
# created: at clock.end
created() {
	local ns=$(get manifest.json clock.end.realtime_utc)
	man created_utc set "\"$(date -u -d "@$((ns / 1000000000))" +%FT%TZ)\""
}
# empty FAMILY COLLECTOR STATE: no records of it
empty() {
	sed -i '/^#/!d' "raw/$1.tsv"
	man "families.$1.records" set 0
	man "families.$1.state" set "\"$3\""
	col "$2" counters.recorded set 0
	col "$2" counters.fired set "$(get collectors.json \
	    "collectors[name=$2].counters.filtered")"
}
# lose FAMILY COLLECTOR FROM TO N: a drop interval and its ovf record
lose() {
	col "$2" drops append "{\"from\":$3,\"to\":$4,\"count\":$5,\"why\":\"buffer\",\"cpu\":0}"
	col "$2" counters.dropped add "$5"
	col "$2" counters.fired add "$5"
	editbundle lose "$1" "$3" "$4" "$5"
	[ "$6" = quiet ] || also="$also collector-drops"
}
# ts FAMILY KIND[#N]: the record's ts
ts() { editbundle field "$1" "$2" ts; }
other_sha=sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef

# layout
v_layout_missing() { rm capabilities.json; }
v_layout_unknown() { echo x >notes.txt; }
v_layout_type() { editbundle seal; ln -s /etc/passwd logs/link; nosum=1; }
v_layout_name() {
	cp artifacts/scripts/cpu.d $'artifacts/scripts/cp\xc3\xbc.d'
	man artifacts append "$(get manifest.json 'artifacts[path=artifacts/scripts/cpu.d]')"
	man 'artifacts[-1].path' set $'"artifacts/scripts/cp\xc3\xbc.d"'
}
v_layout_case() {
	cp artifacts/scripts/cpu.d artifacts/scripts/CPU.d
	man artifacts append "$(get manifest.json 'artifacts[path=artifacts/scripts/cpu.d]')"
	man 'artifacts[-1].path' set '"artifacts/scripts/CPU.d"'
}
v_layout_limit() { mkdir -p artifacts/1/2/3/4/5/6/7/8/9; }
v_layout_hardlink() {
	editbundle verdict
	editbundle report
	editbundle seal
	ln logs/capture.log ../link
	nosum=1
}
v_layout_incomplete() { echo 'dt-staging 1' >INCOMPLETE; }
v_layout_changed() { direct='editbundle changing'; }

# sums
v_sums_malformed() { echo garbage >>SHA256SUMS; nosum=1; }
v_sums_path() {
	sed -i "1i${other_sha#sha256:}  ../x" SHA256SUMS
	nosum=1
}
v_sums_duplicate() { sed -i 2p SHA256SUMS; nosum=1; }
v_sums_order() { sed -i '2{h;d};3G' SHA256SUMS; nosum=1; }
v_sums_no_file() { echo "${other_sha#sha256:}  zzz" >>SHA256SUMS; nosum=1; }
v_sums_not_covered() { sed -i 3d SHA256SUMS; nosum=1; }
v_sums_listed_list() {
	sed -i "1i${other_sha#sha256:}  SHA256SUMS" SHA256SUMS
	nosum=1
}
v_sums_mismatch() { echo more >>logs/capture.log; nosum=1; }
v_sums_expect() { args="--expect $other_sha"; }

# json
cap=capabilities.json
v_json_syntax() { echo '{"schema" 1}' >$cap; }
v_json_too_big() { head -c 17000000 /dev/zero | tr '\0' ' ' >>$cap; }
v_json_depth() {
	{
		printf '{"schema":"dt-capabilities/1","capabilities":'
		printf '%0100d' 0 | tr 0 '['
		printf '%0100d' 0 | tr 0 ']'
		echo '}'
	} >$cap
}
v_json_nul() { sed -i '0,/"name"/s/"name":[[:space:]]*"/&\\u0000/' $cap; }
v_json_utf8() { LC_ALL=C sed -i $'0,/"name"/s/"name":[[:space:]]*"/&\xff/' $cap; }
v_json_trailing() { echo '{}' >>$cap; }
v_json_duplicate() { mj $cap 'capabilities[0].reason' twice; }
v_json_missing() { mj $cap 'capabilities[0].reason' drop; }
v_json_type() { mj $cap 'capabilities[0].name' set 5; }
v_json_range() { mj $cap 'capabilities[0].name' set '""'; }
v_json_value() { man command.ended set '"somehow"'; }
v_json_format() { man created_utc set '"2026-11-29 at noon...."'; }
v_json_escape() { man command.cwd set '"/tmp/\\x41"'; }
v_json_path() { man 'artifacts[0].path' set '"artifacts/../../x"'; }
v_json_unknown() { mj $cap news append 1; }
v_json_schema() { mj $cap schema set '"dt-capabilities/2"'; }

# manifest
v_manifest_name() { man name set '"a/b"'; }
v_manifest_created() { man created_utc set '"2001-01-01T00:00:00Z"'; }
v_manifest_tool() { man 'tools[0]' drop; }
v_manifest_hold() { man command.hold set '"running"'; }
v_manifest_end() { man command.signal set 9; }
v_manifest_command() { man command.pid add 1; }
v_manifest_status() { man command.exit_code add 1; }
v_manifest_environment() { man environment.kernel set '"7.0"'; }
v_manifest_ref() {
	man source_refs append '{"kind":"git","ref":"abc"}'
	man 'source_refs[-1]' twice
}

# clock and window
v_clock_name() { man clock.name set '"CLOCK_REALTIME"'; }
v_clock_degraded() { man clock.degraded set '"no monotonic clock"'; }
v_clock_order() { man clock.end.mono set 1; }
v_clock_window() { man window.ready set $(($(get manifest.json clock.start.mono) - 1)); }
v_clock_drift() { man clock.drift_ns add 1; }
v_clock_suspended() { man clock.suspended_ns add 1; }
v_clock_slept() {
	man clock.end.boottime_offset add 1000000000
	man clock.suspended_ns add 1000000000
	man clock.end.realtime_utc add 1000000000
	man clock.drift_ns add 1000000000
	created
}
v_clock_stepped() {
	man clock.end.realtime_utc add -60000000000
	man clock.drift_ns add -60000000000
	created
}
v_window_order() { man window.warmup_done set $(($(get manifest.json window.workload_start) + 1)); }
v_window_missing() { man window.warmup_done set null; }
v_window_start() { man window.workload_start add -1; }
v_window_ack() {
	man window.attached set $(($(get collectors.json 'collectors[name=spans].ack') - 1))
}

# cohort: members[-1] is a leaf
co() { mj cohort.json "$@"; }
v_cohort_boot() { man host.boot_id set '"00000000-0000-4000-8000-000000000000"'; }
v_cohort_incarnation() {
	local b=$(get cohort.json boot_id)
	co 'members[-1].incarnation' set "\"${b//\"/}:1:1\""
}
v_cohort_order() { co 'members[0]' swap; }
v_cohort_duplicate() { co 'members[-1]' twice; }
v_cohort_target() { co 'members[role=target].role' set '"descendant"'; }
v_cohort_parent() {
	local b=$(get cohort.json boot_id)
	co 'members[-1].parent' set "\"${b//\"/}:1:1\""
}
v_cohort_parent_age() {
	co 'members[-1].parent' set "$(get cohort.json 'members[-1].incarnation')"
}
v_cohort_overlap() {
	local i=$(get cohort.json 'members[-1].incarnation') t=1001500000000
	co members append "$(get cohort.json 'members[-1]')"
	i=${i//\"/}
	co 'members[-1].incarnation' set "\"${i%:*}:$t\""
	co 'members[-1].start' set $t
}
v_cohort_life() { co 'members[-1].died' set $(($(get cohort.json 'members[-1].start') - 1)); }
v_cohort_exit() { co 'members[-1].exit_status' set null; }
v_cohort_seal() { co sealed set false; }
v_cohort_source() { co 'members[-1].start_resolution_ns' set 5; }
v_cohort_birth() { mr procs proc-fork child=999999; }
v_cohort_death() { mr procs proc-exit status=77; }
v_cohort_build_id() { co 'members[-1].exe_build_id' set '"abcd"'; }
v_cohort_exe() { co 'members[-1].exe' set '"/usr/bin/other"'; }

# settings and capabilities
v_settings_hash() { mj settings.json settings.max_bytes add 1; }
v_settings_manifest() { man settings_sha256 set "\"$other_sha\""; }
v_capability_maps() {
	mj $cap 'capabilities[name=live-maps].available' set false
	mj $cap 'capabilities[name=live-maps].reason' set '"polled"'
}
v_capability_reason() {
	mj $cap capabilities append '{"name":"x","available":false,"reason":null}'
}
v_capability_duplicate() { mj $cap 'capabilities[0]' twice; }

# artifacts
script='artifacts[kind=script]'
v_artifact_missing() {
	man "$script" twice
	man 'artifacts[-1].path' set '"artifacts/scripts/none.d"'
}
v_artifact_unlisted() { echo x >artifacts/scripts/more.d; }
v_artifact_hash() { man 'artifacts[kind=binary].sha256' set "\"$other_sha\""; }
v_artifact_size() { man "$script.size" add 1; }
v_artifact_duplicate() { man "$script" twice; }
v_artifact_build_id() { man "$script.build_id" set '"abcd"'; }
v_artifact_exe() { man 'artifacts[kind=binary].kind' set '"library"'; }
v_library_duplicate() { man 'libraries[-1]' twice; }
v_library_order() { man 'libraries[0]' swap; }
v_library_unlisted() { man 'libraries[-1]' drop; }
v_library_unmapped() { man libraries append '{"path":"/zzz/none.so","build_id":"ab"}'; }
v_log_unknown() { echo x >logs/other.log; }

# families
v_family_state() { man families.gc.state set '"none-fired"'; }
v_family_records() { man families.cpu.records add 1; }
v_family_file() { rm raw/gc.tsv; }
v_family_collector() { man families.cpu.collector set '"syscalls"'; }
v_family_required() { empty io io none-fired; }
v_family_preset() { man preset set '"syscalls"'; }
v_family_lost() { empty cpu cpu failed; col cpu ack set null; }
v_family_procs() { man families.maps.required set false; }

# collectors
v_collector_duplicate() {
	mj collectors.json 'collectors[name=inflight]' twice
	mj collectors.json 'collectors[-1].counters.fired' set 0
	mj collectors.json 'collectors[-1].counters.recorded' set 0
}
v_collector_ack() { col inflight ack set null; }
v_collector_order() { col cpu started set $(($(get collectors.json 'collectors[name=cpu].ack') + 1)); }
v_collector_serial() {
	col cpu started set $(($(get collectors.json 'collectors[name=procs].ack') - 1))
}
v_collector_early() {
	col cpu stops set '[]'
	col cpu detach set $(($(get manifest.json window.workload_done) - 1))
}
v_collector_status() { col cpu exit_code set null; }
v_collector_exit() { col cpu exit_code set 1; }
v_collector_stops() {
	local d=$(get collectors.json 'collectors[name=cpu].detach')
	col cpu stops set "[{\"signal\":\"TERM\",\"at\":$((d - 2))},{\"signal\":\"INT\",\"at\":$((d - 1))}]"
}
v_collector_killed() {
	local d=$(get collectors.json 'collectors[name=cpu].detach')
	col cpu stops set "[{\"signal\":\"INT\",\"at\":$((d - 3))},{\"signal\":\"TERM\",\"at\":$((d - 2))},{\"signal\":\"KILL\",\"at\":$((d - 1))}]"
	col cpu exit_code set null
	col cpu signal set 9
}
v_collector_builtin() { col cpu script_sha256 set null; }
v_collector_argv() { col cpu 'argv[-1]' set '"4001"'; }
v_collector_cost() { col cpu cost.cpu_user_ns add 60000000000; }
v_collector_settings() {
	man environment.rates_hz.cpu set 499
	col cpu rate_hz set 499
}
v_collector_script() { col cpu script_sha256 set "\"$other_sha\""; }
v_collector_log() {
	local l=$(get collectors.json 'collectors[name=cpu].log')
	rm "${l//\"/}"
}
v_collector_required() { col cpu required set true; }
v_collector_rate() { mr cpu cpu-sample fill 20000 1000; count cpu cpu 20000; }
v_collector_malformed() { col cpu malformed set 1; col cpu malformed_lines set '[5]'; }
v_collector_malformed_lines() { col cpu malformed_lines set '[5]'; }
v_collector_errors() { col cpu errors set '["error on enabled probe"]'; }
v_collector_log_differs() { echo 'dt-trace: 5 drops on CPU 1' >>logs/cpu.err.log; }
v_balance_broken() { col cpu counters.fired add 1; }
v_balance_null() { col cpu counters.fired set null; }
v_balance_recorded() { col cpu counters.fired add 1; col cpu counters.recorded add 1; }
v_balance_filtered() { col cpu filters append '{"rule":"before-window","count":1}'; }
v_balance_dropped() {
	col cpu counters.dropped add 1
	col cpu counters.fired add 1
	col cpu tracer_drops set 1
}
v_balance_tracer() { col cpu tracer_drops set 5; }
v_collector_drops() { local t=$(ts cpu cpu-sample); lose cpu cpu "$t" $((t + 5)) 3 quiet; col cpu tracer_drops set 3; }
v_filter_rule() {
	col cpu filters append '{"rule":"before-window","count":1}'
	col cpu filters append '{"rule":"before-window","count":1}'
	col cpu counters.filtered add 2
	col cpu counters.fired add 2
}
v_filter_member() {
	col cpu filters append '{"rule":"not-member","count":1}'
	col cpu counters.filtered add 1
	col cpu counters.fired add 1
}
v_drop_interval() {
	lose cpu cpu 5 6 3 quiet
	col cpu tracer_drops set 3
}
v_drop_record() {
	local t=$(ts cpu cpu-sample)
	lose cpu cpu "$t" $((t + 5)) 3
	col cpu tracer_drops set 3
	mr cpu ovf to+1
}

# headers
v_header_missing() { sed -i '/^#columns ovf/d' raw/cpu.tsv; }
v_header_format() { sed -i '1s/.*/#dt-records 2/' raw/cpu.tsv; }
v_header_value() { sed -i 's/^#clock.*/#clock CLOCK_REALTIME ns/' raw/cpu.tsv; }
v_header_collectors() { sed -i 's/^#collector.*/#collector x/' raw/cpu.tsv; }
v_header_incarnations() { mr cpu '#incarnation' drop; }
v_header_order() { mr cpu '#family' swap; }
v_header_unknown() { sed -i '/^#clock/a #more x' raw/cpu.tsv; }

# records
v_record_kind() { mr cpu cpu-sample kind=cpu-simple; }
v_record_columns() { sed -i '$s/$/\tx/' raw/cpu.tsv; }
v_record_field() { mr cpu cpu-sample count=01; }
v_record_range() { mr cpu cpu-sample cpu=70000; }
v_record_value() { mr syscalls syscall#2 ret=0; }
v_record_long() { head -c 2000000 /dev/zero | tr '\0' x >>raw/cpu.tsv; echo >>raw/cpu.tsv; }
v_record_nul() { sed -i '$s/user\|kernel/&\x00/' raw/cpu.tsv; }
v_record_torn() { truncate -s -1 raw/cpu.tsv; }
v_record_order() { mr cpu cpu-sample swap; }
v_record_window() { mr cpu cpu-sample ts=$(($(get manifest.json window.workload_start) - 1)); }
v_record_limit() { direct='editbundle limited 1 1000000000'; }

# membership; process 1 is no member, thread 4194303 no thread
v_member_unknown() { mr cpu cpu-sample pid=1 tid=1; }
v_member_life() { mr cpu cpu-sample#1 pid=4001 tid=4001; }
v_thread_life() { mr cpu cpu-sample#1 tid=4002; }
v_thread_unknown() { mr cpu cpu-sample tid=4194303; }
v_thread_twice() { mr procs thread-start twice; count procs procs 1; }

# pairs
v_pair_gap() {
	local t=$(ts syscalls syscall#2)
	lose syscalls syscalls $((t + 1)) $((t + 2)) 1
	col syscalls tracer_drops set 1
}
v_call_differs() { mr syscalls syscall#1 path=/usr/bin/other; }
v_pair_overlap() { mr syscalls syscall#2 dur+95000000; }
v_pair_open() { mr syscalls syscall#2 after 'TS+20000001 syscall-open 4000 4000 0 77 1 read 3'; count syscalls syscalls 1; }
v_io_orphan() { mr io io-start drop; count io io -1; }
v_io_open() {
	local t=$(ts io io-start)
	lose io io $((t + 1)) $((t + 2)) 1
	col io tracer_drops set 1
}
v_io_twice() { mr io io-start twice; count io io 1; }
v_io_differs() { mr io io-done dur+1; }
v_gc_orphan() { mr gc gc-start drop; count gc gc -1; }
v_gc_open() {
	local t=$(ts gc gc-start)
	lose gc gc $((t + 1)) $((t + 2)) 1
	col gc tracer_drops set 1
}
v_gc_twice() { mr gc gc-start twice; count gc gc 1; }
v_span_twice() { mr spans span-start twice; count spans spans 1; }
v_span_parent() { mr spans span-start#2 parent=999; }
v_span_late() { mr spans span-start#1 parent=2; mr spans span-start#2 parent=-; }
v_span_cycle() {
	mr spans span-start parent="$(editbundle field spans span-start#2 id)"
}
v_span_orphan() {
	mr spans span-end#2 after 'TS+1 span-end 4000 4000 0 77 9 9 ok 5'
	count spans spans 1
}
v_span_ended() { mr spans span-end twice; count spans spans 1; }
v_span_differs() { mr spans span-end dur+1; }
v_span_open() {
	local t=$(ts spans span-start#2)
	lose spans spans $((t + 1)) $((t + 2)) 1
	col spans tracer_drops set 1
}
v_ctx_span() { mr spans ctx-install span=999; mr spans ctx-remove span=999; }
v_ctx_pair() {
	mr spans span-end#2 after 'TS+1 ctx-remove 4000 4000 0 77 1'
	count spans spans 1
}
v_ctx_join() { mr cpu cpu-sample rt=78; }
v_control_order() { mr spans control twice; count spans spans 1; }

# report and verdict
v_report_differs() { echo more >>report/report.md; }
v_report_missing() { rm report/cpu.csv; }
v_report_unknown() { echo x >report/more.csv; }
v_report_unchecked() { direct='editbundle limited 0 10'; }
v_validation_verdict() { mj validation.json verdict set '"degraded"'; }
v_validation_findings() {
	mj validation.json findings append '{"id":"json-unknown","level":"note","path":"manifest.json","line":null,"text":"x"}'
	mj validation.json counts.note add 1
}
v_validation_tool() { mj validation.json tool.version set '"9"'; }

# finding_ids [CLASS]: ids of finding.def
finding_ids() {
	sed -n "s/^X([A-Z0-9_]*, \"\([a-z0-9-]*\)\", [A-Z]*, ${1:-[A-Z]*},\$/\1/p" \
	    "$DT_SRC/src/libdt/finding.def"
}

# variant ID: makes it in a copy of $GOOD and says what was found and ought
# to be, in $found and $want
variant() {
	local id=$1 level also='' nosum='' args='' direct='' dir
	dir=$(mktemp -d variant.XXXXXX) || return 1
	level=$(sed -n "s/^X([A-Z0-9_]*, \"$id\", \([A-Z]*\),.*/\1/p" \
	    "$DT_SRC/src/libdt/finding.def")
	cp -a "$GOOD" "$dir/b" && cd "$dir/b" || return 1
	chmod -R u+w .
	"v_${id//-/_}" || { cd ../..; return 1; }
	if [ -z "$nosum" ]; then
		if [ "$level" != ERROR ]; then
			editbundle verdict && editbundle report || return 1
		fi
		editbundle seal || return 1
	fi
	# shellcheck disable=SC2086
	if [ -n "$direct" ]; then
		found=$($direct | sort -u)
	else
		found=$(dt-validate --json $args . |
		    grep -o '"id":"[a-z0-9-]*","level"' | cut -d'"' -f4 |
		    sort -u)
	fi
	want=$(printf '%s\n' "$id" $also | sort -u)
	cd ../..
	rm -rf "$dir"
	[ "$found" = "$want" ]
}
