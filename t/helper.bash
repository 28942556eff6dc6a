# What every t/*.bats loads: `load helper`.
#
# DT_BIN	where the built tools are, first in PATH
# DT_SRC	the source tree
# DT_BUILD	the build tree (unit test helpers in $DT_BUILD/t)
# $T		a fresh directory for each test, also its working directory

: "${DT_SRC:=$(cd "$BATS_TEST_DIRNAME/.." && pwd)}"
: "${DT_BIN:=$DT_SRC/bin}"
: "${DT_BUILD:=$(dirname "$DT_BIN")}"
export DT_SRC DT_BIN DT_BUILD
PATH=$DT_BIN:$PATH
export LC_ALL=C.UTF-8 TZ=UTC NO_COLOR=1

setup() {
	helper_setup
}

teardown() {
	helper_teardown
}

# For tests that have a setup() or teardown() of their own.
helper_setup() {
	T=$(mktemp -d "${BATS_TEST_TMPDIR:-/tmp}/t.XXXXXX") || return 1
	cd "$T" || return 1
}

helper_teardown() {
	cd / || return 1
	if [ -n "$T" ] && [ -d "$T" ]; then
		chmod -R u+rwx "$T" 2>/dev/null
		rm -rf "$T"
	fi
}

# need_root, need_tracefs, need_tool NAME...: skip with a reason where a test
# cannot run.
need_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

need_tracefs() {
	[ -r /sys/kernel/tracing/available_events ] || skip "no tracefs"
}

need_tool() {
	local t
	for t; do
		command -v "$t" >/dev/null 2>&1 || skip "needs $t"
	done
}

# status N CMD...: runs CMD (as bats' run) and checks its exit status.
status() {
	local want=$1
	shift
	run "$@"
	if [ "$status" -ne "$want" ]; then
		echo "exit status $status, not $want: $*"
		echo "$output"
		return 1
	fi
}

# has TEXT: the last output holds TEXT; hasnt TEXT: it does not.
has() {
	case $output in
	*"$1"*) return 0 ;;
	esac
	printf 'no "%s" in:\n%s\n' "$1" "$output"
	return 1
}

hasnt() {
	case $output in
	*"$1"*)
		printf '"%s" in:\n%s\n' "$1" "$output"
		return 1
		;;
	esac
}

# until_true SECONDS CMD...: waits for CMD to succeed.
until_true() {
	local n=$(($1 * 50))
	shift
	while ! "$@" >/dev/null 2>&1; do
		n=$((n - 1))
		[ $n -gt 0 ] || { echo "still not true: $*"; return 1; }
		sleep 0.02
	done
}
