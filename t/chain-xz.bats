load helper
load chain

# A program that works for seconds, its samples against its processor time.

@test "xz: complete, samples as its processor time has it, functions named" {
	need_trace
	need_tool xz
	# tens of MB, a few seconds of work
	seq 1 2800000 >FILE
	[ "$(stat -c %s FILE)" -gt 20000000 ]
	dt-attach -f cpu,syscalls -o x.bundle --target-out x.xz -- \
	    bash -c 'TIMEFORMAT="%U %S"; time xz -3 \
	    -T2 --block-size=2MiB -k -c FILE' 2>err |
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
	! grep '^0x' leaves || false
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

# page_examples PAGE: its commands, those with a pipe at the end in one line
page_examples() {
	mandoc -T ascii -O width=1000 "$DT_SRC/man/$1" |
	    sed 's/.\x08//g' | sed -n '/^EXAMPLES/,/^[A-Z]/p' |
	    awk '/^ *\$ / || more { sub(/^ *\$ /, ""); print
	    more = /\|$/ }'
}

@test "dt-finalize(1) and dt-validate(1): the examples run" {
	need_trace
	need_tool mandoc
	printf '#!/bin/sh\ni=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done\n' \
	    >prog
	chmod +x prog
	page_examples dt-finalize.1 >finalize
	[ "$(grep -c . finalize)" -eq 2 ]
	# a crash has left one
	dt-attach -f syscalls -o left.bundle -- true >/dev/null
	status 0 bash -e -o pipefail finalize
	[ -d ls.bundle ] && [ -d left.bundle ]
	page_examples dt-validate.1 >validate
	[ "$(grep -c . validate)" -eq 6 ]
	# all are complete: grep finds no other
	sed -i '/| grep -v/{s/^/! { /;s/$/; }/}' validate
	status 0 bash -e validate
	has "x.bundle"
}

@test "a captured bundle: by its manifest, elsewhere, with a byte changed" {
	need_trace
	local f n b id
	chain x.bundle -f syscalls -- sh -c 'ls / >/dev/null; exit 3'
	complete x.bundle
	id=$(dt-validate --id x.bundle)
	status 0 sh -c 'dt-validate <x.bundle/manifest.json'
	status 0 sh -c 'cd x.bundle && dt-validate <manifest.json'
	cp -r x.bundle copy
	[ "$(dt-validate --id copy)" = "$id" ]
	tar -cf x.tar x.bundle
	chmod -R u+w x.bundle
	rm -rf x.bundle
	tar -xf x.tar
	mv x.bundle moved
	[ "$(dt-validate --id moved)" = "$id" ]
	chmod -R u+w copy
	n=0
	while IFS= read -r f; do
		[ -s "$f" ] || continue
		cp "$f" saved
		b=$(od -An -tu1 -N1 "$f")
		printf "\\x$(printf %x $((b ^ 1)))" |
		    dd of="$f" bs=1 conv=notrunc status=none
		status 1 dt-validate copy
		cp saved "$f"
		n=$((n + 1))
	done < <(find copy -type f)
	[ "$n" -eq "$(find copy -type f -size +0 | wc -l)" ]
	[ "$n" -ge 15 ]
	status 0 dt-validate --expect "$id" copy
}
