/*
 * prog (4000) is launched, starts child (4001, exits with 3) and a thread
 * (4002), writes and reads a little, and exits with 0. Times are in ns, the
 * second 1000 is the capture's begin. Each spool is as its collector would
 * have printed it.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdt/bundle.h"
#include "libdt/file.h"
#include "libdt/path.h"
#include "libdt/stage.h"
#include "stagegen.h"

#define BOOT	"01234567-89ab-cdef-0123-456789abcdef"
#define EXE_ID	"0102030405060708090a0b0c0d0e0f1011121314"
#define LIBC_ID	"c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3"
#define CHILD_ID "0fedcba987654321"
#define S(n)	(UINT64_C(n) * UINT64_C(1000000))	/* of ms */

static const char maps[] =
    "READY\t1\tmaps\t1000110000000\n"
    "map\t1000150000000\t4000\t4000\t-\t0x500000\t0x501000\t0x0\t-\t"
    "/usr/bin/dt-attach\n"
    "unmap\t1000600010000\t4000\t4000\t0\t0x0\t0xffffffffffffffff\t0x0\t-\t\n"
    "map\t1000600020000\t4000\t4000\t0\t0x400000\t0x401000\t0x0\t" EXE_ID
    "\t/usr/bin/prog\n"
    "map\t1000600030000\t4000\t4000\t0\t0x7f0000000000\t0x7f0000100000\t"
    "0x2000\t" LIBC_ID "\t/usr/lib/libc.so.6\n"
    "unmap\t1001049000000\t4001\t4001\t1\t0x0\t0xffffffffffffffff\t0x0\t-\t\n"
    "map\t1001049500000\t4001\t4001\t1\t0x400000\t0x402000\t0x0\t" CHILD_ID
    "\t/usr/bin/child \\303\\266\n"
    "COUNT\tfired\t6\n"
    "END\t1005400000000\n";

static const char procs[] =
    "READY\t1\tprocs\t1000200000000\n"
    "proc-exec\t1000600050000\t4000\t4000\t0\t/usr/bin/prog\\0\n"
    "proc-fork\t1001000000000\t4000\t4000\t0\t4001\n"
    "proc-exec\t1001050000000\t4001\t4001\t1\t/usr/bin/child \\303\\266\\0\n"
    "thread-start\t1001100000000\t4000\t4002\t1\n"
    "thread-exit\t1001999999000\t4001\t4001\t1\n"
    "proc-exit\t1002000000000\t4001\t4001\t1\t3\n"
    "thread-exit\t1003000000000\t4000\t4002\t1\n"
    "thread-exit\t1005000000000\t4000\t4000\t0\n"
    "proc-exit\t1005000000000\t4000\t4000\t0\t0\n"
    "COUNT\tfired\t9\n"
    "END\t1005410000000\n";

static const char cpu[] =
    "READY\t1\tcpu\t1000250000000\n"
    "cpu-sample\t1000700000000\t4000\t4000\t0\tuser\n"
    "\n"
    "              prog`main+0x20\n"
    "              libc.so.6`__libc_start_main+0x80\n"
    "\n"
    "cpu-sample\t1000800000000\t4000\t4000\t0\tkernel\n"
    "              vmlinux`ksys_write+0x40\n"
    "              vmlinux`do_syscall_64+0x50\n"
    "\n"
    "              libc.so.6`write+0x14\n"
    "              0x400110\n"
    "              0x7f0000001234\n"
    "\n"
    "cpu-sample\t1001500000000\t4001\t4001\t1\tuser\n"
    "\n"
    "              child \303\266`0x400123\n"
    "              0xdead0000\n"
    "\n"
    "cpu-sample\t1002500000000\t4000\t4002\t1\tuser\n"
    "\n"
    "              prog`_ZN3foo3barEi+0x8\n"
    "\n"
    "COUNT\tfired\t4\n"
    "END\t1005420000000\n";

