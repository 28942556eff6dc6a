load helper
load chain

# A program that works for seconds, its samples against its processor time.

@test "xz: complete, samples as its processor time has it, functions named" {
	need_trace
	need_tool xz
	seq 1 1500000 >FILE
	dt-attach -f cpu,syscalls -o x.bundle --target-out x.xz -- \
	    bash -c 'TIMEFORMAT="%U %S"; time xz -T2 \
	    --block-size=2MiB -k -c FILE' 2>err |
	    dt-finalize 2>>err | dt-validate 2>>err | dt-report >json 2>>err
	complete x.bundle
	[ "$(jq -r .verdict x.bundle/validation.json)" = complete ]
	cmp <(xz -dc x.xz) FILE
	# the samples and what bash says xz took, within a tenth
	n=$(records x.bundle cpu | grep -c cpu-sample)
	cpu=$(grep -E '^[0-9]+\.[0-9]+ [0-9]+\.[0-9]+$' err)
	echo "$n samples, $cpu s"
	awk -v n="$n" -v t="$cpu" 'BEGIN { split(t, a, " ")
	    want = (a[1] + a[2]) * 997
	    exit !(want > 500 && n > 0.9 * want && n < 1.1 * want) }'
	# the process is gone, the library's functions have names
	dt-fold x.bundle | sed 's/ [0-9]*$//; s/.*;//' >leaves
	grep -q '^liblzma[^`]*`' leaves
	! grep '^0x' leaves
	# two threads did the work
	[ "$(records x.bundle cpu | cut -f 4 | sort | uniq -c |
	    awk '$1 > 100' | wc -l)" -ge 2 ]
}

@test "a flame graph of it" {
	need_trace
	need_tool xz perl
	script=$(find /usr/share/perl5 /usr/lib -name flamegraph.pl \
	    2>/dev/null | head -n 1)
	[ -n "$script" ] || skip "no flamegraph.pl"
	seq 1 300000 >FILE
	chain x.bundle -f cpu --target-out x.xz -- xz -k -c FILE
	dt-fold x.bundle | perl "$script" >cpu.svg
	grep -q 'liblzma' cpu.svg
	grep -q '</svg>' cpu.svg
}
