/* What this process may do and the host offers: tried, and as JSON. */
#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/capabilities.h"
#include "libdt/json.h"

/* Numbers of <linux/capability.h>, which older headers lack. */
#define CAP_BIT_ADMIN	21
#define CAP_BIT_PERFMON	38
#define CAP_BIT_BPF	39

static void capability_no(struct capability *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void
capability_no(struct capability *a, const char *fmt, ...)
{
	va_list ap;

	a->ok = false;
	va_start(ap, fmt);
	vsnprintf(a->why, sizeof(a->why), fmt, ap);
	va_end(ap);
}

static void
capability_yes(struct capability *a)
{
	a->ok = true;
	a->why[0] = '\0';
}

/* The effective capability set of /proc/self/status, 0 if unreadable. */
static uint64_t
caps_effective(void)
{
	char line[256];
	uint64_t caps = 0;
	FILE *fp = fopen("/proc/self/status", "re");

	if (fp == NULL)
		return 0;
	while (fgets(line, sizeof(line), fp) != NULL)
		if (sscanf(line, "CapEff: %" SCNx64, &caps) == 1)
			break;
	fclose(fp);
	return caps;
}

/* What stands in brackets in /sys/kernel/security/lockdown. */
static bool
lockdown_confidential(void)
{
	char line[128] = "";
	FILE *fp = fopen("/sys/kernel/security/lockdown", "re");

	if (fp == NULL)
		return false;
	if (fgets(line, sizeof(line), fp) == NULL)
		line[0] = '\0';
	fclose(fp);
	return strstr(line, "[confidentiality]") != NULL;
}

static void
capability_bpf(struct capability *a)
{
	uint64_t c = caps_effective();
	bool admin = c >> CAP_BIT_ADMIN & 1;

	if (!admin && (c >> CAP_BIT_BPF & 1) == 0)
		capability_no(a, "needs root or CAP_BPF and CAP_PERFMON");
	else if (!admin && (c >> CAP_BIT_PERFMON & 1) == 0)
		capability_no(a, "needs CAP_PERFMON beside CAP_BPF");
	else if (lockdown_confidential())
		capability_no(a, "kernel lockdown is at confidentiality");
	else
		capability_yes(a);
}

static void
capability_file(struct capability *a, const char *path, const char *what)
{
	if (access(path, R_OK) == 0)
		capability_yes(a);
	else
		capability_no(a, "%s: %s: %s", what, path, strerror(errno));
}

static void
capability_perf(struct capability *a)
{
	struct perf_event_attr at = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(at),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
	};
	long fd = syscall(SYS_perf_event_open, &at, 1, -1, -1,
	    PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0) {
		close((int)fd);
		capability_yes(a);
	} else {
		capability_no(a, "perf_event_open: %s", strerror(errno));
	}
}

/* The first symbols may have small addresses of their own, 0 too: where CPUs'
 * variables begin. A hidden address is 0 in every line. */
static void
capability_kallsyms(struct capability *a)
{
	enum { LOOK = 64 };
	char line[256];
	FILE *fp = fopen("/proc/kallsyms", "re");
	bool shown = false;
	int n = 0;

	if (fp == NULL) {
		capability_no(a, "/proc/kallsyms: %s", strerror(errno));
		return;
	}
	for (; !shown && n < LOOK && fgets(line, sizeof(line), fp) != NULL;
	    n++)
		shown = strtoull(line, NULL, 16) != 0;
	if (n == 0)
		capability_no(a, "/proc/kallsyms: empty");
	else if (!shown)
		capability_no(a, "/proc/kallsyms: no addresses "
		    "(kptr_restrict)");
	else
		capability_yes(a);
	fclose(fp);
}

/* libbpf raises it so where it has to. */
static bool
memlock_raises(const struct rlimit *was)
{
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	return setrlimit(RLIMIT_MEMLOCK, &all) == 0 &&
	    setrlimit(RLIMIT_MEMLOCK, was) == 0;
}

/*
 * Makes a map where nothing may be locked: 0 or errno. Since Linux 5.11 maps
 * and programs are charged to the memory cgroup alone; distributions' kernels
 * have that under older versions, too.
 */
static int
memlock_map(const struct rlimit *was)
{
	const struct rlimit none = { 0, was->rlim_max };
	union bpf_attr at;
	long fd;
	int e;

	memset(&at, 0, sizeof(at));
	at.map_type = BPF_MAP_TYPE_ARRAY;
	at.key_size = at.value_size = sizeof(uint32_t);
	at.max_entries = 1;
	if (setrlimit(RLIMIT_MEMLOCK, &none) == -1)
		return errno;
	fd = syscall(SYS_bpf, BPF_MAP_CREATE, &at, sizeof(at));
	e = errno;
	setrlimit(RLIMIT_MEMLOCK, was);
	if (fd == -1)
		return e;
	close((int)fd);
	return 0;
}

/* bpf: this process may make maps */
static void
capability_memlock(struct capability *a, bool bpf)
{
	struct rlimit r;
	int e;

	capability_yes(a);
	if (getrlimit(RLIMIT_MEMLOCK, &r) == -1 ||
	    r.rlim_cur == RLIM_INFINITY || memlock_raises(&r))
		return;
	e = memlock_map(&r);
	if (e == EPERM && bpf)
		capability_no(a, "RLIMIT_MEMLOCK is %ju bytes, and this kernel "
		    "counts what BPF takes", (uintmax_t)r.rlim_cur);
	else if (e != 0)
		capability_no(a, "RLIMIT_MEMLOCK is %ju bytes; whether what "
		    "BPF takes counts cannot be told: bpf: %s",
		    (uintmax_t)r.rlim_cur, strerror(e));
}

void
capabilities_read(struct capabilities *a)
{
	capability_bpf(&a->bpf);
	capability_file(&a->btf, "/sys/kernel/btf/vmlinux",
	    "no kernel types (BTF)");
	capability_file(&a->tracefs, "/sys/kernel/tracing/events",
	    "no tracefs");
	capability_perf(&a->perf);
	capability_kallsyms(&a->kallsyms);
	capability_memlock(&a->memlock, a->bpf.ok);
}

int
capability_add(cJSON *list, const char *name, const struct capability *a)
{
	cJSON *o = json_add_object(list, NULL);
	int bad = 0;

	bad |= json_add_str(o, "name", name);
	bad |= json_add_bool(o, "available", a->ok);
	bad |= a->ok ? json_add_null(o, "reason") :
	    json_add_bytes(o, "reason", a->why, strlen(a->why));
	return bad ? -1 : 0;
}

cJSON *
capabilities_list(const struct capabilities *a)
{
	cJSON *list = json_new_array();
	int bad = list == NULL;

	bad |= capability_add(list, "bpf", &a->bpf);
	bad |= capability_add(list, "btf", &a->btf);
	bad |= capability_add(list, "tracefs", &a->tracefs);
	bad |= capability_add(list, "perf-events", &a->perf);
	bad |= capability_add(list, "kallsyms", &a->kallsyms);
	bad |= capability_add(list, "memlock", &a->memlock);
	if (bad) {
		cJSON_Delete(list);
		return NULL;
	}
	return list;
}
