/*
 * Checked output: a write error is never lost, and is told once, with the
 * name of what was written.
 *
 * Ownership: a struct out owns its stream from out_fdopen() to out_close();
 * the name is the caller's and must outlive it.
 */
#ifndef LIBDT_OUT_H
#define LIBDT_OUT_H

#include <stddef.h>
#include <stdio.h>

#include "libdt/msg.h"

struct out {
	FILE *fp;
	const char *name;
	int err;		/* first errno, 0 = none */
};

/*
 * To be called first in main(): gives missing fds 0, 1 and 2 a /dev/null that
 * cannot be read (0) or written (1), so that no data file gets their number
 * and use of a closed stdin or stdout is an error; and lets SIGPIPE kill.
 */
int out_init(struct msg *m);

/* Standard output as a struct out; out_close() flushes it. */
void out_stdout(struct out *o);

/* Takes over fd, also when it fails (then fd is closed). */
int out_fdopen(struct out *o, int fd, const char *name, struct msg *m);

/* 0, or -1 once anything failed; the first errno stays in o->err. */
int out_write(struct out *o, const void *buf, size_t n);
int out_puts(struct out *o, const char *s);
int out_putc(struct out *o, int c);
int out_printf(struct out *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Pushes all out, (out_sync) on to the disk; -1 and m if anything failed. */
int out_flush(struct out *o, struct msg *m);
int out_sync(struct out *o, struct msg *m);

/*
 * Flushes and closes; -1 and m (id "write") if anything failed since the
 * start, ENOSPC at close included. To be called once.
 */
int out_close(struct out *o, struct msg *m);

#endif
