load helper

# A directory with ordinary and hostile names; xxhsum before 0.8.2 cannot
# list the one with a newline, so that is a step of its own.
tree() {
	mkdir -p d/sub/deep "d/a b"
	printf one >d/one
	printf '' >d/empty
	printf two >"d/a b/two three"
	printf x >d/sub/deep/x
	printf dash >d/-dash
	printf back >'d/back\slash'
	printf paren >'d/p) = x'
	printf e >d/$'caf\303\251'
	printf b >d/$'\377\200'
	printf a >d/a.b
	printf hidden >d/.hidden
	head -c 700000 /dev/zero >d/big
}

@test "the lists are what sha256sum and xxhsum check" {
	tree
	status 0 dt-sum d
	[ -z "$output" ]
	(cd d && sha256sum --strict --quiet -c SHA256SUMS)
	(cd d && xxhsum --strict --quiet -c XXH3SUMS)
	[ "$(wc -l <d/XXH3SUMS)" -eq 12 ]
	[ "$(wc -l <d/SHA256SUMS)" -eq 13 ]
}

@test "the lists are the lines sha256sum and xxhsum write, in byte order" {
	tree
	printf nl >d/$'new\nline'
	printf cr >d/$'c\rr'
	dt-sum d
	cd d
	find . -type f ! -name SHA256SUMS -printf '%P\0' | sort -z |
	    xargs -0 sha256sum -- >../want
	diff ../want SHA256SUMS
	find . -type f ! -name '*SUMS' ! -name '*
*' -printf '%P\0' | sort -z | xargs -0 xxhsum -H3 -- 2>/dev/null >../want
	grep -av '^\\' XXH3SUMS | diff ../want -
	grep -aqxF "\\XXH3 (new\\nline) = $(printf nl | xxhsum -H3 - |
	    sed 's/.* //')" XXH3SUMS
}

@test "a good directory checks, in silence" {
	tree
	printf nl >d/$'new\nline'
	dt-sum d
	status 0 dt-sum -c d
	[ -z "$output" ]
	status 0 dt-sum --check --quick d
	[ -z "$output" ]
}

@test "lists are made anew over old ones and leftovers of a kill" {
	tree
	dt-sum d
	cp d/SHA256SUMS before
	printf half >d/.SHA256SUMS.tmp
	printf half >d/.XXH3SUMS.tmp
	dt-sum d
	cmp d/SHA256SUMS before
	[ "$(stat -c %a d/SHA256SUMS)" = 644 ]
	[ ! -e d/.SHA256SUMS.tmp ]
}

# broken ID WHAT: after WHAT was done to d, -c says exactly ID and exits 1.
broken() {
	rm -rf d
	tree
	dt-sum d
	eval "$2"
	status 1 dt-sum -c d
	[ "$(sed 's/.*error: \([a-z0-9-]*\): .*/\1/' <<<"$output" |
	    sort -u)" = "$1" ] || {
		echo "$2: not $1 alone:"
		echo "$output"
		return 1
	}
}

@test "one flipped byte in any file is found" {
	tree
	dt-sum d
	find d -type f -size +0 -print0 >names
	while IFS= read -r -d '' f; do
		cp "$f" keep
		printf '\1' | dd of="$f" conv=notrunc bs=1 count=1 2>/dev/null
		status 1 dt-sum -c d
		cp keep "$f"
	done <names
	status 0 dt-sum -c d
}

@test "-q finds a flipped byte too" {
	tree
	dt-sum d
	printf 2 >d/one
	status 1 dt-sum -cq d
	has "d/one: error: sums-mismatch: is not what XXH3SUMS says"
}

@test "each finding by its name" {
	broken sums-mismatch 'printf eno >d/one'
	broken sums-no-file 'rm d/one'
	broken sums-not-covered 'printf x >d/new'
	broken sums-type 'ln -s one d/link'
	broken sums-type 'mkfifo d/fifo'
	broken sums-missing 'mv d/SHA256SUMS s; sed -i /XXH3SUMS/d s
		mv s d/SHA256SUMS; rm d/XXH3SUMS'
	broken sums-malformed 'echo junk >>d/SHA256SUMS'
	broken sums-malformed 'sed "s/^/ /" d/SHA256SUMS >s
		printf "\0" >>d/SHA256SUMS'
	broken sums-listed-list 'sha256sum <d/SHA256SUMS |
		sed "s/-/SHA256SUMS/" >>d/SHA256SUMS
		LC_ALL=C sort -k2 -o d/SHA256SUMS d/SHA256SUMS'
}

