#!/usr/bin/env bats
# Our own D programs with what the documented language prescribes: t/dref-own,
# run by t/run-vectors.
load helper

vectors() {
	run "$DT_SRC/t/run-vectors" "$DT_SRC/t/dref-own" "$@"
	[ "$status" -eq 0 ] || printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

group() {
	need_root
	# shellcheck disable=SC2046
	vectors $(cd "$DT_SRC/t/dref-own" &&
	    ls "$1"_*.d | sed 's/\.d$//')
}

@test "vectors: errors in formats, with their tags" {
	# shellcheck disable=SC2046
	vectors $(cd "$DT_SRC/t/dref-own" && ls err_*.d | sed 's/\.d$//')
}

@test "vectors: formats" {
	group fmt
}

@test "vectors: trace, tracemem, print" {
	group trace
}

@test "vectors: aggregations" {
	group agg
}

@test "vectors: functions" {
	group func
}

@test "vectors: what the consumer does" {
	group con
}

@test "vectors: translators, if and else, constants of the library" {
	group xlate
	group front
}

@test "vectors: strings" {
	group str
}

@test "vectors: memory, structures, bit-fields" {
	group mem
}

@test "vectors: faults and ERROR" {
	group flt
}

@test "vectors: speculations" {
	group spec
}

@test "vectors: statements" {
	group lex
}
