/* The report's numbers, from records small enough to count by hand. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdt/bundle.h"
#include "libdt/file.h"
#include "libdt/json.h"
#include "libdt/report.h"
#include "libdt/report_model.h"
#include "libdt/report_print.h"
#include "unit.h"

#define BOOT	"01234567-89ab-cdef-0123-456789abcdef"

static const char cpu_tsv[] =
    "#dt-records 1\n#family cpu\n"
    "100\tcpu-sample\t10\t10\t0\t-\t-\t1\tuser\t"
    "[stack]`[truncated];a`main+0x1;a`f+0x2\n"
    "200\tcpu-sample\t10\t10\t0\t-\t-\t1\tuser\t"
    "a`main+0x1;a`f+0x3;a`f+0x4\n"
    "300\tcpu-sample\t10\t10\t0\t-\t-\t2\tkernel\t"
    "a`main+0x1;[stack]`[truncated];vmlinux`entry+0x1\n"
    "400\tcpu-sample\t10\t10\t0\t-\t-\t1\tuser\ta`<b>&\"+0x9\n"
    "bad line\n";

static const char syscalls_tsv[] =
    "#dt-records 1\n#family syscalls\n"
    "100\tsyscall\t10\t10\t0\t-\t-\t10\twrite\t1\t5\t0\t-\n"
    "200\tsyscall\t10\t10\t0\t-\t-\t30\twrite\t1\t5\t0\t-\n"
    "300\tsyscall\t10\t10\t0\t-\t-\t20\twrite\t1\t-1\t32\t-\n"
    "400\tsyscall\t10\t10\t0\t-\t-\t70\topen\t-\t-1\t2\t/x,\"y\n"
    "500\tsyscall\t10\t10\t0\t-\t-\t1\tpause\t-\t-1\t514\t-\n"
    "510\tsyscall\t10\t10\t0\t-\t-\t1\tpoll\t-\t-1\t516\t-\n"
    "520\tsyscall\t10\t10\t0\t-\t-\t1\twait4\t-\t-1\t512\t-\n"
    "530\tsyscall\t10\t10\t0\t-\t-\t1\twait5\t-\t-1\t513\t-\n"
    "540\tsyscall\t10\t10\t0\t-\t-\t1\twait6\t-\t-1\t515\t-\n"
    "900\tsyscall-open\t10\t10\t0\t-\t-\texit_group\t-\n";

static const char io_tsv[] =
    "#dt-records 1\n#family io\n"
    "100\tio-start\t10\t10\t0\t-\t-\t1\tread\t3\tsda\n"
    "150\tio-done\t10\t10\t0\t-\t-\t1\tread\t3\tsda\t4096\t50\t0\n";

static const char gc_tsv[] =
    "#dt-records 1\n#family gc\n"
    "100\tgc-start\t10\t10\t0\t1\t-\t2\n"
    "110\tgc-pause\t10\t10\t0\t1\t-\t2\t40\tfull\n"
    "160\tgc-done\t10\t10\t0\t1\t-\t2\n";

static const char alloc_tsv[] =
    "#dt-records 1\n#family allocations\n"
    "100\talloc-sample\t10\t10\t0\t-\t-\t64\t131072\t128\ta`main;a`g+0x2\n";

static const char spans_tsv[] =
    "#dt-records 1\n#family spans\n"
    "100\tspan-start\t10\t10\t0\t1\t5\t5\t-\tload\n"
    "190\tspan-end\t10\t10\t0\t1\t5\t5\terror\t90\n";

static struct bundle_member members[] = {
	{ .incarnation = BOOT ":10:50", .pid = 10, .start = 50,
	    .role = ROLE_TARGET, .exe = "/bin/a", .died = { true, 950 },
	    .exit_status = { true, 3 } },
	{ .incarnation = BOOT ":11:60", .pid = 11, .start = 60,
	    .role = ROLE_DESCENDANT, .exe = "/bin/a",
	    .parent = BOOT ":10:50" },
	/* one name twice: it is the first one's */
	{ .incarnation = BOOT ":11:60", .pid = 12, .start = 60,
	    .role = ROLE_DESCENDANT, .exe = "/bin/a",
	    .parent = BOOT ":9:9" },
	{ .incarnation = BOOT ":13:70", .pid = 13, .start = 70,
	    .role = ROLE_DESCENDANT, .exe = "/bin/a",
	    .parent = BOOT ":11:60" },
};
static struct bundle_drop drops[] = {
	{ .from = 320, .to = 330, .count = 4, .why = "ring buffer full" },
};
static struct bundle_collector collectors[] = {
	{ .name = "cpu", .family = FAMILY_CPU, .rate_hz = { true, 1000 },
	    .counters = { { true, 5 }, 5, { true, 0 }, 0 },
	    .cost = { { true, 50 }, { true, 5 }, { true, 20 }, { true, 30 } } },
	{ .name = "syscalls", .family = FAMILY_SYSCALLS,
	    .counters = { { true, 9 }, 5, { true, 4 }, 0 },
	    .drops = { drops, 1 } },
};
static const char *argv[] = { "a", "b c", "it's" };
static struct bundle_capability caps[] = {
	{ "kprobes", false, "lockdown" }, { "btf", true, NULL },
};
static struct bundle_finding findings[] = {
	{ .id = "drops", .level = 1, .text = "4 records lost" },
};