static const char syscalls[] =
    "READY\t1\tsyscalls\t1000300000000\n"
    "syscall\t1000550000000\t4000\t4000\t0\t1000\tread\t3\t1\t0\t\n"
    "syscall\t1000600000000\t4000\t4000\t0\t60000\texecve\t140000\t0\t0\t"
    "/usr/bin/prog\\0\n"
    "syscall\t1000790000000\t4000\t4000\t0\t20000000\twrite\t1\t-1\t11\t\n"
    "syscall\t1000900000000\t4000\t4000\t0\t5000\topenat\t4294967196\t5\t0\t"
    "/tmp/a b\\tc\\0\n"
    "syscall\t1000950000000\t4000\t4000\t1\t100000000\tvfork\t0\t4001\t0\t\n"
    "syscall\t1001060000000\t4001\t4001\t1\t2000\tread\t0\t-1\t9\t\n"
    "syscall-open\t1001900000000\t4001\t4001\t1\texit_group\t3\n"
    "syscall-open\t1002900000000\t4000\t4002\t1\texit\t0\n"
    "syscall\t1002000100000\t4000\t4000\t0\t300\twait4\t-1\t4001\t0\t\n"
    "syscall-open\t1004990000000\t4000\t4000\t0\texit_group\t0\n"
    "COUNT\tfired\t10\n"
    "END\t1005430000000\n";

static const char inflight[] =
    "READY\t1\tinflight\t1005300000000\n"
    "COUNT\tfired\t0\n"
    "END\t1005300000000\n";

static const char io[] =
    "READY\t1\tio\t1000350000000\n"
    "io-start\t1000910000000\t4000\t4000\t0\t1\tread\t5\t/tmp/a b\n"
    "io-done\t1000912000000\t4000\t4000\t0\t1\tread\t5\t/tmp/a b\t4096\t"
    "2000000\t0\n"
    "io-start\t1000920000000\t4000\t4000\t0\t2\tflush\t-\tsda\n"
    "io-done\t1000930000000\t4000\t4000\t0\t2\tflush\t-\tsda\t0\t10000000\t5\n"
    "COUNT\tfired\t4\n"
    "END\t1005440000000\n";

static const char allocations[] =
    "READY\t1\tallocations\t1000370000000\n"
    "alloc-sample\t1000710000000\t4000\t4000\t0\t512\t131072\t1024\n"
    "\n"
    "              libc.so.6`malloc+0x10\n"
    "              prog`main+0x30\n"
    "\n"
    "free-sample\t1000720000000\t4000\t4000\t0\t512\t131072\t1024\n"
    "\n"
    "              libc.so.6`free+0x4\n"
    "\n"
    "COUNT\tfired\t2\n"
    "END\t1005450000000\n";

static const char gc[] =
    "READY\t1\tgc\t1000390000000\n"
    "gc-start\t1003100000000\t4000\t4000\t0\t77\t2\n"
    "gc-pause\t1003150000000\t4000\t4000\t0\t77\t2\t1000000\tmark roots\n"
    "gc-done\t1003200000000\t4000\t4000\t0\t77\t2\n"
    "COUNT\tfired\t3\n"
    "END\t1005460000000\n";

static const char spans[] =
    "READY\t1\tspans\t1000400000000\n"
    "control\t1000600000000\t4000\t4000\t0\t77\tworkload-start\n"
    "span-start\t1000650000000\t4000\t4000\t0\t77\t1\t0\trequest\n"
    "span-start\t1000850000000\t4000\t4000\t0\t77\t2\t1\tload\n"
    "event\t1000905000000\t4000\t4000\t0\t77\tcache-miss\tkey=a\\tb\n"
    "span-end\t1000960000000\t4000\t4000\t0\t77\t2\terror\t110000000\n"
    "ctx-install\t1001200000000\t4000\t4002\t1\t77\t1\n"
    "ctx-remove\t1002800000000\t4000\t4002\t1\t77\t1\n"
    "span-end\t1004000000000\t4000\t4000\t0\t77\t1\tok\t3350000000\n"
    "control\t1005000000000\t4000\t4000\t0\t77\tworkload-done\n"
    "COUNT\tfired\t9\n"
    "END\t1005470000000\n";

/* Attached to: the target never executed anything while it was watched. */
static const char procs_attach[] =
    "READY\t1\tprocs\t1000200000000\n"
    "proc-fork\t1001000000000\t4000\t4000\t0\t4001\n"
    "proc-exec\t1001050000000\t4001\t4001\t1\t/usr/bin/child \\303\\266\\0\n"
    "thread-start\t1001100000000\t4000\t4002\t1\n"
    "thread-exit\t1001999999000\t4001\t4001\t1\n"
    "proc-exit\t1002000000000\t4001\t4001\t1\t3\n"
    "thread-exit\t1003000000000\t4000\t4002\t1\n"
    "COUNT\tfired\t6\n"
    "END\t1005410000000\n";

