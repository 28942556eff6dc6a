bats_require_minimum_version 1.5.0
load helper

# The head of a file of cpu records, as dt-finalize writes it.
cpu_head() {
	printf '#dt-records 1\n#family cpu\n#clock CLOCK_MONOTONIC ns\n'
	printf '#collector cpu\n'
	printf '#columns cpu-sample\tts\tkind\tpid\ttid\tcpu\trt\tspan'
	printf '\tcount\tmode\tstack\n'
	printf '#columns ovf\tts\tkind\tpid\ttid\tcpu\trt\tspan'
	printf '\tcount\tfrom\tto\twhy\n'
}

# sample TS PID TID COUNT MODE STACK [SPAN]
sample() {
	printf '%s\tcpu-sample\t%s\t%s\t0\t-\t%s\t%s\t%s\t%s\n' "$1" "$2" \
	    "$3" "${7:--}" "$4" "$5" "$6"
}

records() {
	cpu_head
	sample 100 10 10 1 user 'xz`main+0x10;liblzma.so.5`encode+0x1f'
	sample 200 10 10 1 user 'xz`main+0x14;liblzma.so.5`encode+0x2f'
	sample 300 10 11 2 kernel \
	    'xz`main+0x10;vmlinux`entry+0x1;vmlinux`write+0x2' 7
	sample 400 12 12 1 user -
	sample 500 12 12 1 user 'xz`+0x4f0;0x7f00aa;xz`a\x3bb+0x1'
}

@test "records fold: offsets go, equal stacks add up, bytes sort" {
	records >r.tsv
	run --separate-stderr dt-fold <r.tsv
	[ "$status" -eq 0 ]
	[ "$output" = '[unknown] 1
xz`+0x4f0;[unknown];xz`a\x3bb 1
xz`main;liblzma.so.5`encode 2
xz`main;vmlinux`entry;vmlinux`write 2' ]
	[ -z "$stderr" ]
}

@test "--addrs, --no-modules and -k change the frames" {
	records >r.tsv
	run dt-fold --addrs <r.tsv
	has 'xz`main+0x10;liblzma.so.5`encode+0x1f 1'
	has 'xz`main+0x14;liblzma.so.5`encode+0x2f 1'
	run dt-fold --no-modules -k <r.tsv
	has 'main;encode 2'
	has 'main;entry_[k];write_[k] 2'
	has 'xz`+0x4f0;[unknown];a\x3bb 1'
	run dt-fold --addrs <r.tsv
	has 'xz`+0x4f0;0x7f00aa;xz`a\x3bb+0x1 1'
}

@test "-p, -t, --span, --from and --to choose records" {
	records >r.tsv
	[ "$(dt-fold -p 12 <r.tsv | wc -l)" -eq 2 ]
	[ "$(dt-fold -t 11 <r.tsv)" = \
	    'xz`main;vmlinux`entry;vmlinux`write 2' ]
	[ "$(dt-fold --span 7 <r.tsv)" = \
	    'xz`main;vmlinux`entry;vmlinux`write 2' ]
	[ "$(dt-fold --from 150 --to 250 <r.tsv)" = \
	    'xz`main;liblzma.so.5`encode 1' ]
}

@test "--by groups by process, thread or span" {
	records >r.tsv
	run dt-fold --by pid <r.tsv
	has '10-10;xz`main;liblzma.so.5`encode 2'
	has '12-12 1'
	run dt-fold --by tid <r.tsv
	has '10-10/11;xz`main;vmlinux`entry;vmlinux`write 2'
	run dt-fold --by span <r.tsv
	has 'span 7;xz`main;vmlinux`entry;vmlinux`write 2'
	has 'no span;xz`main;liblzma.so.5`encode 2'
}

@test "a malformed record is named, the others are folded, exit 1" {
	{ records; echo rubbish; sample 600 10 10 x user a; } >r.tsv
	run --separate-stderr dt-fold <r.tsv
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 4 ]
	[[ $stderr == *"standard input:12: error: "* ]]
	[[ $stderr == *"standard input:13: error: "* ]]
}

@test "DTrace's aggregations: the kernel's stack goes on top" {
	cat >d.txt <<-'E'
	CPU     ID                    FUNCTION:NAME
	  1  73019                        :tick-10s


	              vmlinux`do_idle+0x1
	              vmlinux`start+0x2
	               12

	              vmlinux`ksys_write+0x9
	              vmlinux`do_syscall_64+0x9

	              libc.so.6`write+0x14
	              xz`main+0x33
	  bash                                               3

	              libc.so.6`read+0x14
	              0x7f0011223344
	                4
	E
	status 0 dt-fold <d.txt
	[ "$output" = '[unknown];libc.so.6`read 4
bash;xz`main;libc.so.6`write;vmlinux`do_syscall_64;vmlinux`ksys_write 3
vmlinux`start;vmlinux`do_idle 12' ]
	run dt-fold -i dtrace <d.txt
	has 'vmlinux`start;vmlinux`do_idle 12'
}

