load helper
load chain

@test "a buffer that overflows: the loss is counted, placed and never paired" {
	need_trace
	chain x.bundle -f syscalls -x syscalls:bufsize=16k -- \
	    dd if=/dev/zero of=/dev/null bs=1 count=200000
	balance x.bundle
	status 1 dt-validate x.bundle
	[ "$(jq -r .verdict x.bundle/validation.json)" = degraded ]
	status 0 dt-validate --accept degraded x.bundle
	c=$(jq '.collectors[]|select(.name=="syscalls")' \
	    x.bundle/collectors.json)
	[ "$(jq '.counters.dropped > 0' <<<"$c")" = true ]
	[ "$(jq '.counters.dropped == ([.drops[].count]|add)' <<<"$c")" = true ]
	[ "$(jq '.counters.dropped == .tracer_drops' <<<"$c")" = true ]
	# a marker for each interval, and no pair across it
	records x.bundle syscalls | awk -F'\t' '
	    $2 == "ovf" { n++; from[n] = $9; to[n] = $10 }
	    $2 == "syscall" { m++; a[m] = $1; z[m] = $1 + $8 }
	    END {
		if (n == 0 || n > 1000)
			exit 1
		for (i = 1; i <= n; i++)
			for (j = 1; j <= m; j++)
				if (a[j] < from[i] && to[i] < z[j])
					exit 1
	    }'
	[ "$(records x.bundle syscalls | awk -F'\t' '$2 == "ovf"' | wc -l)" \
	    -eq "$(jq '.drops|length' <<<"$c")" ]
}
