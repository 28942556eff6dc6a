/*
 * Checksum lists: a line that is taken is the very line that its path and
 * digest make.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "libdt/sums_list.h"

static void
check(enum sums_kind kind, const uint8_t *data, size_t size)
{
	char line[SUMS_LINE_MAX], *text = malloc(size + 1);
	uint64_t findings = 0, number;
	struct sums_list l;
	struct digest d;
	const char *at;
	size_t i, n;

	if (text == NULL)
		return;
	memcpy(text, data, size);
	if (sums_list_parse(&l, text, size, kind, 0, NULL, &findings, NULL)
	    == -1)
		abort();
	for (i = 0; i < l.n; i++) {
		memcpy(d.sha256, l.v[i].sha256, sizeof(d.sha256));
		d.xxh3 = l.v[i].xxh3;
		n = sums_list_line(kind, l.v[i].path, &d, line);
		at = (const char *)data;
		for (number = 1; number < l.v[i].line; number++)
			at = (const char *)memchr(at, '\n',
			    size - (size_t)(at - (const char *)data)) + 1;
		/* the very last line may lack its newline: then a finding */
		if (size - (size_t)(at - (const char *)data) == n - 1)
			n--;
		FUZZ_MUST(memcmp(at, line, n) == 0);
	}
	FUZZ_MUST(size == 0 || l.n > 0 || findings > 0);
	sums_list_free(&l);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check(SUMS_KIND_SHA256, data, size);
	check(SUMS_KIND_XXH3, data, size);
	return 0;
}
