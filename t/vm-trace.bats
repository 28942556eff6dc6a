load helper
load vm

# dt-trace on Debian 12's kernel, and without what older ones lack.

: "${DT_DREF:=$DT_SRC/../shared/d-reference}"

# Cases of the reference suite that ask something of a kernel; VM_ALL=1 runs
# every one.
asking='^(agg_(quantize|lquantize|stddev|keywide|printamulti)|arith_divzero|'
asking+='assoc_(incr|self|tuple|strzero)|cli_c_.*|err_.*|func_.*|lex_struct|'
asking+='pid_.*|pred_.*|printf_C|prof_.*|spec_.*|sys_.*|trace_flow|usdt_.*|'
asking+='var_(array.*|self|time))$'

# The reference suite, its programs built, and what stands in for gcc there.
reference() {
	local dir=$BATS_FILE_TMPDIR
	[ -x "$DT_DREF/run.sh" ] && command -v gcc >/dev/null || return 1
	mkdir -p "$dir/built" &&
	    cp -RL "$DT_DREF" "$dir/d-reference" &&
	    cd "$DT_DREF" &&
	    gcc -O1 -static -o "$dir/built/sysprog" sysprog.c &&
	    gcc -O1 -g -no-pie -fno-inline -o "$dir/built/pidprog" \
	    pidprog.c &&
	    gcc -O1 -o "$dir/built/shopapp" shopapp.c || return 1
	[ -z "${VM_ALL:-}" ] || asking=.
	ls ./*.rc | sed 's/^\.\///; s/\.rc$//' | grep -E "$asking" |
	    grep -vxF "$(sed '/^#/d; s/[[:space:]].*//' \
	    "$DT_SRC/t/d-reference.differ")" >"$dir/cases"
	cat >"$dir/gcc" <<-'END'
	#!/bin/sh
	while [ $# -gt 0 ]; do
	    [ "$1" = -o ] && out=$2
	    shift
	done
	cp "/in/built/${out##*/}" "$out"
	END
	chmod +x "$dir/gcc"
}

setup_file() {
	local f=$BATS_FILE_TMPDIR file=()
	if reference; then
		file=("$f/d-reference" "$f/built" "$f/gcc" "$f/cases")
	fi
	[ -z "${VM_ALL:-}" ] ||
	    file+=("$DT_SRC/t/dref-own" "$DT_SRC/t/run-vectors")
	vm_boot trace.sh -k loop -- "${file[@]}"
}

@test "6.1: BEGIN, END, variables, the exit status" {
	vm_ok begin_end
}

@test "6.1: pairs of system calls, self->, aggregations" {
	vm_ok pairs
}

@test "6.1: ticks" {
	vm_ok ticks
}

@test "6.1: profile with user and kernel stacks" {
	vm_ok profile
}

@test "6.1: the kernel's structs" {
	vm_ok structs
}

@test "6.1: proc" {
	vm_ok proc
}

@test "6.1: sdt" {
	vm_ok sdt
}

@test "6.1: sched" {
	vm_ok sched
}

@test "6.1: io" {
	vm_ok io
}

@test "6.1: unwind=dwarf" {
	vm_ok unwind
}

@test "6.1: our own vectors" {
	[ -n "${VM_ALL:-}" ] || skip "takes longer: VM_ALL=1"
	vm_ok vectors
}

@test "6.1: statistics" {
	vm_ok stats
}

@test "6.1: drops" {
	vm_ok drops
}

@test "6.1: the reference suite" {
	[ -x "$DT_DREF/run.sh" ] || skip "no reference suite in $DT_DREF"
	need_tool gcc
	vm_ok reference
}

@test "6.1 without what 5.8 lacks: pairs" {
	vm_ok old_pairs
}

@test "6.1 without what 5.8 lacks: ticks" {
	vm_ok old_ticks
}

@test "6.1 without what 5.8 lacks: it is not used" {
	vm_ok old_unused
}

@test "6.1 without what 5.8 lacks: a thread's end" {
	vm_ok old_proc
}

@test "6.1 without task storage: self-> by thread id" {
	vm_ok hash_pairs
}

@test "6.1 without task storage: variables of ended threads go" {
	vm_ok old_reap
}

@test "6.1 without loops and cmpxchg: errors that say so" {
	vm_ok old_loop
}

@test "6.1 without privilege" {
	vm_ok privilege
}

@test "6.1 without tracefs" {
	vm_ok tracefs
}

@test "6.1 without BTF" {
	vm_ok btf
}

@test "6.1: no check of dt-trace is forgotten" {
	vm_all
}

@test "a kernel too old: dt-trace says so" {
	need_root
	need_tool setarch
	[ -x "$DT_BIN/dt-trace" ] || skip "no dt-trace"
	run setarch --uname-2.6 dt-trace -n 'BEGIN { exit(0); }'
	[ "$status" -eq 1 ]
	has "Linux 5.8 or later is needed"
}

@test "-x without: unknown names are told, with those there are" {
	[ -x "$DT_BIN/dt-trace" ] || skip "no dt-trace"
	run dt-trace -x without=loop,nonsense -en 'BEGIN { exit(0); }'
	[ "$status" -eq 1 ]
	has "there is no feature 'nonsense'"
	has "task-storage"
}

@test "-x without: dt-trace(1) names each feature" {
	local f
	for f in $(sed -nE 's/^F\([A-Z_]+,[[:space:]]*"([^"]+)".*/\1/p' \
	    "$DT_SRC/src/trace/feature.def"); do
		grep -qE "^\.Cm (.* )?$f( |\$)" "$DT_SRC/man/dt-trace.1" || {
			echo "$f is not in dt-trace(1)"
			return 1
		}
	done
}
