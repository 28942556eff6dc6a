/*
 * Canonical records: one TSV line each, read as a stream in bounded memory,
 * written from the same table (schema.h).
 *
 * Ownership: a reader and a writer belong to the caller; the text of a
 * record's values is the reader's and changes with the next call.
 */
#ifndef LIBDT_RECORD_H
#define LIBDT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libdt/msg.h"
#include "libdt/out.h"
#include "libdt/schema.h"

#define RECORD_LINE_MAX	(1u << 20)	/* bytes; a longer one is malformed */

struct value {
	bool given;		/* false: `-` */
	union {
		uint64_t u;	/* TS U64 ID ADDR; ENUM and KIND: the index */
		int64_t i;	/* I64 */
	};
	/* the field as it stands in the file; set for every type */
	const char *s;
	size_t len;
};

struct record {
	enum schema_kind kind;
	struct value v[RECORD_COLS_MAX];	/* by REC_… */
};

/* What the order of records is made of; pid and tid are 0 in ovf. */
struct record_key {
	uint64_t ts;
	uint64_t pid;
	uint64_t tid;
};
/* What records of a file are sorted by: time (ns), pid, tid. */
struct record_key record_key(const struct record *r);
int record_key_cmp(const struct record_key *a, const struct record_key *b);

/*
 * Parses the n bytes of a line without its newline. family FAMILY_ANY takes
 * every kind. -1 with m: id "record-columns" (their number), "record-kind",
 * "record-field" (its form), "record-range", "record-nul"; the text names the
 * column. The values point into line.
 */
int record_parse(const char *line, size_t n, enum schema_family family,
    struct record *r, struct msg *m);

/* One field alone, by its column; as record_parse(). */
int record_parse_value(const struct schema_col *col, const char *s, size_t n,
    struct value *v, struct msg *m);

/*
 * The text of a STR column: bytes in the canonical escape, "-" alone as
 * \x2d. As esc_encode(); and its inverse, -1 if s is not in that form.
 */
size_t record_escape(char *dst, size_t cap, const void *src, size_t n);
ssize_t record_unescape(void *dst, const char *s, size_t n);
/*
 * A part of a frame (module or symbol): as esc_encode(), and `;` and "`" are
 * \x3b and \x60. record_unescape_frame() is its inverse.
 */
size_t record_escape_frame(char *dst, size_t cap, const void *src, size_t n);
ssize_t record_unescape_frame(void *dst, const char *s, size_t n);
/* A frame as a record has it, dt-bundle(5): "module`symbol+0xoffset" ... */
bool record_frame_valid(const char *s, size_t n);

/*
 * The root of a stack that the tracer could not follow to its end: what called
 * the frame after it is not known.
 */
#define RECORD_TRUNCATED	"[stack]`[truncated]"
bool record_frame_truncated(const char *s, size_t n);

/*
 * Walks a stack's frames from the root: *at begins as 0. Returns the frame
 * (still escaped) and its length, NULL after the last.
 */
const char *record_frame(const struct value *stack, size_t *at, size_t *len);

/* Setters: the text must outlive the record; numbers have none. */
void record_init(struct record *r, enum schema_kind kind, uint64_t ts);
void record_set_u64(struct record *r, int col, uint64_t v);
void record_set_i64(struct record *r, int col, int64_t v);
/* Text that is already in the column's form. */
void record_set_text(struct record *r, int col, const char *s, size_t n);
void record_unset(struct record *r, int col);

/* Reader. */
enum record_got {
	RECORD_END,		/* of the file */
	RECORD_HEADER,		/* a # line; see record_header() */
	RECORD_GOOD,
	RECORD_MALFORMED,	/* m says why; reading may go on */
	RECORD_FAILED,		/* m: the file cannot be read, or no memory */
};
struct record_reader;
/*
 * Reads from fd, which it takes over, also on failure (NULL with m). name is
 * for messages and must outlive it. The first line must be
 * `#dt-records 1`: any other is malformed, id "header-format".
 */
struct record_reader *record_reader_new(int fd, const char *name,
    enum schema_family family, struct msg *m);
/* The same of a regular file beneath dirfd (path_open_file()). */
struct record_reader *record_reader_open(int dirfd, const char *path,
    enum schema_family family, struct msg *m);
/*
 * The next line. Every message has the file's name and the line's number.
 * Ids are record_parse()'s and "header-format", "header-order" (a # line
 * after a record), "record-long", "record-torn" (the last line has no
 * newline).
 */
enum record_got record_read(struct record_reader *rd, struct record *r,
    struct msg *m);
/* As record_read(), headers passed over. */
enum record_got record_next(struct record_reader *rd, struct record *r,
    struct msg *m);
/* The header just read: `#KEY REST`, both NUL-terminated, lent. */
const char *record_header_key(const struct record_reader *rd);
const char *record_header_rest(const struct record_reader *rd);
uint64_t record_line(const struct record_reader *rd);	/* from 1 */
uint64_t record_offset(const struct record_reader *rd);	/* bytes read */
void record_reader_free(struct record_reader *rd);	/* may be NULL */

/* Writer. */
/*
 * The header lines: version, family, clock, collectors, incarnations (both
 * arrays of strings), a #columns line for each kind of the family.
 */
int record_write_headers(struct out *o, enum schema_family family,
    const char *const *collectors, size_t ncollectors,
    const char *const *incarnations, size_t nincarnations);
/* The text of `#columns` after that word, as the writer prints it. */
size_t record_columns(enum schema_kind kind, char *buf, size_t cap);
/* A line; -1 if o has failed (out_close() tells). */
int record_write(struct out *o, const struct record *r);
/* The same into memory: its length, without newline and NUL, as snprintf. */
size_t record_print(const struct record *r, char *buf, size_t cap);

#endif
