/* suggest.c - the name that may have been meant: near misses of names. */
#include <string.h>

#include "trace/suggest.h"

enum { SUGGEST_LEN = 40 };

static size_t
min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Damerau's distance, adjacent swaps included. */
static size_t
distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t row[3][SUGGEST_LEN + 1];

	for (size_t j = 0; j <= nb; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *cur = row[i % 3], *up = row[(i + 2) % 3];
		const size_t *upup = row[(i + 1) % 3];

		cur[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t sub = up[j - 1] + (a[i - 1] != b[j - 1]);

			cur[j] = min3(up[j] + 1, cur[j - 1] + 1, sub);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && upup[j - 2] + 1 < cur[j])
				cur[j] = upup[j - 2] + 1;
		}
	}
	return row[na % 3][nb];
}

void
suggest_best(const char *name, const char *cand, const char **best,
    size_t *dist)
{
	size_t na = strlen(name), nb = strlen(cand), d;

	if (na < 3 || nb < 3 || na > SUGGEST_LEN || nb > SUGGEST_LEN)
		return;
	d = distance(name, na, cand, nb);
	if (d < *dist && d * 3 <= na) {
		*dist = d;
		*best = cand;
	}
}
