#!/usr/bin/env bats
# Stacks and symbols: layout, names after the process has gone, names of
# brief processes, of the kernel, of C++ and of code made at run time.
load helper

setup() {
	helper_setup
	need_root
	need_tool gcc
	cat >spin.c <<-'E'
	#include <stdlib.h>
	volatile unsigned long x;
	__attribute__((noinline)) void inner(void)
	{ for (int i = 0; i < 1000000; i++) x += i; x++; }
	__attribute__((noinline)) void outer(int n)
	{ for (int i = 0; i < n; i++) inner(); x++; }
	int main(int argc, char **argv)
	{ outer(argc > 1 ? atoi(argv[1]) : 300); return 0; }
	E
	gcc -O0 -fno-omit-frame-pointer -o spin spin.c
}

@test "stack: user frames, 14 blanks in, named after the process has gone" {
	status 0 dt-trace -qc ./spin -n \
	    'profile-499 / pid == $target && arg1 / { @[ustack(3)] = count(); }'
	has "
              spin\`inner+0x"
	has "
              spin\`outer+0x"
	hasnt " 0x"
}

@test "stack: a program executed by another and gone has names" {
	printf '#!/bin/sh\n./spin 60\n./spin 60\ntrue\n' >run
	chmod +x run
	status 0 dt-trace -qc ./run -n \
	    'profile-997 / execname == "spin" && arg1 > 0 / { @[usym(arg1)] = count(); }'
	has "spin\`inner"
}

@test "stack: a deleted program has names" {
	cp spin gone
	./gone 3000 &
	until [ "$(readlink /proc/$!/exe)" = "$T/gone" ]; do sleep 0.01; done
	rm gone
	status 0 timeout 30 dt-trace -q -n \
	    'profile-97 / execname == "gone" && arg1 / { trace(uaddr(arg1)); exit(0); }'
	kill $!
	wait || true
	has "  gone\`inner+0x"
}

@test "stack: kernel frames are vmlinux's or a module's" {
	status 0 dt-trace -q -n 'profile-97 / arg0 / { stack(4); exit(0); }'
	[[ $output =~ ^$'\n'"              "[a-z0-9_]+'`'[A-Za-z_] ]]
	status 0 dt-trace -q -n 'syscall::write:entry { stack(1); exit(0); }' \
	    -c 'sh -c "sleep 0.2; echo x"'
	has "              vmlinux\`"
	hasnt bpf
	status 0 dt-trace -q -n 'syscall::write:entry { @[stack(1)] = count();
	    n++; } syscall::write:entry / n > 3 / { exit(0); }' \
	    -c 'sh -c "sleep 0.2; for i in 1 2 3 4 5; do echo $i; done"'
	[ "$(grep -c '^  *vmlinux' <<<"$output")" -eq 1 ]
	hasnt bpf
}

@test "stack: stackindent, noresolve, %k with a width" {
	status 0 dt-trace -q -x stackindent=2 -x noresolve -c ./spin -n \
	    'profile-97 / pid == $target && arg1 / { ustack(1); exit(0); }'
	[[ $output =~ ^$'\n  0x'[0-9a-f]+$ ]]
	status 0 dt-trace -qc ./spin -n 'profile-97 / pid == $target && arg1 /
	    { @[ustack(1)] = count(); exit(0); } END { printa("<%5k%@d>", @); }'
	[[ $output =~ ^'<'$'\n     spin`inner+0x'[0-9a-f]+$'\n1>' ]]
}

@test "stack: addresses of one symbol are one key, and of one module" {
	status 0 dt-trace -qc ./spin -n 'profile-499 / pid == $target && arg1 /
	    { @s[usym(arg1)] = count(); @m[umod(arg1)] = count();
	    @a[uaddr(arg1)] = count(); n++; }
	    END { printa("S %A %@d\n", @s); printa("M %A %@d\n", @m);
	    clear(@s); printa("C %A %@d\n", @s); trunc(@s);
	    printa("T %A\n", @s); }'
	[ "$(grep -c '^S spin`inner ' <<<"$output")" -eq 1 ]
	[ "$(grep -c '^M spin ' <<<"$output")" -eq 1 ]
	has 'C spin`inner 0'
	hasnt 'T '
}

@test "stack: a clause with a stack or symbol as a key records nothing" {
	status 0 timeout 30 dt-trace -c true -n '
	    syscall::exit_group:entry /pid == $target/
	    { @k[stack(2)] = count(); @f[func(caller)] = count(); }
	    syscall::exit_group:entry /pid == $target/
	    { @u[ustack(2), uaddr(1)] = count(); if (pid) { @ = count(); } }'
	[ "$(grep -c '[0-9] *exit_group:entry' <<<"$output")" -eq 0 ]
	status 0 timeout 30 dt-trace -c true -n '
	    syscall::exit_group:entry /pid == $target/
	    { @u[ustack(2)] = count(); if (pid) { stack(1); } }'
	[ "$(grep -c '[0-9] *exit_group:entry' <<<"$output")" -eq 1 ]
}

