load helper
load chain

# The system calls of a program, as strace sees them and as a bundle has them.

@test "one run under both: the same calls, one by one" {
	need_trace
	need_tool strace python3
	build sysprog
	mkdir d
	chain x.bundle -f syscalls -- strace -f -qq -xx -s 9000 \
	    -e signal=none -o log ./sysprog d
	complete x.bundle
	status 0 "$DT_SRC/t/strace-compare" log x.bundle/raw/syscalls.tsv
	has "0 threads differ"
	# it is about as many calls as the program is known to make
	[ "$(wc -l <log)" -gt 500 ]
}

# What a program's calls are by name and error, but for those whose number
# depends on the order in which threads run, and those that do not return.
by_name() {
	awk '$1 !~ /^(futex|restart_syscall|exit|exit_group)$/' |
	    sed 's/^rt_sigreturn .*/rt_sigreturn /' | sort | uniq -c
}

errnos() {
	python3 -c 'import errno
for n, name in errno.errorcode.items(): print(name, n)'
}

@test "a run under each: the same numbers by call and error" {
	need_trace
	need_tool strace python3
	build sysprog
	mkdir a b
	strace -f -qq -e signal=none -o log ./sysprog a || [ $? -eq 42 ]
	chain x.bundle -f syscalls -- ./sysprog b
	complete x.bundle
	[ "$(jq .command.exit_code x.bundle/manifest.json)" -eq 42 ]
	# a call in which its thread was killed had been told to restart
	sed -E '/<unfinished \.\.\.>$|^[0-9]+ +\+\+\+/d
	    s/^[0-9]+ +(<\.\.\. )?([a-z0-9_]+)(\(| resumed).* = (.*)$/\2 \4/
	    ' log | awk '{ print $1, $2 == "-1" ? $3 : $2 == "?" ?
	    "ERESTART" : "" }' | by_name >want
	start=$(records x.bundle syscalls | awk -F'\t' '$9 == "execve" &&
	    $12 == 0 && !s { s = $1 } END { print s }')
	records x.bundle syscalls | awk -F'\t' -v start="$start" '
	    $2 == "syscall" && $1 >= start { print $9, $12 }' >calls
	errnos >names
	awk 'NR == FNR { name[$2] = $1; next }
	    { print $1, $2 == 0 ? "" : $2 > 511 ? "ERESTART" : name[$2] }' \
	    names calls | by_name >got
	diff want got
}

@test "write(2) alone, 100000 times: none is missing" {
	need_trace
	chain x.bundle -f syscalls -- dd if=/dev/zero of=/dev/null bs=1 \
	    count=100000
	complete x.bundle
	balance x.bundle
	[ "$(records x.bundle syscalls | awk -F'\t' '
	    $9 == "write" && $10 == 1 && $11 == 1' | wc -l)" -eq 100000 ]
}
