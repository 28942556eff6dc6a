/* The head of standard input, read and given back. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "libdt/file.h"
#include "libdt/peek.h"

static ssize_t
read_some(int fd, void *buf, size_t n)
{
	ssize_t got;

	do
		got = read(fd, buf, n);
	while (got == -1 && errno == EINTR);
	return got;
}

/* Copies what was standard input behind the head that was read from it. */
static void *
pump(void *arg)
{
	struct peek *p = arg;
	char buf[65536];
	ssize_t got;

	if (file_write(p->to, p->head, p->n) == 0)
		while ((got = read_some(p->from, buf, sizeof(buf))) != 0) {
			if (got == -1) {
				atomic_store(&p->err, errno);
				break;
			}
			if (file_write(p->to, buf, (size_t)got) == -1)
				break;
		}
	close(p->to);
	return NULL;
}

static int
divert(struct peek *p, struct msg *m)
{
	pthread_t thread;
	int fd[2], rv;

	if ((p->from = fcntl(0, F_DUPFD_CLOEXEC, 3)) == -1 ||
	    pipe2(fd, O_CLOEXEC) == -1)
		return msg_set_errno(m, "read", "standard input", "cannot read");
	p->to = fd[1];
	if (dup2(fd[0], 0) == -1)
		return msg_set_errno(m, "read", "standard input", "cannot read");
	close(fd[0]);
	if ((rv = pthread_create(&thread, NULL, pump, p)) != 0) {
		errno = rv;
		return msg_set_errno(m, "read", "standard input", "cannot read");
	}
	pthread_detach(thread);
	return 0;
}

/* A line that is not blank is all there. */
static bool
has_line(const struct peek *p)
{
	return strchr(p->head + strspn(p->head, " \t\r\n"), '\n') != NULL;
}

int
peek_stdin(struct peek *p, struct msg *m)
{
	off_t at = lseek(0, 0, SEEK_CUR);
	ssize_t got;

	memset(p, 0, sizeof(*p));
	p->from = p->to = -1;
	while (p->n < PEEK_SIZE && !has_line(p)) {
		got = at >= 0 ? pread(0, p->head + p->n, PEEK_SIZE - p->n,
		    at + (off_t)p->n) :
		    read_some(0, p->head + p->n, PEEK_SIZE - p->n);
		if (got == -1)
			return msg_set_errno(m, "read", "standard input",
			    "cannot read");
		if (got == 0)
			break;
		p->n += (size_t)got;
	}
	return at >= 0 ? 0 : divert(p, m);
}

int
peek_check(struct peek *p, struct msg *m)
{
	int err = atomic_load(&p->err);

	if (err == 0)
		return 0;
	errno = err;
	return msg_set_errno(m, "read", "standard input", "cannot read");
}
