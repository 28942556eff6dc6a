load helper
load vm

# The chain on Debian 12's kernel.

setup_file() {
	vm_boot chain.sh
}

@test "6.1: a program's bundle is complete, its calls are counted right" {
	vm_ok complete
}

@test "6.1 without what 5.8 lacks: the same" {
	vm_ok old
}

@test "6.1: a running process" {
	vm_ok running
}

@test "6.1 without privilege, BTF, tracefs" {
	vm_ok lacking
}

@test "6.1: no check of the chain is forgotten" {
	vm_all
}
