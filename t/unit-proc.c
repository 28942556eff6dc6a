#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libdt/clock.h"
#include "libdt/proc.h"
#include "unit.h"

#define REST " 7 8 9 0 -1 4194304 1 2 3 4 150 50 0 0 20 0 3 0 12345 1 2 3"

static void
test_parse(void)
{
	static const char *const bad[] = { "", "1", "1 (a", "1 (a)", "1 (a) R",
	    "1 (a) R 1 2 3", "x (a) R" REST, "1 )a( R" REST,
	    "1 (a) R 7 8 9 0 -1 4 1 2 3 4 1 5 0 0 20 0 3 0 99999999999999999999"
	    "99 1" };
	struct proc_stat s;
	struct msg m;
	size_t i;
	const char *line = "42 (a) R (b c) S" REST;

	CHECK_INT(proc_stat_parse(line, strlen(line), 0, &s, &m), 0);
	CHECK_INT(s.pid, 42);
	CHECK_STR(s.comm, "a) R (b c");
	CHECK_INT(s.state, 'S');
	CHECK_INT(s.ppid, 7);
	CHECK_INT(s.pgrp, 8);
	CHECK_INT(s.session, 9);
	CHECK_INT(s.threads, 3);
	CHECK_INT(s.start_ticks, 12345);
	CHECK_INT(s.res_ns, NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
	CHECK_INT(s.start_ns, 12345 * s.res_ns);
	CHECK_INT(s.user_ns, 150 * s.res_ns);
	CHECK_INT(s.system_ns, 50 * s.res_ns);
	CHECK_INT(proc_stat_parse(line, strlen(line), 1000, &s, &m), 0);
	CHECK_INT(s.start_ns, 12345 * s.res_ns - 1000);
	CHECK_INT(proc_stat_parse(line, strlen(line), INT64_MAX, &s, &m), 0);
	CHECK_INT(s.start_ns, 0);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (proc_stat_parse(bad[i], strlen(bad[i]), 0, &s, &m) != -1)
			unit_fail(__FILE__, __LINE__, bad[i]);
		else
			unit_good++;
}

/* A child's start lies where the bundle's clock says it was started. */
static void
test_start(void)
{
	uint64_t before = clock_now(), after;
	struct proc_stat s;
	struct msg m;
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	after = clock_now();
	CHECK_INT(proc_stat(pid, &s, &m), 0);
	CHECK_INT(s.ppid, getpid());
	CHECK(s.start_ns + s.res_ns > before && s.start_ns <= after);
	CHECK(proc_is(pid, s.start_ticks));
	CHECK(!proc_is(pid, s.start_ticks + 1));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK(!proc_is(pid, s.start_ticks));
	CHECK_INT(proc_stat(pid, &s, &m), -1);
	CHECK_STR(m.id, "no-process");
}

/* A child that waits, with a child that does, and goes when it goes. */
static pid_t
waiting(void)
{
	pid_t pid = fork(), parent;

	if (pid != 0)
		return pid;
	parent = getpid();
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(0);
	}
	for (;;)
		pause();
}

/* A child's child is none. */
static void
test_children(void)
{
	pid_t a = waiting(), b = waiting(), *v;
	struct msg m;
	size_t n;

	CHECK_INT(proc_children(getpid(), &v, &n, &m), 0);
	CHECK_INT(n, 2);
	CHECK((v[0] == a && v[1] == b) || (v[0] == b && v[1] == a));
	free(v);
	kill(b, SIGKILL);
	waitpid(b, NULL, 0);
	CHECK_INT(proc_children(getpid(), &v, &n, &m), 0);
	CHECK_INT(n, 1);
	CHECK_INT(v[0], a);
	free(v);
	kill(a, SIGKILL);
	waitpid(a, NULL, 0);
	CHECK_INT(proc_children(getpid(), &v, &n, &m), 0);
	CHECK_INT(n, 0);
	free(v);
}

static void *
idle(void *arg)
{
	pthread_barrier_t *b = arg;

	(void)pthread_barrier_wait(b);
	(void)pthread_barrier_wait(b);
	return NULL;
}

static void
test_self(void)
{
	char boot[PROC_BOOT_SIZE], *exe, real[4096], *args;
	struct proc_ids ids;
	struct proc_stat s;
	pthread_barrier_t b;
	pthread_t t;
	pid_t *tids;
	size_t n;
	bool deleted;
	struct msg m;
	ssize_t len;
	int fd;

	CHECK_INT(proc_boot_id(boot, &m), 0);
	CHECK_INT(strlen(boot), 36);
	CHECK_INT(prctl(PR_SET_NAME, "q) Z 1 (x\n"), 0);
	CHECK_INT(proc_stat(getpid(), &s, &m), 0);
	CHECK_STR(s.comm, "q) Z 1 (x\n");
	CHECK_INT(s.ppid, getppid());
	len = readlink("/proc/self/exe", real, sizeof(real) - 1);
	real[len > 0 ? len : 0] = '\0';
	CHECK_INT(proc_exe(getpid(), &exe, &deleted, &m), 0);
	CHECK_STR(exe, real);
	CHECK(!deleted);
	free(exe);
	fd = proc_open_exe(getpid(), &m);
	CHECK_INT(proc_fd_path(fd, &exe, &m), 0);
	CHECK_STR(exe, real);
	free(exe);
	close(fd);
	CHECK_INT(proc_fd_path(fd, &exe, &m), -1);
	CHECK_INT(proc_ids(getpid(), &ids, &m), 0);
	CHECK(ids.uid == getuid() && ids.egid == getegid());
	CHECK_INT(proc_cmdline(getpid(), 4096, &args, &n, &m), 0);
	CHECK(n > 0 && args[n - 1] == '\0');
	free(args);
	CHECK_INT(pthread_barrier_init(&b, NULL, 2), 0);
	CHECK_INT(pthread_create(&t, NULL, idle, &b), 0);
	(void)pthread_barrier_wait(&b);
	CHECK_INT(proc_threads(getpid(), &tids, &n, &m), 0);
	CHECK_INT(n, 2);
	CHECK(n == 2 && tids[0] == getpid() && tids[1] > tids[0]);
	CHECK_INT(proc_thread_stat(getpid(), tids[1], &s, &m), 0);
	CHECK_INT(s.pid, tids[1]);
	free(tids);
	(void)pthread_barrier_wait(&b);
	pthread_join(t, NULL);
	CHECK_INT(proc_threads(0x7ffffff0, &tids, &n, &m), -1);
	CHECK_STR(m.id, "no-process");
}

