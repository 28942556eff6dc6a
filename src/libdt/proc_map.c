/* /proc/PID/maps: lines parsed, mapped files opened. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "libdt/proc.h"

#define DELETED	" (deleted)"

/*
 * The kernel writes a newline in a path as \012 and nothing else escaped
 * (seq_file_path(m, file, "\n")), so only that is undone.
 */
static size_t
unescape(char *s, size_t n)
{
	size_t i, len = 0;

	for (i = 0; i < n; i++) {
		if (n - i >= 4 && memcmp(s + i, "\\012", 4) == 0) {
			s[len++] = '\n';
			i += 3;
		} else {
			s[len++] = s[i];
		}
	}
	s[len] = '\0';
	return len;
}

/* Hex or decimal digits up to the byte `end`, which is passed. */
static int
field(char **p, int base, char end, uint64_t *v)
{
	char *after;

	if (**p == ' ' || **p == '-' || **p == '+')
		return -1;
	errno = 0;
	*v = strtoull(*p, &after, base);
	if (after == *p || errno != 0 || *after != end)
		return -1;
	*p = after + (end != '\0');
	return 0;
}

static int
parse_head(char **p, struct proc_map *map)
{
	uint64_t major_nr, minor_nr;
	size_t i;

	if (field(p, 16, '-', &map->start) == -1 ||
	    field(p, 16, ' ', &map->end) == -1)
		return -1;
	for (i = 0; i < 4; i++)
		if ((map->perms[i] = *(*p)++) == '\0')
			return -1;
	map->perms[4] = '\0';
	if (*(*p)++ != ' ' || field(p, 16, ' ', &map->offset) == -1 ||
	    field(p, 16, ':', &major_nr) == -1 ||
	    field(p, 16, ' ', &minor_nr) == -1)
		return -1;
	map->dev_major = (unsigned)major_nr;
	map->dev_minor = (unsigned)minor_nr;
	errno = 0;
	map->inode = strtoull(*p, p, 10);
	return errno == 0 && map->start < map->end ? 0 : -1;
}

int
proc_map_parse(char *line, size_t n, struct proc_map *map, struct msg *m)
{
	static const size_t dl = sizeof(DELETED) - 1;
	char *p = line;

	memset(map, 0, sizeof(*map));
	line[n] = '\0';
	if (memchr(line, '\0', n) != NULL || parse_head(&p, map) == -1 ||
	    (*p != ' ' && *p != '\0'))
		return msg_set(m, "proc-parse", "no mapping in this line");
	while (*p == ' ')
		p++;
	map->path = p;
	map->path_len = unescape(p, strlen(p));
	if (map->inode != 0 && map->path_len > dl &&
	    strcmp(p + map->path_len - dl, DELETED) == 0) {
		map->deleted = true;
		map->path_len -= dl;
		p[map->path_len] = '\0';
	}
	return 0;
}

int
proc_maps(pid_t pid, proc_map_fn *fn, void *arg, struct msg *m)
{
	struct proc_map map;
	char path[64], *line = NULL;
	size_t cap = 0;
	uint64_t number = 0;
	int rc = 0;
	ssize_t n;
	FILE *fp;

	(void)snprintf(path, sizeof(path), "/proc/%ld/maps", (long)pid);
	fp = fopen(path, "re");
	if (fp == NULL && (errno == ENOENT || errno == ESRCH))
		return msg_set(m, "no-process", "no process %ld", (long)pid);
	if (fp == NULL)
		return msg_set_errno(m, "read", path, "cannot open");
	while (rc == 0 && (errno = 0, n = getline(&line, &cap, fp)) > 0) {
		number++;
		if (line[n - 1] == '\n')
			n--;
		rc = proc_map_parse(line, (size_t)n, &map, m);
		if (rc == -1)
			msg_at(m, path, number);
		else
			rc = fn(arg, &map);
	}
	if (rc == 0 && ferror(fp))
		rc = errno == ESRCH ? msg_set(m, "no-process",
		    "no process %ld", (long)pid) :
		    msg_set_errno(m, "read", path, "cannot read");
	free(line);
	(void)fclose(fp);
	return rc;
}

int
proc_open_map(pid_t pid, const struct proc_map *map, struct msg *m)
{
	char path[PATH_MAX + 64];
	struct stat st;
	int fd;

	(void)snprintf(path, sizeof(path),
	    "/proc/%ld/map_files/%" PRIx64 "-%" PRIx64, (long)pid,
	    map->start, map->end);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd != -1)
		return fd;
	if (map->path[0] != '/')
		return msg_set(m, "no-file", "no file is mapped there");
	(void)snprintf(path, sizeof(path), "/proc/%ld/root%s", (long)pid,
	    map->path);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd == -1)
		return msg_set_errno(m, "open", map->path, "cannot open");
	if (fstat(fd, &st) == -1 || st.st_ino != map->inode ||
	    major(st.st_dev) != map->dev_major ||
	    minor(st.st_dev) != map->dev_minor) {
		close(fd);
		return msg_set_at(m, "no-file", map->path, 0,
		    "is not the file that is mapped");
	}
	return fd;
}
