/*
 * Records: a file of any bytes, read as one of a family that its first byte
 * chooses. What is taken must be printed as it stood.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "libdt/file.h"
#include "libdt/record.h"

static void
good(const struct record *r)
{
	const struct value *last = &r->v[schema_ncols(r->kind) - 1];
	const char *line = r->v[0].s;
	size_t n = (size_t)(last->s + last->len - line), cap = n + 1;
	char *copy = malloc(cap);

	FUZZ_MUST(copy != NULL);
	FUZZ_MUST(record_print(r, copy, cap) == n);
	FUZZ_MUST(memcmp(copy, line, n) == 0);
	free(copy);
}

static void
frames(const struct record *r)
{
	int col = schema_col_find(r->kind, "stack");
	size_t at = 0, len, total = 0;

	if (col == -1 || !r->v[col].given)
		return;
	while (record_frame(&r->v[col], &at, &len) != NULL)
		total += len + 1;
	FUZZ_MUST(total == r->v[col].len + 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("records", MFD_CLOEXEC);
	struct record_reader *rd;
	enum record_got got;
	struct record r;
	struct msg m;

	if (size == 0 || fd == -1) {
		if (fd != -1)
			close(fd);
		return 0;
	}
	FUZZ_MUST(file_write(fd, data + 1, size - 1) == 0);
	FUZZ_MUST(lseek(fd, 0, SEEK_SET) == 0);
	rd = record_reader_new(fd, "input", data[0] % FAMILY_COUNT, &m);
	FUZZ_MUST(rd != NULL);
	while ((got = record_read(rd, &r, &m)) != RECORD_END) {
		FUZZ_MUST(got != RECORD_FAILED);
		if (got == RECORD_HEADER) {
			FUZZ_MUST(record_header_key(rd) != NULL);
			FUZZ_MUST(record_header_rest(rd) != NULL);
		} else if (got == RECORD_MALFORMED) {
			FUZZ_MUST(m.id != NULL && m.line > 0);
		} else {
			good(&r);
			frames(&r);
		}
	}
	record_reader_free(rd);
	return 0;
}