static void
map_line(const char *text, const char *path, bool deleted)
{
	char line[300];
	struct proc_map map;
	struct msg m;

	strcpy(line, text);
	CHECK_INT(proc_map_parse(line, strlen(line), &map, &m), 0);
	CHECK_STR(map.path, path);
	CHECK_INT(map.path_len, strlen(path));
	CHECK_INT(map.deleted, deleted);
}

static void
test_map_lines(void)
{
	static const char *const bad[] = { "", "00-10", "10-00 r-xp 0 00:00 0",
	    "0-1 r-x", "0-1 r-xp z 00:00 0", "0-1 r-xp 0 0000 0",
	    "0-11111111111111111 r-xp 0 00:00 0", "0-1 r-xp 0 00:00 0x",
	    "-1-2 r-xp 0 00:00 0" };
	char line[100];
	struct proc_map map;
	struct msg m;
	size_t i;

	map_line("55d0-55e0 r-xp 00001000 fe:01 1234    /usr/bin/a b",
	    "/usr/bin/a b", false);
	CHECK_INT(strcpy(line, "7f00-8f00 r--s 2000 fe:1a 99 /x") != NULL, 1);
	CHECK_INT(proc_map_parse(line, strlen(line), &map, &m), 0);
	CHECK(map.start == 0x7f00 && map.end == 0x8f00 &&
	    map.offset == 0x2000 && map.dev_major == 0xfe &&
	    map.dev_minor == 0x1a && map.inode == 99);
	CHECK_STR(map.perms, "r--s");
	map_line("1-2 rw-p 0 00:00 0 ", "", false);
	map_line("1-2 rw-p 0 00:00 0", "", false);
	map_line("1-2 r-xp 0 00:00 0     [vdso]", "[vdso]", false);
	map_line("1-2 r-xp 0 00:01 5   /a\\012b\\040", "/a\nb\\040", false);
	map_line("1-2 r-xp 0 00:01 5   /gone (deleted)", "/gone", true);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		strcpy(line, bad[i]);
		if (proc_map_parse(line, strlen(line), &map, &m) != -1)
			unit_fail(__FILE__, __LINE__, bad[i]);
		else
			unit_good++;
	}
}

struct wanted {
	uintptr_t addr;
	const char *path;
	unsigned hits;
	bool deleted;
	ino_t inode;
};

static int
look(void *arg, const struct proc_map *map)
{
	struct wanted *w = arg;
	struct stat st;
	struct msg m;
	int fd;

	if (w->addr < map->start || w->addr >= map->end)
		return 0;
	w->hits++;
	w->deleted = map->deleted;
	CHECK_STR(map->path, w->path);
	fd = proc_open_map(getpid(), map, &m);
	if (fd != -1) {
		CHECK(fstat(fd, &st) == 0 && st.st_ino == w->inode);
		close(fd);
	}
	return 0;
}

/* A mapped file whose name holds a newline and a space, then removed. */
static void
test_maps(void)
{
	char path[] = "/tmp/unit proc\nXXXXXX";
	int fd = mkstemp(path);
	struct wanted w = { .path = path };
	struct stat st;
	struct msg m;
	void *p;

	CHECK(fd != -1 && ftruncate(fd, 4096) == 0 && fstat(fd, &st) == 0);
	p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	CHECK(p != MAP_FAILED);
	w.addr = (uintptr_t)p;
	w.inode = st.st_ino;
	CHECK_INT(proc_maps(getpid(), look, &w, &m), 0);
	CHECK_INT(w.hits, 1);
	CHECK(!w.deleted);
	CHECK_INT(unlink(path), 0);
	CHECK_INT(proc_maps(getpid(), look, &w, &m), 0);
	CHECK_INT(w.hits, 2);
	CHECK(w.deleted);
	munmap(p, 4096);
	close(fd);
	CHECK_INT(proc_maps(0x7ffffff0, look, &w, &m), -1);
	CHECK_STR(m.id, "no-process");
}

int
main(void)
{
	test_parse();
	test_start();
	test_children();
	test_self();
	test_map_lines();
	test_maps();
	return unit_end();
}
