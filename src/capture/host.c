/* Facts about the host, from uname(2), /proc and /sys. */
#include "capture/host.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "libdt/clock.h"
#include "libdt/esc.h"
#include "libdt/json.h"
#include "libdt/proc.h"

/* The first line of a small file, "unknown" where there is none. */
static void
line_read(const char *path, char *buf, size_t cap)
{
	FILE *fp = fopen(path, "re");

	if (fp == NULL || fgets(buf, (int)cap, fp) == NULL)
		snprintf(buf, cap, "unknown");
	else
		buf[strcspn(buf, "\n")] = '\0';
	if (fp != NULL)
		fclose(fp);
}

/* The value of the first line of /proc/cpuinfo with such a key. */
static void
cpu_model(char *buf, size_t cap)
{
	static const char *const keys[] = { "model name\t", "CPU part\t",
	    "cpu\t" };
	char line[512], *v;
	FILE *fp = fopen("/proc/cpuinfo", "re");
	size_t i;

	snprintf(buf, cap, "unknown");
	if (fp == NULL)
		return;
	while (fgets(line, sizeof(line), fp) != NULL) {
		v = strchr(line, ':');
		for (i = 0; i < 3 && v != NULL; i++)
			if (strncmp(line, keys[i], strlen(keys[i])) == 0)
				break;
		if (v == NULL || i == 3)
			continue;
		v += strspn(v, ": \t");
		v[strcspn(v, "\n")] = '\0';
		snprintf(buf, cap, "%s", v);
		break;
	}
	fclose(fp);
}

static int
add_text(cJSON *to, const char *name, const char *s)
{
	return json_add_bytes(to, name, s, strlen(s));
}

/* One more than the highest number of a processor; 0: not known. */
static uint64_t
cpu_ids(void)
{
	char buf[4096], *last;

	line_read("/sys/devices/system/cpu/possible", buf, sizeof(buf));
	last = buf + strlen(buf);
	while (last > buf && last[-1] >= '0' && last[-1] <= '9')
		last--;
	return *last != '\0' ? strtoull(last, NULL, 10) + 1 : 0;
}

static int
host_cpus(cJSON *to)
{
	char buf[256];
	uint64_t ids = cpu_ids();
	int bad = 0;

	bad |= json_add_i64(to, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	bad |= ids > 0 ? json_add_u64(to, "cpu_ids", ids) :
	    json_add_null(to, "cpu_ids");
	cpu_model(buf, sizeof(buf));
	bad |= add_text(to, "cpu_model", buf);
	line_read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
	    buf, sizeof(buf));
	bad |= strcmp(buf, "unknown") == 0 ? json_add_null(to, "governor") :
	    add_text(to, "governor", buf);
	clock_source(buf, sizeof(buf));
	bad |= add_text(to, "clocksource", buf);
	return bad;
}

cJSON *
host_json(struct msg *m)
{
	struct utsname u;
	char boot[PROC_BOOT_SIZE];
	cJSON *o;
	int bad = 0;

	if (proc_boot_id(boot, m) == -1)
		return NULL;
	if (uname(&u) == -1) {
		msg_set_errno(m, "host", NULL, "cannot tell the host's name");
		return NULL;
	}
	o = json_new_object();
	bad |= add_text(o, "hostname", u.nodename);
	bad |= add_text(o, "os", u.sysname);
	bad |= add_text(o, "release", u.release);
	bad |= add_text(o, "version", u.version);
	bad |= add_text(o, "machine", u.machine);
	bad |= host_cpus(o);
	bad |= json_add_i64(o, "page_size", sysconf(_SC_PAGESIZE));
	bad |= json_add_i64(o, "clk_tck", sysconf(_SC_CLK_TCK));
	bad |= json_add_str(o, "boot_id", boot);
	if (bad) {
		cJSON_Delete(o);
		msg_set_nomem(m);
		return NULL;
	}
	return o;
}
