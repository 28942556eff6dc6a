bats_require_minimum_version 1.5.0
load helper

setup() {
	helper_setup
	"$DT_BUILD/t/mkbundle" six.bundle
}

# section PAGE NAME: the text of one section, without its heading
section() {
	mandoc -T ascii -O width=1000 "$DT_SRC/man/$1" | sed 's/.\x08//g' |
	    sed -n "/^$2/,/^[A-Z]/p" | sed '1d;/^[A-Z]/d'
}

@test "a complete bundle: Markdown, the verdict in a line, exit 0" {
	run --separate-stderr dt-report six.bundle
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = '# six.bundle: complete' ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr =~ ^dt-report:\ six.bundle:\ complete,\ sha256:[0-9a-f]{64}$ ]]
	for s in 'What ran' Processes Processor 'System calls' \
	    'Input and output' Allocations 'Garbage collection' Spans Losses \
	    'Cost of measuring'; do
		has "## $s"
	done
}

@test "the bundle's own report is what is printed" {
	dt-report -f json six.bundle 2>/dev/null >j
	jq 'del(.run)' j >a
	jq 'del(.run)' six.bundle/report/report.json >b
	diff a b
	dt-report -f csv -F io six.bundle 2>/dev/null |
	    diff - six.bundle/report/io.csv
	dt-fold six.bundle | diff - six.bundle/report/cpu.folded
}

@test "numbers in the JSON are the records'" {
	dt-report -f json six.bundle 2>/dev/null >j
	[ "$(jq .syscalls.calls j)" = \
	    "$(grep -c '	syscall	' six.bundle/raw/syscalls.tsv)" ]
	[ "$(jq .cpu.samples j)" = \
	    "$(awk -F'\t' '$2 == "cpu-sample" { n += $8 } END { print n }' \
	    six.bundle/raw/cpu.tsv)" ]
	[ "$(jq '[.syscalls.by_name[].total_ns] | add' j)" = \
	    "$(awk -F'\t' '$2 == "syscall" { n += $8 } END { print n }' \
	    six.bundle/raw/syscalls.tsv)" ]
	[ "$(jq .cohort.processes j)" = \
	    "$(jq '.members | length' six.bundle/cohort.json)" ]
	[ "$(jq .spans.started j)" = \
	    "$(grep -c 'span-start	' <(grep -v '^#' \
	    six.bundle/raw/spans.tsv))" ]
}

@test "operands, a list, a manifest" {
	cp -r six.bundle other.bundle
	status 0 bash -c 'ls -d *.bundle | dt-report'
	has '# six.bundle: complete'
	status 0 dt-report six.bundle/manifest.json
	status 0 bash -c 'dt-report <six.bundle/manifest.json'
	has '# six.bundle: complete'
	(cd six.bundle && dt-report <manifest.json >/dev/null 2>&1)
}

@test "a changed byte: invalid, exit 1, and the reason" {
	chmod -R u+w six.bundle
	printf x | dd of=six.bundle/raw/io.tsv bs=1 seek=20 conv=notrunc \
	    status=none
	run --separate-stderr dt-report six.bundle
	[ "$status" -eq 1 ]
	[[ ${stderr_lines[-1]} == *invalid* ]]
	has 'Verdict: invalid'
}

