#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libdt/out.h"
#include "unit.h"

static void
test_full(void)
{
	struct out o;
	struct msg m;
	int i;

	CHECK_INT(out_fdopen(&o, open("/dev/full", O_WRONLY), "full", &m), 0);
	CHECK_INT(out_puts(&o, "small"), 0);
	CHECK_INT(out_close(&o, &m), -1);
	CHECK_INT(m.err, ENOSPC);
	CHECK_STR(m.path, "full");
	CHECK_STR(m.id, "write");
	CHECK_INT(out_fdopen(&o, open("/dev/full", O_WRONLY), "full", &m), 0);
	for (i = 0; i < 100000; i++)
		(void)out_printf(&o, "%d%c", i, '\n');
	CHECK_INT(out_putc(&o, 'x'), -1);
	CHECK_INT(out_flush(&o, &m), -1);
	CHECK_INT(out_sync(&o, &m), -1);
	CHECK_INT(out_close(&o, &m), -1);
	CHECK_INT(m.err, ENOSPC);
	CHECK_INT(out_fdopen(&o, -1, "none", &m), -1);
}

static void
test_pipe(void)
{
	struct out o;
	struct msg m;
	char buf[8];
	int p[2];

	CHECK_INT(pipe(p), 0);
	CHECK_INT(out_fdopen(&o, p[1], "pipe", &m), 0);
	CHECK_INT(out_write(&o, "ab\0c", 4), 0);
	CHECK_INT(out_sync(&o, &m), 0);
	CHECK_INT(out_close(&o, &m), 0);
	CHECK_INT(read(p[0], buf, sizeof(buf)), 4);
	close(p[0]);
}

/* In a child without fds 0 to 2: none of them is free for a data file. */
static void
test_init(void)
{
	int status, fd;
	pid_t pid = fork();
	char c;

	if (pid == 0) {
		close(0);
		close(1);
		close(2);
		if (out_init(NULL) == -1)
			_exit(1);
		fd = open("/dev/null", O_RDONLY);
		if (fd < 3)
			_exit(2);
		if (read(0, &c, 1) != -1 || errno != EBADF)
			_exit(3);
		if (write(1, "x", 1) != -1 || errno != EBADF)
			_exit(4);
		if (write(2, "x", 1) != 1)
			_exit(5);
		_exit(0);
	}
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
}

int
main(void)
{
	test_full();
	test_pipe();
	test_init();
	return unit_end();
}