@test "DTrace's aggregations: keys before a stack, numbers too" {
	cat >d.txt <<-'E'

	  xz                                                345
	              liblzma.so.5`code+0x1
	              xz`main+0x3
	                7
	      678
	              xz`main+0x3
	                2
	E
	status 0 dt-fold <d.txt
	[ "$output" = '678;xz`main 2
xz;345;xz`main;liblzma.so.5`code 7' ]
}

@test "an aggregation that ends before its count is an error" {
	printf '\n\n   a`b+0x1\n   c`d+0x1\n' >d.txt
	run --separate-stderr dt-fold <d.txt
	[ "$status" -eq 1 ]
	[[ $stderr == *"stack-torn"* ]]
}

@test "DTrace's aggregations: frames of no module, names as keys" {
	# offsets alone; an interpreter's frames, on top of others and below;
	# C++ with blanks and ;
	cat >d.txt <<-'E'
	dtrace: description 'profile-97 ' matched 1 probe

	              foo+0x10
	              main+0x20
	               12

	  java                                              
	              java/lang/String.hashCode
	              libjvm.so`call(int, A;B)+0x1
	              Interpreter
	              StubRoutines 1
	              libc.so.6`start_thread+0x1
	                7

	  vmlinux`do_idle                                   
	              vmlinux`start+0x2
	                3
	E
	status 0 dt-fold <d.txt
	[ "$output" = 'java;libc.so.6`start_thread;StubRoutines 1;Interpreter;libjvm.so`call(int, A\x3bB);java/lang/String.hashCode 7
main;foo 12
vmlinux`do_idle;vmlinux`start 3' ]
}

@test "DTrace's aggregations: a distribution is told, and no count" {
	cat >d.txt <<-'E'

	              a`b+0x1

	           value  ------------- Distribution ------------- count    
	              -1 |                                         0        
	               0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 4        
	               1 |                                         0        

	              a`c+0x1
	                2
	E
	run --separate-stderr dt-fold <d.txt
	[ "$status" -eq 1 ]
	[ "$output" = 'a`c 2' ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *'standard input:4: '*'a distribution is no count'* ]]
}

@test "nothing is as it was chosen: exit 1, as grep" {
	records >r.tsv
	for o in '-p 9999' '-t 9999' '--span 9999' '--from 9999' '--to 9' \
	    '-p 10 -t 12'; do
		# shellcheck disable=SC2086
		run --separate-stderr dt-fold $o <r.tsv
		[ "$status" -eq 1 ]
		[ -z "$output" ]
		[[ $stderr == 'dt-fold: error: none-chosen: '* ]]
	done
	status 2 dt-fold --from 5 --to 4 <r.tsv
	"$DT_BUILD/t/mkbundle" b
	status 1 dt-fold -p 9999 b
	status 2 dt-fold -i perf b
	has 'standard input'
}

@test "what only records can follow is refused for other text" {
	printf '\n a`b+0x1\n 3\n' >d.txt
	for o in '-p 1' '-t 1' '--span 1' '--from 1' '--to 1' '--by pid' \
	    '--by exe' '-f allocations'; do
		# shellcheck disable=SC2086
		run --separate-stderr dt-fold $o <d.txt
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[[ $stderr == *'only for records'* ]]
	done
	printf 'xz 12/34 [000] 1.2: 1 cpu-clock: \n\t7f main+0x2 (/bin/xz)\n' \
	    >p.txt
	status 2 dt-fold --by span <p.txt
	status 0 dt-fold --by pid <p.txt
	has 'xz-12;'
}

