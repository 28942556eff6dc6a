#include "libdt/esc.h"
#include "unit.h"

/* src both ways: its canonical form is want, and back again */
static void
both_ways(const char *src, size_t n, const char *want)
{
	char buf[256], back[256];
	size_t len = esc_encode(buf, sizeof(buf), src, n);

	CHECK_STR(buf, want);
	CHECK_INT(len, strlen(want));
	CHECK(esc_valid(want, len));
	CHECK_INT(esc_decode(back, buf, len), n);
	CHECK(memcmp(back, src, n) == 0);
}

static void
refused(const char *s)
{
	char buf[256];

	if (esc_decode(buf, s, strlen(s)) != -1 || esc_valid(s, strlen(s)))
		unit_fail(__FILE__, __LINE__, s);
	else
		unit_good++;
}

static void
test_canonical(void)
{
	both_ways("", 0, "");
	both_ways("plain", 5, "plain");
	both_ways("a\tb\nc\\d\x7f", 8, "a\\x09b\\x0ac\\x5cd\\x7f");
	both_ways("\0", 1, "\\x00");
	both_ways("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9,
	    "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	both_ways("\xff\xc3", 2, "\\xff\\xc3");
	both_ways("\xc3(", 2, "\\xc3(");
	both_ways("\xed\xa0\x80", 3, "\\xed\\xa0\\x80");	/* surrogate */
	both_ways("\xc0\x80", 2, "\\xc0\\x80");		/* overlong */
	both_ways("\xf4\x90\x80\x80", 4, "\\xf4\\x90\\x80\\x80");
	both_ways("\xe2\x82\xc3\xa9", 4, "\\xe2\\x82\xc3\xa9");
	both_ways("\x80\xc3\xa9", 3, "\\x80\xc3\xa9");
}

static void
test_strict(void)
{
	refused("\\x41");		/* needs no escape */
	refused("\\x0A");		/* upper case */
	refused("\\x0");
	refused("\\n");
	refused("\\");
	refused("a\tb");
	refused("\xff");
	refused("\\xc3\\xa9");		/* is UTF-8 when decoded */
	refused("x\\xe2\\x82\\xac");
	refused("\\xf0\\x9f\\x98\\x80z");
	refused("\x7f");
}

/* Every string of up to three bytes that matter survives. */
static void
test_all(void)
{
	static const unsigned char set[] = { 0, 9, '\\', 'x', '0', 'a', 0x7f,
	    0x80, 0xa0, 0xbf, 0xc2, 0xe0, 0xed, 0xf0, 0xf4, 0xff };
	unsigned i, bad = 0;
	char src[4], enc[17], back[17];
	size_t n, len, k;

	for (i = 0; i < 16 * 16 * 16 * 16; i++) {
		for (k = 0; k < 4; k++)
			src[k] = (char)set[i >> (4 * k) & 15];
		for (n = 1; n <= 4; n++) {
			len = esc_encode(enc, sizeof(enc), src, n);
			if (!utf8_valid(enc, len) || !esc_valid(enc, len) ||
			    esc_decode(back, enc, len) != (ssize_t)n ||
			    memcmp(back, src, n) != 0)
				bad++;
		}
	}
	CHECK_INT(bad, 0);
}

static void
test_cut(void)
{
	char buf[8];

	CHECK_INT(esc_encode(buf, 6, "ab\ncd", 5), 8);
	CHECK_STR(buf, "ab");
	CHECK_INT(esc_encode(NULL, 0, "\n\n", 2), 8);
	CHECK_INT(esc_show(buf, sizeof(buf), "a\\b\x01", 4), 7);
	CHECK_STR(buf, "a\\b\\x01");
}

static void
dtrace(const char *s, const char *want, ssize_t n)
{
	char buf[64];
	ssize_t got = esc_decode_dtrace(buf, s, strlen(s));

	CHECK_INT(got, n);
	if (n >= 0)
		CHECK(memcmp(buf, want, (size_t)n) == 0);
}

static void
test_dtrace(void)
{
	dtrace("a b\\0", "a b", 3);
	dtrace("\\t\\n\\r\\\\\\\"\\a\\b\\f\\v", "\t\n\r\\\"\a\b\f\v", 9);
	dtrace("\\303\\251\\0", "\xc3\xa9", 2);
	dtrace("x\\0y\\0", "x\0y", 3);
	dtrace("\\0", "", 0);
	dtrace("\\7z", "\7z", 2);
	dtrace("\\1234", "S4", 2);
	dtrace("\\400", NULL, -1);
	dtrace("\\q", NULL, -1);
	dtrace("end\\", NULL, -1);
}

static void
test_write(void)
{
	char *s = NULL;
	size_t n;
	struct out o = { .fp = open_memstream(&s, &n), .name = "memory" };

	CHECK_INT(esc_write(&o, "ab\ncd\xff", 6), 0);
	CHECK_INT(out_close(&o, NULL), 0);
	CHECK_STR(s, "ab\\x0acd\\xff");
	free(s);
}

int
main(void)
{
	test_canonical();
	test_strict();
	test_all();
	test_cut();
	test_dtrace();
	test_write();
	return unit_end();
}
