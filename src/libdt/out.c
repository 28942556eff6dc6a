/* Output whose errors are kept and told once. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "libdt/out.h"

int
out_init(struct msg *m)
{
	/* Reading 0 and writing 1 must fail; messages to 2 are just lost. */
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDWR };
	int fd, got;

	for (fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) != -1 || errno != EBADF)
			continue;
		got = open("/dev/null", modes[fd]);
		if (got == -1)
			return msg_set_errno(m, "open", "/dev/null",
			    "cannot open");
	}
	signal(SIGPIPE, SIG_DFL);
	return 0;
}

void
out_stdout(struct out *o)
{
	o->fp = stdout;
	o->name = "standard output";
	o->err = 0;
}

int
out_fdopen(struct out *o, int fd, const char *name, struct msg *m)
{
	o->name = name;
	o->err = 0;
	o->fp = fdopen(fd, "w");
	if (o->fp == NULL) {
		msg_set_errno(m, "open", name, "cannot open");
		close(fd);
		return -1;
	}
	return 0;
}

static int
failed(struct out *o)
{
	if (o->err == 0)
		o->err = errno != 0 ? errno : EIO;
	return -1;
}

int
out_write(struct out *o, const void *buf, size_t n)
{
	if (o->err != 0)
		return -1;
	errno = 0;
	if (n > 0 && fwrite(buf, 1, n, o->fp) != n)
		return failed(o);
	return 0;
}

int
out_puts(struct out *o, const char *s)
{
	return out_write(o, s, strlen(s));
}

int
out_putc(struct out *o, int c)
{
	if (o->err != 0)
		return -1;
	errno = 0;
	return putc(c, o->fp) == EOF ? failed(o) : 0;
}

int
out_printf(struct out *o, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (o->err != 0)
		return -1;
	errno = 0;
	va_start(ap, fmt);
	n = vfprintf(o->fp, fmt, ap);
	va_end(ap);
	return n < 0 ? failed(o) : 0;
}

static int
tell(struct out *o, struct msg *m)
{
	if (o->err == 0)
		return 0;
	errno = o->err;
	return msg_set_errno(m, "write", o->name, "cannot write");
}

int
out_flush(struct out *o, struct msg *m)
{
	errno = 0;
	if (o->err == 0 && fflush(o->fp) != 0)
		failed(o);
	return tell(o, m);
}

int
out_sync(struct out *o, struct msg *m)
{
	if (out_flush(o, m) == -1)
		return -1;
	/* Pipes, terminals and the like cannot be synced: no failure. */
	if (fsync(fileno(o->fp)) == -1 && errno != EINVAL && errno != ENOTSUP)
		failed(o);
	return tell(o, m);
}

int
out_close(struct out *o, struct msg *m)
{
	errno = 0;
	if (fclose(o->fp) != 0 && o->err == 0)
		failed(o);
	o->fp = NULL;
	return tell(o, m);
}
