load helper
load faults

# dt-finalize is killed at system calls, and has system calls fail: always
# there is no bundle or a whole one, and running it again makes the same. With
# DT_SLOW=1 at every call, else at some of them.

setup() {
	faults_setup
	S=$("$DT_BUILD/t/mkstage" b.bundle)
	cp -a "$S" kept
	dt-finalize "$S" >/dev/null 2>&1
	mv b.bundle want
	[ ! -e "$S" ]
}

# again: all as it was before dt-finalize ran
again() {
	chmod -R u+w b.bundle "$S" 2>/dev/null || true
	rm -rf b.bundle "$S"
	cp -a kept "$S"
}

# sound WHAT: no bundle or the whole one; nothing measured is lost; and when it
# runs again, it ends with that bundle
sound() {
	if [ -e b.bundle ]; then
		diff -r want b.bundle || {
			echo "$1: another bundle"
			return 1
		}
	else
		diff -r kept/spool "$S/spool" || {
			echo "$1: the spools changed"
			return 1
		}
	fi
	[ ! -d "$S" ] || [ "$(dt-finalize "$S" 2>err)" = b.bundle ] || {
		echo "$1: not when it is run again:"
		cat err
		return 1
	}
	[ ! -e "$S" ]
	diff -r want b.bundle
}

@test "dt-finalize: killed at system calls" {
	local n=1 rc step=13 runs=0
	"$DT_BUILD/t/killat" 1 true || [ $? -eq 99 ] || skip "no ptrace here"
	[ -z "$DT_SLOW" ] || step=1
	while again; do
		rc=0
		timeout 60 "$DT_BUILD/t/killat" -m $n dt-finalize "$S" \
		    >out 2>err || rc=$?
		[ $rc -eq 99 ] || break
		sound "killed at $n" || return 1
		# near the end every call counts
		[ ! -e "$S/published" ] || step=1
		n=$((n + step))
		runs=$((runs + 1))
	done
	[ $rc -eq 0 ]
	[ "$(cat out)" = b.bundle ]
	echo "killed $runs times"
	[ $runs -gt 20 ]
}

@test "dt-finalize: killed at every call around the rename" {
	local last rc n
	"$DT_BUILD/t/killat" 1 true || [ $? -eq 99 ] || skip "no ptrace here"
	# how many calls there are, and where the rename is among them
	again
	strace -f -qq -o log dt-finalize "$S" >/dev/null 2>&1 ||
	    skip "strace cannot trace here"
	last=$(grep -n 'renameat2(.*"bundle"' log | cut -d: -f1)
	[ -n "$last" ]
	for n in $(seq $((last - 60)) $((last + 120))); do
		again
		rc=0
		timeout 60 "$DT_BUILD/t/killat" "$n" dt-finalize "$S" \
		    >out 2>err || rc=$?
		[ $rc -eq 99 ] || break
		sound "killed at $n" || return 1
	done
}

@test "dt-finalize: all is on the disk before the rename, the parent after" {
	local last f
	need_inject
	again
	strace -f -qq -y -o log -e \
	    trace=fsync,renameat2,unlinkat,fchmod,write,linkat,mkdirat \
	    dt-finalize "$S" >/dev/null 2>&1
	# lines: the rename, and before it the end of INCOMPLETE
	last=$(grep -n 'renameat2(.*"bundle".*RENAME_NOREPLACE) = 0' log |
	    cut -d: -f1)
	[ "$(wc -w <<<"$last")" -eq 1 ]
	head -n $((last - 1)) log >before
	tail -n +$((last + 1)) log >after
	gone=$(grep -n 'unlinkat(.*"INCOMPLETE"' before | cut -d: -f1)
	[ -n "$gone" ]
	head -n "$gone" before >sealed
	# every file and directory, read-only first; nothing changes it then
	while IFS= read -r f; do
		grep -nF "$S/bundle$f>" sealed >calls
		grep fsync calls | tail -n 1 | cut -d: -f1 >synced
		[ -s synced ] || {
			echo "no fsync of $f"
			return 1
		}
		! grep -E 'write|fchmod' calls | cut -d: -f1 |
		    awk -v s="$(cat synced)" '$1 > s { bad = 1 }
		    END { exit !bad }' || {
			echo "$f changed after its fsync"
			return 1
		}
	done < <(cd b.bundle && find . -mindepth 1 -printf '/%P\n'; echo)
	# the staging directory, without INCOMPLETE; then the parent
	tail -n +"$gone" before | grep -q "fsync(.*$S>) *= 0"
	grep -q "fsync([0-9]*<$T>) *= 0" after
	! grep -E '(write|linkat|mkdirat)\(.*/b.bundle' after || false
}

@test "dt-finalize: a small disk" {
	need_root
	local size pub=0
	mkdir m
	for size in 256k 320k 384k 448k 512k 640k 1m 2m; do
		mount -t tmpfs -o size=$size none m || skip "cannot mount"
		if cp -a kept m/"$S" 2>/dev/null; then
			run dt-finalize m/"$S"
			if [ "$status" -eq 0 ]; then
				pub=$((pub + 1))
				run diff -r want m/b.bundle
			else
				[[ $output == *"No space left on device"* ]] &&
				    [ ! -e m/b.bundle ] &&
				    run diff -r kept/spool m/"$S"/spool
			fi
			[ "$status" -eq 0 ] || {
				umount m
				echo "$size: $output"
				return 1
			}
		fi
		umount m
	done
	[ "$pub" -gt 0 ]
}

# breaks WHAT CALL...: each of the calls has WHAT in turn
breaks() {
	local what=$1 c n step
	shift
	for c; do
		n=1
		step=7
		[ -z "$DT_SLOW" ] || step=1
		while again && fault_inject "$c" "$what" $n \
		    dt-finalize "$S"; do
			if [ "$status" -eq 0 ]; then
				[ -d b.bundle ] || {
					echo "$c $n $what: false success"
					return 1
				}
			elif [ -z "$output" ]; then
				echo "$c $n $what: $status without a word"
				return 1
			fi
			sound "$c $n $what" || return 1
			n=$((n + step))
		done
		echo "$c $what: up to $n"
	done
}

@test "dt-finalize: errors of system calls" {
	need_inject
	breaks error=EIO openat2 openat write fsync linkat renameat2 unlinkat \
	    mkdirat fchmod flock newfstatat getdents64 read
}

@test "dt-finalize: a full disk" {
	need_inject
	breaks error=ENOSPC write mkdirat linkat fsync
}

@test "dt-finalize: interrupted system calls" {
	need_inject
	breaks error=EINTR read write openat2 flock
}

@test "dt-finalize: short writes" {
	local n rc
	"$DT_BUILD/t/killat" 1 true || [ $? -eq 99 ] || skip "no ptrace here"
	for n in 1 2 3; do
		again
		rc=0
		"$DT_BUILD/t/killat" -s $n dt-finalize "$S" >out 2>err || rc=$?
		[ $rc -ne 77 ] || skip "not on this processor"
		[ $rc -eq 0 ]
		[ "$(cat out)" = b.bundle ]
		diff -r want b.bundle
	done
}