static void
fill(struct bundle *b, int dirfd)
{
	int f;

	bundle_init(b, dirfd, "x.bundle");
	b->manifest.name = "x<i>.bundle";
	b->manifest.created_utc = "2026-01-01T00:00:00Z";
	b->manifest.command.argv.v = argv;
	b->manifest.command.argv.n = 3;
	b->manifest.command.pid = 10;
	b->manifest.command.exit_code = (struct maybe_i64){ true, 3 };
	b->manifest.host.hostname = "h";
	b->manifest.host.os = "Linux";
	b->manifest.host.release = "6";
	b->manifest.host.machine = "x86_64";
	b->manifest.clock.name = "CLOCK_MONOTONIC";
	b->manifest.window.workload_start = (struct maybe_u64){ true, 0 };
	b->manifest.window.workload_done = (struct maybe_u64){ true, 1000 };
	for (f = 0; f < FAMILY_COUNT; f++)
		b->manifest.families.of[f].state = STATE_OBSERVED;
	b->cohort.members.v = members;
	b->cohort.members.n = sizeof(members) / sizeof(members[0]);
	b->collectors.collectors.v = collectors;
	b->collectors.collectors.n = 2;
	b->capabilities.capabilities.v = caps;
	b->capabilities.capabilities.n = 2;
	b->validation.verdict = 1;
	b->validation.findings.v = findings;
	b->validation.findings.n = 1;
}

static const char *
number(const cJSON *tree, const char *section, const char *member)
{
	const cJSON *s = cJSON_GetObjectItem(tree, section);
	const cJSON *v = cJSON_GetObjectItem(s, member);

	return v != NULL ? v->valuestring : NULL;
}

/* Text or number of a row's member; "null" and "true" as such. */
static const char *
cell(const cJSON *tree, const char *section, const char *table, int row,
    const char *member)
{
	const cJSON *t = cJSON_GetObjectItem(cJSON_GetObjectItem(tree,
	    section), table);
	const cJSON *v = cJSON_GetObjectItem(cJSON_GetArrayItem(t, row),
	    member);

	if (v == NULL)
		return NULL;
	if (cJSON_IsNull(v))
		return "null";
	if (cJSON_IsBool(v))
		return cJSON_IsTrue(v) ? "true" : "false";
	return v->valuestring;
}

static void
test_cpu(const cJSON *t)
{
	CHECK_STR(number(t, "cpu", "samples"), "5");
	CHECK_STR(number(t, "cpu", "cpu_ns"), "5000000");
	CHECK_STR(number(t, "cpu", "kernel_share"), "0.4");
	/* at its root: anywhere else it is no word on the root */
	CHECK_STR(number(t, "cpu", "truncated_share"), "0.2");
	/* f: two samples, though three frames; main: four in all */
	CHECK_STR(cell(t, "cpu", "functions", 0, "function"), "entry");
	CHECK_STR(cell(t, "cpu", "functions", 0, "self_share"), "0.4");
	CHECK_STR(cell(t, "cpu", "functions", 1, "function"), "f");
	CHECK_STR(cell(t, "cpu", "functions", 1, "module"), "a");
	CHECK_STR(cell(t, "cpu", "functions", 1, "self"), "2");
	CHECK_STR(cell(t, "cpu", "functions", 1, "total"), "2");
	CHECK_STR(cell(t, "cpu", "functions", 3, "function"), "main");
	CHECK_STR(cell(t, "cpu", "functions", 3, "self"), "0");
	CHECK_STR(cell(t, "cpu", "functions", 3, "total"), "4");
	CHECK_STR(cell(t, "cpu", "stacks", 0, "stack"),
	    "a`main;[stack]`[truncated];vmlinux`entry");
}

