/*
 * Spools: whatever a collector prints, each record that is made of it is a
 * canonical one, and no line is both a record and malformed. The first byte
 * chooses the family.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "libdt/file.h"
#include "libdt/spool.h"

static char line[RECORD_LINE_MAX + 4096];

struct seen {
	enum schema_family family;
	uint64_t n;
};

static int
on_record(void *arg, const struct record *r, struct msg *m)
{
	struct seen *s = arg;
	struct record again;
	size_t n = record_print(r, line, sizeof(line));

	(void)m;
	s->n++;
	if (n > RECORD_LINE_MAX)
		return 0;	/* record_sort_add() refuses it */
	FUZZ_MUST(n < sizeof(line));
	FUZZ_MUST(record_parse(line, n, s->family, &again, NULL) == 0);
	FUZZ_MUST(again.kind == r->kind);
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen s = { 0 };
	struct spool sp;
	struct msg m;
	uint64_t lines = 1;
	size_t i;
	int fd;

	if (size == 0 || (fd = memfd_create("spool", MFD_CLOEXEC)) == -1)
		return 0;
	s.family = (enum schema_family)(data[0] % FAMILY_COUNT);
	if (file_write(fd, data + 1, size - 1) == -1 ||
	    lseek(fd, 0, SEEK_SET) == -1) {
		close(fd);
		return 0;
	}
	FUZZ_MUST(spool_read(fd, "spool", s.family, on_record, &s, &sp,
	    &m) == 0);
	for (i = 1; i < size; i++)
		lines += data[i] == '\n';
	FUZZ_MUST(sp.records == s.n);
	FUZZ_MUST(sp.records + sp.malformed <= lines);
	return 0;
}
