/*
 * Facts about the host and its abilities, as stage.json tells them.
 *
 * Ownership: trees are the caller's (cJSON_Delete()).
 */
#ifndef CAPTURE_HOST_H
#define CAPTURE_HOST_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "libdt/msg.h"

/*
 * `host`: hostname, os, release, version, machine, cpus, cpu_model, governor,
 * clocksource, page_size, clk_tck, boot_id. Sources: uname(2), sysconf(3),
 * /proc/cpuinfo, /sys/devices/system/cpu, /proc/sys/kernel/random/boot_id.
 * NULL with m only without memory or boot id.
 */
cJSON *host_json(struct msg *m);

/* What this process may do and the kernel offers; why is "" if it does. */
struct able {
	bool ok;
	char why[160];
};
struct ables {
	struct able bpf;	/* load and attach BPF: root or CAP_BPF and
				   CAP_PERFMON; not locked down */
	struct able btf;	/* /sys/kernel/btf/vmlinux */
	struct able tracefs;	/* mounted, readable */
	struct able perf;	/* perf_event_open(2) of any task */
	struct able kallsyms;	/* with addresses */
	struct able memlock;	/* RLIMIT_MEMLOCK unlimited, or not needed */
};
/* Finds out; what cannot be told is not available. */
void able_read(struct ables *a);
/* Adds `{name, available, reason}` to a list; 0 or -1 (no memory). */
int able_add(cJSON *list, const char *name, const struct able *a);
/* The list of all of them. */
cJSON *able_json(const struct ables *a);

#endif
