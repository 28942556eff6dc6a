/* A directory removed with all in it, or emptied. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdt/rmtree.h"

#define DEPTH_MAX	64

static int empty(int dirfd, const char *keep, unsigned depth, struct msg *m);

static int
remove_dir(int dirfd, const char *name, unsigned depth, struct msg *m)
{
	int fd, rc;

	fd = openat(dirfd, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd == -1)
		return msg_set_errno(m, "open", name, "cannot remove");
	if (depth == DEPTH_MAX) {
		close(fd);
		return msg_set_at(m, "limit", name, 0, "is too deep");
	}
	/* what is in a read-only directory cannot be removed */
	(void)fchmod(fd, 0700);
	rc = empty(fd, NULL, depth + 1, m);
	if (rc == -1 && m != NULL)
		msg_within(m, name);
	close(fd);
	if (rc == 0 && unlinkat(dirfd, name, AT_REMOVEDIR) == -1)
		rc = msg_set_errno(m, "write", name, "cannot remove");
	return rc;
}

static int
remove_one(int dirfd, const char *name, unsigned depth, struct msg *m)
{
	struct stat st;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return errno == ENOENT ? 0 : msg_set_errno(m, "read", name,
		    "cannot look at");
	if (S_ISDIR(st.st_mode))
		return remove_dir(dirfd, name, depth, m);
	if (unlinkat(dirfd, name, 0) == -1 && errno != ENOENT)
		return msg_set_errno(m, "write", name, "cannot remove");
	return 0;
}

/*
 * Entries may be removed while they are read: at worst readdir() passes one
 * over, so it is read again until there is nothing left.
 */
static int
empty(int dirfd, const char *keep, unsigned depth, struct msg *m)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd != -1 ? fdopendir(fd) : NULL;
	const struct dirent *e;
	size_t removed;
	int rc = 0;

	if (d == NULL) {
		msg_set_errno(m, "open", ".", "cannot read the directory");
		if (fd != -1)
			close(fd);
		return -1;
	}
	do {
		removed = 0;
		rewinddir(d);
		while (rc == 0 && (errno = 0, e = readdir(d)) != NULL) {
			if (strcmp(e->d_name, ".") == 0 ||
			    strcmp(e->d_name, "..") == 0 ||
			    (keep != NULL && strcmp(e->d_name, keep) == 0))
				continue;
			rc = remove_one(dirfd, e->d_name, depth, m);
			removed++;
		}
		if (rc == 0 && errno != 0)
			rc = msg_set_errno(m, "read", ".",
			    "cannot read the directory");
	} while (rc == 0 && removed > 0);
	closedir(d);
	return rc;
}

int
rmtree(int dirfd, const char *name, struct msg *m)
{
	return remove_one(dirfd, name, 0, m);
}

int
rmtree_empty(int dirfd, const char *keep, struct msg *m)
{
	return empty(dirfd, keep, 0, m);
}