@test "stack: C++ names as they were written" {
	need_tool g++
	cat >cc.cc <<-'E'
	namespace ns { template <class T> struct box { T x;
	__attribute__((noinline)) T add(T y)
	{ for (int i = 0; i < 1000; i++) x += y * i; return x; } }; }
	volatile int k;
	int main() { ns::box<int> b{1};
	for (int i = 0; i < 300000; i++) k += b.add(i); }
	E
	g++ -O1 -o cc cc.cc
	status 0 dt-trace -qc ./cc -n \
	    'profile-997 / pid == $target && arg1 / { @[usym(arg1)] = count(); }'
	has 'cc`ns::box<int>::add'
}

@test "stack: sym, func, mod and usym, ufunc, umod, uaddr as actions" {
	status 0 dt-trace -q -n 'profile-97 / arg0 / { sym(arg0); func(arg0);
	    mod(arg0); exit(0); }'
	[[ $output =~ ^"  "[a-z0-9_]+'`'[A-Za-z0-9_.]+" " ]]
	status 0 dt-trace -qc ./spin -n 'profile-97 / pid == $target && arg1 /
	    { usym(arg1); ufunc(arg1); umod(arg1); exit(0); }'
	[ "${output%%$'\n'*}" = "$(printf '  %-50s  %-50s  %-50s' 'spin`inner' \
	    'spin`inner' spin)" ]
}

@test "stack: unwind=dwarf needs no frame pointers" {
	cat >deep.c <<-'E'
	#include <string.h>
	#include <unistd.h>
	int deep(int n);
	__attribute__((noinline)) int leaf(int n)
	{ volatile char big[600]; memset((char *)big, n, sizeof(big));
	return write(9, (char *)big, 5) < 0 ? big[n] : 1; }
	__attribute__((noinline)) int even(int n)
	{ return n == 0 ? leaf(n) + 1 : deep(n - 1) + 2; }
	__attribute__((noinline)) int deep(int n)
	{ return n == 0 ? leaf(n) + 3 : even(n - 1) * 2; }
	int main(int argc, char **argv)
	{ return deep(argc > 1 ? 60 : 4) == 42; }
	E
	gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -o deep deep.c
	status 0 dt-trace -q -x unwind=dwarf -c ./deep -n 'syscall::write:entry
	    / pid == $target && arg0 == 9 / { ustack(); exit(0); }'
	[ "$(sed -n 's/^ *deep`\([a-z_]*\).*/\1/p' <<<"$output" | tr '\n' ' ')" = \
	    "leaf deep even deep even deep main _start " ]
	has 'libc.so.6`'
	hasnt truncated
	# a copy that ends early ends the stack early, and so does a limit that
	# nobody asked for
	root='              [stack]`[truncated]'
	status 0 dt-trace -q -x unwind=dwarf -x unwindsize=1k -c './deep x' -n \
	    'syscall::write:entry / pid == $target && arg0 == 9 /
	    { ustack(); exit(0); }'
	[ "$(grep . <<<"$output" | tail -n 1)" = "$root" ]
	has even
	hasnt main
	status 0 dt-trace -q -x unwind=dwarf -x ustackframes=4 -c ./deep -n \
	    'syscall::write:entry / pid == $target && arg0 == 9 /
	    { ustack(); exit(0); }'
	[ "$(grep . <<<"$output" | tail -n 1)" = "$root" ]
	[ "$(grep -c '`' <<<"$output")" -eq 5 ]
	status 0 dt-trace -q -x unwind=dwarf -x unwindsize=1k -c ./deep -n \
	    'syscall::write:entry / pid == $target && arg0 == 9 /
	    { ustack(3); exit(0); }'
	[ "$(grep -c '`' <<<"$output")" -eq 3 ]
}

@test "stack: unwind=dwarf, the program gone before its records are read" {
	status 0 dt-trace -q -x unwind=dwarf -c ./spin -n \
	    'profile-499 / pid == $target && arg1 / { ustack(); }'
	has "              spin\`inner+0x"
	has "              spin\`outer+0x"
	has "              spin\`main+0x"
}

@test "stack: unwind=dwarf is refused in a key, and says why" {
	status 1 dt-trace -q -x unwind=dwarf -n 'BEGIN { @[ustack()] = count(); }'
	has "line 1: a stack to be unwound by unwind=dwarf cannot be a key"
}
