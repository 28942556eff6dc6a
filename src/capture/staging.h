/*
 * The staging directory `.NAME.staging.PID` (dt-bundle(5)).
 *
 * Ownership: a struct staging owns its descriptors and strings from
 * staging_make() to staging_close(); the directory itself stays.
 */
#ifndef CAPTURE_STAGING_H
#define CAPTURE_STAGING_H

#include <cjson/cJSON.h>
#include <stdint.h>

#include "libdt/msg.h"

enum phase {
#define PHASE(e, name)	e,
#include "capture/phase.def"
#undef PHASE
	PHASE_N
};
const char *phase_name(enum phase p);

struct staging {
	char *path;		/* as printed: beside the bundle as named */
	char *name;		/* the bundle's last component */
	int dir;		/* O_DIRECTORY, -1 = not made */
	int incomplete;		/* INCOMPLETE, written in place */
	int log;		/* logs/capture.log */
	int log_error;		/* errno of a line that could not be written */
};

/*
 * Makes the directory (0700; all in it under umask 077) for a bundle of that
 * path, which must not exist, with INCOMPLETE, spool/, scripts/ and logs/.
 * ids: "exists", "open", "name".
 */
int staging_make(struct staging *s, const char *bundle, struct msg *m);
void staging_close(struct staging *s);
/* Undoes staging_make() where nothing has been gathered yet; then closes. */
void staging_remove(struct staging *s);

/* "PATH/name", the caller's to free; NULL: no memory. */
char *staging_path(const struct staging *s, const char *name);

/*
 * INCOMPLETE's text; reason may be NULL. It is overwritten in its own block,
 * so that this works on a full disk.
 */
int staging_phase(struct staging *s, enum phase p, const char *reason,
    struct msg *m);

/* stage.json, atomically; room kept in reserve is used on a full disk. */
int staging_json(struct staging *s, const cJSON *tree, struct msg *m);

/* Still there and writable: 0, or -1 with m (removed, or disk full). */
int staging_check(const struct staging *s, struct msg *m);

/*
 * Appends a line to logs/capture.log, with the time on the bundle's clock.
 * What could not be written is told by staging_logged().
 */
void staging_log(struct staging *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* 0, or -1 with m: the log lacks a line. */
int staging_logged(const struct staging *s, struct msg *m);

/* Copies a whole open file to a new one beneath; -1 with m. */
int staging_copy(struct staging *s, int fd, const char *what,
    const char *to, struct msg *m);

#endif
