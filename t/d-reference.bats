#!/usr/bin/env bats
# The reference suite: programs with the output of a real DTrace. It stands
# beside the checkout, in ../shared/d-reference; DT_DREF says where else.
load helper

: "${DT_DREF:=$DT_SRC/../shared/d-reference}"

# Those that end before anything is loaded.
plain='^(cerr_.*|cli_e|cli_e_bad|opt_bad|opt_badvalue|lex_bigdecimal|'
plain+='lex_reserved|arith_divzero_const|trace_void)$'

cases() {
	cd "$DT_DREF" && ls *.rc | sed 's/\.rc$//'
}

differ() {
	sed '/^#/d; s/[[:space:]].*//' "$DT_SRC/t/d-reference.differ"
}

# reference NAME...: all of them pass
reference() {
	[ -x "$DT_DREF/run.sh" ] || skip "no reference suite in $DT_DREF"
	[ $# -gt 0 ] || return 1
	run env SHOW=1 "$DT_DREF/run.sh" "$DT_BIN/dt-trace" "$DT_DREF" "$@"
	[ "$status" -eq 0 ] || printf '%s\n' "$output" | grep -v '^ok '
	[ "$status" -eq 0 ]
}

# group PATTERN: the cases whose names match, but for those that differ
group() {
	need_root
	need_tool gcc
	[ -x "$DT_DREF/run.sh" ] || skip "no reference suite in $DT_DREF"
	# shellcheck disable=SC2046
	reference $(cases | grep -E "$1" | grep -vE "$plain" |
	    grep -vxF "$(differ)")
}

@test "reference: errors and what needs no privilege" {
	[ -x "$DT_DREF/run.sh" ] || skip "no reference suite in $DT_DREF"
	# shellcheck disable=SC2046
	reference $(cases | grep -E "$plain")
}

@test "reference: aggregations" {
	group '^agg_|^exit_aggs'
}

@test "reference: arithmetic and associative arrays" {
	group '^arith_|^assoc_'
}

@test "reference: command line, options, macros" {
	group '^cli_|^opt_|^macro_'
}

@test "reference: faults, predicates, exit" {
	group '^err_|^pred_|^exit_c|^exit_w'
}

@test "reference: functions" {
	group '^func_'
}

@test "reference: grammar and types" {
	group '^lex_'
}

@test "reference: printf and trace" {
	group '^printf_|^trace_'
}

@test "reference: profile, speculation, system calls" {
	group '^prof_|^spec_|^sys_'
}

@test "reference: pid and usdt" {
	group '^pid_|^usdt_'
}

@test "reference: variables" {
	group '^var_'
}

@test "reference: no case is forgotten" {
	[ -x "$DT_DREF/run.sh" ] || skip "no reference suite in $DT_DREF"
	run bash -c "cd '$DT_DREF' && ls *.rc | sed 's/_.*//; s/\.rc$//' |
	    sort -u | tr '\n' ' '"
	[ "$output" = "agg arith assoc cerr cli err exit func lex macro opt \
pid pred printf prof spec sys trace usdt var " ]
}

@test "reference: what is said to differ does, and only linux cases" {
	need_root
	[ -x "$DT_DREF/run.sh" ] || skip "no reference suite in $DT_DREF"
	local n
	for n in $(differ); do
		grep -q "^| $n |.*| linux |" "$DT_DREF/README.md"
		run "$DT_DREF/run.sh" "$DT_BIN/dt-trace" "$DT_DREF" "$n"
		has "not ok $n"
	done
}
