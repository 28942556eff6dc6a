#include <linux/perf_event.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/host.h"
#include "libdt/json.h"

/* Numbers of <linux/capability.h>, which older headers lack. */
#define CAP_BIT_ADMIN	21
#define CAP_BIT_PERFMON	38
#define CAP_BIT_BPF	39

static void able_no(struct able *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void
able_no(struct able *a, const char *fmt, ...)
{
	va_list ap;

	a->ok = false;
	va_start(ap, fmt);
	vsnprintf(a->why, sizeof(a->why), fmt, ap);
	va_end(ap);
}

static void
able_yes(struct able *a)
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
able_bpf(struct able *a)
{
	uint64_t c = caps_effective();
	bool admin = c >> CAP_BIT_ADMIN & 1;

	if (!admin && (c >> CAP_BIT_BPF & 1) == 0)
		able_no(a, "needs root or CAP_BPF and CAP_PERFMON");
	else if (!admin && (c >> CAP_BIT_PERFMON & 1) == 0)
		able_no(a, "needs CAP_PERFMON beside CAP_BPF");
	else if (lockdown_confidential())
		able_no(a, "kernel lockdown is at confidentiality");
	else
		able_yes(a);
}

static void
able_file(struct able *a, const char *path, const char *what)
{
	if (access(path, R_OK) == 0)
		able_yes(a);
	else
		able_no(a, "%s: %s: %s", what, path, strerror(errno));
}

static void
able_perf(struct able *a)
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
		able_yes(a);
	} else {
		able_no(a, "perf_event_open: %s", strerror(errno));
	}
}

/* The first symbols may have small addresses of their own, 0 too: where CPUs'
 * variables begin. A hidden address is 0 in every line. */
static void
able_kallsyms(struct able *a)
{
	enum { LOOK = 64 };
	char line[256];
	FILE *fp = fopen("/proc/kallsyms", "re");
	bool shown = false;
	int n = 0;

	if (fp == NULL) {
		able_no(a, "/proc/kallsyms: %s", strerror(errno));
		return;
	}
	for (; !shown && n < LOOK && fgets(line, sizeof(line), fp) != NULL;
	    n++)
		shown = strtoull(line, NULL, 16) != 0;
	if (n == 0)
		able_no(a, "/proc/kallsyms: empty");
	else if (!shown)
		able_no(a, "/proc/kallsyms: no addresses (kptr_restrict)");
	else
		able_yes(a);
	fclose(fp);
}

static void
able_memlock(struct able *a)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_MEMLOCK, &r) == 0 && r.rlim_cur != RLIM_INFINITY)
		able_no(a, "RLIMIT_MEMLOCK is %ju bytes",
		    (uintmax_t)r.rlim_cur);
	else
		able_yes(a);
}

void
able_read(struct ables *a)
{
	able_bpf(&a->bpf);
	able_file(&a->btf, "/sys/kernel/btf/vmlinux", "no kernel types (BTF)");
	able_file(&a->tracefs, "/sys/kernel/tracing/events",
	    "no tracefs");
	able_perf(&a->perf);
	able_kallsyms(&a->kallsyms);
	able_memlock(&a->memlock);
}

int
able_add(cJSON *list, const char *name, const struct able *a)
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
able_json(const struct ables *a)
{
	cJSON *list = json_new_array();
	int bad = list == NULL;

	bad |= able_add(list, "bpf", &a->bpf);
	bad |= able_add(list, "btf", &a->btf);
	bad |= able_add(list, "tracefs", &a->tracefs);
	bad |= able_add(list, "perf-events", &a->perf);
	bad |= able_add(list, "kallsyms", &a->kallsyms);
	bad |= able_add(list, "memlock", &a->memlock);
	if (bad) {
		cJSON_Delete(list);
		return NULL;
	}
	return list;
}
