/* What dt-finalize joins: mappings through time, contexts of threads. */
#include "config.h"

#include <fcntl.h>
#include <unistd.h>

#include "libdt/final.h"
#include "libdt/mapsint.h"
#include "unit.h"

#define BOOT	"01234567-89ab-cdef-0123-456789abcdef"

static void
add_map(struct maps *ms, enum schema_kind kind, uint64_t ts, uint64_t pid,
    uint64_t start, uint64_t end, uint64_t off, const char *id,
    const char *path)
{
	struct record r;
	struct msg m;

	record_init(&r, kind, ts);
	record_set_u64(&r, REC_PID, pid);
	record_set_u64(&r, REC_TID, pid);
	record_set_u64(&r, REC_MAP_START, start);
	record_set_u64(&r, REC_MAP_END, end);
	record_set_u64(&r, REC_MAP_OFFSET, off);
	if (id != NULL)
		record_set_text(&r, REC_MAP_BUILD_ID, id, strlen(id));
	record_set_text(&r, REC_MAP_PATH, path, strlen(path));
	CHECK_INT(maps_add(ms, &r, &m), 0);
}

static void
add_fork(struct maps *ms, uint64_t ts, uint64_t pid, uint64_t child)
{
	struct record r;
	struct msg m;

	record_init(&r, KIND_PROC_FORK, ts);
	record_set_u64(&r, REC_PID, pid);
	record_set_u64(&r, REC_TID, pid);
	record_set_u64(&r, REC_PROC_FORK_CHILD, child);
	CHECK_INT(maps_add(ms, &r, &m), 0);
}

/* The stack of one process at a time, resolved. */
static const char *
at(struct maps *ms, uint64_t pid, uint64_t ts, const char *stack)
{
	static char text[1024];
	struct value v = { .given = true, .s = stack, .len = strlen(stack) };
	const char *out;
	struct msg m;
	size_t n;

	if (maps_resolve(ms, pid, ts, &v, &out, &n, &m) == -1)
		return "failed";
	(void)snprintf(text, sizeof(text), "%.*s", (int)n, out);
	return text;
}

/* Many mappings over each other: each page is what was mapped there last. */
static void
test_pages(void)
{
	enum { PAGES = 48, STEPS = 400 };
	struct maps *ms = maps_new();
	struct { int step; uint64_t off; } page[PAGES] = { { 0, 0 } };
	struct { uint64_t from, to; bool add; } op[STEPS];
	uint64_t x = 7, k;
	char path[32];
	struct area a;
	struct msg m;
	bool got, ok = true;
	ssize_t space;
	int i;

	for (i = 0; i < STEPS; i++) {
		x = x * UINT64_C(6364136223846793005) + 1;
		op[i].from = (x >> 33) % PAGES;
		op[i].to = op[i].from + 1 + (x >> 45) % 9;
		if (op[i].to > PAGES)
			op[i].to = PAGES;
		op[i].add = (x >> 55) % 3 > 0;
		(void)snprintf(path, sizeof(path), "/no/%d", i);
		add_map(ms, op[i].add ? KIND_MAP : KIND_UNMAP,
		    (uint64_t)i + 1, 7, op[i].from << 12, op[i].to << 12,
		    (uint64_t)i << 20, NULL, path);
	}
	CHECK_INT(maps_ready(ms, -1, BOOT, &m), 0);
	CHECK((space = maps_space(ms, 7)) != -1);
	for (i = 0; i < STEPS; i++) {
		CHECK_INT(maps_advance(ms, (uint64_t)i + 1, &m), 0);
		ms->space[space].future = 0;
		for (k = op[i].from; k < op[i].to; k++) {
			page[k].step = op[i].add ? i + 1 : 0;
			page[k].off = ((uint64_t)i << 20) +
			    ((k - op[i].from) << 12);
		}
		for (k = 0; k < PAGES; k++) {
			got = maps_find(ms, (size_t)space, k << 12 | 5, &a);
			(void)snprintf(path, sizeof(path), "/no/%d",
			    page[k].step - 1);
			ok &= got == (page[k].step != 0) && (!got ||
			    (strcmp(ms->file[a.file].path, path) == 0 &&
			    a.off + (k << 12) - a.start == page[k].off));
		}
	}
	CHECK(ok);
	maps_free(ms);
}

