# Faults injected with strace: `load faults` after `load helper`.

# The leak checker cannot run under a tracer.
export ASAN_OPTIONS=detect_leaks=0

# helper_setup on a file system without a disk, where there is one: fsync
# costs much.
faults_setup() {
	helper_setup
	if [ -w /dev/shm ]; then
		helper_teardown
		T=$(mktemp -d /dev/shm/t.XXXXXX)
		cd "$T" || return 1
	fi
}

# fault_calls CMD...: the system calls it makes, one name a line
fault_calls() {
	strace -f -qq -o calls.log "$@" >/dev/null 2>&1
	sed -n 's/^[0-9]* *\([a-z0-9_]*\)(.*/\1/p' calls.log | sort -u
}

# fault_inject CALL WHAT N CMD...: runs CMD with WHAT ("error=EIO",
# "signal=KILL") at its Nth CALL; sets status and output, and returns 1 if
# there was no Nth.
fault_inject() {
	local call=$1 what=$2 n=$3
	shift 3
	status=0
	# not run: status 127 is the loader's, and no surprise here
	output=$(timeout 60 strace -f -qq -y -o fault.log -e trace="$call" \
	    -e inject="$call:$what:when=$n" "$@" 2>&1) || status=$?
	case $what in
	signal=*) [ "$status" -ne 0 ] ;;
	*) grep -q INJECTED fault.log ;;
	esac
}

# need_inject: this host lets strace change system calls
need_inject() {
	need_tool strace
	strace -qq -o /dev/null -e inject=getppid:error=EIO true 2>/dev/null ||
	    skip "strace cannot trace here"
}
