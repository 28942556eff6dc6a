load helper
load faults

# Every system call of the tools that read bundles fails: success is only what
# is printed without a fault, a fault is never silent, nor is it the bundle's.
# With DT_SLOW=1 at every call, else at some of them. Each thread has its Nth.

setup() {
	helper_setup
	need_inject
	"$DT_BUILD/t/mkbundle" -s good.bundle
	cp -r good.bundle bad.bundle
	chmod -R u+w bad.bundle
	sed -i '$d' bad.bundle/raw/cpu.tsv
}

# faulty WHAT N CALL CMD...: sets rc; stdout in out, stderr in err; 1 if there
# was no Nth call
faulty() {
	local what=$1 n=$2 call=$3
	shift 3
	rc=0
	timeout 60 strace -f -qq -y -o fault.log -e trace="$call" \
	    -e inject="$call:$what:when=$n" "$@" >out 2>err || rc=$?
	grep -q INJECTED fault.log
}

# holds: what must be true of the good bundle, of the bad one
holds() {
	[ "$rc" -ne 0 ] || cmp -s out want || return 1
	[ "$rc" -eq 0 ] || [ -s err ] || return 1
	[ "$rc" -eq 0 ] || [ "$rc" -eq 2 ] || [ "$rc" -eq 127 ]
}

holds_bad() {
	[ "$rc" -eq 1 ] || [ "$rc" -eq 2 ] || [ "$rc" -eq 127 ]
}

# reads WHAT CALL CMD...: CMD good.bundle and CMD bad.bundle, with WHAT in turn
reads() {
	local what=$1 call=$2 n=1 step=5 some=1
	shift 2
	[ -z "$DT_SLOW" ] || step=1
	"$@" good.bundle >want 2>/dev/null
	while [ "$some" -eq 1 ]; do
		some=0
		! faulty "$what" $n "$call" "$@" good.bundle || some=1
		holds && { ! faulty "$what" $n "$call" "$@" bad.bundle ||
		    some=1; } && holds_bad || {
			echo "$* $call $n $what: status $rc: $(head -n3 err)"
			grep INJECTED fault.log
			return 1
		}
		n=$((n + step))
	done
	echo "$* $call $what: up to $n"
	[ "$n" -gt $((step + 1)) ]
}

# tool CMD...: with each fault that can be at each call that can have one
tool() {
	local c
	status 0 "$@" good.bundle
	status 1 "$@" bad.bundle
	for c in openat openat2 read getdents64 newfstatat close write; do
		# what is not called cannot fail
		fault_calls "$@" bad.bundle | grep -qx $c || continue
		reads error=EIO $c "$@"
	done
	reads error=EINTR read "$@"
	reads error=EMFILE openat2 "$@"
}

@test "dt-validate: a fault at any system call" { tool dt-validate; }
@test "dt-validate --json: a fault at any system call" {
	tool dt-validate --json
}
@test "dt-report: a fault at any system call" { tool dt-report -f json; }
@test "dt-fold: a fault at any system call" { tool dt-fold; }
@test "dt-sum -c: a fault at any system call" { tool dt-sum -c; }

@test "an entry that goes while it is looked at: the bundle changed" {
	local n=1 hit=0
	while faulty error=ENOENT $n newfstatat dt-validate good.bundle; do
		n=$((n + 1))
		# not one of the loader's
		grep -q 'INJECTED' <(grep '"logs"' fault.log) || continue
		hit=$((hit + 1))
		[ "$rc" -eq 1 ]
		grep -q 'good.bundle/logs: error: layout-changed: ' err
		[ ! -s out ]
	done
	# when it is walked over, and at the end again
	[ "$hit" -eq 2 ]
}
