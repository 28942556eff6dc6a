load helper
load vm

# Kernel functions, on a kernel that has them traced: Debian 12's.

setup_file() {
	vm_boot fbt.sh -k dummy
}

@test "6.1: fbt by fentry: arguments, result, names" {
	vm_ok fentry
}

@test "6.1: fbt by kprobes: the same" {
	vm_ok kprobe
}

@test "6.1: negative results by fentry" {
	vm_ok negative_fentry
}

@test "6.1: negative results by kprobes" {
	vm_ok negative_kprobe
}

@test "6.1: -l lists kernel functions, -v their types" {
	vm_ok list
}

@test "6.1: functions of a module" {
	vm_ok module
}

@test "6.1: fbt with wildcards" {
	vm_ok glob
}

@test "6.1: more functions than descriptors" {
	vm_ok many
}

@test "6.1: stack() in a kernel function" {
	vm_ok stack
}

@test "6.1: functions that are not to be traced" {
	vm_ok refusals
}

@test "6.1: no check of fbt is forgotten" {
	vm_all
}

@test "lockdown, or no kprobes: fbt says so" {
	need_root
	[ -x "$DT_BIN/dt-trace" ] || skip "no dt-trace"
	run dt-trace -x without=fentry,kprobe -n 'fbt::vfs_read:entry {}'
	[ "$status" -eq 1 ]
	has "no fbt probes: fentry is turned off by -x without; kprobes are"
	run dt-trace -n 'fbt::vfs_read:entry { exit(0); }' -c true
	[ "$status" -eq 0 ] || has "no fbt probes: the kernel refuses to trace"
}
