/*
 * unit-sym.c - names of addresses: our own, a library's, a process's that has
 * gone, the kernel's, run-time code's.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/sym.h"
#include "trace/sym_impl.h"
#include "unit.h"

int	sym_test_function(int);

__attribute__((noinline)) int
sym_test_function(int i)
{
	return i * 3 + (int)getpid();
}

static void
test_list(void)
{
	struct symlist l = { 0 };
	struct symrange *r;

	CHECK(symlist_find(&l, 5) == NULL);
	symlist_add(&l, 100, 50, "outer", 5, 0);
	symlist_add(&l, 110, 10, "inner", 5, 0);
	symlist_add(&l, 110, 10, "alias", 5, 1);
	symlist_add(&l, 300, 0, "open", 4, 0);
	symlist_sort(&l);
	CHECK_INT(l.n, 3);
	CHECK(symlist_find(&l, 99) == NULL);
	r = symlist_find(&l, 105);
	CHECK_STR(r != NULL ? r->name : NULL, "outer");
	r = symlist_find(&l, 119);
	CHECK_STR(r != NULL ? r->name : NULL, "inner");
	r = symlist_find(&l, 120);
	CHECK_STR(r != NULL ? r->name : NULL, "outer");
	CHECK(symlist_find(&l, 150) == NULL);
	r = symlist_find(&l, 399);
	CHECK_STR(r != NULL ? r->name : NULL, "open");
	symlist_free(&l);
}

static void
check_gen(struct symgen *g, const uint64_t (*want)[3], size_t n)
{
	size_t i;

	CHECK_INT(g->nmap, n);
	for (i = 0; i < n && i < g->nmap; i++) {
		CHECK_INT(g->map[i].start, want[i][0]);
		CHECK_INT(g->map[i].end, want[i][1]);
		CHECK_INT(g->map[i].off, want[i][2]);
	}
}

static void
test_gen(void)
{
	static const struct symmap in[] = {
		{ 100, 200, 0, NULL }, { 300, 400, 0, NULL },
		{ 200, 300, 7, NULL }, { 120, 130, 50, NULL },
		{ 350, 500, 9, NULL }, { 90, 125, 1, NULL },
		{ 10, 10, 3, NULL },
	};
	static const uint64_t want[][3] = {
		{ 90, 125, 1 }, { 125, 130, 55 }, { 130, 200, 30 },
		{ 200, 300, 7 }, { 300, 350, 0 }, { 350, 500, 9 },
	};
	struct symgen *g = symgen_new(), *child;
	const struct symmap *m;

	for (size_t i = 0; i < sizeof(in) / sizeof(in[0]); i++)
		CHECK_INT(symgen_add(g, &in[i]), 0);
	check_gen(g, want, 6);
	m = symgen_find(g, 199);
	CHECK(m != NULL && m->start == 130);
	CHECK(symgen_find(g, 89) == NULL && symgen_find(g, 500) == NULL);

	/* a child's own mappings are not its parent's */
	child = symgen_own(symgen_ref(g));
	CHECK(child != NULL && child != g);
	CHECK_INT(symgen_add(child, &(struct symmap){ 0, 1000, 2, NULL }), 0);
	CHECK_INT(child->nmap, 1);
	check_gen(g, want, 6);
	CHECK(symgen_own(g) == g);

	/* an executed program's older mappings still serve */
	child->older = g;
	CHECK_INT(symgen_add(child, &(struct symmap){ 0, 1, 2, NULL }), 0);
	symgen_unref(child);
}

static void
check_user(struct symtab *st, pid_t pid, uint64_t addr, const char *mod,
    const char *name, uint64_t off)
{
	struct symname sn;

	CHECK(sym_user(st, pid, addr, &sn));
	CHECK(sn.mod != NULL && strncmp(sn.mod, mod, strlen(mod)) == 0);
	CHECK_STR(sn.name, name);
	CHECK_INT(sn.off, off);
}

static void
test_self(struct symtab *st)
{
	uint64_t fn = (uint64_t)(uintptr_t)sym_test_function;
	struct symname sn;

	check_user(st, getpid(), fn, "unit-sym", "sym_test_function", 0);
	check_user(st, getpid(), fn + 3, "unit-sym", "sym_test_function", 3);
	check_user(st, getpid(), (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT,
	    "hcreate_r"), "libc.so", "hcreate_r", 0);
	CHECK(!sym_user(st, getpid(), 8, &sn));
	CHECK(!sym_user(st, -1, fn, &sn));
}

static void
test_vdso(struct symtab *st)
{
	uint64_t at = getauxval(AT_SYSINFO_EHDR), end = at + 8192;
	struct symname sn;
	bool found = false;

	if (at == 0)
		return;
	for (; !found && at < end; at += 16)
		found = sym_user(st, getpid(), at, &sn) && sn.name != NULL;
	CHECK(found);
	CHECK_STR(found ? sn.mod : NULL, "[vdso]");
}

