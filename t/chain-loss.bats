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

@test "mappings that dt-attach was too late for are counted as lost" {
	need_trace
	[ "$(uname -r | awk -F. '{ print ($1 >= 6) }')" -eq 1 ] ||
	    skip "the kernel does not count them (before 6.0)"
	cat >maps.c <<-'END'
	#include <fcntl.h>
	#include <sys/mman.h>
	int main(int argc, char **argv)
	{
		int fd = open(argv[0], O_RDONLY), i;
		void *p;

		for (i = 0; i < 60000; i++) {
			p = mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			    fd, 0);
			munmap(p, 4096);
		}
		return argc != 1;
	}
	END
	"${CC:-cc}" -o maps maps.c
	dt-attach -P cpu -o x.bundle -- sh -c 'sleep 0.7; ./maps
	    echo >done; sleep 2' >out 2>err 3>&- &
	attach=$!
	at_phase x.bundle run
	kill -STOP $attach
	until_true 60 test -e done
	kill -CONT $attach
	wait $attach
	dt-finalize <out
	balance x.bundle
	[ "$(jq -r .verdict x.bundle/validation.json)" = degraded ]
	m=$(jq '.collectors[]|select(.name=="maps")' x.bundle/collectors.json)
	[ "$(jq '.counters.dropped > 0 and
	    .counters.dropped == ([.drops[].count]|add)' <<<"$m")" = true ]
	[ "$(records x.bundle maps | cut -f 2 | grep -c ovf)" -eq \
	    "$(jq '.drops|length' <<<"$m")" ]
	# and nothing else was lost
	[ "$(jq '[.collectors[]|select(.name!="maps").counters.dropped]|
	    add' x.bundle/collectors.json)" = 0 ]
}
