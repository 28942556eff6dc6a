load helper
load chain

# Who was measured: every descendant, once, with its parent.

# members NAME FILTER: jq on the members of its cohort.
members() {
	jq -r ".members|$2" "$1/cohort.json"
}

# joined NAME: every member but the target has its parent in the cohort.
joined() {
	[ "$(members "$1" '[.[].incarnation] as $all|
	    [.[]|select(.role=="descendant")|.parent|
	    IN($all[])]|all')" = true ]
	[ "$(members "$1" '[.[]|select(.role=="target")]|length')" -eq 1 ]
}

@test "a shell pipeline: each process, its parent and its end" {
	need_trace
	chain x.bundle -f syscalls --target-out o -- sh -c '
	    seq 1 1000 | sort -rn | head -n 3; (exit 7); kill -9 $(sh -c "
	    sleep 60 >/dev/null & echo \$!"); sleep 0.1'
	complete x.bundle
	balance x.bundle
	joined x.bundle
	[ "$(cat o)" = $'1000\n999\n998' ]
	for p in seq sort head sleep; do
		[ "$(members x.bundle "[.[]|select(.exe|endswith(\"/$p\"))]|
		    length >= 1")" = true ]
	done
	[ "$(members x.bundle '[.[]|select(.exit_status==7)]|length')" -eq 1 ]
	[ "$(members x.bundle '[.[]|select(.exit_status==-9)]|length')" -eq 1 ]
	[ "$(members x.bundle '[.[]|select(.died==null)]|length')" -eq 0 ]
}

@test "make -j2: the shells of all recipes are members" {
	need_trace
	need_tool make
	{
		echo 'N = 1 2 3 4 5 6 7 8 9 10 11 12'
		echo 'all: $(N:%=f%)'
		echo 'f%:; @echo $$$$ >$@; sleep 0.02; sed -n p $@ >/dev/null'
	} >Makefile
	chain x.bundle -f cpu,syscalls -- make -j2
	complete x.bundle
	balance x.bundle
	joined x.bundle
	members x.bundle '.[].pid' | sort >pids
	cat f[0-9]* | sort >recipes
	[ "$(wc -l <recipes)" -eq 12 ]
	[ -z "$(comm -13 pids recipes)" ]
	[ "$(members x.bundle '[.[]|select(.exe|endswith("/sed"))]|
	    length')" -eq 12 ]
}

@test "a grandchild whose parent has gone is still followed" {
	need_trace
	chain x.bundle -f syscalls -- sh -c '
	    (sh -c "sleep 0.3; echo >end; sync end" & echo $! >pid) &
	    wait; sleep 0.6'
	complete x.bundle
	joined x.bundle
	p=$(cat pid)
	[ "$(members x.bundle "[.[]|select(.pid==$p)]|length")" -eq 1 ]
	records x.bundle syscalls | awk -F'\t' -v p="$p" '
	    $3 == p && $13 == "end" { found = 1 } END { exit !found }'
}

@test "a pid that is used again is another process" {
	need_trace
	[ -w /proc/sys/kernel/ns_last_pid ] || skip "no ns_last_pid"
	cat >again <<-'END'
	n=0
	while [ $n -lt 200 ]; do
		n=$((n + 1))
		(exit 11) &
		a=$!
		wait $a
		echo $((a - 1)) >/proc/sys/kernel/ns_last_pid
		(exit 12) &
		b=$!
		wait $b
		[ $a -ne $b ] || break
	done
	echo $a $b
	END
	chain x.bundle -f syscalls --target-out o -- sh again
	read -r a b <o
	[ "$a" -eq "$b" ] || skip "the pid was taken by others 200 times"
	complete x.bundle
	joined x.bundle
	[ "$(members x.bundle "[.[]|select(.pid==$a)|.exit_status]|sort|
	    @json")" = '[11,12]' ]
	[ "$(members x.bundle "[.[]|select(.pid==$a)|.incarnation]|unique|
	    length")" -eq 2 ]
	# each ends in an exit_group of its own, in its own life
	[ "$(records x.bundle syscalls | awk -F'\t' -v p="$a" '
	    $3 == p && $2 == "syscall-open" && $8 == "exit_group"' |
	    wc -l)" -eq 2 ]
}

@test "threads come and go in procs.tsv" {
	need_trace
	build sysprog
	mkdir d
	chain x.bundle -P cpu -- ./sysprog d
	complete x.bundle
	starts=$(records x.bundle procs | cut -f 2 | grep -c thread-start)
	exits=$(records x.bundle procs | cut -f 2 | grep -c thread-exit)
	ends=$(records x.bundle procs | cut -f 2 | grep -c proc-exit)
	[ "$starts" -ge 6 ]
	# a process's first thread comes with the process
	[ "$starts" -eq $((exits - ends)) ]
}

@test "targets that change who and where they are" {
	need_trace
	need_tool unshare chroot su
	chain x.bundle -f syscalls -- sh -c '
	    su -s /bin/sh nobody -c "id -u" >/dev/null
	    unshare -pf sh -c "true; true"
	    chroot / sh -c "true; true"
	    exec 0<&- 1>&- 2>&-; /bin/true'
	complete x.bundle
	balance x.bundle
	joined x.bundle
}

@test "a window that ends while processes are born has only members' records" {
	need_trace
	for n in 1 2 3; do
		dt-attach -f cpu,syscalls -o x$n.bundle -- sh -c '
		    while :; do /bin/true; /bin/true | /bin/true; done' \
		    >out 2>err 3>&- &
		attach=$!
		at_phase x$n.bundle run
		sleep 0.$((n + 2))
		kill -INT $attach
		wait $attach
		dt-finalize <out
		complete x$n.bundle
		balance x$n.bundle
		joined x$n.bundle
	done
}

@test "the paths of programs are there, whatever memory they were named in" {
	need_trace
	build execprog
	chain x.bundle -f syscalls -- ./execprog
	complete x.bundle
	records x.bundle syscalls | awk -F'\t' '
	    $9 == "execve" { print $12, $13 }' |
	    sed 's,/dev/fd/[0-9]*,FD,' >got
	diff got - <<'END'
0 ./execprog
0 /bin/true
0 /bin/../bin/true
0 /bin/./true
0 FD/true
0 FD
END
}
