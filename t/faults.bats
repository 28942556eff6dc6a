load helper
load faults

# Every system call of dt-sum fails, or is its last: never a false success,
# never half a list.

tree() {
	mkdir -p d/sub
	printf one >d/one
	printf two >d/sub/two
	head -c 300000 /dev/zero >d/sub/big
}

# whole: each list is absent or one that dt-sum made
whole() {
	for l in XXH3SUMS SHA256SUMS; do
		[ ! -e "d/$l" ] || cmp "d/$l" "want/$l" ||
		    cmp "d/$l" "old/$l" || return 1
	done
}

# holds: what must be true when dt-sum has run with a fault
holds() {
	if [ "$status" -eq 0 ]; then
		cmp d/XXH3SUMS want/XXH3SUMS
		cmp d/SHA256SUMS want/SHA256SUMS
	elif [ "$status" -lt 126 ]; then
		[ -n "$output" ] || {
			echo "status $status without a word"
			return 1
		}
	fi
	whole
}

prepare() {
	rm -rf d
	tree
	echo before >d/one
	dt-sum d
	mkdir -p old want
	cp d/*SUMS old
	printf one >d/one
	dt-sum d
	cp d/*SUMS want
	cp old/*SUMS d
}

# every CALL WHAT: dt-sum d with WHAT at every CALL in turn
every() {
	local n=1
	prepare
	while fault_inject "$1" "$2" "$n" dt-sum d; do
		holds || {
			echo "$1 number $n, $2: status $status: $output"
			return 1
		}
		cp old/*SUMS d
		n=$((n + 1))
		[ "$n" -lt 500 ]
	done
	# and it works again, whatever was left
	status 0 dt-sum d
	status 0 dt-sum -c d
	cmp d/SHA256SUMS want/SHA256SUMS
	echo "$1 $2: $((n - 1)) times"
	[ "$n" -gt 1 ]
}

@test "dt-sum: an error at every system call" {
	need_inject
	prepare
	fault_calls dt-sum d >calls
	grep -qx linkat calls
	for c in $(grep -xE 'openat2?|read|write|close|fsync|fstat|fchmod|linkat|renameat|unlinkat|getdents64|newfstatat' calls); do
		every "$c" error=EIO
	done
}

@test "dt-sum: a full disk at every write" {
	need_inject
	for c in write fsync linkat renameat; do
		every "$c" error=ENOSPC
	done
}

@test "dt-sum: interrupted system calls" {
	need_inject
	for c in read write openat2; do
		every "$c" error=EINTR
	done
}

@test "dt-sum: killed at every system call" {
	need_inject
	prepare
	for c in write fsync linkat renameat unlinkat close; do
		every "$c" signal=KILL
	done
}

# breaks WHAT: d is broken in one way, and no fault hides that from -c
breaks() {
	prepare
	dt-sum d
	eval "$1"
	status 1 dt-sum -c d
	fault_calls dt-sum -c d >calls || true
	grep -qx getdents64 calls
	for c in $(grep -xE 'openat2?|read|fstat|getdents64|newfstatat' calls)
	do
		n=1
		while fault_inject "$c" error=EIO $n dt-sum -c d; do
			[ "$status" -ne 0 ] || {
				echo "$1: $c number $n: success"
				grep INJECTED fault.log
				return 1
			}
			n=$((n + 1))
		done
		[ "$n" -gt 1 ]
	done
}

@test "dt-sum -c: an error at any system call hides no finding" {
	need_inject
	breaks 'printf 2 >d/sub/two'
	breaks 'printf 2 >d/sub/new'
	breaks 'rm d/SHA256SUMS'
}

@test "dt-sum: a kernel without openat2, a file system without O_TMPFILE" {
	need_inject
	prepare
	run strace -f -qq -o fault.log -e inject=openat2:error=ENOSYS dt-sum d
	[ "$status" -eq 0 ]
	cmp d/SHA256SUMS want/SHA256SUMS
	grep -q ENOSYS fault.log
	for t in path file; do
		run strace -f -qq -o fault.log \
		    -e inject=openat2:error=ENOSYS "$DT_BUILD/t/unit-$t"
		[ "$status" -eq 0 ] || {
			echo "$output"
			return 1
		}
	done
	run strace -f -qq -o fault.log -e inject=renameat2:error=EINVAL \
	    "$DT_BUILD/t/unit-file"
	[ "$status" -eq 0 ]
	grep -q INJECTED fault.log
}