static void
test_calls(const cJSON *t)
{
	CHECK_STR(number(t, "syscalls", "calls"), "9");
	CHECK_STR(number(t, "syscalls", "errors"), "7");
	CHECK_STR(number(t, "syscalls", "open"), "1");
	CHECK_STR(number(t, "syscalls", "total_ns"), "135");
	CHECK_STR(cell(t, "syscalls", "by_name", 0, "name"), "open");
	CHECK_STR(cell(t, "syscalls", "by_name", 0, "lower_bound"), "false");
	CHECK_STR(cell(t, "syscalls", "by_name", 1, "name"), "write");
	CHECK_STR(cell(t, "syscalls", "by_name", 1, "calls"), "3");
	CHECK_STR(cell(t, "syscalls", "by_name", 1, "p50_ns"), "20");
	CHECK_STR(cell(t, "syscalls", "by_name", 1, "p99_ns"), "30");
	CHECK_STR(cell(t, "syscalls", "by_name", 1, "max_ns"), "30");
	/* the loss begins where the last write ends */
	CHECK_STR(cell(t, "syscalls", "by_name", 1, "lower_bound"), "true");
	CHECK_STR(cell(t, "syscalls", "by_name", 7, "p50_ns"), "null");
	CHECK_STR(cell(t, "syscalls", "by_errno", 0, "errno"), "ENOENT");
	/* what only the kernel sees of a call that a signal interrupted */
	CHECK_STR(cell(t, "syscalls", "by_errno", 1, "errno"),
	    "ERESTARTNOHAND");
	CHECK_STR(cell(t, "syscalls", "by_errno", 2, "errno"),
	    "ERESTART_RESTARTBLOCK");
	CHECK_STR(cell(t, "syscalls", "by_errno", 3, "errno"), "ERESTARTSYS");
	CHECK_STR(cell(t, "syscalls", "by_errno", 4, "errno"),
	    "ERESTARTNOINTR");
	CHECK_STR(cell(t, "syscalls", "by_errno", 5, "errno"), "errno 515");
	CHECK_STR(cell(t, "syscalls", "by_errno", 6, "errno"), "EPIPE");
}

static void
test_others(const cJSON *t)
{
	CHECK_STR(cell(t, "io", "operations", 0, "op"), "read");
	CHECK_STR(cell(t, "io", "operations", 0, "target"), "sda");
	CHECK_STR(cell(t, "io", "operations", 0, "bytes"), "4096");
	CHECK_STR(cell(t, "io", "operations", 0, "p50_ns"), "50");
	CHECK_STR(cell(t, "gc", "by_generation", 0, "generation"), "2");
	CHECK_STR(cell(t, "gc", "by_generation", 0, "reason"), "full");
	CHECK_STR(number(t, "gc", "total_ns"), "40");
	CHECK_STR(cell(t, "allocations", "sites", 0, "site"), "a`g");
	CHECK_STR(cell(t, "allocations", "sites", 0, "allocations"), "2");
	CHECK_STR(cell(t, "spans", "spans", 0, "name"), "load");
	CHECK_STR(cell(t, "spans", "spans", 0, "errors"), "1");
	CHECK_STR(cell(t, "spans", "spans", 0, "total_ns"), "90");
	CHECK_STR(number(t, "run", "verdict"), "degraded");
	CHECK_STR(number(t, "run", "command"), "a 'b c' 'it'\\''s'");
	CHECK_STR(cell(t, "run", "findings", 0, "id"), "drops");
	CHECK_STR(number(t, "losses", "lost"), "4");
	CHECK_STR(number(t, "losses", "malformed"), "1");
	CHECK_STR(cell(t, "losses", "missing", 0, "name"), "kprobes");
	CHECK_STR(cell(t, "cohort", "members", 0, "life_ns"), "900");
	CHECK_STR(cell(t, "cohort", "members", 0, "parent"), "null");
	CHECK_STR(cell(t, "cohort", "members", 1, "parent"), "10");
	CHECK_STR(cell(t, "cohort", "members", 2, "parent"), "null");
	CHECK_STR(cell(t, "cohort", "members", 3, "parent"), "11");
	CHECK_STR(number(t, "cost", "total_ns"), "100");
	CHECK_STR(number(t, "cost", "share"), "0.1");
}

/* The flags of many intervals are those that looking at each one gives. */
static void
test_gaps(void)
{
	struct bundle_drop d[24];
	struct bundle_collector c[] = {
		{ .family = FAMILY_IO, .drops = { d, 9 } },
		{ .family = FAMILY_GC, .drops = { d, 24 } },
		{ .family = FAMILY_IO, .drops = { d + 9, 15 } },
	};
	struct bundle b = { .collectors.collectors = { c, 3 } };
	uint64_t x = 1, from, to;
	struct gaps g;
	size_t i;
	bool want;

	for (i = 0; i < 24; i++) {
		x = x * UINT64_C(6364136223846793005) + 1;
		d[i] = (struct bundle_drop){ .from = x >> 32 & 255 };
		d[i].to = d[i].from + (x >> 40 & 7) * (x >> 43 & 1);
	}
	CHECK_INT(gaps_of(&g, &b, FAMILY_IO), 0);
	for (from = 0; from < 270; from++)
		for (to = from; to < 270; to++) {
			want = false;
			for (i = 0; i < 24; i++)
				want |= d[i].from <= to && from <= d[i].to;
			if (gaps_overlap(&g, from, to) != want)
				CHECK_INT(from, to);
		}
	gaps_free(&g);
	CHECK_INT(gaps_of(&g, &b, FAMILY_CPU), 0);
	CHECK(!gaps_overlap(&g, 0, UINT64_MAX));
	gaps_free(&g);
}

