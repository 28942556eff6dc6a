load helper

# Manual pages: mandoc has nothing to say, the SYNOPSIS is the usage text,
# the EXAMPLES run.

# pages [SECTION]: the project's pages
pages() {
	ls "$DT_SRC"/man/*.[15]
}

# section PAGE NAME: the text of one section, without its heading
section() {
	mandoc -T ascii -O width=1000 "$1" | sed 's/.\x08//g' |
	    sed -n "/^$2/,/^[A-Z]/p" | sed '1d;/^[A-Z]/d'
}

@test "mandoc has nothing to say" {
	need_tool mandoc
	for p in $(pages); do
		run mandoc -T lint "$p"
		output=$(grep -v -e 'referenced manual not found' \
		    -e 'outdated mandoc.db' -e '^$' <<<"$output" || true)
		[ -z "$output" ] || {
			echo "$output"
			return 1
		}
	done
}

@test "every page has its sections, every tool its page" {
	for p in "$DT_SRC"/man/*.1; do
		for s in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS' EXAMPLES; do
			grep -qx ".Sh $s" "$p" || {
				echo "${p##*/}: no section $s"
				return 1
			}
		done
	done
	for t in "$DT_BIN"/dt-*; do
		[ ! -x "$t" ] || [ -e "$DT_SRC/man/${t##*/}.1" ] || {
			echo "${t##*/} has no page"
			return 1
		}
	done
}

@test "every page of ours that a page refers to is there" {
	grep -hoE '^\.Xr dt[a-z-]* [0-9]' "$DT_SRC"/man/*.[15] | sort -u |
	    while read -r _ name sec; do
		# dtrace(1) is another project's
		[ "$name" = dtrace ] || [ -e "$DT_SRC/man/$name.$sec" ] || {
			echo "$name($sec) is not there"
			return 1
		}
	done
}

@test "the SYNOPSIS is the usage" {
	need_tool mandoc
	for p in "$DT_SRC"/man/*.1; do
		tool=$(basename "$p" .1)
		[ -x "$DT_BIN/$tool" ] || continue
		section "$p" SYNOPSIS | tr -s ' \n' ' ' | sed 's/^ //;s/ $//' \
		    >synopsis
		"$DT_BIN/$tool" -h |
		    awk 'NR == 1 || /^       / { print; next } { exit }' |
		    sed 's/^usage: //' | tr -s ' \n' ' ' |
		    sed 's/^ //;s/ $//' >usage
		diff usage synopsis || {
			echo "$tool: usage above, SYNOPSIS below"
			return 1
		}
	done
}

@test "dt-sum(1): the examples run" {
	need_tool mandoc
	mkdir dir
	echo x >dir/x
	section "$DT_SRC/man/dt-sum.1" EXAMPLES | sed -n 's/^ *\$ //p' >cmds
	[ "$(wc -l <cmds)" -eq 5 ]
	while IFS= read -r c; do
		status 0 bash -c "$c"
	done <cmds
}

@test "pages with tables are as the tables say" {
	for p in "$DT_SRC"/man/*.in; do
		"$DT_BUILD/man/mkman" <"$p" >page
		diff page "${p%.in}" || {
			echo "run: make pages"
			return 1
		}
	done
	printf '@nothing@\n' >page.in
	run "$DT_BUILD/man/mkman" <page.in
	[ "$status" -eq 1 ]
}

@test "dt-bundle(5): every finding is told of where its rule stands" {
	sed '/^@findings@/,$d' "$DT_SRC/man/dt-bundle.5.in" >rules
	sed -n 's/^X([A-Z_0-9]*, "\([a-z-]*\)",.*/\1/p' \
	    "$DT_SRC/src/libdt/finding.def" >ids
	[ "$(wc -l <ids)" -gt 80 ]
	while read -r id; do
		grep -q "^\.Pq Cm .*\b$id\b" rules || {
			echo "$id is not in dt-bundle(5)"
			return 1
		}
	done <ids
	# and none that does not exist
	grep '^\.Pq Cm' rules | sed 's/^\.Pq Cm //; s/ ,//g; s/ \.$//' |
	    tr ' ' '\n' | grep -E '^[a-z]+-[a-z-]+$' | sort -u >named
	while read -r id; do
		grep -qx "$id" ids || {
			echo "$id is no finding"
			return 1
		}
	done <named
}