static const char syscalls_attach[] =
    "READY\t1\tsyscalls\t1000300000000\n"
    "syscall\t1000550000000\t4000\t4000\t0\t1000\tread\t3\t1\t0\t\n"
    "syscall\t1000790000000\t4000\t4000\t0\t20000000\twrite\t1\t-1\t11\t\n"
    "syscall\t1005200000000\t4000\t4000\t0\t150000000\tpoll\t0\t1\t0\t\n"
    "COUNT\tfired\t3\n"
    "END\t1005430000000\n";

static const char inflight_attach[] =
    "READY\t1\tinflight\t1005300000000\n"
    "syscall-open\t1005300001000\t4000\t4000\t0\tpoll\t0\n"
    "COUNT\tfired\t1\n"
    "END\t1005300002000\n";

static const char stats[] =
    "{\n\t\"tracer\": {\"name\": \"dt-trace\", \"version\": \"0.1.0\"},\n"
    "\t\"errors\": 0,\n\t\"drops\": [],\n\t\"dropped\": 0,\n"
    "\t\"run_time_ns\": 1234567,\n\t\"run_cnt\": 890,\n\t\"missed\": 0,\n"
    "\t\"rusage\": {\"user_ns\": 40000000, \"system_ns\": 30000000}\n}\n";

static const char script[] = "/* printed the spool */\nBEGIN { exit(0); }\n";

static const struct {
	const char *name;
	int family;
	bool builtin, full;	/* full: not in the small one */
	const char *spool, *attach;
	uint64_t started, ack, detach;
} collectors[] = {
	{ "maps", FAMILY_MAPS, true, false, maps, NULL, S(1000110), S(1000110),
	    S(1005400) },
	{ "procs", FAMILY_PROCS, false, false, procs, procs_attach, S(1000190),
	    S(1000200), S(1005410) },
	{ "cpu", FAMILY_CPU, false, false, cpu, NULL, S(1000240), S(1000250),
	    S(1005420) },
	{ "syscalls", FAMILY_SYSCALLS, false, false, syscalls, syscalls_attach,
	    S(1000290), S(1000300), S(1005430) },
	{ "io", FAMILY_IO, false, true, io, NULL, S(1000340), S(1000350),
	    S(1005440) },
	{ "allocations", FAMILY_ALLOCATIONS, false, true, allocations, NULL,
	    S(1000360), S(1000370), S(1005450) },
	{ "gc", FAMILY_GC, false, true, gc, NULL, S(1000380), S(1000390),
	    S(1005460) },
	{ "spans", FAMILY_SPANS, false, true, spans, NULL, S(1000395),
	    S(1000400), S(1005470) },
	{ "inflight", FAMILY_SYSCALLS, true, false, inflight, inflight_attach,
	    S(1005300), S(1005300), S(1005300) },
};
#define NCOLLECTORS	(sizeof(collectors) / sizeof(collectors[0]))

/* An ELF file with a build-id and two functions: main and helper. */
struct exe {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[2];
	struct { Elf64_Nhdr nh; char name[4]; uint8_t id[20]; } note;
	char strtab[16];
	Elf64_Sym sym[3];
	Elf64_Shdr sh[3];
};

static void
make_exe(struct exe *x)
{
	static const char strings[16] = "\0main\0helper\0";
	size_t i;

	memset(x, 0, sizeof(*x));
	memcpy(x->eh.e_ident, ELFMAG, SELFMAG);
	x->eh.e_ident[EI_CLASS] = ELFCLASS64;
	x->eh.e_ident[EI_DATA] = ELFDATA2LSB;
	x->eh.e_ident[EI_VERSION] = EV_CURRENT;
	x->eh.e_type = ET_EXEC;
	x->eh.e_machine = EM_X86_64;
	x->eh.e_version = EV_CURRENT;
	x->eh.e_phoff = offsetof(struct exe, ph);
	x->eh.e_shoff = offsetof(struct exe, sh);
	x->eh.e_ehsize = sizeof(x->eh);
	x->eh.e_phentsize = sizeof(x->ph[0]);
	x->eh.e_phnum = 2;
	x->eh.e_shentsize = sizeof(x->sh[0]);
	x->eh.e_shnum = 3;
	x->ph[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X,
		.p_vaddr = 0x400000, .p_filesz = 0x1000, .p_memsz = 0x1000 };
	x->ph[1] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_align = 4,
		.p_offset = offsetof(struct exe, note),
		.p_filesz = sizeof(x->note), .p_memsz = sizeof(x->note) };
	x->note.nh = (Elf64_Nhdr){ 4, 20, 3 };	/* NT_GNU_BUILD_ID */
	memcpy(x->note.name, "GNU", 4);
	for (i = 0; i < sizeof(x->note.id); i++)
		x->note.id[i] = (uint8_t)(i + 1);
	memcpy(x->strtab, strings, sizeof(strings));
	x->sym[1] = (Elf64_Sym){ .st_name = 1, .st_shndx = 1,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		.st_value = 0x400100, .st_size = 0x80 };
	x->sym[2] = (Elf64_Sym){ .st_name = 6, .st_shndx = 1,
		.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
		.st_value = 0x400200, .st_size = 0x80 };
	x->sh[1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct exe, strtab),
		.sh_size = sizeof(x->strtab) };
	x->sh[2] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB, .sh_link = 1,
		.sh_offset = offsetof(struct exe, sym),
		.sh_size = sizeof(x->sym), .sh_entsize = sizeof(x->sym[0]) };
}