static void
test_time(void)
{
	struct maps *ms = maps_new();
	struct msg m;
	int round;

	add_map(ms, KIND_MAP, 100, 7, 0x1000, 0x5000, 0, "aa", "/no/a");
	add_map(ms, KIND_MAP, 200, 7, 0x2000, 0x3000, 0x9000, "bb", "/no/b");
	add_map(ms, KIND_UNMAP, 300, 7, 0x4000, 0x5000, 0, NULL, "/no/a");
	add_fork(ms, 400, 7, 8);
	add_map(ms, KIND_UNMAP, 500, 8, 0, UINT64_MAX, 0, NULL, "");
	add_map(ms, KIND_MAP, 510, 8, 0x1000, 0x2000, 0, "cc",
	    "/no/c;`d");
	add_map(ms, KIND_MAP, 600, 7, 0x8000, 0x9000, 0, "dd", "/no/late");
	add_map(ms, KIND_MAP, 50, 9, 0x1000, 0x2000, 0, NULL, "//anon");
	/* the pid is used again: its new mappings are not seen before */
	add_fork(ms, 900, 7, 8);
	CHECK_INT(maps_ready(ms, -1, BOOT, &m), 0);
	for (round = 0; round < 2; round++) {
		maps_rewind(ms);
		CHECK_STR(at(ms, 7, 90, "0x1234"), "a`+0x234");
		CHECK_STR(at(ms, 7, 150, "0x2345;0x1234"),
		    "a`+0x1345;a`+0x234");
		CHECK_STR(at(ms, 7, 250, "0x2345;0x1234;0x3456"),
		    "b`+0x9345;a`+0x234;a`+0x2456");
		CHECK_STR(at(ms, 7, 260, "0x4567"), "a`+0x3567");
		CHECK_STR(at(ms, 7, 350, "0x4567;x`0x1234"),
		    "0x4567;a`+0x234");
		CHECK_STR(at(ms, 8, 450, "0x2345"), "b`+0x9345");
		CHECK_STR(at(ms, 8, 505, "0x2345"), "0x2345");
		CHECK_STR(at(ms, 8, 550, "0x1001;0x2345"),
		    "c\\x3b\\x60d`+0x1;0x2345");
		/* read after the sample was taken */
		CHECK_STR(at(ms, 7, 560, "0x8001"), "late`+0x1");
		CHECK_STR(at(ms, 9, 570, "0x1001"), "0x1001");
		CHECK_STR(at(ms, 77, 580, "0x1001;k`f+0x1"),
		    "0x1001;k`f+0x1");
		CHECK_STR(at(ms, 8, 950, "0x8001"), "late`+0x1");
	}
	maps_free(ms);
}

static void
test_exec(void)
{
	struct maps *ms = maps_new();
	struct msg m;

	add_map(ms, KIND_MAP, 100, 7, 0x1000, 0x2000, 0, "aa", "/bin/old");
	add_map(ms, KIND_UNMAP, 200, 7, 0, UINT64_MAX, 0, NULL, "");
	add_map(ms, KIND_MAP, 201, 7, 0x1000, 0x2000, 0, "bb", "/bin/dash");
	add_map(ms, KIND_MAP, 202, 7, 0x7000, 0x8000, 0, "cc", "/lib/ld.so");
	add_map(ms, KIND_MAP, 300, 8, 0x1000, 0x2000, 0, "dd", "/usr/bin/x");
	CHECK_INT(maps_ready(ms, -1, BOOT, &m), 0);
	CHECK_STR(maps_exec_id(ms, 7, 210, "/bin/sh", 7), "bb");
	CHECK_STR(maps_exec_id(ms, 7, 150, "/bin/old", 8), "aa");
	CHECK_STR(maps_exec_id(ms, 8, 250, "./x", 3), "dd");
	CHECK(maps_exec_id(ms, 8, 250, "y", 1) == NULL);
	CHECK(maps_exec_id(ms, 8, 250, "bin/xx", 6) == NULL);
	CHECK(maps_exec_id(ms, 99, 250, "x", 1) == NULL);
	maps_free(ms);
}

static void
test_names(void)
{
	struct maps *ms = maps_new();
	struct msg m;

	CHECK_INT(maps_ready(ms, -1, BOOT, &m), 0);
	CHECK_STR(at(ms, 1, 1, "a`main+0x1"), "a`main+0x1");
	CHECK_STR(at(ms, 1, 1, "a`_Znonsense+0x1"), "a`_Znonsense+0x1");
	CHECK_STR(at(ms, 1, 1, "vmlinux`0xffffffff81000000"),
	    "vmlinux`0xffffffff81000000");
	CHECK_STR(at(ms, 1, 1, "0x"), "0x");
	CHECK_STR(at(ms, 1, 1, "main"), "main");
#ifdef HAVE_LIBIBERTY
	CHECK_STR(at(ms, 1, 1, "a`_ZN3foo3barEi+0x8;b`_ZN3foo3barEi"),
	    "a`foo::bar+0x8;b`foo::bar");
#endif
	maps_free(ms);
}

