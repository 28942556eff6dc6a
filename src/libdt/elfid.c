/* Build-ids from ELF notes. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libdt/elfid.h"

/*
 * Layouts from the System V ABI: offsets within the ELF header and program
 * headers of the two classes.
 */
struct layout {
	size_t ehdr, phdr;		/* sizes */
	size_t phoff, phentsize, phnum;	/* in the ELF header */
	size_t offset, filesz;		/* in a program header */
	size_t word;			/* of offsets and sizes */
};

static const struct layout layouts[] = {
	{ 52, 32, 28, 42, 44, 4, 16, 4 },	/* ELFCLASS32 */
	{ 64, 56, 32, 54, 56, 8, 32, 8 },	/* ELFCLASS64 */
};

#define PHNUM_MAX	256
#define NOTES_MAX	65536	/* bytes of one segment that are looked at */
#define ID_MAX		64
#define PT_NOTE		4
#define NT_GNU_BUILD_ID	3

/* Bytes at an offset: of an fd or of memory. Returns what it got, or -1. */
struct source {
	int fd;			/* -1: mem */
	const uint8_t *mem;
	size_t n;
};

static ssize_t
source_read(const struct source *s, void *buf, size_t n, uint64_t off)
{
	ssize_t r;
	size_t got = 0;

	if (s->fd == -1) {
		if (off >= s->n)
			return 0;
		got = s->n - off < n ? s->n - off : n;
		memcpy(buf, s->mem + off, got);
		return (ssize_t)got;
	}
	while (got < n) {
		if (off > INT64_MAX - got)
			break;
		r = pread(s->fd, (char *)buf + got, n - got,
		    (off_t)(off + got));
		if (r == -1 && errno == EINTR)
			continue;
		if (r == -1)
			return -1;
		if (r == 0)
			break;
		got += (size_t)r;
	}
	return (ssize_t)got;
}

static uint64_t
number(const uint8_t *p, size_t n, bool big)
{
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < n; i++)
		v = v << 8 | p[big ? i : n - 1 - i];
	return v;
}

static size_t
align4(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

static bool
notes_find(const uint8_t *p, size_t n, bool big, char hex[ELFID_HEX])
{
	size_t namesz, descsz, at = 0, desc, i;

	while (at + 12 <= n) {
		namesz = (size_t)number(p + at, 4, big);
		descsz = (size_t)number(p + at + 4, 4, big);
		desc = at + 12 + align4(namesz);
		if (desc > n || descsz > n - desc)
			return false;
		if (number(p + at + 8, 4, big) == NT_GNU_BUILD_ID &&
		    namesz == 4 && memcmp(p + at + 12, "GNU", 4) == 0 &&
		    descsz > 0 && descsz <= ID_MAX) {
			for (i = 0; i < descsz; i++)
				(void)snprintf(hex + 2 * i, 3, "%02x",
				    p[desc + i]);
			return true;
		}
		at = desc + align4(descsz);
	}
	return false;
}

/* 1: found, 0: no such note in it, -1 with errno. */
static int
segment_find(const struct source *s, uint64_t off, uint64_t size, bool big,
    char hex[ELFID_HEX])
{
	uint8_t buf[NOTES_MAX];
	ssize_t n;

	n = source_read(s, buf, size < sizeof(buf) ? (size_t)size :
	    sizeof(buf), off);
	if (n == -1)
		return -1;
	return notes_find(buf, (size_t)n, big, hex);
}

/* As segment_find(), of the whole file. */
static int
source_find(const struct source *s, char hex[ELFID_HEX])
{
	uint8_t e[64] = { 0 }, ph[64];
	const struct layout *l;
	uint64_t phoff, i, phnum;
	ssize_t n = source_read(s, e, sizeof(e), 0);
	bool big;
	int rc;

	if (n < 52 || memcmp(e, "\177ELF", 4) != 0 || e[4] < 1 || e[4] > 2 ||
	    e[5] < 1 || e[5] > 2)
		return n == -1 ? -1 : 0;
	l = &layouts[e[4] - 1];
	big = e[5] == 2;
	phoff = number(e + l->phoff, l->word, big);
	phnum = number(e + l->phnum, 2, big);
	if ((size_t)n < l->ehdr || phnum > PHNUM_MAX ||
	    number(e + l->phentsize, 2, big) != l->phdr ||
	    phoff > INT64_MAX - PHNUM_MAX * sizeof(ph))
		return 0;
	for (i = 0; i < phnum; i++) {
		n = source_read(s, ph, l->phdr, phoff + i * l->phdr);
		if (n == -1)
			return -1;
		if ((size_t)n < l->phdr)
			return 0;
		if (number(ph, 4, big) != PT_NOTE)
			continue;
		rc = segment_find(s, number(ph + l->offset, l->word, big),
		    number(ph + l->filesz, l->word, big), big, hex);
		if (rc != 0)
			return rc;
	}
	return 0;
}

int
elfid_fd(int fd, const char *name, char hex[ELFID_HEX], struct msg *m)
{
	const struct source s = { .fd = fd };
	int rc;

	hex[0] = '\0';
	rc = source_find(&s, hex);
	if (rc == -1)
		return msg_set_errno(m, "read", name, "cannot read");
	return rc == 1 ? 0 : 1;
}

int
elfid_mem(const void *buf, size_t n, char hex[ELFID_HEX])
{
	const struct source s = { .fd = -1, .mem = buf, .n = n };

	hex[0] = '\0';
	return source_find(&s, hex) == 1 ? 0 : 1;
}

int
elfid_path(const char *path, char hex[ELFID_HEX], struct msg *m)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), rc;

	hex[0] = '\0';
	if (fd == -1)
		return msg_set_errno(m, "open", path, "cannot open");
	rc = elfid_fd(fd, path, hex, m);
	close(fd);
	return rc;
}
