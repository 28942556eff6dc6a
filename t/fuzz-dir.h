/*
 * A directory in memory, where there is such a file system, that fuzz targets
 * fill and empty for each input. Ownership: it lives as long as the program,
 * and is removed at its end.
 */
#ifndef T_FUZZ_DIR_H
#define T_FUZZ_DIR_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stdbool.h>

#include "fuzz.h"
#include "libdt/file.h"
#include "libdt/path.h"

static char fuzz_dir_path[64];

static int
fuzz_dir_remove(const char *path, const struct stat *st, int flag,
    struct FTW *at)
{
	(void)st;
	(void)flag;
	if (at->level > 0)
		FUZZ_MUST(remove(path) == 0);
	return 0;
}

static inline void
fuzz_dir_empty(void)
{
	FUZZ_MUST(nftw(fuzz_dir_path, fuzz_dir_remove, 16, FTW_DEPTH |
	    FTW_PHYS) == 0);
}

static void
fuzz_dir_end(void)
{
	fuzz_dir_empty();
	rmdir(fuzz_dir_path);
}

/* Its fd, the same each time. */
static inline int
fuzz_dir(void)
{
	static int fd = -1;

	if (fd != -1)
		return fd;
	strcpy(fuzz_dir_path, "/dev/shm/fuzz.XXXXXX");
	if (mkdtemp(fuzz_dir_path) == NULL) {
		strcpy(fuzz_dir_path, "/tmp/fuzz.XXXXXX");
		FUZZ_MUST(mkdtemp(fuzz_dir_path) != NULL);
	}
	atexit(fuzz_dir_end);
	fd = open(fuzz_dir_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FUZZ_MUST(fd != -1);
	return fd;
}

/* Writes a file and the directories above it; false if the name is unfit. */
static inline bool
fuzz_dir_put(const char *path, const void *data, size_t n)
{
	char dir[512];
	char *slash;
	int fd;

	if (path_fault(path, strlen(path)) != PATH_GOOD ||
	    strlen(path) >= sizeof(dir))
		return false;
	strcpy(dir, path);
	slash = strrchr(dir, '/');
	if (slash != NULL) {
		*slash = '\0';
		if (path_mkdirs(fuzz_dir(), dir, 0755, NULL) == -1)
			return false;
	}
	fd = openat(fuzz_dir(), path, O_WRONLY | O_CREAT | O_TRUNC |
	    O_NOFOLLOW, 0644);
	if (fd == -1)
		return false;	/* a directory of that name, or too long */
	FUZZ_MUST(file_write(fd, data, n) == 0);
	FUZZ_MUST(close(fd) == 0);
	return true;
}

#endif
