bats_require_minimum_version 1.5.0
load helper

# What all tools hold to between them: operands, lists, manifests, exit
# statuses, messages, progress; on a good bundle and on bad ones.

READERS=(dt-sum\ -c dt-validate dt-fold dt-report)

setup() {
	helper_setup
	"$DT_BUILD/t/mkbundle" -s a.bundle
}

# each CMD: runs CMD with $tool each of the tools that read bundles; it says
# with which it failed
each() {
	for tool in "${READERS[@]}"; do
		"$@" || {
			echo "with $tool"
			return 1
		}
	done
}

# st N TEXT: the shell's TEXT, with standard error in err, ends with N
st() {
	local want=$1 rc=0
	bash -c "$2" >out 2>err || rc=$?
	[ "$rc" -eq "$want" ] || {
		echo "exit status $rc, not $want: $2"
		cat err
		return 1
	}
}

lists() {
	st 0 "printf 'a.bundle\na.bundle' | $tool" &&
	    st 0 "printf '\n a.bundle\n\n' | sed 's/^ //' | $tool" &&
	    st 0 "printf 'a.bundle\0' | $tool -0" &&
	    st 2 "printf 'none.bundle\na.bundle\n' | $tool" &&
	    grep -q '^dt-[a-z]*: none.bundle: error: open: ' err || return 1
	[ "$tool" = "dt-sum -c" ] || [ -s out ]
}

@test "lists of paths; one that is not there is told, the others run" {
	each lists
}

operands() {
	st 0 "$tool -- a.bundle" && st 0 "$tool a.bundle/manifest.json" &&
	    st 2 "$tool none a.bundle" &&
	    grep -q '^dt-[a-z]*: none: error: open: ' err || return 1
	[ "$tool" = "dt-sum -c" ] || [ -s out ] || return 1
	st 2 "$tool bad.bundle none a.bundle" && st 1 "$tool bad.bundle"
}

@test "operands; the worst status wins" {
	cp -r a.bundle bad.bundle
	chmod -R u+w bad.bundle
	sed -i '$d' bad.bundle/raw/cpu.tsv
	each operands
}

manifests() {
	st 0 "$tool <a.bundle/manifest.json" &&
	    st 0 "cd a.bundle && $tool <manifest.json" &&
	    st 0 "cat a.bundle/manifest.json | $tool -C a.bundle" &&
	    st 0 "cd a.bundle && cat manifest.json | $tool -C ." &&
	    st 2 "cat a.bundle/manifest.json | $tool" &&
	    st 2 "echo '{}' | $tool -C a.bundle" &&
	    st 2 "$tool -C a.bundle a.bundle" &&
	    st 2 "cat a.bundle/manifest.json | $tool -C a.bundle/raw" &&
	    grep -q ': a.bundle/raw/manifest.json: error: ' err
}

@test "a manifest on standard input, from inside and outside" {
	each manifests
}

starved() {
	st 2 "$tool </dev/null" && [ -s err ] &&
	    st 2 "printf '\n \n\n' | $tool" && [ -s err ] &&
	    st 2 "$tool <&-" && [ -s err ]
}

@test "an empty input never ends in success" {
	each starved
	tool=dt-finalize
	starved
}

lost() {
	st 2 "$tool --version >/dev/full" && st 2 "$tool -h >&-" || return 1
	[ "$tool" = "dt-sum -c" ] || { st 2 "$tool a.bundle >/dev/full" &&
	    grep -q 'standard output: error: write: ' err &&
	    st 2 "$tool a.bundle >&-"; }
}

@test "a closed or full standard output is an error" {
	each lost
}

@test "SIGPIPE dies quietly" {
	mkfifo p
	for tool in dt-validate dt-fold dt-report; do
		# the reader is there, and goes before anything is written
		sleep 60 <p &
		reader=$!
		exec 5>p
		kill $reader
		wait $reader || true
		st 141 "$tool a.bundle >&5"
		exec 5>&-
		! grep -v '^dt-report: a.bundle: complete' err || false
	done
}

# told: each line on standard error is a message in its form
told() {
	! grep -vE '^dt-[a-z]+: [^ ]+: (error|loss|warning|note): [a-z0-9-]+: .' err
}

@test "prog: path:line: LEVEL: id: text" {
	cp -r a.bundle bad.bundle
	chmod -R u+w bad.bundle
	echo rubbish >>bad.bundle/raw/cpu.tsv
	rm bad.bundle/capabilities.json
	sed -i '2s/^/x/' bad.bundle/SHA256SUMS
	for tool in "dt-sum -c" dt-validate; do
		st 1 "$tool bad.bundle"
		told
		grep -q ': bad.bundle/SHA256SUMS:2: error: sums-malformed: ' err
	done
	st 1 "dt-fold bad.bundle"
	told
	grep -q "^dt-fold: bad.bundle/capabilities.json: error: open: " err
	cp a.bundle/capabilities.json bad.bundle
	st 1 "dt-fold bad.bundle"
	told
	grep -qE '^dt-fold: bad.bundle/raw/cpu.tsv:[0-9]+: error: record-' err
}

@test "what is wrong in a bundle is 1, and not taken for an empty one" {
	for what in 'rm b/manifest.json' 'rm b/cohort.json' 'rm -r b/raw' \
	    'ln -sf /etc/passwd b/raw/cpu.tsv' 'echo x >b/manifest.json' \
	    'rm b/raw/cpu.tsv; mkfifo b/raw/cpu.tsv' ': >b/raw/cpu.tsv' \
	    "sed -i '\$d' b/raw/cpu.tsv" 'rm b/raw/cpu.tsv'; do
		cp -r a.bundle b
		chmod -R u+w b
		eval "$what"
		for tool in "${READERS[@]}"; do
			st 1 "timeout 20 $tool b" || {
				echo "after $what"
				return 1
			}
			[ -s err ]
		done
		chmod -R u+w b
		rm -r b
	done
}

# tty CMD...: CMD on a terminal, all it prints in tty.out; its clock runs a
# second ahead with each look at it
tty() {
	script -qec "env LD_PRELOAD=$T/clock.so $*" /dev/null </dev/null >tty.out
}

@test "progress on a terminal only; no colours anywhere" {
	need_tool script "${CC:-cc}"
	cat >clock.c <<-'C'
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>
		int
		clock_gettime(clockid_t id, struct timespec *ts)
		{
			static _Atomic long n;
			long rc = syscall(SYS_clock_gettime, id, ts);

			ts->tv_sec += ++n;
			return (int)rc;
		}
	C
	"${CC:-cc}" -shared -fPIC -o clock.so clock.c
	! grep -q san_init "$(command -v dt-validate)" || skip "sanitizers"
	# long enough that it looks at the clock
	cp -r a.bundle long
	chmod -R u+w long
	awk '{ print } END { for (i = 0; i < 40000; i++) print }' \
	    a.bundle/raw/cpu.tsv >long/raw/cpu.tsv
	for tool in dt-validate dt-report dt-fold; do
		tty "$tool" long || true
		grep -q $'\r'"$tool: long.*MiB"$'\e\\[K' tty.out
		LD_PRELOAD=$T/clock.so "$tool" long >out 2>err || true
		! grep -q $'[\e\r]' out err || false
	done
	S=$("$DT_BUILD/t/mkstage" b.bundle)
	tty dt-finalize "$S"
	grep -q $'\r''dt-finalize: .*: summing' tty.out
	unset NO_COLOR
	for tool in "${READERS[@]}"; do
		script -qec "$tool long" /dev/null </dev/null >tty.out || true
		! grep -q $'\e\\[[0-9;]*m' tty.out || false
	done
}
