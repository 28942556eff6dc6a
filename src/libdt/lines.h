/*
 * Lines of a file as a stream, in memory that does not grow with the line.
 *
 * Ownership: a struct lines owns its fd and buffer from lines_open() to
 * lines_close(); a line is lent until the next call.
 */
#ifndef LIBDT_LINES_H
#define LIBDT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdt/msg.h"

enum lines_got {
	LINES_END,
	LINES_GOOD,
	LINES_TORN,		/* the last line, without a newline */
	LINES_LONG,		/* longer than max: an empty one is given */
	LINES_FAILED,		/* m says why */
};

struct lines {
	int fd;
	const char *name;	/* for messages, the caller's */
	size_t max;		/* bytes of a line without its newline */
	char *buf;
	size_t cap, at, end;	/* unread bytes are buf[at..end) */
	uint64_t line;		/* of the line given last, from 1 */
	uint64_t offset;	/* of the byte after it */
	bool eof;
};

/* Takes over fd, also on failure. Needs max + 64 KiB of memory. */
int lines_open(struct lines *l, int fd, const char *name, size_t max,
    struct msg *m);
/* The next line, no newline, NUL-terminated; may hold NUL bytes itself. */
enum lines_got lines_next(struct lines *l, char **line, size_t *len,
    struct msg *m);
void lines_close(struct lines *l);

#endif
