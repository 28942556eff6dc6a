/*
 * A unit test: CHECK() counts, unit_end() prints `N passed, N failed` and is
 * the exit status. One test program includes this once.
 */
#ifndef T_UNIT_H
#define T_UNIT_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned unit_good, unit_bad;

#define CHECK(e) \
	((e) ? (void)unit_good++ : unit_fail(__FILE__, __LINE__, #e))

/* strings that are equal; tells both where they differ */
#define CHECK_STR(got, want) \
	unit_str(__FILE__, __LINE__, #got, (got), (want))

/* integers that are equal */
#define CHECK_INT(got, want) \
	unit_int(__FILE__, __LINE__, #got, (intmax_t)(got), (intmax_t)(want))

static inline void
unit_fail(const char *file, int line, const char *what)
{
	unit_bad++;
	printf("%s:%d: failed: %s\n", file, line, what);
}

static inline void
unit_str(const char *file, int line, const char *what, const char *got,
    const char *want)
{
	if (got != NULL && want != NULL && strcmp(got, want) == 0) {
		unit_good++;
		return;
	}
	unit_fail(file, line, what);
	printf("\tgot  %s\n\twant %s\n", got != NULL ? got : "(null)",
	    want != NULL ? want : "(null)");
}

static inline void
unit_int(const char *file, int line, const char *what, intmax_t got,
    intmax_t want)
{
	if (got == want) {
		unit_good++;
		return;
	}
	unit_fail(file, line, what);
	printf("\tgot  %jd\n\twant %jd\n", got, want);
}

static inline int
unit_end(void)
{
	printf("%u passed, %u failed\n", unit_good, unit_bad);
	return unit_bad > 0 || unit_good == 0;
}

#endif