@test "the line on the verdict: its worst reason, names escaped" {
	chmod -R u+w six.bundle
	ln six.bundle/artifacts/exe/* other
	echo x >six.bundle/logs/z.log
	run --separate-stderr dt-report -f csv six.bundle
	[ "$status" -eq 1 ]
	has '"name",'
	[[ $stderr == *"(log-unknown)"* ]]
	mv six.bundle $'a\nb'
	run --separate-stderr dt-report -f csv $'a\nb'
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == 'dt-report: a\x0ab: invalid'* ]]
}

@test "a malformed record: exit 1, though the sums are right" {
	chmod -R u+w six.bundle
	echo rubbish >>six.bundle/raw/io.tsv
	dt-sum six.bundle
	run --separate-stderr dt-report six.bundle
	[ "$status" -eq 1 ]
	[[ ${stderr_lines[-1]} == *"1 malformed line,"* ]]
}

@test "no manifest: invalid, nothing on stdout" {
	chmod -R u+w six.bundle
	rm six.bundle/manifest.json
	run --separate-stderr dt-report six.bundle
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[[ ${stderr_lines[-1]} == *invalid* ]]
}

@test "a family the bundle does not have is exit 1" {
	"$DT_BUILD/t/mkbundle" -s two.bundle
	run --separate-stderr dt-report -f csv -F gc two.bundle
	[ "$status" -eq 1 ]
	[[ $stderr == *no-family* ]]
	run dt-fold -f allocations two.bundle
	[ "$status" -eq 1 ]
}

@test "usage, no bundle and lost output are exit 2" {
	status 2 dt-report nowhere.bundle
	status 2 dt-report -f xml six.bundle
	status 2 dt-report -F nothing six.bundle
	status 2 dt-report -F cpu six.bundle
	has "dt-report: -F goes with -f csv"
	status 2 dt-report ''
	has "dt-report: error: operand: a name is empty"
	status 2 dt-report </dev/null
	status 2 bash -c 'dt-report six.bundle >&-'
	status 2 bash -c 'dt-report six.bundle >/dev/full'
	status 2 bash -c 'dt-report six.bundle nowhere >/dev/null'
}

@test "HTML: nothing from elsewhere, hostile names are text" {
	dt-report -f html six.bundle >h 2>/dev/null
	grep -q '<svg' h
	! grep -qE '<script|src=|href=' h || false
	grep -q "Content-Security-Policy" h
	# every tag is closed: a browser is not asked to guess
	for t in table div section dl details svg g tr; do
		[ "$(grep -o "<$t[ >]" h | wc -l)" -eq \
		    "$(grep -o "</$t>" h | wc -l)" ] || {
			echo "$t"
			return 1
		}
	done
}

@test "HTML: tables can be read aloud and reached by the keyboard" {
	dt-report -f html six.bundle 2>/dev/null >x.html
	grep -q '<main>' x.html
	grep -q '<svg class="flame" role="img" aria-label="Flame graph' x.html
	n=$(grep -c '<table>' x.html)
	[ "$n" -gt 5 ]
	[ "$(grep -c '<div class="scroll" role="region" tabindex="0" aria-label="[^"][^"]*"><table>' x.html)" \
	    -eq "$n" ]
	! grep -o '<th[^e][^>]*>' x.html | grep -v 'scope="col"'
}

@test "the same bundle gives the same bytes" {
	for f in json md html; do
		dt-report -f $f six.bundle >a 2>/dev/null
		dt-report -f $f six.bundle >b 2>/dev/null
		cmp a b
	done
}

@test "a name that is a minus is called so" {
	(cd six.bundle && chmod -R u+w . &&
	    "$DT_BUILD/t/editbundle" rec spans span-start 'name=\x2d')
	dt-report -F spans -f csv six.bundle >csv 2>err || true
	grep -q '^"-",' csv
	! grep -q x2d csv || return 1
}

@test "dt-report(1) names every member and column" {
	local f
	mandoc -T utf8 -O width=1000 "$DT_SRC/man/dt-report.1" | col -bx |
	    sed -n '/^FORMATS/,/^EXIT/p' | tr -s ' ,.;:()' '\n' | sort -u >words
	{
		jq -r '[paths | map(strings)[]] | .[]' \
		    six.bundle/report/report.json
		for f in six.bundle/report/*.csv; do
			head -n 1 "$f" | tr -d '"\r' | tr , '\n'
		done
	} | sort -u >names
	[ "$(wc -l <names)" -gt 60 ]
	comm -23 names words >missing
	diff /dev/null missing
}

@test "dt-report(1): the examples run" {
	need_tool mandoc jq make
	mkdir bin
	# what they begin with is there already
	printf '#!/bin/sh\necho six.bundle\n' >bin/dt-attach
	printf '#!/bin/sh\ncat\n' >bin/dt-finalize
	chmod +x bin/*
	mv six.bundle run.bundle
	sed -i s/six.bundle/run.bundle/ bin/dt-attach
	section dt-report.1 EXAMPLES | sed -n 's/^ *\$ //p' >cmds
	[ "$(wc -l <cmds)" -eq 3 ]
	while IFS= read -r c; do
		PATH=$PWD/bin:$PATH status 0 bash -c "set -o pipefail; $c"
	done <cmds
	[ -s run.html ]
	section dt-report.1 EXAMPLES | sed 's/^ *//' |
	    sed -n '/^run.md:/,$p' | sed '2s/^/\t/' >Makefile
	make run.md
	[ -s run.md ]
}

@test "dt-fold(1): the examples run" {
	need_tool mandoc jq
	local fg
	fg=$(ls /usr/share/perl5/Devel/NYTProf/flamegraph.pl 2>/dev/null) ||
	    skip "needs flamegraph.pl (libdevel-nytprof-perl)"
	mkdir bin
	printf '#!/bin/sh\nexec perl %s "$@"\n' "$fg" >bin/flamegraph.pl
	cat >bin/dt-trace <<-'X'
		#!/bin/sh
		printf '\n\n  a`b\n  3\n'
	X
	chmod +x bin/*
	mv six.bundle run.bundle
	section dt-fold.1 EXAMPLES | sed -n '/^ *\$ /{:a;/|$/{N;ba};s/^ *\$ //p}' \
	    >cmds
	[ "$(grep -c dt- cmds)" -ge 3 ]
	PATH=$PWD/bin:$PATH status 0 bash -e -o pipefail cmds
	[ -s cpu.svg ]
	grep -q 'a`b' all.svg
}

@test "many names and stacks take time in proportion, not squared" {
	chmod -R u+w six.bundle
	# each unlike the others; squared, these would take minutes
	awk -F '\t' -v OFS='\t' '{ print; if ($2 == "cpu-sample") last = $0 }
	    END { $0 = last; for (i = 0; i < 100000; i++) { $NF = "a`f" i;
	    print } }' six.bundle/raw/cpu.tsv >more
	cat more >six.bundle/raw/cpu.tsv
	dt-report -f html six.bundle >html 2>err || [ $? -eq 1 ]
	grep -q '<td class="t">f99999</td>' html
	status 1 dt-validate six.bundle
}
