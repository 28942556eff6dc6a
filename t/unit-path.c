#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdt/path.h"
#include "unit.h"

static void
test_fault(void)
{
	static const struct {
		const char *path;
		enum path_fault fault;
	} cases[] = {
		{ "a", PATH_GOOD },
		{ "raw/cpu.tsv", PATH_GOOD },
		{ "...", PATH_GOOD },
		{ "a b/\xc3\xa9", PATH_GOOD },
		{ "-rf", PATH_GOOD },
		{ "", PATH_EMPTY },
		{ "/etc/passwd", PATH_ABSOLUTE },
		{ "..", PATH_DOTDOT },
		{ "a/../b", PATH_DOTDOT },
		{ "a/..", PATH_DOTDOT },
		{ ".", PATH_DOT },
		{ "./a", PATH_DOT },
		{ "a/.", PATH_DOT },
		{ "a//b", PATH_EMPTY_PART },
		{ "a/", PATH_EMPTY_PART },
		{ "a\nb", PATH_CONTROL },
		{ "a\x7f", PATH_CONTROL },
		{ "a\xff", PATH_UTF8 },
		{ "../\n", PATH_DOTDOT },
	};
	char big[5000];
	struct msg m;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_INT(path_fault(cases[i].path, strlen(cases[i].path)),
		    cases[i].fault);
	CHECK_INT(path_fault("a\0b", 3), PATH_NUL);
	memset(big, 'a', sizeof(big));
	CHECK_INT(path_fault(big, 255), PATH_GOOD);
	CHECK_INT(path_fault(big, 256), PATH_LONG);
	for (i = 1; i < sizeof(big); i += 2)
		big[i] = '/';
	CHECK_INT(path_fault(big, 2 * PATH_DEPTH_MAX - 1), PATH_GOOD);
	CHECK_INT(path_fault(big, 2 * PATH_DEPTH_MAX + 1), PATH_DEEP);
	CHECK_INT(path_check("a/../b", 6, &m), -1);
	CHECK_STR(m.id, "path-unsafe");
	CHECK_STR(m.text, "path \"a/../b\" has a .. component");
}

static void
make(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	if (fd == -1 || close(fd) == -1)
		exit(1);
}

/* Opening that must fail, and must not be by a crash or a hang. */
static void
no_open(int dir, const char *path)
{
	struct msg m;
	int fd = path_open_file(dir, path, NULL, &m);

	CHECK_INT(fd, -1);
	CHECK_STR(m.id, strstr(path, "..") != NULL ? "path-unsafe" : "open");
}

static void
test_open(int dir)
{
	struct stat st;
	struct msg m;
	int fd;

	CHECK_INT(path_mkdirs(dir, "a/b/c", 0700, &m), 0);
	CHECK_INT(path_mkdirs(dir, "a/b/c", 0700, &m), 0);
	CHECK_INT(path_mkdirs(dir, "a/../c", 0700, &m), -1);
	make("a/b/c/file");
	make("a.b");
	CHECK_INT(symlink("b", "a/link"), 0);
	CHECK_INT(symlink("/etc/passwd", "passwd"), 0);
	CHECK_INT(mkfifo("fifo", 0600), 0);
	fd = path_open_file(dir, "a/b/c/file", &st, &m);
	CHECK(fd != -1 && S_ISREG(st.st_mode));
	close(fd);
	no_open(dir, "a/link/c/file");
	no_open(dir, "passwd");
	no_open(dir, "fifo");
	no_open(dir, "a");
	no_open(dir, "none");
	no_open(dir, "../x");
	CHECK_INT(path_mkdirs(dir, "a/link/x", 0700, &m), -1);
	CHECK_INT(path_create(dir, "a.b", 0600, &m), -1);
	CHECK_INT(m.err, EEXIST);
	fd = path_create(dir, "a/new", 0600, &m);
	CHECK(fd != -1);
	close(fd);
	CHECK_INT(path_sync_dir(dir, ".", &m), 0);
	CHECK_INT(path_sync_dir(dir, "a/b", &m), 0);
}

static int
collect(void *arg, const struct path_entry *e)
{
	char *buf = arg;
	size_t n = strlen(buf);

	(void)snprintf(buf + n, 1000 - n, "%s:%s ", e->path,
	    path_type_name(e->type));
	return 0;
}

static int
stop(void *arg, const struct path_entry *e)
{
	(void)e;
	return ++*(int *)arg == 2 ? 7 : 0;
}

static void
test_walk(int dir)
{
	struct path_limits lim = { .entries = 3 };
	char buf[1000] = "";
	struct msg m;
	int n = 0;

	CHECK_INT(path_walk(dir, NULL, collect, buf, &m), 0);
	CHECK_STR(buf, "a.b:file a:directory a/b:directory "
	    "a/b/c:directory a/b/c/file:file a/link:symbolic link "
	    "a/new:file fifo:fifo passwd:symbolic link ");
	CHECK_INT(path_walk(dir, NULL, stop, &n, &m), 7);
	CHECK_INT(path_walk(dir, &lim, collect, buf, &m), -1);
	CHECK_STR(m.id, "limit");
	lim = (struct path_limits){ .depth = 2 };
	CHECK_INT(path_walk(dir, &lim, collect, buf, &m), -1);
	CHECK_STR(m.id, "limit");
}

int
main(void)
{
	char tmp[] = "/tmp/unit-path.XXXXXX", cmd[64];
	int dir;

	test_fault();
	if (mkdtemp(tmp) == NULL || chdir(tmp) == -1 ||
	    (dir = open(".", O_RDONLY | O_DIRECTORY)) == -1)
		return 1;
	test_open(dir);
	test_walk(dir);
	(void)snprintf(cmd, sizeof(cmd), "rm -rf %s", tmp);
	CHECK_INT(system(cmd), 0);
	return unit_end();
}
