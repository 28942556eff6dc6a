#include <fcntl.h>
#include <unistd.h>

#include "libdt/spool.h"
#include "unit.h"

struct got {
	char text[4096];
	size_t n;
};

static int
take(void *arg, const struct record *r, struct msg *m)
{
	struct got *g = arg;
	size_t n = record_print(r, g->text + g->n, sizeof(g->text) - g->n);

	(void)m;
	g->n += n;
	g->text[g->n++] = '\n';
	g->text[g->n] = '\0';
	return 0;
}

static struct spool
read_text(const char *text, size_t n, enum schema_family f, struct got *g)
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	struct spool s;
	struct msg m;

	memset(g, 0, sizeof(*g));
	if (fd == -1 || write(fd, text, n) != (ssize_t)n ||
	    lseek(fd, 0, SEEK_SET) != 0)
		abort();
	CHECK_INT(spool_read(fd, "spool/x.spool", f, take, g, &s, &m), 0);
	return s;
}

#define READ(text, f, g)	read_text(text, sizeof(text) - 1, f, g)

static void
test_procs(void)
{
	struct got g;
	struct spool s = READ("READY\t1\tprocs\t90\n"
	    "proc-fork\t100\t7\t7\t0\t8\n"
	    "proc-exec\t110\t8\t8\t1\t/a b\\t\\303\\266\\377\\0\n"
	    "proc-exec\t111\t8\t8\t1\t-\\0\n"
	    "thread-start\t120\t8\t9\t-\n"
	    "proc-exit\t130\t8\t8\t1\t-9\n"
	    "COUNT\tfired\t6\nEND\t140\n", FAMILY_PROCS, &g);

	CHECK(s.ready && s.ended);
	CHECK_INT(s.ready_ts, 90);
	CHECK_INT(s.end_ts, 140);
	CHECK_INT(s.fired.v, 6);
	CHECK_INT(s.records, 5);
	CHECK_INT(s.malformed, 0);
	CHECK_STR(g.text,
	    "100\tproc-fork\t7\t7\t0\t-\t-\t8\n"
	    "110\tproc-exec\t8\t8\t1\t-\t-\t/a b\\x09\303\266\\xff\n"
	    "111\tproc-exec\t8\t8\t1\t-\t-\t\\x2d\n"
	    "120\tthread-start\t8\t9\t-\t-\t-\n"
	    "130\tproc-exit\t8\t8\t1\t-\t-\t-9\n");
}

static void
test_samples(void)
{
	struct got g;
	struct spool s = READ("READY\t1\tcpu\t90\n"
	    "cpu-sample\t100\t7\t7\t0\tkernel\n"
	    "              vmlinux`do_idle+0x1\n"
	    "\n"
	    "              libc.so.6`write+0x14\n"
	    "              a;b`f;g+0x2\n"
	    "              0x5555\n"
	    "\n"
	    "cpu-sample\t101\t7\t7\t0\tuser\n\n\n"
	    "cpu-sample\t102\t7\t7\t0\tuser\n\n"
	    "  x`y+0x1\n"
	    "cpu-sample\t103\t7\t7\t0\tuser\n\n  x`z+0x1\n\n"
	    "  x`stray+0x1\n"
	    "cpu-sample\t104\t7\t7\t0\tuser\n\n  x`torn+0x1\n",
	    FAMILY_CPU, &g);

	CHECK(!s.ended && !s.fired.known);
	CHECK_INT(s.records, 3);
	CHECK_INT(s.malformed, 3);
	CHECK_INT(s.malformed_lines[0], 12);
	CHECK_INT(s.malformed_lines[1], 19);
	CHECK_INT(s.malformed_lines[2], 20);
	CHECK_INT(s.bad_from, 101);
	CHECK_INT(s.bad_to, 0);
	CHECK_STR(g.text,
	    "100\tcpu-sample\t7\t7\t0\t-\t-\t1\tkernel\t0x5555;"
	    "a\\x3bb`f\\x3bg+0x2;libc.so.6`write+0x14;vmlinux`do_idle+0x1\n"
	    "101\tcpu-sample\t7\t7\t0\t-\t-\t1\tuser\t-\n"
	    "103\tcpu-sample\t7\t7\t0\t-\t-\t1\tuser\tx`z+0x1\n");
}