static int
put(int dirfd, const char *path, const void *text, size_t n, struct msg *m)
{
	return file_put(dirfd, path, text, n, 0600, m);
}

static int
write_collector(int dirfd, const struct stagegen *g, size_t i, struct msg *m)
{
	const char *text = g->attach && collectors[i].attach != NULL ?
	    collectors[i].attach : collectors[i].spool;
	char path[64];
	int rc;

	(void)snprintf(path, sizeof(path), "spool/%s.spool",
	    collectors[i].name);
	rc = put(dirfd, path, text, strlen(text), m);
	if (rc == -1 || collectors[i].builtin)
		return rc;
	(void)snprintf(path, sizeof(path), "spool/%s.err", collectors[i].name);
	rc = put(dirfd, path, "", 0, m);
	(void)snprintf(path, sizeof(path), "spool/%s.stats",
	    collectors[i].name);
	if (rc == 0)
		rc = put(dirfd, path, stats, sizeof(stats) - 1, m);
	(void)snprintf(path, sizeof(path), "scripts/%s.d", collectors[i].name);
	if (rc == 0)
		rc = put(dirfd, path, script, sizeof(script) - 1, m);
	return rc;
}

static void
fill_host(struct bundle_host *h)
{
	*h = (struct bundle_host){ .hostname = "test-host", .os = "Linux",
		.release = "6.1.0", .version = "#1 SMP", .machine = "x86_64",
		.cpus = 2, .cpu_ids = { true, 2 }, .cpu_model = "Model T", .clocksource = "tsc",
		.page_size = 4096, .clk_tck = 100, .boot_id = BOOT };
}

static void
fill_clock(struct bundle_clock *c)
{
	*c = (struct bundle_clock){ .name = "CLOCK_MONOTONIC", .unit = "ns",
		.resolution_ns = 1,
		.start = { S(1000000), INT64_C(1700000000000000000), 50, 0 },
		.end = { S(1005600), INT64_C(1700000005600001000), 60, 0 },
		.drift_ns = 1000 };
}

/* What a collector's entry points to. */
struct words {
	const char *argv[16];
	char script[64], stats[64];
};

static void
words(struct bundle_stage_collector *c, struct words *w, const char *a,
    const char *b)
{
	w->argv[c->argv.n++] = a;
	w->argv[c->argv.n++] = b;
}

static void
fill_collector(struct bundle_stage_collector *c, size_t i, struct words *w)
{
	*c = (struct bundle_stage_collector){ .name = collectors[i].name,
		.family = collectors[i].family,
		.builtin = collectors[i].builtin,
		.required = !collectors[i].builtin &&
		    collectors[i].family != FAMILY_CPU,
		.started = { true, collectors[i].started },
		.ack = { true, collectors[i].ack },
		.detach = { true, collectors[i].detach } };
	if (collectors[i].builtin)
		return;
	(void)snprintf(w->script, sizeof(w->script), "scripts/%s.d",
	    collectors[i].name);
	c->script = w->script;
	(void)snprintf(w->stats, sizeof(w->stats), "spool/%s.stats",
	    collectors[i].name);
	words(c, w, "dt-trace", "--stats");
	words(c, w, w->stats, "-x");
	words(c, w, "noresolve", "-x");
	if (collectors[i].family == FAMILY_CPU)
		words(c, w, "unwind=dwarf", "-x");
	words(c, w, "switchrate=5hz", "-s");
	words(c, w, w->script, "4000");
	c->tracer = "dt-trace";
	c->tracer_version = "dt-trace 0.1.0";
	c->argv.v = w->argv;
	c->pid = (struct maybe_u64){ true, 5000 + i };
	c->exit_code.known = true;
	if (collectors[i].family == FAMILY_CPU)
		c->rate_hz = (struct maybe_u64){ true, 997 };
}