static void
kept(const char *path, bool *seen)
{
	*seen |= strcmp(path, "/no/b") == 0;
}

static int
on_file(void *arg, const char *path, size_t n, const char *id)
{
	CHECK_INT(n, strlen(path));
	CHECK_STR(id, "bb");
	kept(path, arg);
	return 0;
}

static void
test_files(void)
{
	struct maps *ms = maps_new();
	bool seen = false;
	struct record r;

	add_map(ms, KIND_MAP, 100, 7, 0x1000, 0x2000, 0, "aa", "/no/a");
	add_map(ms, KIND_MAP, 200, 7, 0x2000, 0x3000, 0, "bb", "/no/b");
	CHECK_INT(maps_files(ms, on_file, &seen), 0);
	CHECK(!seen);
	record_init(&r, KIND_MAP, 200);
	record_set_text(&r, REC_MAP_BUILD_ID, "bb", 2);
	record_set_text(&r, REC_MAP_PATH, "/no/b", 5);
	maps_keep(ms, &r);
	CHECK_INT(maps_files(ms, on_file, &seen), 0);
	CHECK(seen);
	maps_free(ms);
}

/* A reader of spans that were written for the purpose. */
static struct record_reader *
spans(const char *text)
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);

	if (fd == -1 || write(fd, "#dt-records 1\n", 14) != 14 ||
	    write(fd, text, strlen(text)) != (ssize_t)strlen(text) ||
	    lseek(fd, 0, SEEK_SET) != 0)
		abort();
	return record_reader_new(fd, "raw/spans.tsv", FAMILY_SPANS, NULL);
}

/* "rt span" of a thread at a time. */
static const char *
joined(struct context *c, uint64_t ts, uint64_t pid, uint64_t tid)
{
	static char text[64];
	struct record r;
	struct msg m;
	char rt[24] = "-", span[24] = "-";

	record_init(&r, KIND_THREAD_EXIT, ts);
	record_set_u64(&r, REC_PID, pid);
	record_set_u64(&r, REC_TID, tid);
	CHECK_INT(context_join(c, &r, &m), 0);
	if (r.v[REC_RT].given)
		(void)snprintf(rt, sizeof(rt), "%" PRIu64, r.v[REC_RT].u);
	if (r.v[REC_SPAN].given)
		(void)snprintf(span, sizeof(span), "%" PRIu64,
		    r.v[REC_SPAN].u);
	(void)snprintf(text, sizeof(text), "%s %s", rt, span);
	return text;
}

static void
test_context(void)
{
	struct msg m;
	struct context *c = context_new(spans(
	    "100\tspan-start\t7\t7\t0\t5\t1\t1\t-\ta\n"
	    "200\tspan-start\t7\t7\t0\t5\t2\t2\t1\tb\n"
	    "250\tctx-install\t7\t8\t0\t5\t2\n"
	    "260\tspan-start\t7\t8\t0\t5\t3\t3\t2\tc\n"
	    "300\tspan-end\t7\t7\t0\t5\t1\t1\tok\t200\n"
	    "400\tspan-end\t7\t7\t0\t5\t2\t2\tok\t200\n"
	    "450\tspan-end\t7\t8\t0\t5\t3\t3\tok\t190\n"
	    "500\tctx-remove\t7\t8\t0\t5\t2\n"
	    "550\tovf\t-\t-\t0\t-\t-\t1\t550\t560\tx\n"
	    "600\tcontrol\t9\t9\t0\t6\t-\tready\n"), &m);

	CHECK(c != NULL);
	CHECK_STR(joined(c, 99, 7, 7), "- -");
	CHECK_STR(joined(c, 100, 7, 7), "5 1");
	CHECK_STR(joined(c, 249, 7, 7), "5 2");
	CHECK_STR(joined(c, 249, 7, 8), "- -");
	CHECK_STR(joined(c, 255, 7, 8), "5 2");
	CHECK_STR(joined(c, 260, 7, 8), "5 3");
	CHECK_STR(joined(c, 260, 8, 8), "- -");
	/* spans may close in any order */
	CHECK_STR(joined(c, 300, 7, 7), "5 2");
	CHECK_STR(joined(c, 400, 7, 7), "5 -");
	CHECK_STR(joined(c, 470, 7, 8), "5 2");
	CHECK_STR(joined(c, 500, 7, 8), "5 -");
	CHECK_STR(joined(c, 700, 9, 9), "6 -");
	context_free(c);
	c = context_new(NULL, &m);
	CHECK_STR(joined(c, 100, 7, 7), "- -");
	context_free(c);
}

int
main(void)
{
	test_pages();
	test_time();
	test_exec();
	test_names();
	test_files();
	test_context();
	return unit_end();
}
