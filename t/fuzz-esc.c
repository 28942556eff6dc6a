/*
 * Escapes: any bytes survive, the canonical form is valid UTF-8 and unique;
 * what decodes is what its bytes encode to.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "libdt/esc.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t cap = ESC_GROWTH * size + 1, n;
	char *enc = malloc(cap), *back = malloc(cap);
	ssize_t got;

	if (enc == NULL || back == NULL)
		abort();
	n = esc_encode(enc, cap, data, size);
	FUZZ_MUST(n < cap && strlen(enc) == n);
	FUZZ_MUST(utf8_valid(enc, n) && esc_valid(enc, n));
	FUZZ_MUST(esc_decode(back, enc, n) == (ssize_t)size);
	FUZZ_MUST(memcmp(back, data, size) == 0);
	got = esc_decode(back, (const char *)data, size);
	FUZZ_MUST((got != -1) == esc_valid((const char *)data, size));
	if (got != -1) {
		n = esc_encode(enc, cap, back, (size_t)got);
		FUZZ_MUST(n == size && memcmp(enc, data, n) == 0);
	}
	got = esc_decode_dtrace(back, (const char *)data, size);
	FUZZ_MUST(got >= -1 && got <= (ssize_t)size);
	free(enc);
	free(back);
	return 0;
}