@test "perf script: one for each sample, executables on request" {
	cat >p.txt <<-'E'
	# a header
	xz 12/34 [000] 1.2: 1 cpu-clock: 
	Tffffffff81 do_syscall_64+0x1 ([kernel.kallsyms])
	T    7f0010 operator()(int)+0x2 (/usr/lib/liblzma.so.5.4.1)
	T    7f0000 main+0x2 (/usr/bin/xz)

	my prog 13 [001] 1.3: 1 cpu-clock: 
	T      7f00 [unknown] (/opt/my prog)
	T   a380a37 [unknown] ([unknown])

	E
	sed -i 's/^T/\t/' p.txt
	status 0 dt-fold <p.txt
	[ "$output" = '[unknown];my prog`[unknown] 1
xz`main;liblzma.so.5.4.1`operator()(int);vmlinux`do_syscall_64 1' ]
	run dt-fold --by tid <p.txt
	has 'xz-12/34;xz`main'
	has 'my prog-13/13;[unknown];my prog`[unknown] 1'
	run dt-fold --addrs <p.txt
	has '0xa380a37;my prog`[unknown] 1'
}

@test "bpftrace's maps" {
	cat >b.txt <<-'E'
	Attaching 2 probes...


	@[
	    ksys_write+20
	    do_syscall_64+3
	, 
	    write+20
	    0x55b91dd37473
	, git, 12]: 5
	@[, 
	    0x557a52c1a879
	, bash]: 1
	@k[]: 3
	E
	status 0 dt-fold <b.txt
	[ "$output" = '[unknown] 3
bash;[unknown] 1
git;12;[unknown];write;do_syscall_64;ksys_write 5' ]
	run dt-fold --addrs <b.txt
	has 'write+20;do_syscall_64+3;ksys_write+20 5'
}

@test "folded lines are merged" {
	status 0 dt-fold <<-'E'
	a;b c;d 3
	z 1
	a;b c;d 4
	E
	[ "$output" = 'a;b c;d 7
z 1' ]
	run --separate-stderr dt-fold -i folded <<-'E'
	a;b 3
	no count
	E
	[ "$status" -eq 1 ]
	[ "$output" = 'a;b 3' ]
	[[ $stderr == *"standard input:2: "* ]]
}

@test "counts beyond 64 bits are malformed, not wrong" {
	printf 'a;b 18446744073709551614\na;b 1\na;b 1\n' >in
	status 1 dt-fold <in
	[ "${lines[1]}" = 'a;b 18446744073709551615' ]
	has "standard input:3: error: stack-syntax"
	printf '\n  a`b+0x1\n  18446744073709551615\n\n  a`c\n  1\n' >in
	status 1 dt-fold -i dtrace <in
	has 'a`b 18446744073709551615'
	has "standard input:6: error: stack-syntax"
	has "exceeds 64 bits"
	# no stack at all, and its count is known by what follows
	for after in '' '\n' '\n  a`d+0x1\n  0\n' '  k 0\n' '  k\n'; do
		printf '\n  a`b+0x1\n  18446744073709551615\n\n  1\n'"$after" >in
		status 1 dt-fold -i dtrace <in
		has 'a`b 18446744073709551615'
		has "standard input:5: error: stack-syntax: with it"
	done
}

@test "flamegraph.pl draws it" {
	local fg
	fg=$(command -v flamegraph.pl ||
	    ls /usr/share/perl5/Devel/NYTProf/flamegraph.pl 2>/dev/null) ||
	    skip "needs flamegraph.pl (libdevel-nytprof-perl)"
	records | dt-fold | perl "$fg" >x.svg
	grep -q '<svg' x.svg
	grep -q 'liblzma.so.5`encode (2 samples' x.svg
}

@test "an empty input, no bundle and bad usage are exit 2" {
	status 2 dt-fold </dev/null
	has empty
	status 2 dt-fold < <(printf '\n \n')
	has empty
	status 2 dt-fold nowhere
	has nowhere
	status 2 dt-fold -i gcov </dev/null
	status 2 dt-fold -b </dev/null
	status 2 dt-fold --by cat </dev/null
	has "dt-fold: --by: no grouping cat"
	status 2 dt-fold --from 3 --to soon </dev/null
	has 'dt-fold: --to: "soon" is no whole number'
	status 2 dt-fold -f procs </dev/null
	status 2 dt-fold -Q
	has usage:
}

@test "a closed or full standard output is an error" {
	records >r.tsv
	run bash -c 'dt-fold <r.tsv >&-'
	[ "$status" -eq 2 ]
	run bash -c 'dt-fold <r.tsv >/dev/full'
	[ "$status" -eq 2 ]
	has 'No space left'
}

@test "a line of any length is told of, not read into memory" {
	{ printf 'a;b 1\n'; head -c 5000000 /dev/zero | tr '\0' x
	printf '\na;b 2\n'; } >long
	run --separate-stderr bash -c 'ulimit -v 200000; dt-fold <long'
	[ "$status" -eq 1 ]
	[ "$output" = 'a;b 3' ]
	[[ $stderr == *"standard input:2: "*"too long"* ]]
}

@test "a hundred thousand samples from a pipe" {
	{ cpu_head; i=0
	awk 'BEGIN { for (i = 1; i <= 100000; i++)
	    printf "%d\tcpu-sample\t5\t5\t0\t-\t-\t1\tuser\ta`m+0x%x;b`f%d+0x1\n",
	    i, i, i % 7 }'; } | dt-fold >out
	[ "$(awk '{ s += $2 } END { print s, NR }' out)" = "100000 7" ]
}
