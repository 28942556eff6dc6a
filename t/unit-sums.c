#include "libdt/sums_list.h"
#include "unit.h"

static int
count(void *arg, const struct msg *m)
{
	char *ids = arg;

	(void)snprintf(ids + strlen(ids), 200 - strlen(ids), "%s:%ju ", m->id,
	    (uintmax_t)m->line);
	return 0;
}

/* Parses n bytes; ids gets the findings. */
static void
parse(struct sums_list *l, enum sums_kind kind, const char *s, size_t n,
    char ids[200])
{
	const struct msg_sink sink = { count, ids };
	char *text = malloc(n + 1);
	uint64_t findings = 0;
	struct msg m;

	if (text == NULL)
		exit(1);
	ids[0] = '\0';
	memcpy(text, s, n);
	CHECK_INT(sums_list_parse(l, text, n, kind, 0, &sink, &findings, &m),
	    0);
	CHECK((findings > 0) == (ids[0] != '\0'));
}

/* A path's line is read back as that path and digest. */
static void
both_ways(enum sums_kind kind, const char *path)
{
	char line[SUMS_LINE_MAX], ids[200];
	struct digest d = { .xxh3 = UINT64_C(0x0123456789abcdef) };
	struct sums_list l;
	size_t n;

	memset(d.sha256, 0xa5, sizeof(d.sha256));
	n = sums_list_line(kind, path, &d, line);
	CHECK_INT(n, strlen(line));
	parse(&l, kind, line, n, ids);
	CHECK_STR(ids, "");
	CHECK_INT(l.n, 1);
	if (l.n == 1) {
		CHECK_STR(l.v[0].path, path);
		if (kind == SUMS_KIND_XXH3)
			CHECK(l.v[0].xxh3 == d.xxh3);
		else
			CHECK(memcmp(l.v[0].sha256, d.sha256, 32) == 0);
	}
	sums_list_free(&l);
}

static void
test_lines(void)
{
	static const char *const paths[] = { "a", "a b", "-x", "p) = 0", "\\",
	    "\n", "a\\nb", "a\nb\\", "\r", "\xff", "XXH3 (a) = 0",
	    "trailing\\" };
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		both_ways(SUMS_KIND_SHA256, paths[i]);
		both_ways(SUMS_KIND_XXH3, paths[i]);
	}
}

static void
bad(enum sums_kind kind, const char *text, const char *want)
{
	struct sums_list l;
	char ids[200];

	parse(&l, kind, text, strlen(text), ids);
	CHECK_STR(ids, want);
	sums_list_free(&l);
}

#define H "0123456789abcdef"
#define S H H H H

static void
test_bad(void)
{
	struct sums_list l;
	char ids[200];

	bad(SUMS_KIND_XXH3, "", "");
	bad(SUMS_KIND_XXH3, "\n", "sums-malformed:1 ");
	bad(SUMS_KIND_XXH3, "XXH3 () = " H "\n", "sums-malformed:1 ");
	bad(SUMS_KIND_XXH3, "XXH3 (a) = 0123456789ABCDEF\n",
	    "sums-malformed:1 ");
	bad(SUMS_KIND_XXH3, "XXH3 (a) = " H " \n", "sums-malformed:1 ");
	bad(SUMS_KIND_XXH3, "\\XXH3 (a) = " H "\n", "sums-malformed:1 ");
	bad(SUMS_KIND_XXH3, "\\XXH3 (a\\tb\\n) = " H "\n",
	    "sums-malformed:1 ");
	bad(SUMS_KIND_XXH3, "\\XXH3 (a\rb\\n) = " H "\n",
	    "sums-malformed:1 ");
	bad(SUMS_KIND_XXH3, "XXH3 (b) = " H "\nXXH3 (a) = " H "\n",
	    "sums-order:2 ");
	bad(SUMS_KIND_XXH3, "XXH3 (a) = " H "\nXXH3 (a) = " H "\n",
	    "sums-duplicate:2 ");
	bad(SUMS_KIND_XXH3, "XXH3 (../a) = " H "\n", "sums-path:1 ");
	bad(SUMS_KIND_SHA256, S "  a", "sums-malformed:1 ");
	bad(SUMS_KIND_SHA256, S " *a\n", "sums-malformed:1 ");
	bad(SUMS_KIND_SHA256, S "  a\\b\n", "sums-malformed:1 ");
	bad(SUMS_KIND_SHA256, S "  \n", "sums-malformed:1 ");
	bad(SUMS_KIND_SHA256, S "  a\r\n", "sums-malformed:1 ");
	bad(SUMS_KIND_SHA256, "x" S "  a\n", "sums-malformed:1 ");
	parse(&l, SUMS_KIND_SHA256, S "  a\0b\n", 70, ids);
	CHECK_STR(ids, "sums-malformed:1 ");
	sums_list_free(&l);
}

/* Cut anywhere, or with any byte changed: no crash, at most one finding a
 * line. */
static void
test_hostile(void)
{
	static const char good[] = "\\XXH3 (a\\nb) = " H "\nXXH3 (c) = " H "\n";
	char text[sizeof(good)], ids[200];
	struct sums_list l;
	size_t i;
	int c;

	for (i = 0; i < sizeof(good); i++) {
		parse(&l, SUMS_KIND_XXH3, good, i, ids);
		sums_list_free(&l);
		parse(&l, SUMS_KIND_SHA256, good, i, ids);
		sums_list_free(&l);
		for (c = 0; c < 256; c += 5) {
			memcpy(text, good, sizeof(good));
			text[i] = (char)c;
			parse(&l, SUMS_KIND_XXH3, text, sizeof(good) - 1,
			    ids);
			CHECK(l.n <= 3);
			sums_list_free(&l);
		}
	}
}

int
main(void)
{
	test_lines();
	test_bad();
	test_hostile();
	return unit_end();
}
