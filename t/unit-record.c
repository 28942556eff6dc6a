#include <fcntl.h>
#include <unistd.h>

#include "libdt/record.h"
#include "libdt/recsort.h"
#include "unit.h"

#define SAMPLE	"5\tcpu-sample\t7\t8\t0\t-\t-\t1\tuser\ta`main+0x1;b`f+0x2"

/* "" for a line that is in order, else the finding's id. */
static const char *
parse(const char *line, enum schema_family f)
{
	static struct record r;
	static struct msg m;

	return record_parse(line, strlen(line), f, &r, &m) == 0 ? "" : m.id;
}

static const struct {
	const char *line;
	enum schema_family family;
	const char *id;
} lines[] = {
	{ SAMPLE, FAMILY_CPU, "" },
	{ SAMPLE, FAMILY_ANY, "" },
	{ SAMPLE, FAMILY_IO, "record-kind" },
	{ "", FAMILY_CPU, "record-columns" },
	{ "5\tcpu-sample\t7\t8\t0\t-\t-\t1\tuser", FAMILY_CPU,
	    "record-columns" },
	{ SAMPLE "\t", FAMILY_CPU, "record-columns" },
	{ "5\tnothing\t7", FAMILY_CPU, "record-kind" },
	{ "05\tthread-exit\t7\t8\t0\t-\t-", FAMILY_PROCS, "record-field" },
	{ "+5\tthread-exit\t7\t8\t0\t-\t-", FAMILY_PROCS, "record-field" },
	{ "9223372036854775807\tthread-exit\t7\t8\t-\t-\t-", FAMILY_PROCS,
	    "" },
	{ "9223372036854775808\tthread-exit\t7\t8\t-\t-\t-", FAMILY_PROCS,
	    "record-range" },
	{ "99999999999999999999\tthread-exit\t7\t8\t-\t-\t-", FAMILY_PROCS,
	    "record-range" },
	{ "5\tthread-exit\t0\t8\t0\t-\t-", FAMILY_PROCS, "record-range" },
	{ "5\tthread-exit\t-\t8\t0\t-\t-", FAMILY_PROCS, "record-field" },
	{ "5\tthread-exit\t7\t8\t0\t0\t-", FAMILY_PROCS, "record-range" },
	{ "5\tthread-exit\t7\t8\t70000\t-\t-", FAMILY_PROCS, "record-range" },
	{ "5\tproc-exit\t7\t8\t0\t-\t-\t-9", FAMILY_PROCS, "" },
	{ "5\tproc-exit\t7\t8\t0\t-\t-\t-0", FAMILY_PROCS, "record-field" },
	{ "5\tproc-exit\t7\t8\t0\t-\t-\t256", FAMILY_PROCS, "record-range" },
	{ "5\tproc-exit\t7\t8\t0\t-\t-\t-", FAMILY_PROCS, "record-field" },
	{ "5\tproc-exec\t7\t8\t0\t-\t-\t/a\\x09b", FAMILY_PROCS, "" },
	{ "5\tproc-exec\t7\t8\t0\t-\t-\t", FAMILY_PROCS, "" },
	{ "5\tproc-exec\t7\t8\t0\t-\t-\t\\x2d", FAMILY_PROCS, "" },
	{ "5\tproc-exec\t7\t8\t0\t-\t-\t\\x2dx", FAMILY_PROCS,
	    "record-field" },
	{ "5\tproc-exec\t7\t8\t0\t-\t-\t\\x4A", FAMILY_PROCS,
	    "record-field" },
	{ "5\tproc-exec\t7\t8\t0\t-\t-\t\377", FAMILY_PROCS, "record-field" },
	{ "5\tcpu-sample\t7\t8\t0\t-\t-\t1\tuser\t-", FAMILY_CPU, "" },
	{ "5\tcpu-sample\t7\t8\t0\t-\t-\t1\tuser\t", FAMILY_CPU,
	    "record-field" },
	{ "5\tcpu-sample\t7\t8\t0\t-\t-\t1\tuser\ta;;b", FAMILY_CPU,
	    "record-field" },
	{ "5\tcpu-sample\t7\t8\t0\t-\t-\t1\tuser\tm`a\\x3bb;m`c\\x60", FAMILY_CPU,
	    "" },
	{ "5\tcpu-sample\t7\t8\t0\t-\t-\t1\tuser\ta\\x41", FAMILY_CPU,
	    "record-field" },
	{ "5\tcpu-sample\t7\t8\t0\t-\t-\t1\tidle\t-", FAMILY_CPU,
	    "record-field" },
	{ "5\tmap\t7\t8\t-\t-\t-\t0x10\t0x20\t0x0\tab01\t/x", FAMILY_MAPS,
	    "" },
	{ "5\tmap\t7\t8\t-\t-\t-\t0x010\t0x20\t0x0\tab01\t/x", FAMILY_MAPS,
	    "record-field" },
	{ "5\tmap\t7\t8\t-\t-\t-\t0x10\t0x20\t0x0\tab1\t/x", FAMILY_MAPS,
	    "record-field" },
	{ "5\tmap\t7\t8\t-\t-\t-\t0x10\t0x20\t0x0\tAB\t/x", FAMILY_MAPS,
	    "record-field" },
	{ "5\tmap\t7\t8\t-\t-\t-\t0x10\t0x11111111111111111\t0x0\t-\t/x",
	    FAMILY_MAPS, "record-range" },
	{ "5\tovf\t-\t-\t1\t-\t-\t3\t5\t9\tring full", FAMILY_CPU, "" },
	{ "5\tovf\t7\t-\t1\t-\t-\t3\t5\t9\tring full", FAMILY_CPU,
	    "record-field" },
};

