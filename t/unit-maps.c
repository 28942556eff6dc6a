/* Mappings through time, and what they say of addresses and programs. */
#include "config.h"

#include <fcntl.h>
#include <unistd.h>

#include "libdt/maps_impl.h"
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
		ms->space[space].looked = true;
		for (k = op[i].from; k < op[i].to; k++) {
			page[k].step = op[i].add ? i + 1 : 0;
			page[k].off = ((uint64_t)i << 20) +
			    ((k - op[i].from) << 12);
		}
		for (k = 0; k < PAGES; k++) {
			got = maps_find(ms, (size_t)space, k << 12 | 5,
			    &a) == 1;
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

/* Processes that map, fork and execute by chance, with a naive model. */
enum { PIDS = 4, SPOTS = 24, MOVES = 500, PATHS = 6 };

static struct move {
	enum { MAPS, UNMAPS, EXECS, FORKS } what;
	uint64_t pid, child, from, to;
	int path;
} move[MOVES];

static const char *const move_path[PATHS] = { "/no/a", "/no/b", "/other/a",
	"[heap]", "//anon", "b" };

static void
make_moves(struct maps *ms)
{
	static const char *const id[PATHS] = { "00", "11", "22", "33", "44",
		"55" };
	uint64_t x = 11;
	struct move *v;
	int i;

	for (i = 0; i < MOVES; i++) {
		x = x * UINT64_C(6364136223846793005) + 1;
		v = &move[i];
		v->pid = (x >> 33) % PIDS;
		v->child = (x >> 36) % PIDS;
		v->from = (x >> 39) % SPOTS;
		v->to = v->from + (x >> 45) % 9;
		v->path = (int)((x >> 51) % PATHS);
		v->what = (x >> 55) % 32 < 18 ? MAPS : (x >> 55) % 32 < 25 ?
		    UNMAPS : (x >> 55) % 32 < 28 ? EXECS : FORKS;
		if (v->what == FORKS)
			add_fork(ms, (uint64_t)i + 1, v->pid, v->child);
		else if (v->what == EXECS)
			add_map(ms, KIND_UNMAP, (uint64_t)i + 1, v->pid, 0,
			    UINT64_MAX, 0, NULL, "");
		else
			add_map(ms, v->what == MAPS ? KIND_MAP : KIND_UNMAP,
			    (uint64_t)i + 1, v->pid, v->from << 12,
			    v->to << 12, (uint64_t)i << 20, v->what == MAPS ?
			    id[v->path] : NULL, move_path[v->path]);
	}
}

/* Which move mapped what a process has at a spot, -1: none. */
static int
owner(int after, uint64_t pid, uint64_t spot)
{
	const struct move *v;
	int i;

	for (i = after; i >= 0; i--) {
		v = &move[i];
		if (v->what == FORKS && v->child == pid)
			return v->pid != pid ? owner(i - 1, v->pid, spot) : -1;
		if (v->pid != pid || v->what == FORKS)
			continue;
		if (v->what == EXECS)
			break;
		if (spot >= v->from && spot < v->to) {
			if (v->what == MAPS)
				return i;
			break;
		}
	}
	return -1;
}

/* The first move after one that maps the spot anew. */
static int
later_owner(int after, uint64_t pid, uint64_t spot)
{
	const struct move *v;
	int i;

	for (i = after + 1; i < MOVES; i++) {
		v = &move[i];
		if ((v->what == FORKS && v->child == pid) ||
		    (v->what == EXECS && v->pid == pid))
			return -1;
		if (v->what == MAPS && v->pid == pid && spot >= v->from &&
		    spot < v->to)
			return i;
	}
	return -1;
}

/* Sets that processes share are each their own. */
static void
test_forks(void)
{
	struct maps *ms = maps_new();
	uint64_t pid, spot;
	bool ok = true;
	struct area a;
	ssize_t space;
	struct msg m;
	int i, k, got;

	make_moves(ms);
	CHECK_INT(maps_ready(ms, -1, BOOT, &m), 0);
	for (i = 0; i < MOVES; i++) {
		CHECK_INT(maps_advance(ms, (uint64_t)i + 1, &m), 0);
		for (pid = 0; pid < PIDS; pid++)
			for (spot = 0; spot < SPOTS + 8; spot++) {
				space = maps_space(ms, pid);
				k = owner(i, pid, spot);
				if (k == -1)
					k = later_owner(i, pid, spot);
				got = maps_find(ms, (size_t)space,
				    spot << 12 | 5, &a);
				ok &= got == (k != -1);
				if (k == -1 || got != 1)
					continue;
				ok &= strcmp(ms->file[a.file].path,
				    move_path[move[k].path]) == 0 &&
				    a.off + (spot << 12) - a.start ==
				    ((uint64_t)k << 20) +
				    ((spot - move[k].from) << 12);
			}
	}
	CHECK(ok);
	maps_free(ms);
}

/* A child takes its parent's mappings over in one step, not one by one. */
static void
test_shared(void)
{
	enum { MAPPED = 300, CHILDREN = 400 };
	struct maps *ms = maps_new();
	struct msg m;
	uint64_t i;

	for (i = 0; i < MAPPED; i++)
		add_map(ms, KIND_MAP, 1 + i, 7, (MAPPED - i) << 16,
		    ((MAPPED - i) << 16) + 4096, 0, NULL, "/no/a");
	for (i = 0; i < CHILDREN; i++)
		add_fork(ms, 1000 + i, 7, 1000 + i);
	CHECK_INT(maps_ready(ms, -1, BOOT, &m), 0);
	CHECK_INT(maps_advance(ms, 5000, &m), 0);
	CHECK_INT(ms->areas.n, MAPPED);
	CHECK_STR(at(ms, 1000 + CHILDREN - 1, 5000, "0x10005"), "a`+0x5");
	maps_free(ms);
}

static unsigned
depth(const struct area_pool *p, uint32_t set)
{
	unsigned l, r;

	if (set == 0)
		return 0;
	l = depth(p, p->v[set].left);
	r = depth(p, p->v[set].right);
	return 1 + (l > r ? l : r);
}

/* Whatever the order, what is looked through stays small. */
static void
test_depth(void)
{
	enum { CUTS = 20000 };
	const struct area whole = { 0, CUTS * 2, 100, 7 };
	struct area_pool p = { 0 };
	const struct area *a;
	uint32_t set = area_set(&p, &whole), up = 0;
	struct area one = { .file = 9 };
	uint64_t i;

	for (i = CUTS; i-- > 0;) {
		area_drop(&p, area_swap(&p, &set, 2 * i + 1, 2 * i + 2, 0));
		one.start = (CUTS - i) * 2;
		one.end = one.start + 1;
		area_drop(&p, area_swap(&p, &up, one.start, one.end,
		    area_set(&p, &one)));
	}
	CHECK(depth(&p, set) < 100);
	CHECK(depth(&p, up) < 100);
	a = area_find(&p, set, 1000);
	CHECK(a != NULL && a->start == 1000 && a->off == 1100 && a->file == 7);
	CHECK(area_find(&p, set, 1001) == NULL);
	area_pool_free(&p);
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

/* What a walk over all that was mapped says of an exec. */
static int
naive_exec(uint64_t pid, uint64_t ts, const char *base)
{
	int i, named = -1, first = -1;
	const struct move *v;
	bool gone = false;
	const char *path;

	for (i = 0; i < MOVES; i++) {
		v = &move[i];
		if (v->pid != pid)
			continue;
		if (v->what == EXECS && (uint64_t)i + 1 <= ts) {
			gone = true;
			first = named = -1;
		}
		if (v->what != MAPS)
			continue;
		path = move_path[v->path];
		if (gone && first == -1 && path[0] == '/' && path[1] != '/')
			first = i;
		if (strcmp(strrchr(path, '/') != NULL ? strrchr(path, '/') +
		    1 : path, base) == 0 && (named == -1 ||
		    (uint64_t)i + 1 <= ts))
			named = i;
	}
	return first != -1 ? first : named;
}

static void
test_execs(void)
{
	static const char *const exe[] = { "a", "/x/b", "anon", "[heap]",
		"none" };
	struct maps *ms = maps_new();
	const char *base, *id;
	uint64_t pid, ts;
	bool ok = true;
	struct msg m;
	size_t i;
	int k;

	make_moves(ms);
	CHECK_INT(maps_ready(ms, -1, BOOT, &m), 0);
	for (ts = 0; ts < MOVES + 2; ts++)
		for (pid = 0; pid <= PIDS; pid++)
			for (i = 0; i < sizeof(exe) / sizeof(exe[0]); i++) {
				base = strrchr(exe[i], '/');
				k = naive_exec(pid, ts, base != NULL ?
				    base + 1 : exe[i]);
				id = maps_exec_id(ms, pid, ts, exe[i],
				    strlen(exe[i]));
				ok &= k == -1 ? id == NULL : id != NULL &&
				    id[0] == '0' + move[k].path;
			}
	CHECK(ok);
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

#ifdef HAVE_LIBELF
/* A file is read once, however many paths lead to it. */
static void
test_inodes(void)
{
	int exe = open("/proc/self/exe", O_RDONLY);
	struct maps *ms = maps_new();
	char id[ELFID_HEX], path[32];
	struct msg m;
	uint64_t i;

	if (elfid_fd(exe, "exe", id, &m) != 0)
		return;		/* built without a build-id */
	for (i = 1; i < 6; i++) {
		(void)snprintf(path, sizeof(path), "/no/%d", (int)i);
		add_map(ms, KIND_MAP, i, 7, i << 32, (i + 1) << 32, 0,
		    i < 5 ? id : "0123", path);
	}
	CHECK_INT(maps_ready(ms, exe, BOOT, &m), 0);
	for (i = 1; i < 6; i++) {
		(void)snprintf(path, sizeof(path), "0x%d00000000", (int)i);
		CHECK(strncmp(at(ms, 7, 10, path), "0x", 2) != 0);
		CHECK((ms->file[i - 1].sym != NULL) == (i < 5));
	}
	CHECK_INT(ms->nsym, 1);
	CHECK(ms->file[0].sym == ms->file[3].sym);
	maps_free(ms);
	close(exe);
}
#endif

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

int
main(void)
{
	test_pages();
	test_forks();
	test_shared();
	test_depth();
	test_time();
	test_exec();
	test_execs();
	test_names();
#ifdef HAVE_LIBELF
	test_inodes();
#endif
	test_files();
	return unit_end();
}
