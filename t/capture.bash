# What the tests of captures share: `load capture` after `load helper`.

# A tracer that obeys FAKE, FAKE_PROCS, FAKE_CPU and FAKE_SYSCALLS; see there.
FAKE_TRACER=$DT_SRC/t/fake-tracer
[ ! -x /usr/bin/python3 ] || FAKE_TRACER="/usr/bin/python3 -IS $FAKE_TRACER"
export DT_SCRIPTS=$DT_SRC/d-scripts

# fake ARG...: dt-attach with the fake tracer.
fake() {
	timeout -k 5 60 dt-attach -T "$FAKE_TRACER" "$@"
}

# fake_bg NAME ARG...: the same in the background; $attach is dt-attach's pid,
# NAME.out and NAME.err what it prints.
fake_bg() {
	local name=$1
	shift
	dt-attach -T "$FAKE_TRACER" -o "$name" "$@" >"$name.out" \
	    2>"$name.err" 3>&- &
	attach=$!
}

# staging NAME: the staging directory of a bundle.
staging() {
	set -- ".$1.staging."*
	[ $# -eq 1 ] && [ -d "$1" ] && printf '%s\n' "$1"
}

# stage NAME FILTER: jq -r on its stage.json.
stage() {
	need_tool jq
	jq -r "$2" "$(staging "$1")/stage.json"
}

# phase NAME WORD: the capture has come to that phase.
phase() {
	grep -q "^phase: $2\$" ".$1.staging."*/INCOMPLETE 2>/dev/null
}

# at_phase NAME WORD: waits for it.
at_phase() {
	until_true 20 phase "$1" "$2"
}

# gone PID: there is no such process, or only its remains.
gone() {
	local s
	[ -d "/proc/$1" ] || return 0
	s=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" \
	    2>/dev/null)
	[ "$s" = Z ] || [ -z "$s" ]
}

# alive PID
alive() {
	! gone "$1"
}
