# Functions of the kernel, by fentry and by kprobes.
. /in/check.bash
insmod /lib/modules/dummy.ko
printf '0123456789abcdef' >/tmp/data

# What the read of a file shows; by what the functions are traced is $1.
reads() {
	d -x without="$1" -qn '
	fbt::vfs_read:entry /pid == $target && args[2] == 8/ {
		printf("%s %s %s %s %s %d %d\n", probeprov, probemod,
		    probefunc, probename, stringof(args[0]->f_path.dentry->
		    d_name.name), args[2], arg2);
		self->in = 1;
	}
	fbt::vfs_read:return /self->in/ {
		printf("%s %s %d %d %d\n", probemod, probename, arg0, args[1],
		    arg1);
		self->in = 0;
	}' -c 'dd if=/tmp/data of=/dev/null bs=8 status=none' |
	    same "fbt vmlinux vfs_read entry data 8 8
vmlinux return 0 8 8
fbt vmlinux vfs_read entry data 8 8
vmlinux return 0 8 8
fbt vmlinux vfs_read entry data 8 8
vmlinux return 0 0 0"
}

test_fentry() { reads kprobe; }
test_kprobe() { reads fentry; }

# Results are cut to their type: an int that is negative.
negative() {
	d -x without="$1" -qn 'fbt::do_sys_openat2:return /pid == $target/ {
		@[args[1] < 0 ? args[1] : 0, arg1 < 0] = count(); }
	fbt::vfs_statx:return /pid == $target/ { printf("%d %d\n", args[1],
		arg1 == args[1]); }' -c 'stat /none' 2>/dev/null |
	    grep -x -- '-2 1' >/dev/null
}
test_negative_fentry() { negative kprobe; }
test_negative_kprobe() { negative fentry; }

test_list() {
	d -ln 'fbt::vfs_read:' | awk '{ print $2, $3, $4, $5 }' | same \
	    "PROVIDER MODULE FUNCTION NAME
fbt vmlinux vfs_read entry
fbt vmlinux vfs_read return"
	# without BTF's ids they are the same
	[ "$(d -ln 'fbt::vfs_read:')" = \
	    "$(d -x without=fentry -ln 'fbt::vfs_read:')" ]
	[ "$(d -lP fbt | wc -l)" -gt 60000 ]
	d -lvn 'fbt::vfs_read:entry' | grep 'args\[0\]: struct file \*' >/dev/null
	d -lvn 'fbt::vfs_read:return' | grep 'args\[1\]: ssize_t' >/dev/null
}

test_module() {
	[ "$(d -ln 'fbt:dummy:dummy_xmit:' | grep -c ' dummy_xmit ')" = 2 ]
	d -qn 'fbt:dummy::entry { @[probemod, probefunc] = count(); }
	fbt:dummy:dummy_get_stats64:entry {
		printf("%s\n", stringof(((struct net_device *)arg0)->name)); }
	fbt:dummy:dummy_get_stats64:return { printf("returned\n"); }' \
	    -c 'ifconfig dummy0 up' >out
	grep -qx dummy0 out
	grep -qx returned out
	grep -q 'dummy *set_multicast_list *[1-9]' out
}

# Each function of a wildcard tells its own name; what fentry cannot trace
# (a result that is a union) is a kprobe.
test_glob() {
	d -qn 'fbt::vfs_read*:entry, fbt::tcp_v4_init_seq*:entry /pid == $target/
	    { @[probefunc, probename] = count(); }' -c 'cat /tmp/data /tmp/data' \
	    -c 'dd if=/tmp/data of=/dev/null' >out 2>err
	grep -q 'vfs_read *entry *[1-9]' out
	d -ln 'fbt::tcp_v4_init_seq*:entry' | grep tcp_v4_init_seq >/dev/null
}

# More descriptors than a process has at first.
test_many() {
	ulimit -Sn 24
	d -qn 'fbt::vfs_re*: { @ = count(); } END { printf("done\n"); }' \
	    -c true >out
	grep -q done out
}

test_stack() {
	d -qn 'fbt::vfs_read:entry /pid == $target/ { stack(2); exit(0); }' \
	    -c 'dd if=/tmp/data of=/dev/null' 2>/dev/null >out
	grep -q 'vmlinux`vfs_read+0x' out
	grep -q 'vmlinux`ksys_read+0x' out
}

test_refusals() {
	fails 'does not match any probes' d -n 'fbt::no_such_function:entry'
	fails 'lets nobody trace its function do_syscall_64' \
	    d -n 'fbt::do_syscall_64:entry'
	fails 'no fbt probes: fentry is turned off' \
	    d -x without=fentry,kprobe -n 'fbt::vfs_read:entry'
	fails 'index 9 is out of range' \
	    d -n 'fbt::vfs_read:entry { trace(args[9]); }'
}

run_tests