/* What a frame cannot be costs its sample: raw/ keeps its contract. */
static void
test_frames(void)
{
	struct got g;
	struct spool s = READ("READY\t1\tcpu\t90\n"
	    "cpu-sample\t100\t7\t7\t0\tuser\n\n"
	    "  /lib/x.so`f+0x2\n  x`f\n  x`0x401000\n  x`+0x10\n"
	    "  x`operator+\n\n"
	    "cpu-sample\t101\t7\t7\t0\tuser\n\n  main\n\n"
	    "cpu-sample\t102\t7\t7\t0\tuser\n\n  0x00401000\n\n"
	    "cpu-sample\t103\t7\t7\t0\tuser\n\n  `f+0x2\n\n"
	    "cpu-sample\t104\t7\t7\t0\tuser\n\n  x`\n\n",
	    FAMILY_CPU, &g);

	CHECK_INT(s.records, 1);
	CHECK_INT(s.malformed, 4);
	CHECK_INT(s.malformed_lines[0], 10);
	CHECK_INT(s.malformed_lines[3], 22);
	CHECK_STR(g.text,
	    "100\tcpu-sample\t7\t7\t0\t-\t-\t1\tuser\tx`operator+;x`+0x10;"
	    "x`0x401000;x`f;x.so`f+0x2\n");
}

static void
test_calls(void)
{
	struct got g;
	struct spool s = READ("READY\t1\tsyscalls\t90\n"
	    "syscall\t100\t7\t7\t0\t50\tread\t3\t-1\t11\t\n"
	    "syscall\t200\t7\t7\t0\t5\topenat\t4294967196\t4\t0\t/x y\\0\n"
	    "syscall\t300\t7\t7\t0\t5\tgetpid\t-5\t7\t0\t\\0\n"
	    "syscall\t300\t7\t7\t0\t5\tgetpid\t0\t7\t0\n"
	    "syscall\t300\t7\t7\t0\t5\tgetpid\t0\t7\t0\t\t\n"
	    "syscall\t300\t7\t7\t0\t-5\tgetpid\t0\t7\t0\t\n"
	    "syscall\t300\t7\t7\t0\t5\t\t0\t7\t0\t\n"
	    "syscall\t300\t7\t7\t0\t5\topen\t0\t7\t0\ta\\q\n"
	    "cpu-sample\t300\t7\t7\t0\tuser\n"
	    "\n"
	    "READY\t1\tsyscalls\t90\n"
	    "syscall-open\t400\t7\t7\t0\texit_group\t0\n"
	    "COUNT\tfired\tmany\n"
	    "END\t500\nsyscall-open\t600\t7\t7\t0\texit_group\t0\nsysc",
	    FAMILY_SYSCALLS, &g);

	CHECK_INT(s.records, 4);
	CHECK_INT(s.malformed, 10);
	CHECK_STR(g.text,
	    "100\tsyscall\t7\t7\t0\t-\t-\t50\tread\t3\t-1\t11\t-\n"
	    "200\tsyscall\t7\t7\t0\t-\t-\t5\topenat\t-100\t4\t0\t/x y\n"
	    "300\tsyscall\t7\t7\t0\t-\t-\t5\tgetpid\t-\t7\t0\t-\n"
	    "400\tsyscall-open\t7\t7\t0\t-\t-\texit_group\t-\n");
}

