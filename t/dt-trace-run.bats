# Programs at work: counts under load, signals, long programs.

load helper

setup() {
	helper_setup
	need_root
	need_tool dt-trace gcc
	cat >busy.c <<-'END'
	#include <fcntl.h>
	#include <stdlib.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		int n = argc > 1 ? atoi(argv[1]) : 1;
		int fd = open("/dev/null", O_WRONLY);

		for (int i = 0; i < n; i++)
			if (write(fd, "x", 1) != 1)
				return 1;
		return 0;
	}
	END
	gcc -O1 -o busy-dt busy.c
}

@test "counts are exact while several processes fire at once" {
	cat >p.d <<-'END'
	#pragma D option quiet
	syscall::write:entry /execname == "busy-dt"/
	{ @c = count(); @q = quantize(arg2); @k[pid] = count(); g[pid]++; }
	syscall::write:return /execname == "busy-dt"/ { @c = count(); }
	END { printa("c %@d\n", @c); printa("k %@d\n", @k); }
	END
	timeout 60 dt-trace -s p.d \
	    -c 'sh -c "./busy-dt 50000 & ./busy-dt 50000 & ./busy-dt 50000; wait"' \
	    >out
	grep -qx 'c 300000' out
	[ "$(grep -cx 'k 50000' out)" -eq 3 ]
}

@test "every record of a fast writer is there, once and in order" {
	timeout 60 dt-trace -q -b 16m -n 'syscall::write:entry
	    /pid == $target/ { printf("%d\n", ++n); }' \
	    -c './busy-dt 100000' >out
	grep . out | cmp - <(seq 1 100000)
}

@test "raise() kills the process that fired" {
	run timeout 30 dt-trace -wqn 'syscall::write:entry
	    /pid == $target/ { raise(9); printf("sent\n"); }' \
	    -c './busy-dt 100000000'
	[ "$status" -eq 0 ]
	has sent
}

@test "copyout() writes, or the reason it cannot is told" {
	run timeout 30 dt-trace -wqn 'syscall::newuname:entry
	    { self->b = arg0; } syscall::newuname:return
	    /pid == $target/ { copyoutstr("DTRACED", self->b, 8); }' \
	    -c 'uname -s'
	case $output in
	*DTRACED*) ;;
	*'copyout() and copyoutstr() are not allowed here'*) ;;
	*) echo "$output"; false ;;
	esac
}

@test "400 clauses with strings on one probe" {
	{
		echo '#pragma D option quiet'
		for i in $(seq 1 400); do
			echo "BEGIN { s$i = strjoin(\"a\", lltostr($i));" \
			    "n += strlen(s$i); printf(\"%s\\n\", s$i); }"
		done
		echo 'BEGIN { printf("%d\n", n); exit(0); }'
	} >p.d
	timeout 60 dt-trace -s p.d >out
	[ "$(grep -c '^a' out)" -eq 400 ]
	grep -qx "$((9 * 2 + 90 * 3 + 301 * 4))" out
}

@test "strings of 64k as values and keys" {
	run timeout 30 dt-trace -x strsize=65535 -qn 'BEGIN
	    { s = strjoin("a", "b"); m[s] = s; self->q = m["ab"];
	    printf("%s %d\n", self->q, s == "ab"); exit(0); }'
	[ "$status" -eq 0 ]
	has 'ab 1'
}

@test "exit() ends the run at once, not at the next look at the buffer" {
	begin=$(date +%s%N)
	timeout 30 dt-trace -x switchrate=20sec -qn 'tick-100ms { exit(3); }' \
	    >out && rc=0 || rc=$?
	[ "$rc" -eq 3 ]
	[ $(($(date +%s%N) - begin)) -lt 8000000000 ]
}

@test "curpsinfo tells session, group and user as ps does" {
	printf '%s\n' '#!/bin/sh' 'ps -o sid=,pgid=,ppid=,uid= -p $$' \
	    'read -r x' >who
	chmod +x who
	# shellcheck disable=SC2016
	timeout 60 dt-trace -qn 'syscall::read:entry /pid == $target && arg0 == 0/
	    { printf("%d %d %d %d\n", curpsinfo->pr_sid, curpsinfo->pr_pgid,
	    curpsinfo->pr_ppid, curpsinfo->pr_uid); }' \
	    -c 'setsid ./who' </dev/null >out
	[ "$(grep -c . out)" -eq 2 ]
	[ "$(sed -n '/./p' out | tr -s ' ' | sed 's/^ //' | sort -u | wc -l)" -eq 1 ]
}