static cJSON *
families(bool full)
{
	cJSON *o = json_new_object();
	size_t i;

	for (i = FAMILY_CPU; i < FAMILY_COUNT; i++)
		if (full || i <= FAMILY_SYSCALLS)
			(void)json_add_bool(json_add_object(o,
			    schema_family((enum schema_family)i)->name),
			    "required", i != FAMILY_CPU);
	return o;
}

static int
write_stage(int dirfd, const struct stagegen *g, struct msg *m)
{
	const char *argv[] = { "prog", "-x", "a\\x0ab" };
	struct bundle_capability able[] = { { "bpf", true, NULL },
		{ "live-maps", true, NULL },
		{ "memlock", false, "RLIMIT_MEMLOCK is 65536 bytes" } };
	struct bundle_stage_collector c[NCOLLECTORS];
	struct words w[NCOLLECTORS];
	uint64_t attached = g->attach ? S(1000600) : S(1000500);
	struct bundle_stage s = { .schema = STAGE_SCHEMA,
		.tool = { "dt-attach", "0.1.0" }, .name = g->name,
		.preset = "default",
		.window = { { true, S(1000100) }, { true, attached },
		    { true, attached }, { true, S(1000600) },
		    { true, S(1005000) }, { true, S(1005500) } },
		.command = { .mode = g->attach ? MODE_ATTACH : MODE_LAUNCH,
		    .hold = g->attach ? HOLD_RUNNING : HOLD_PRE_EXEC,
		    .argv = { argv, 3 }, .cwd = "/tmp", .uid = 1000,
		    .gid = 1000, .pid = 4000,
		    .exit_code = { !g->attach, 0 },
		    .ended = g->attach ? ENDED_DURATION : ENDED_EXITED },
		.target = { 4000, S(1000050), 10000000, 3999,
		    "/usr/bin/prog", EXE_ID, g->attach ? NULL : "a1b2" },
	};
	cJSON *tree, *rates = json_new_object();
	struct bundle_option options[] = { { NULL, "switchrate=5hz" } };
	size_t i;
	int rc;

	fill_host(&s.host);
	fill_clock(&s.clock);
	s.families = families(g->full);
	(void)json_add_u64(rates, "cpu", 997);
	s.settings = (struct bundle_knobs){ .tracer = "dt-trace",
		.ack_ns = S(60000), .stop_int_ns = S(15000),
		.stop_term_ns = S(5000), .stop_kill_ns = S(5000),
		.duration_ns = g->attach ? S(4400) : 0, .max_bytes = 1 << 29,
		.rate_hz = rates, .tracer_options = { options, 1 } };
	s.capabilities.v = able;
	s.capabilities.n = 3;
	s.collectors.v = c;
	for (i = 0; i < NCOLLECTORS; i++)
		if (g->full || !collectors[i].full)
			fill_collector(&c[s.collectors.n++], i, &w[i]);
	tree = stage_build(&s, m);
	rc = tree != NULL ? json_write(dirfd, STAGE_JSON, tree, 0600, m) : -1;
	cJSON_Delete(tree);
	cJSON_Delete((cJSON *)(uintptr_t)s.families);
	cJSON_Delete(rates);
	return rc;
}

int
stagegen(int dirfd, const struct stagegen *g, struct msg *m)
{
	static const char incomplete[] = "dt-staging 1\nphase: done\n";
	static const char log[] = "1000100000000 ready\n";
	static const char *const dirs[] = { "spool", "scripts", "logs" };
	struct exe x;
	size_t i;

	for (i = 0; i < 3; i++)
		if (path_mkdirs(dirfd, dirs[i], 0700, m) == -1)
			return -1;
	make_exe(&x);
	if (put(dirfd, STAGE_INCOMPLETE, incomplete, sizeof(incomplete) - 1,
	    m) == -1 || put(dirfd, "exe", &x, sizeof(x), m) == -1 ||
	    put(dirfd, "logs/capture.log", log, sizeof(log) - 1, m) == -1)
		return -1;
	for (i = 0; i < NCOLLECTORS; i++)
		if ((g->full || !collectors[i].full) &&
		    write_collector(dirfd, g, i, m) == -1)
			return -1;
	return write_stage(dirfd, g, m);
}