static void
test_parse(void)
{
	char nul[] = SAMPLE;
	struct record r;
	struct msg m;
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		CHECK_STR(parse(lines[i].line, lines[i].family), lines[i].id);
	nul[3] = '\0';
	CHECK_INT(record_parse(nul, sizeof(nul) - 1, FAMILY_CPU, &r, &m), -1);
	CHECK_STR(m.id, "record-nul");
	CHECK_INT(record_parse(SAMPLE, sizeof(SAMPLE) - 1, FAMILY_CPU, &r, &m),
	    0);
	CHECK_INT(r.kind, KIND_CPU_SAMPLE);
	CHECK_INT(r.v[REC_TS].u, 5);
	CHECK_INT(r.v[REC_TID].u, 8);
	CHECK(!r.v[REC_RT].given);
	CHECK_INT(r.v[REC_CPU_SAMPLE_MODE].u, 0);
}

static void
test_print(void)
{
	struct record r;
	char buf[200];
	size_t n;

	record_init(&r, KIND_SYSCALL, 1000);
	record_set_u64(&r, REC_PID, 3);
	record_set_u64(&r, REC_TID, 4);
	record_set_u64(&r, REC_SYSCALL_DUR, 17);
	record_set_text(&r, REC_SYSCALL_NAME, "read", 4);
	record_set_i64(&r, REC_SYSCALL_RET, -1);
	record_set_u64(&r, REC_SYSCALL_ERRNO, 9);
	n = record_print(&r, buf, sizeof(buf));
	CHECK_INT(n, strlen(buf));
	CHECK_STR(buf, "1000\tsyscall\t3\t4\t-\t-\t-\t17\tread\t-\t-1\t9\t-");
	CHECK_STR(parse(buf, FAMILY_SYSCALLS), "");
	record_init(&r, KIND_CONTROL, 1);
	record_set_u64(&r, REC_CONTROL_PHASE, 2);
	record_print(&r, buf, sizeof(buf));
	CHECK_STR(buf, "1\tcontrol\t-\t-\t-\t-\t-\twarmup-done");
	n = record_columns(KIND_PROC_EXIT, buf, sizeof(buf));
	CHECK_INT(n, strlen(buf));
	CHECK_STR(buf,
	    "proc-exit\tts\tkind\tpid\ttid\tcpu\trt\tspan\tstatus");
}

static void
test_frames(void)
{
	static const char *const good[] = {
		"0x0", "0x7fffdeadbeef", "a`main+0x10", "a`main", "a`+0x0",
		"a`0x401000", "[vdso]`f+0x1", "a`operator+", "a`operator++0x1",
		"a b`f\\x3bg\\x60h\\x0a+0x1", "a`fn@0x10+0x2",
	}, *const bad[] = {
		"", "main", "0x", "0x01", "0xAB", "0x11111111111111111", "a`",
		"`f", "`+0x1", "a`f`g", "/lib/a`f", "a`f+0x01", "a`f+0xAB",
		"a`f+0x11111111111111111", "a`0x01", "a`f\\x41",
		"a`f\\x3B", "a`f\n",
	};
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		CHECK(record_frame_valid(good[i], strlen(good[i])));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(!record_frame_valid(bad[i], strlen(bad[i])));
}

static void
test_escape(void)
{
	char buf[64], back[64];
	struct value v = { .given = true, .s = "a;b`c;d", .len = 7 };
	size_t at = 0, n;

	record_escape(buf, sizeof(buf), "-", 1);
	CHECK_STR(buf, "\\x2d");
	CHECK_INT(record_unescape(back, buf, 4), 1);
	CHECK(back[0] == '-');
	record_escape(buf, sizeof(buf), "a-\n", 3);
	CHECK_STR(buf, "a-\\x0a");
	CHECK_INT(record_escape_frame(buf, sizeof(buf), "a;`\\b;", 6), 18);
	CHECK_STR(buf, "a\\x3b\\x60\\x5cb\\x3b");
	CHECK_INT(record_unescape_frame(back, buf, 18), 6);
	CHECK(memcmp(back, "a;`\\b;", 6) == 0);
	CHECK_INT(record_escape_frame(buf, 3, "a;b", 3), 6);
	CHECK_STR(buf, "a");
	CHECK(*record_frame(&v, &at, &n) == 'a' && n == 1);
	CHECK(*record_frame(&v, &at, &n) == 'b' && n == 3);
	CHECK(*record_frame(&v, &at, &n) == 'd' && n == 1);
	CHECK(record_frame(&v, &at, &n) == NULL);
}

