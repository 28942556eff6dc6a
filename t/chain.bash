# What the tests of the whole chain share: `load chain` after `load helper`.
load capture

# A real tracer that works on this host.
need_trace() {
	need_root
	[ -x "$DT_BIN/dt-trace" ] || skip "no dt-trace"
	timeout 20 dt-trace -qn 'BEGIN { exit(0); }' >/dev/null 2>&1 ||
	    skip "dt-trace does not work here"
	[ -x "$DT_BIN/dt-finalize" ] || skip "no dt-finalize"
}

# build NAME: compiles t/NAME.c into ./NAME.
build() {
	"${CC:-cc}" -O1 -g -pthread -o "$1" "$DT_SRC/t/$1.c"
}

# chain NAME ARG...: dt-attach | dt-finalize; NAME is the bundle, NAME.err what
# both say.
chain() {
	local name=$1
	shift
	timeout -k 5 120 dt-attach -o "$name" "$@" 2>"$name.err" |
	    dt-finalize 2>>"$name.err" >"$name.out" || :
	if [ "$(cat "$name.out")" != "$name" ]; then
		cat "$name.err"
		return 1
	fi
}

# complete NAME: the verdict on a bundle; else says why not.
complete() {
	dt-validate "$1" >/dev/null && return
	jq -r '.findings[]|"\(.level) \(.id) \(.path // "") \(.text)"' \
	    "$1/validation.json"
	return 1
}

# balance NAME: fired = recorded + dropped + filtered for all collectors.
balance() {
	[ "$(jq '[.collectors[].counters|
	    .fired == .recorded + .dropped + .filtered]|all' \
	    "$1/collectors.json")" = true ] || {
		jq -c '.collectors[]|[.name,.counters]' "$1/collectors.json"
		return 1
	}
}

# records NAME FAMILY: its records without the header lines.
records() {
	grep -v '^#' "$1/raw/$2.tsv"
}
