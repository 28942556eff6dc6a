/*
 * What this process may do and the host offers, as stage.json tells it.
 *
 * Ownership: trees are the caller's (cJSON_Delete()).
 */
#ifndef CAPTURE_CAPABILITIES_H
#define CAPTURE_CAPABILITIES_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/* What this process may do and the kernel offers; why is "" if it does. */
struct capability {
	bool ok;
	char why[160];
};
struct capabilities {
	struct capability bpf;		/* load and attach BPF: root or CAP_BPF
					   and CAP_PERFMON; not locked down */
	struct capability btf;		/* /sys/kernel/btf/vmlinux */
	struct capability tracefs;	/* mounted, readable */
	struct capability perf;		/* perf_event_open(2) of any task */
	struct capability kallsyms;	/* with addresses */
	struct capability memlock;	/* RLIMIT_MEMLOCK is unlimited, may be
					   raised, or does not bound BPF */
};
/* Finds out; what cannot be told is not available. */
void capabilities_read(struct capabilities *a);
/* Adds `{name, available, reason}` to a list; 0 or -1 (no memory). */
int capability_add(cJSON *list, const char *name, const struct capability *a);
/* The list of all of them. */
cJSON *capabilities_list(const struct capabilities *a);

#endif
