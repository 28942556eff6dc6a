# What the scripts in the machine share. Each function test_NAME is a check;
# run_tests runs them all.

# d ARG...: dt-trace, bounded.
d() {
	timeout -k 5 180 dt-trace "$@"
}

# fails WORDS COMMAND...: it fails, saying (among others) these words.
fails() {
	local want=$1 out
	shift
	if out=$("$@" 2>&1); then
		echo "succeeded: $*"
		return 1
	fi
	case $out in
	*"$want"*) return 0 ;;
	esac
	printf 'not "%s" but: %s\n' "$want" "$out"
	return 1
}

# same TEXT: standard input is exactly this.
same() {
	local got
	got=$(cat)
	[ "$got" = "$1" ] && return
	printf 'not:\n%s\nbut:\n%s\n' "$1" "$got"
	return 1
}

run_tests() {
	local f bad=0
	for f in $(declare -F | sed -n 's/^declare -f test_//p'); do
		mkdir -p "/tmp/$f"
		if (set -eo pipefail; cd "/tmp/$f"; "test_$f") >/tmp/log 2>&1
		then
			echo "ok $f"
		else
			echo "not ok $f"
			sed 's/^/# /' /tmp/log
			bad=1
		fi
	done
	exit $bad
}
