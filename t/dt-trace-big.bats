#!/usr/bin/env bats
# Programs that are large for BPF: its jumps reach 32767 instructions, a
# program may use 64 maps.
load helper

@test "dt-trace: jumps over more than 32767 instructions" {
	need_root
	{
		printf 'BEGIN { a[-1, "k"] = 3; x = 1; }\n'
		printf 'BEGIN {\n'
		for ((i = 0; i < 900; i++)); do
			printf 'a[%d, "k"] = a[%d, "k"] + x;\n' $i $((i - 1))
		done
		printf 'y = *(int *)(x - 1);\nprintf("no\\n"); }\n'
		printf 'BEGIN /a[899, "k"] == 903/ { printf("%%d\\n", x); }\n'
		printf 'ERROR { printf("fault %%d\\n", arg4); }\n'
		printf 'BEGIN { exit(0); }\n'
	} >big.d
	run timeout 60 dt-trace -q -s big.d
	[ "$status" -eq 0 ]
	[[ $output == *"fault 1"* ]]
	[ "${lines[-1]}" = 1 ]
}

@test "dt-trace: the limit of 64 maps is named" {
	need_root
	{
		printf 'BEGIN {\n'
		for ((i = 0; i < 70; i++)); do
			printf "@a%d[pid] = lquantize(1, 0, %d);\n" $i \
			    $((i + 2))
		done
		printf 'exit(0);\n}\n'
	} >maps.d
	run timeout 60 dt-trace -q -s maps.d
	[ "$status" -eq 1 ]
	[[ $output == *"line "*"64 BPF maps a program"* ]]
}