static struct record_reader *
reader(const char *text, size_t n)
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);

	if (fd == -1 || write(fd, text, n) != (ssize_t)n ||
	    lseek(fd, 0, SEEK_SET) != 0)
		abort();
	return record_reader_new(fd, "raw/cpu.tsv", FAMILY_CPU, NULL);
}

static void
test_read(void)
{
	static const char text[] = "#dt-records 1\n#family cpu\n" SAMPLE
	    "\n#late\n\n" SAMPLE;
	struct record_reader *rd = reader(text, sizeof(text) - 1);
	struct record r;
	struct msg m;

	CHECK_INT(record_read(rd, &r, &m), RECORD_HEADER);
	CHECK_STR(record_header_key(rd), "dt-records");
	CHECK_STR(record_header_rest(rd), "1");
	CHECK_INT(record_next(rd, &r, &m), RECORD_GOOD);
	CHECK_INT(record_line(rd), 3);
	CHECK_INT(record_next(rd, &r, &m), RECORD_MALFORMED);
	CHECK_STR(m.id, "header-order");
	CHECK_STR(m.path, "raw/cpu.tsv");
	CHECK_INT(m.line, 4);
	CHECK_INT(record_next(rd, &r, &m), RECORD_MALFORMED);
	CHECK_STR(m.id, "record-columns");
	CHECK_INT(record_next(rd, &r, &m), RECORD_MALFORMED);
	CHECK_STR(m.id, "record-torn");
	CHECK_INT(record_offset(rd), sizeof(text) - 1);
	CHECK_INT(record_next(rd, &r, &m), RECORD_END);
	record_reader_free(rd);
}

static void
test_long(void)
{
	size_t n = 3 * RECORD_LINE_MAX;
	char *text = malloc(n + 200);
	struct record_reader *rd;
	struct record r;
	struct msg m;

	if (text == NULL)
		abort();
	memset(text, 'x', n);
	memcpy(text, "#dt-records 1\n", 14);
	strcpy(text + n, "\n" SAMPLE "\n");
	rd = reader(text, strlen(text));
	CHECK_INT(record_next(rd, &r, &m), RECORD_MALFORMED);
	CHECK_STR(m.id, "record-long");
	CHECK_INT(record_next(rd, &r, &m), RECORD_GOOD);
	CHECK_INT(record_line(rd), 3);
	CHECK_INT(record_offset(rd), strlen(text));
	record_reader_free(rd);
	rd = reader("9\n", 2);
	CHECK_INT(record_next(rd, &r, &m), RECORD_MALFORMED);
	CHECK_STR(m.id, "header-format");
	record_reader_free(rd);
	free(text);
}

/* Records in an order that is not theirs; value col CHILD tells the order. */
static void
sort_some(size_t mem, unsigned count)
{
	struct record_sort *s = record_sort_new(AT_FDCWD, mem, NULL);
	uint64_t seed = 1, last_child = 0, child;
	struct record_key last = { 0, 0, 0 }, k;
	unsigned i, round, got, bad = 0;
	const char *line;
	struct record r;
	struct msg m;
	uint32_t tag;
	size_t n;

	for (i = 0; i < count; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		record_init(&r, KIND_PROC_FORK, seed >> 40 & 0xff);
		record_set_u64(&r, REC_PID, 1 + (seed >> 50 & 3));
		record_set_u64(&r, REC_TID, 1 + (seed >> 55 & 1));
		record_set_u64(&r, REC_PROC_FORK_CHILD, i + 1);
		CHECK_INT(record_sort_add(s, &r, i, &m), 0);
	}
	for (round = 0; round < 2; round++) {
		for (got = 0; record_sort_next(s, &line, &n, &tag,
		    &m) == 1; got++) {
			bad += record_parse(line, n, FAMILY_PROCS, &r, &m);
			k = record_key(&r);
			child = r.v[REC_PROC_FORK_CHILD].u;
			bad += tag + 1 != child;
			bad += got > 0 && (record_key_cmp(&last, &k) > 0 ||
			    (record_key_cmp(&last, &k) == 0 &&
			    last_child >= child));
			last = k;
			last_child = child;
		}
		CHECK_INT(got, count);
		CHECK_INT(bad, 0);
		CHECK_INT(record_sort_rewind(s, &m), 0);
	}
	record_sort_free(s);
}

int
main(void)
{
	test_parse();
	test_print();
	test_frames();
	test_escape();
	test_read();
	test_long();
	sort_some(1 << 20, 3000);	/* in memory */
	sort_some(1 << 14, 20000);	/* some runs */
	sort_some(1 << 8, 2000);	/* more runs than files */
	sort_some(1 << 20, 0);
	return unit_end();
}
