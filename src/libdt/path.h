/*
 * Path safety: names that come from a bundle are checked, and files are
 * opened beneath a directory without following any symbolic link.
 *
 * Ownership: an fd returned is the caller's to close; a path_entry is lent
 * to the callback until it returns.
 */
#ifndef LIBDT_PATH_H
#define LIBDT_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "libdt/msg.h"

#define PATH_BYTES_MAX	4095	/* of a whole relative path */
#define PATH_NAME_MAX	255	/* of one component */
#define PATH_DEPTH_MAX	64	/* components */

enum path_fault {
#define X(e, text)	e,
#include "libdt/path.def"
#undef X
};

/*
 * The first fault of a relative path of len bytes, PATH_GOOD if it has none.
 * PATH_CONTROL and PATH_UTF8 are faults only in bundles: dt-sum takes such
 * names, and so asks path_fault() and lets these two pass.
 */
enum path_fault path_fault(const char *path, size_t len);
/* What follows the path in a message. */
const char *path_fault_text(enum path_fault f);
/* path_fault() != PATH_GOOD as -1 with m, id "path-unsafe". */
int path_check(const char *path, size_t len, struct msg *m);

/*
 * Opens beneath dirfd with O_CLOEXEC|O_NOFOLLOW at every component; path must
 * have no fault but PATH_CONTROL or PATH_UTF8 ("." alone is dirfd itself).
 * Returns an fd, or -1 with m (path, errno; id "open").
 */
int path_open(int dirfd, const char *path, int flags, mode_t mode,
    struct msg *m);
/* For reading, regular files only (never hangs on a fifo); st may be NULL. */
int path_open_file(int dirfd, const char *path, struct stat *st,
    struct msg *m);
int path_open_dir(int dirfd, const char *path, struct msg *m);
/* A new file (O_EXCL) for writing. */
int path_create(int dirfd, const char *path, mode_t mode, struct msg *m);

/* Makes a directory beneath dirfd, its parents too (mode for all). */
int path_mkdirs(int dirfd, const char *path, mode_t mode, struct msg *m);

/*
 * Whether an errno (open(2)) says that what was to be opened is not there or
 * another thing: that is the directory's fault, anything else the system's.
 */
bool path_gone(int err);

/* fsync() of a directory beneath dirfd ("." = itself). */
int path_sync_dir(int dirfd, const char *path, struct msg *m);

enum path_type {
	PATH_FILE,
	PATH_DIR,
	PATH_SYMLINK,
	PATH_FIFO,
	PATH_SOCKET,
	PATH_CHAR,
	PATH_BLOCK,
	PATH_OTHER,		/* could not be told: err says why */
};
/* "file", "directory" ... for people. */
const char *path_type_name(enum path_type t);

struct path_entry {
	const char *path;	/* relative to the root of the walk */
	enum path_type type;
	int err;		/* errno of a dir or file that cannot be read
				   or looked at, 0 = none */
	struct stat st;		/* of the entry itself; zero if err */
};

struct path_limits {
	size_t entries;		/* in all; 0 = 1,048,576 */
	unsigned depth;		/* 0 = PATH_DEPTH_MAX */
};

/* Returns 0 to go on, else the walk ends with that value. */
typedef int path_fn(void *arg, const struct path_entry *e);

/*
 * Tells every entry beneath dirfd in the byte order of the whole paths, each
 * directory before what it holds; never follows a symbolic link and crosses
 * into no entry but directories. Names that are not "." or ".." may hold any
 * byte. Returns 0, the callback's value, or -1 with m (a limit: id "limit").
 */
int path_walk(int dirfd, const struct path_limits *lim, path_fn *fn,
    void *arg, struct msg *m);

#endif
