#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdt/file.h"
#include "unit.h"

/* Names in dir, in the order of ls -A. */
static void
check_names(const char *want)
{
	FILE *fp = popen("LC_ALL=C ls -A | tr '\\n' ' '", "r");
	char buf[500] = "";

	if (fp == NULL || fgets(buf, sizeof(buf), fp) == NULL)
		buf[0] = '\0';
	CHECK_STR(buf, want);
	if (fp != NULL)
		(void)pclose(fp);
}

static void
test_put(int dir)
{
	struct stat st;
	struct msg m;
	size_t len;
	char *buf;

	CHECK_INT(file_put(dir, "f", "one", 3, 0640, &m), 0);
	CHECK_INT(file_put(dir, "f", "second", 6, 0444, &m), 0);
	CHECK_INT(file_put(dir, "f", "", 0, 0444, &m), 0);
	CHECK_INT(file_put(dir, "f", "abcdef", 6, 0440, &m), 0);
	CHECK_INT(stat("f", &st), 0);
	CHECK_INT(st.st_mode & 07777, 0440);
	check_names("f ");
	CHECK_INT(file_slurp(dir, "f", 6, &buf, &len, &m), 0);
	CHECK_INT(len, 6);
	CHECK_STR(buf, "abcdef");
	free(buf);
	CHECK_INT(file_slurp(dir, "f", 5, &buf, &len, &m), -1);
	CHECK_STR(m.id, "too-big");
	CHECK_INT(file_slurp(dir, "none", 5, &buf, &len, &m), -1);
	CHECK_INT(m.err, ENOENT);
	CHECK_INT(file_put(dir, "no/f", "x", 1, 0440, &m), -1);
	CHECK_INT(file_put(dir, "../f", "x", 1, 0440, &m), -1);
	CHECK_INT(unlink("f"), 0);
}

static void
test_abort(int dir)
{
	struct file_new f;
	struct msg m;

	CHECK_INT(file_new(&f, dir, "g", 0644, &m), 0);
	CHECK_INT(out_puts(&f.out, "half"), 0);
	file_abort(&f);
	CHECK_INT(file_new(&f, dir, "g", 0644, &m), 0);
	f.out.err = ENOSPC;
	CHECK_INT(file_commit(&f, &m), -1);
	CHECK_INT(m.err, ENOSPC);
	check_names("");
	/* what a kill between link and rename leaves is no hindrance */
	CHECK_INT(file_put(dir, "g", "1", 1, 0644, &m), 0);
	CHECK_INT(file_put(dir, ".g.tmp", "stale", 5, 0644, &m), 0);
	CHECK_INT(file_put(dir, "g", "2", 1, 0644, &m), 0);
	check_names("g ");
	CHECK_INT(unlink("g"), 0);
}

static void
test_rename(int dir)
{
	struct msg m;

	CHECK_INT(mkdir("d", 0700), 0);
	CHECK_INT(mkdir("e", 0700), 0);
	CHECK_INT(file_rename_noreplace(dir, "d", dir, "e", &m), -1);
	CHECK_STR(m.id, "exists");
	CHECK_INT(file_rename_noreplace(dir, "d", dir, "f", &m), 0);
	CHECK_INT(file_put(dir, "x", "1", 1, 0644, &m), 0);
	CHECK_INT(file_rename_noreplace(dir, "x", dir, "f", &m), -1);
	CHECK_INT(file_rename_noreplace(dir, "none", dir, "q", &m), -1);
	CHECK_STR(m.id, "rename");
	check_names("e f x ");
}

static void
test_pipe(void)
{
	size_t len, i;
	struct msg m;
	char *buf;
	int p[2];

	CHECK_INT(pipe(p), 0);
	for (i = 0; i < 1000; i++)
		CHECK_INT(file_write(p[1], "0123456789", 10), 0);
	close(p[1]);
	CHECK_INT(file_slurp_fd(p[0], "pipe", 10000, &buf, &len, &m), 0);
	CHECK_INT(len, 10000);
	free(buf);
	close(p[0]);
	CHECK_INT(file_write(p[0], "x", 1), -1);
}

int
main(void)
{
	char tmp[] = "/tmp/unit-file.XXXXXX", cmd[64];
	int dir;

	if (mkdtemp(tmp) == NULL || chdir(tmp) == -1 ||
	    (dir = open(".", O_RDONLY | O_DIRECTORY)) == -1)
		return 1;
	test_put(dir);
	test_abort(dir);
	test_rename(dir);
	test_pipe();
	(void)snprintf(cmd, sizeof(cmd), "rm -rf %s", tmp);
	CHECK_INT(system(cmd), 0);
	return unit_end();
}
