/*
 * Messages: what a library call has to say about a failure or a finding.
 *
 * Ownership: a struct msg belongs to the caller and owns nothing outside
 * itself; id must be a string that lives as long as the program.
 */
#ifndef LIBDT_MSG_H
#define LIBDT_MSG_H

#include <stdint.h>
#include <stdio.h>

enum msg_level {
	MSG_NOTE,
	MSG_WARNING,
	MSG_LOSS,		/* sound, but something is missing */
	MSG_ERROR,
	MSG_LEVELS
};

#define MSG_PATH_SIZE	1024	/* bytes with the NUL; longer ones end in ... */
#define MSG_TEXT_SIZE	512

struct msg {
	enum msg_level level;
	int err;		/* errno of the cause, 0 = none */
	uint64_t line;		/* from 1, 0 = unknown */
	const char *id;		/* stable, as in finding.def */
	char path[MSG_PATH_SIZE];	/* "" = unknown */
	char text[MSG_TEXT_SIZE];
};

/*
 * Where a call that can have many findings leaves them, one call each, always
 * in the thread of the caller. The msg is the sink's only until it returns.
 * A sink returns 0 to go on, else the work stops as soon as it can.
 */
typedef int msg_fn(void *arg, const struct msg *m);

struct msg_sink {
	msg_fn *fn;		/* NULL: findings are dropped */
	void *arg;
};

/* Empties m: level error, no id, no text. */
void msg_clear(struct msg *m);

/*
 * Each fills m (which may be NULL) with level error and returns -1, so that
 * `return msg_set(m, ...)` works. errno is kept as it was. Text that is too
 * long is cut. path may be NULL, line 0.
 */
int msg_set(struct msg *m, const char *id, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int msg_set_at(struct msg *m, const char *id, const char *path, uint64_t line,
    const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* As msg_set_at; stores errno and adds ": " and its text. */
int msg_set_errno(struct msg *m, const char *id, const char *path,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* out of memory, id "no-memory" */
int msg_set_nomem(struct msg *m);

/* Sets m's path, and its line, where m has no path yet. Returns -1. */
int msg_at(struct msg *m, const char *path, uint64_t line);

/* Puts a directory before m's path (alone, if m has none). */
void msg_within(struct msg *m, const char *dir);

/* Makes a finding and gives it to the sink; returns what the sink returns. */
int msg_emit(const struct msg_sink *s, enum msg_level level, const char *id,
    const char *path, uint64_t line, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* Gives a filled msg to the sink; returns what the sink returns. */
int msg_forward(const struct msg_sink *s, const struct msg *m);

/* "note", "warning", "loss", "error" */
const char *msg_level_name(enum msg_level level);

/*
 * Prints one line, `prog: path:line: LEVEL: id: text`, without the parts that
 * are unknown; control bytes, backslashes in the path, DEL and bytes that are
 * not UTF-8 are printed as \xHH. One write, so that lines of several threads
 * or processes do not mix.
 */
void msg_print(FILE *fp, const char *prog, const struct msg *m);

/* A ready sink that prints: arg is a struct msg_printer. */
struct msg_printer {
	FILE *fp;
	const char *prog;
	uint64_t count[MSG_LEVELS];	/* printed so far, by level */
};
/* Prints with msg_print() and counts; 0. */
int msg_print_sink(void *printer, const struct msg *m);

#endif
