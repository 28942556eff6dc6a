/* Lines of a file as a stream. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/file.h"
#include "libdt/lines.h"

#define CHUNK	65536

int
lines_open(struct lines *l, int fd, const char *name, size_t max,
    struct msg *m)
{
	memset(l, 0, sizeof(*l));
	l->fd = fd;
	l->name = name;
	l->max = max;
	l->cap = max + CHUNK;
	l->buf = malloc(l->cap + 1);
	if (l->buf != NULL)
		return 0;
	close(fd);
	l->fd = -1;
	return msg_set_nomem(m);
}

/* Reads more behind what is unread: 1, 0 at the end of the file, or -1. */
static int
fill(struct lines *l, struct msg *m)
{
	ssize_t got;

	if (l->eof)
		return 0;
	if (l->at > 0) {
		memmove(l->buf, l->buf + l->at, l->end - l->at);
		l->end -= l->at;
		l->at = 0;
	}
	got = file_read(l->fd, l->buf + l->end,
	    l->cap - l->end < CHUNK ? l->cap - l->end : CHUNK);
	if (got == -1)
		return msg_set_errno(m, "read", l->name, "cannot read");
	l->end += (size_t)got;
	l->eof = got == 0;
	return got > 0;
}

/* Passes over the rest of a line that is too long. */
static int
skip(struct lines *l, struct msg *m)
{
	char *nl;
	int rc;

	for (;;) {
		nl = memchr(l->buf + l->at, '\n', l->end - l->at);
		if (nl != NULL) {
			l->offset += (size_t)(nl + 1 - (l->buf + l->at));
			l->at = (size_t)(nl + 1 - l->buf);
			return 0;
		}
		l->offset += l->end - l->at;
		l->at = l->end;
		if ((rc = fill(l, m)) <= 0)
			return rc;
	}
}

static enum lines_got
too_long(struct lines *l, char **line, size_t *len, struct msg *m)
{
	l->offset += l->max;
	l->at += l->max;
	if (skip(l, m) == -1)
		return LINES_FAILED;
	*line = "";
	*len = 0;
	return LINES_LONG;
}

enum lines_got
lines_next(struct lines *l, char **line, size_t *len, struct msg *m)
{
	size_t seen = 0;
	char *nl;
	int rc;

	for (;;) {
		nl = memchr(l->buf + l->at + seen, '\n',
		    l->end - l->at - seen);
		seen = l->end - l->at;
		if (nl != NULL || seen > l->max)
			break;
		if ((rc = fill(l, m)) == -1)
			return LINES_FAILED;
		if (rc == 0)
			break;
	}
	if (nl == NULL && seen == 0)
		return LINES_END;
	l->line++;
	*line = l->buf + l->at;
	*len = nl != NULL ? (size_t)(nl - *line) : seen;
	if (*len > l->max)
		return too_long(l, line, len, m);
	(*line)[*len] = '\0';
	l->at += *len + (nl != NULL);
	l->offset += *len + (nl != NULL);
	return nl != NULL ? LINES_GOOD : LINES_TORN;
}

void
lines_close(struct lines *l)
{
	free(l->buf);
	l->buf = NULL;
	if (l->fd != -1)
		close(l->fd);
	l->fd = -1;
}
