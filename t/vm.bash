# What the tests on a second kernel share: `load vm` after `load helper`.
# A file boots once, in setup_file, and its script prints `ok NAME` or
# `not ok NAME` with the reasons; each test asks for one of them.

# vm_boot SCRIPT [-k MODULE]... [-- FILE...]: t/vm/SCRIPT in the machine.
vm_boot() {
	local script=$DT_SRC/t/vm/$1 rc=0 option=()
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		option+=("$1")
		shift
	done
	[ $# -eq 0 ] || shift
	"$DT_SRC/t/vm/run" -t 900 "${option[@]}" "$script" -- \
	    "$DT_SRC/t/vm/check.bash" "$@" >"$BATS_FILE_TMPDIR/out" \
	    2>"$BATS_FILE_TMPDIR/err" || rc=$?
	echo $rc >"$BATS_FILE_TMPDIR/rc"
}

# vm_ok NAME: did the check pass?
vm_ok() {
	local rc
	rc=$(cat "$BATS_FILE_TMPDIR/rc")
	[ "$rc" -ne 77 ] || skip "$(cat "$BATS_FILE_TMPDIR/err")"
	grep -qx "ok $1" "$BATS_FILE_TMPDIR/out" && return
	awk -v name="$1" '
	    /^ok / || /^not ok / { in_it = $0 == "not ok " name }
	    in_it { print; found = 1 }
	    END { exit !found }' "$BATS_FILE_TMPDIR/out" || {
		echo "no result of $1 (status $rc)"
		tail -n 20 "$BATS_FILE_TMPDIR/out" "$BATS_FILE_TMPDIR/err"
	}
	return 1
}

# vm_all: each check of the script has a test in this file.
vm_all() {
	local name rc
	rc=$(cat "$BATS_FILE_TMPDIR/rc")
	[ "$rc" -ne 77 ] || skip "$(cat "$BATS_FILE_TMPDIR/err")"
	for name in $(sed -nE 's/^(not )?ok ([a-z0-9_-]+)$/\2/p' \
	    "$BATS_FILE_TMPDIR/out"); do
		grep -q "^	vm_ok $name\$" "$BATS_TEST_FILENAME" || {
			echo "no test asks for $name"
			return 1
		}
	done
	[ "$rc" -eq 0 ]
}
