/* Record files read as a stream. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/lines.h"
#include "libdt/path.h"
#include "libdt/record.h"

struct record_reader {
	struct lines lines;
	enum schema_family family;
	bool records;		/* the first record has been seen */
	char *key, *rest;	/* of the last header; in the line's buffer */
};

struct record_reader *
record_reader_new(int fd, const char *name, enum schema_family family,
    struct msg *m)
{
	struct record_reader *rd = calloc(1, sizeof(*rd));

	if (rd == NULL) {
		close(fd);
		msg_set_nomem(m);
		return NULL;
	}
	rd->family = family;
	if (lines_open(&rd->lines, fd, name, RECORD_LINE_MAX, m) == -1) {
		free(rd);
		return NULL;
	}
	return rd;
}

struct record_reader *
record_reader_open(int dirfd, const char *path, enum schema_family family,
    struct msg *m)
{
	int fd = path_open_file(dirfd, path, NULL, m);

	return fd != -1 ? record_reader_new(fd, path, family, m) : NULL;
}

static enum record_got
malformed(struct record_reader *rd, struct msg *m, const char *id,
    const char *text)
{
	msg_set_at(m, id, rd->lines.name, rd->lines.line, "%s", text);
	return RECORD_MALFORMED;
}

static enum record_got
header(struct record_reader *rd, char *line, size_t n, struct msg *m)
{
	char *blank;

	if (rd->records)
		return malformed(rd, m, "header-order",
		    "a header among the records");
	if (memchr(line, '\0', n) != NULL)
		return malformed(rd, m, "record-nul", "a NUL byte in a header");
	rd->key = line + 1;
	blank = strchr(rd->key, ' ');
	if (blank != NULL)
		*blank = '\0';
	rd->rest = blank != NULL ? blank + 1 : line + n;
	if (rd->lines.line == 1 && (strcmp(rd->key, "dt-records") != 0 ||
	    strcmp(rd->rest, "1") != 0))
		return malformed(rd, m, "header-format",
		    "the first line is not \"#dt-records 1\"");
	return RECORD_HEADER;
}

static enum record_got
good(struct record_reader *rd, char *line, size_t n, struct record *r,
    struct msg *m)
{
	if (n > 0 && line[0] == '#')
		return header(rd, line, n, m);
	rd->records = true;
	if (rd->lines.line == 1)
		return malformed(rd, m, "header-format",
		    "the first line is not \"#dt-records 1\"");
	if (record_parse(line, n, rd->family, r, m) == 0)
		return RECORD_GOOD;
	msg_at(m, rd->lines.name, rd->lines.line);
	return RECORD_MALFORMED;
}

enum record_got
record_read(struct record_reader *rd, struct record *r, struct msg *m)
{
	char *line;
	size_t n;

	switch (lines_next(&rd->lines, &line, &n, m)) {
	case LINES_END:
		return RECORD_END;
	case LINES_FAILED:
		return RECORD_FAILED;
	case LINES_TORN:
		return malformed(rd, m, "record-torn",
		    "the last line has no newline");
	case LINES_LONG:
		return malformed(rd, m, "record-long",
		    "the line is longer than 1 MiB");
	case LINES_GOOD:
		break;
	}
	return good(rd, line, n, r, m);
}

enum record_got
record_next(struct record_reader *rd, struct record *r, struct msg *m)
{
	enum record_got got;

	do
		got = record_read(rd, r, m);
	while (got == RECORD_HEADER);
	return got;
}

const char *
record_header_key(const struct record_reader *rd)
{
	return rd->key;
}

const char *
record_header_rest(const struct record_reader *rd)
{
	return rd->rest;
}

uint64_t
record_line(const struct record_reader *rd)
{
	return rd->lines.line;
}

uint64_t
record_offset(const struct record_reader *rd)
{
	return rd->lines.offset;
}

void
record_reader_free(struct record_reader *rd)
{
	if (rd == NULL)
		return;
	lines_close(&rd->lines);
	free(rd);
}