static void
put(int dirfd, const char *path, const char *text)
{
	struct msg m;

	CHECK_INT(file_put(dirfd, path, text, strlen(text), 0644, &m), 0);
}

static char *
slurp(int dirfd, const char *path)
{
	struct msg m;
	char *buf = NULL;
	size_t n;

	CHECK_INT(file_slurp(dirfd, path, 1 << 20, &buf, &n, &m), 0);
	return buf;
}

static int
collect(void *arg, const struct msg *m)
{
	char *all = arg;

	(void)strncat(all, m->text, 900);
	return 0;
}

/* What is written is what is checked; one figure changed is one finding. */
static void
test_files(struct bundle *b, int dirfd)
{
	char all[1024] = "", *text, *p;
	struct report *r;
	const struct msg_sink sink = { collect, all };
	struct msg m;

	CHECK_INT(report_write(b, dirfd, &m), 0);
	CHECK((r = report_new(b, &m)) != NULL);
	CHECK_INT(report_check(r, dirfd, &sink, &m), 0);
	CHECK_STR(all, "");
	text = slurp(dirfd, "report/syscalls.csv");
	CHECK(text != NULL && strstr(text,
	    "\"open\",1,1,0,70,0.518519,70,70,70,0\r\n") != NULL);
	free(text);
	text = slurp(dirfd, "report/cpu.folded");
	CHECK(text != NULL && strstr(text, "a`main;[stack]`[truncated];"
	    "vmlinux`entry 2\n") != NULL);
	free(text);
	text = slurp(dirfd, "report/report.html");
	CHECK(text != NULL && strstr(text, "<svg") != NULL);
	CHECK(text != NULL && strstr(text, "&lt;b&gt;&amp;&quot;") != NULL);
	CHECK(text != NULL && strstr(text, "<b>") == NULL);
	CHECK(text != NULL && strstr(text, "<i>.bundle") == NULL);
	free(text);
	text = slurp(dirfd, "report/report.md");
	CHECK(text != NULL && strstr(text, "\\<b\\>&\"") != NULL);
	free(text);
	text = slurp(dirfd, "report/report.json");
	p = NULL;
	if (text != NULL && (p = strstr(text, "\"samples\":\t5")) != NULL)
		p[11] = '6';
	CHECK(p != NULL);
	put(dirfd, "report/report.json", text);
	free(text);
	CHECK_INT(report_check(r, dirfd, &sink, &m), 0);
	CHECK_STR(all, "cpu.samples is not what the records say");
	put(dirfd, "report/report.json", "{");
	CHECK_INT(report_check(r, dirfd, &sink, &m), -1);
	CHECK_STR(m.id, "json-syntax");
	report_free(r);
}

int
main(void)
{
	char dir[] = "/tmp/unit-report.XXXXXX", rm[64];
	struct report *r;
	struct bundle b;
	struct msg m;
	cJSON *t;
	int dirfd;

	if (mkdtemp(dir) == NULL || (dirfd = open(dir, O_RDONLY |
	    O_DIRECTORY)) == -1)
		return 1;
	CHECK_INT(mkdirat(dirfd, "raw", 0755), 0);
	put(dirfd, "raw/cpu.tsv", cpu_tsv);
	put(dirfd, "raw/syscalls.tsv", syscalls_tsv);
	put(dirfd, "raw/io.tsv", io_tsv);
	put(dirfd, "raw/gc.tsv", gc_tsv);
	put(dirfd, "raw/allocations.tsv", alloc_tsv);
	put(dirfd, "raw/spans.tsv", spans_tsv);
	fill(&b, dirfd);
	r = report_new(&b, &m);
	CHECK(r != NULL);
	t = r != NULL ? report_json(r, &m) : NULL;
	CHECK(t != NULL);
	test_gaps();
	test_cpu(t);
	test_calls(t);
	test_others(t);
	cJSON_Delete(t);
	report_free(r);
	test_files(&b, dirfd);
	close(dirfd);
	(void)snprintf(rm, sizeof(rm), "rm -rf %s", dir);
	CHECK_INT(system(rm), 0);
	return unit_end();
}