# relist SED: edits XXH3SUMS and covers it anew in SHA256SUMS
relist() {
	sed -i "$1" d/XXH3SUMS
	local h
	h=$(sha256sum <d/XXH3SUMS)
	sed -i "s/^.*  XXH3SUMS$/${h%% *}  XXH3SUMS/" d/SHA256SUMS
}

@test "findings in the lines of a list" {
	broken sums-order 'relist "1{h;d};\$G"'
	broken sums-duplicate 'relist "\$p"'
	broken sums-malformed 'relist "s/XXH3 (one/XXH32 (one/;T;p;s/XXH32/XXH3/"'
	broken sums-path 'relist "\$a XXH3 (x/../one) = 0123456789abcdef"'
	broken sums-path 'relist "1i XXH3 (./one) = 0123456789abcdef"'
	broken sums-path 'relist "1i XXH3 (/etc/passwd) = 0123456789abcdef"'
	broken sums-path 'relist "\$a XXH3 (sub//x) = 0123456789abcdef"'
	broken sums-mismatch 'relist "s/(one) = ..../(one) = 0000/"'
	broken sums-malformed 'printf "%s" "$(cat d/SHA256SUMS)" >s
		mv s d/SHA256SUMS'
}

@test "a message names the list and the line" {
	tree
	dt-sum d
	sed -i 2iwrong d/SHA256SUMS
	status 1 dt-sum -c d
	has "dt-sum: d/SHA256SUMS:2: error: sums-malformed: "
}

@test "hostile names are escaped in messages" {
	mkdir d
	printf x >d/$'new\nline\033[31m'
	dt-sum d
	printf y >d/$'new\nline\033[31m'
	status 1 dt-sum -c d
	has 'd/new\x0aline\x1b[31m: error: sums-mismatch'
	[ "${#lines[@]}" -eq 1 ]
}

@test "a symbolic link, a fifo or a socket: no list is made" {
	mkdir d
	printf x >d/x
	ln -s /etc/passwd d/link
	status 1 timeout 20 dt-sum d
	has "d/link: error: sums-type: is neither a file nor a directory but a symbolic link"
	[ ! -e d/SHA256SUMS ] && [ ! -e d/XXH3SUMS ]
	rm d/link
	mkfifo d/fifo
	status 1 timeout 20 dt-sum d
	has "but a fifo"
	[ ! -e d/SHA256SUMS ]
}

@test "a list that is a link to elsewhere is not followed" {
	tree
	dt-sum d
	mv d/SHA256SUMS elsewhere
	ln -s ../elsewhere d/SHA256SUMS
	status 1 dt-sum -c d
	has "sums-type"
}

@test "an unreadable directory or file" {
	need_root
	tree
	chmod 755 "$T" "${T%/*}" 2>/dev/null || true
	dt-sum d
	chmod 000 d/sub
	chmod 000 d/one
	status 2 setpriv --reuid=65534 --clear-groups -- "$DT_BIN/dt-sum" -c d
	has "d/sub: error: sums-read: cannot be looked at: Permission denied"
	has "d/one: error: sums-read: cannot open: Permission denied"
	rm d/*SUMS
	status 2 setpriv --reuid=65534 --clear-groups -- "$DT_BIN/dt-sum" d
	[ ! -e d/SHA256SUMS ]
	chmod 000 d
	status 2 setpriv --reuid=65534 --clear-groups -- "$DT_BIN/dt-sum" -c d
	has "d: error: open: cannot open: Permission denied"
}

@test "the worst status of several operands, and all of them run" {
	tree
	dt-sum d
	cp -r d e
	printf y >e/one
	status 2 dt-sum -c e none d
	has "e/one: error: sums-mismatch"
	has "none: error: open"
	status 1 dt-sum -c d e
	status 0 dt-sum -c d d
}

@test "operands from standard input, by line and by NUL" {
	tree
	cp -r d $'with\nnewline'
	printf 'd\n' >list
	status 0 dt-sum <list
	[ -e d/SHA256SUMS ]
	printf '%s\0' d $'with\nnewline' >list
	status 0 dt-sum -0 <list
	[ -e with*/SHA256SUMS ]
	status 0 dt-sum -c0 <list
	printf 'd' >list
	status 0 dt-sum -c <list
}

@test "an empty input cannot end in success" {
	status 2 dt-sum </dev/null
	has "the input names no bundle"
	printf '\n\n' >list
	status 2 dt-sum -c <list
}

