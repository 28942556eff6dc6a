/*
 * Whole files: read within a bound, written so that no half of one is seen.
 *
 * Ownership: a buffer returned is the caller's to free(); a struct file_new
 * owns its fd and temporary name until commit or abort.
 */
#ifndef LIBDT_FILE_H
#define LIBDT_FILE_H

#include <stddef.h>
#include <sys/types.h>

#include "libdt/msg.h"
#include "libdt/out.h"

/*
 * read(2) and write(2) until n bytes, through EINTR and short counts.
 * file_read() gives the bytes read (less than n only at the end), or -1 with
 * errno; file_write() gives 0 or -1 with errno.
 */
ssize_t file_read(int fd, void *buf, size_t n);
int file_write(int fd, const void *buf, size_t n);

/*
 * The whole of a file of at most max bytes, with a NUL after it that len does
 * not count. A longer one is -1 with m (id "too-big"). name is for messages.
 * Sizes are not trusted: a file that grows is read to its end or to max.
 */
int file_slurp_fd(int fd, const char *name, size_t max, char **buf,
    size_t *len, struct msg *m);
/* The same for a regular file beneath dirfd (path_open_file()). */
int file_slurp(int dirfd, const char *path, size_t max, char **buf,
    size_t *len, struct msg *m);

/*
 * A file beneath dirfd that appears whole or not at all and replaces one that
 * is there: written without a name (O_TMPFILE; mode 0600 until commit), given
 * its mode, synced, linked. A kill leaves at most a whole ".NAME.tmp", or,
 * where the file system has no O_TMPFILE, a ".NAME.PID.N.tmp". path must
 * outlive it. Syncing the directory is the caller's (path_sync_dir()).
 */
struct file_new {
	int parent;		/* fd of the directory it is made in */
	const char *path;
	mode_t mode;
	char temp[300];
	struct out out;		/* write here */
};
int file_new(struct file_new *f, int dirfd, const char *path, mode_t mode,
    struct msg *m);
int file_commit(struct file_new *f, struct msg *m);
void file_abort(struct file_new *f);

/* All of the above for bytes at hand. */
int file_put(int dirfd, const char *path, const void *buf, size_t len,
    mode_t mode, struct msg *m);

/*
 * Renames unless the new name exists (then errno EEXIST, id "exists").
 * Atomic by renameat2(RENAME_NOREPLACE); where the file system lacks that,
 * files by link() and unlink(), directories by mkdir() of the new name and a
 * rename over that empty directory. The names are single components.
 */
int file_rename_noreplace(int olddir, const char *old, int newdir,
    const char *new_name, struct msg *m);

#endif