/* Whoever may write to /tmp: a pipe that nobody writes to, a hole. */
static void
check_no_jit(struct symtab *st, const char *path, uint64_t at)
{
	struct symname sn;
	int fd;

	usleep(110000);		/* maps are read again after 100 ms */
	CHECK(mkfifo(path, 0600) == 0);
	CHECK(!sym_user(st, getpid(), at, &sn) || sn.name == NULL);
	unlink(path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	CHECK(dprintf(fd, "%" PRIx64 " 40 large\n", at) > 0);
	CHECK(ftruncate(fd, (off_t)(256 << 20) + 1) == 0);
	close(fd);
	usleep(110000);
	CHECK(!sym_user(st, getpid(), at, &sn) || sn.name == NULL);
	unlink(path);
	usleep(110000);
}

static void
test_jit(struct symtab *st)
{
	char path[64];
	uint64_t at;
	void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *fp;

	if (p == MAP_FAILED)
		return;
	at = (uint64_t)(uintptr_t)p;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	check_no_jit(st, path, at);
	fp = fopen(path, "w");
	CHECK(fp != NULL);
	if (fp == NULL)
		return;
	fprintf(fp, "%" PRIx64 " 40 Jit::a b\nrubbish\n%" PRIx64 " 8 two\n",
	    at, at + 0x40);
	fclose(fp);
	usleep(10000);		/* maps are read again after 5 ms */
	check_user(st, getpid(), at + 4, "[jit]", "Jit::a b", 4);
	check_user(st, getpid(), at + 0x47, "[jit]", "two", 7);
	unlink(path);
}

/* A copy of this program, deleted before it runs, gone before it is asked
 * about. Without -pie randomising, its function is where it says. */
static void
test_gone(struct symtab *st, const char *self)
{
	char copy[] = "/tmp/unit-sym.XXXXXX", cmd[4096], line[64] = "";
	int out[2], go[2], fd = mkstemp(copy);
	pid_t pid;

	CHECK(fd != -1 && pipe(out) == 0 && pipe(go) == 0);
	close(fd);
	snprintf(cmd, sizeof(cmd), "cp '%s' %s && chmod 700 %s", self, copy,
	    copy);
	CHECK_INT(system(cmd), 0);
	if ((pid = fork()) == 0) {
		dup2(go[0], 0);
		dup2(out[1], 1);
		close(go[1]);
		execl(copy, copy, "child", (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	CHECK(read(out[0], line, sizeof(line) - 1) > 0);
	unlink(copy);
	sym_note_pid(st, pid);
	close(go[1]);
	waitpid(pid, NULL, 0);
	check_user(st, pid, strtoull(line, NULL, 16) + 1,
	    strrchr(copy, '/') + 1, "sym_test_function", 1);
	close(out[0]);
	close(go[0]);
}

/* A child that is gone before anybody looked at it, also through a fork. */
static void
test_events(struct symtab *st)
{
	char line[64] = "";
	struct symname sn;
	int out[2];
	pid_t pid;

	if (sym_events_open(st, NULL) == -1) {
		printf("side-band events are refused: not tested\n");
		return;
	}
	CHECK(sym_events_fd(st) >= 0 && pipe(out) == 0);
	if ((pid = fork()) == 0) {
		dup2(out[1], 1);
		execl("/proc/self/exe", "unit-sym", "brief", (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	waitpid(pid, NULL, 0);
	CHECK(read(out[0], line, sizeof(line) - 1) > 0);
	check_user(st, pid, strtoull(line, NULL, 16) + 1, "unit-sym",
	    "sym_test_function", 1);
	CHECK(!sym_user(st, pid, 16, &sn));
	if ((pid = fork()) == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	sym_events(st);
	check_user(st, pid, (uint64_t)(uintptr_t)sym_test_function + 2,
	    "unit-sym", "sym_test_function", 2);
	close(out[0]);
}

static void
test_kernel(struct symtab *st)
{
	uint64_t at = sym_kernel_addr(st, NULL, "vfs_read");
	struct symname sn;

	if (at == 0) {
		printf("kernel addresses are hidden: not tested\n");
		return;
	}
	CHECK(sym_kernel(st, at + 2, &sn));
	CHECK_STR(sn.mod, "vmlinux");
	CHECK_STR(sn.name, "vfs_read");
	CHECK_INT(sn.off, 2);
	CHECK(!sym_kernel(st, 4096, &sn) || sn.off < 4096);
}

int
main(int argc, char **argv)
{
	struct symtab *st;
	char c;

	if (argc > 1) {
		printf("%" PRIx64 "\n", (uint64_t)(uintptr_t)sym_test_function);
		fflush(stdout);
		return strcmp(argv[1], "child") == 0 && read(0, &c, 1) < 0;
	}
	test_list();
	test_gen();
	st = sym_new();
	CHECK(st != NULL);
	test_self(st);
	test_vdso(st);
	test_jit(st);
	test_gone(st, argv[0]);
	test_events(st);
	test_kernel(st);
	sym_free(st);
	return unit_end();
}