static void
test_spans(void)
{
	struct got g;
	struct spool s = READ("READY\t1\tspans\t90\n"
	    "span-start\t100\t7\t7\t0\t5\t1\t0\troot\n"
	    "span-start\t101\t7\t7\t0\t5\t2\t1\tleaf\n"
	    "ctx-install\t102\t7\t8\t0\t5\t2\n"
	    "event\t103\t7\t8\t0\t5\thello\t-\n"
	    "span-end\t104\t7\t7\t0\t5\t2\tok\t3\n"
	    "control\t105\t7\t7\t0\t5\tready\n", FAMILY_SPANS, &g);

	CHECK_INT(s.malformed, 0);
	CHECK_STR(g.text,
	    "100\tspan-start\t7\t7\t0\t5\t1\t1\t-\troot\n"
	    "101\tspan-start\t7\t7\t0\t5\t2\t2\t1\tleaf\n"
	    "102\tctx-install\t7\t8\t0\t5\t2\n"
	    "103\tevent\t7\t8\t0\t5\t-\thello\t-\n"
	    "104\tspan-end\t7\t7\t0\t5\t2\t2\tok\t3\n"
	    "105\tcontrol\t7\t7\t0\t5\t-\tready\n");
}

static void
test_no_head(void)
{
	struct got g;
	struct spool s = READ("proc-exit\t1\t2\t2\t0\t0\n", FAMILY_PROCS, &g);

	CHECK(!s.ready);
	CHECK_INT(s.records, 1);
	s = READ("READY\t2\tprocs\t1\n", FAMILY_PROCS, &g);
	CHECK(s.ready && s.newer);
	CHECK_STR(s.name, "procs");
	CHECK_INT(s.malformed, 0);
	s = READ("", FAMILY_PROCS, &g);
	CHECK_INT(s.malformed, 0);
}

static int
take_in_turn(void *arg, const struct record *r, struct msg *m)
{
	uint64_t *n = arg;
	char want[96], got[96];

	(void)m;
	(void)snprintf(want, sizeof(want), "%d\tcpu-sample\t7\t8\t1\t-\t-"
	    "\t1\tuser\ta`main+0x1;a`f+0x2", (int)(100000 + *n));
	record_print(r, got, sizeof(got));
	if (strcmp(want, got) != 0 && *n < 3)
		CHECK_STR(got, want);
	*n += strcmp(want, got) == 0;
	return 0;
}

/* A record's line is gone from the buffer when its last frame is read. */
static void
test_many_samples(void)
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600), i;
	FILE *fp = fd != -1 ? fdopen(dup(fd), "w") : NULL;
	uint64_t n = 0;
	struct spool s;
	struct msg m;

	if (fp == NULL)
		abort();
	(void)fprintf(fp, "READY\t1\tcpu\t90\n");
	for (i = 0; i < 50000; i++)
		(void)fprintf(fp, "cpu-sample\t%d\t7\t8\t1\tuser\n\n"
		    "              a`f+0x2\n              a`main+0x1\n\n",
		    100000 + i);
	(void)fprintf(fp, "COUNT\tfired\t50000\nEND\t999999\n");
	if (fclose(fp) != 0 || lseek(fd, 0, SEEK_SET) != 0)
		abort();
	CHECK_INT(spool_read(fd, "spool/x.spool", FAMILY_CPU, take_in_turn,
	    &n, &s, &m), 0);
	CHECK_INT(n, 50000);
	CHECK_INT(s.malformed, 0);
}

static void
test_fds(void)
{
	CHECK(spool_has_fd("read", 4));
	CHECK(spool_has_fd("accept", 6));
	CHECK(spool_has_fd("writev", 6));
	CHECK(!spool_has_fd("readlink", 8));
	CHECK(!spool_has_fd("rea", 3));
	CHECK(!spool_has_fd("mmap", 4));
	CHECK(!spool_has_fd("", 0));
}

int
main(void)
{
	test_procs();
	test_samples();
	test_frames();
	test_many_samples();
	test_calls();
	test_spans();
	test_no_head();
	test_fds();
	return unit_end();
}