@test "a line longer than a path can be" {
	tree
	dt-sum d
	{ head -c 2000000 /dev/zero | tr '\0' a; echo; echo d; } >list
	status 2 dt-sum -c <list
	has "standard input:1: error: operand: longer than a path can be"
	[ "${#lines[@]}" -eq 1 ]
}

@test "a manifest on standard input finds its directory" {
	tree
	printf ' {"a": 1}\n' >d/manifest.json
	dt-sum d
	status 0 dt-sum -c <d/manifest.json
	cd d
	status 0 dt-sum -c <manifest.json
	status 0 dt-sum -c manifest.json
	status 0 dt-sum -c "$PWD/manifest.json"
	cd ..
	printf 2 >d/one
	status 1 dt-sum -c <d/manifest.json
	has "d/one: error: sums-mismatch"
}

@test "a manifest from a pipe needs -C, and must be the bundle's own" {
	tree
	printf '{"a": 1}\n' >d/manifest.json
	dt-sum d
	status 2 dt-sum -c < <(cat d/manifest.json)
	has "-C must name its bundle"
	status 0 dt-sum -c -C d < <(cat d/manifest.json)
	status 2 dt-sum -c -C d < <(echo '{"a": 2}')
	has "is not the one on standard input"
	status 2 dt-sum -c -C none < <(cat d/manifest.json)
	cp d/manifest.json other.json
	status 2 dt-sum -c <other.json
	status 2 dt-sum -c -C d d
}

@test "a manifest that was replaced or removed meanwhile" {
	tree
	echo '{}' >d/manifest.json
	dt-sum d
	exec 5<d/manifest.json
	rm d/manifest.json
	status 2 dt-sum -c <&5
	echo '{}' >d/manifest.json
	exec 5<&-
	exec 5<d/manifest.json
	mv d/manifest.json old
	echo '{}' >d/manifest.json
	status 2 dt-sum -c <&5
	exec 5<&-
}

@test "a closed or full stdout is an error" {
	status 2 bash -c 'dt-sum --version >/dev/full'
	has "No space left on device"
	status 2 bash -c 'dt-sum --version >&-'
	has "cannot write"
	status 2 bash -c 'dt-sum -h >/dev/full'
}

@test "a closed stdin is an error, and closed fds hit no file" {
	tree
	status 2 bash -c 'dt-sum <&-'
	has "cannot read"
	bash -c 'dt-sum d <&- >&- 2>&-'
	dt-sum -c d
}

@test "a full disk: no list, and an error" {
	need_root
	mkdir m
	mount -t tmpfs -o size=64k none m || skip "cannot mount a tmpfs"
	i=0
	while [ $i -lt 400 ]; do
		: >m/some-file-with-a-long-name-to-fill-the-lists-$i
		i=$((i + 1))
	done
	head -c 30000 /dev/zero >m/fill
	run dt-sum m
	umount m
	[ "$status" -eq 2 ]
	has "No space left on device"
}

@test "usage" {
	status 2 dt-sum -q d
	has "usage: dt-sum "
	status 2 dt-sum -X
	has "unknown option: -X"
	status 2 dt-sum --nope
	has "unknown option: --nope"
	status 2 dt-sum -C
	has "option needs an argument: -C"
	status 0 dt-sum -h
	[ "${lines[0]}" = "usage: dt-sum [-0chq] [-C DIR] [--version] [DIR ...]" ]
	status 0 dt-sum --version
	has "dt-sum (dtbundle) "
	status 0 dt-sum -- "$(mkdir -p ./-d && echo -d)"
	[ -e ./-d/SHA256SUMS ]
}

@test "an empty directory has lists too" {
	mkdir d
	status 0 dt-sum d
	[ -e d/XXH3SUMS ] && [ ! -s d/XXH3SUMS ]
	status 0 dt-sum -c d
}

@test "many files and several threads give the same lists" {
	mkdir -p d/{0..9}
	for i in {0..599}; do
		echo "$i" >"d/$((i % 10))/f$i"
	done
	dt-sum d
	(cd d && sha256sum --quiet -c SHA256SUMS)
	dt-sum -c d
	taskset -c 0 dt-sum -c d
}

@test "a file that grows while it is read" {
	mkdir d
	head -c 60000000 /dev/zero >d/big
	(while :; do printf x; done >>d/big) &
	pid=$!
	run timeout 60 dt-sum d
	kill $pid
	wait $pid || true
	[ "$status" -eq 1 ]
	has "d/big: error: sums-changed: changed while it was read"
	[ ! -e d/SHA256SUMS ]
}
