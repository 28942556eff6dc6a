/*
 * unit-fmt.c - printf formats of D: parsed, checked against types, printed
 * from bytes of a record.
 */
#include "trace/arena.h"
#include "trace/diag.h"
#include "trace/fmt.h"
#include "trace/opt.h"
#include "trace/print_fmt.h"
#include "trace/prog.h"
#include "trace/trace.h"
#include "trace/type.h"
#include "unit.h"

enum { MAXARG = 8 };

/* One call under test: its arguments as a record. */
struct call {
	struct typeset *types;
	struct arena *arena;
	struct trace t;
	uint8_t rec[512];
	uint32_t used;
	struct datum d[MAXARG];
	const struct dtype *type[MAXARG];
	size_t n;
};

static void
call_begin(struct call *c)
{
	c->used = 8;
	c->n = 0;
	memset(c->rec, 0, sizeof(c->rec));
}

static void
arg_bytes(struct call *c, const struct dtype *type, const void *p,
    uint32_t size)
{
	c->d[c->n] = (struct datum){ .off = c->used, .size = size,
	    .type = type, .what = ACT_TRACE };
	c->type[c->n++] = type;
	memcpy(c->rec + c->used, p, size);
	c->used += (size + 7) & ~7u;
}

static void
arg_int(struct call *c, unsigned size, bool sign, int64_t v)
{
	arg_bytes(c, type_int(c->types, size, sign), &v, size);
}

static void
arg_str(struct call *c, const char *s)
{
	arg_bytes(c, type_string(c->types), s, (uint32_t)strlen(s) + 1);
}

/* What the format prints of the arguments, or the tag of its error. */
static const char *
result(struct call *c, const char *format)
{
	static char text[512];
	struct diag dg = { .source = "test" };
	struct fmtin in = { .arg = c->d, .narg = c->n, .base = c->rec };
	const struct fmt *f = fmt_parse(c->arena, format, 1, "printf", &dg);
	FILE *fp;

	if (f == NULL || fmt_check(f, "printf", 1, c->type, c->n, false,
	    &dg) == -1) {
		snprintf(text, sizeof(text), "%s", dg.n == 0 ? "no message" :
		    diag_tagname(dg.msg[0].tag));
		diag_free(&dg);
		return text;
	}
	memset(text, 0, sizeof(text));
	fp = fmemopen(text, sizeof(text), "w");
	CHECK(fp != NULL && print_fmt(&c->t, fp, f, &in) == 0);
	if (fp != NULL)
		fclose(fp);
	return text;
}

/* An integer, and what a format makes of it: text, or the tag of an error. */
struct of_int {
	const char *format;
	unsigned size;
	bool sign;
	int64_t v;
	const char *want;
};

static const struct of_int printed[] = {
	{ "%d", 4, true, -2748, "-2748" },
	{ "%i|", 1, true, -128, "-128|" },
	{ "%d", 1, false, 200, "200" },
	{ "%d", 8, false, -1, "18446744073709551615" },
	{ "%d", 8, true, INT64_MIN, "-9223372036854775808" },
	{ "%u", 2, true, -300, "65236" },
	{ "%u", 4, true, -1, "4294967295" },
	{ "%x %%", 1, true, -2, "fe %" },
	{ "%X", 4, true, -2748, "FFFFF544" },
	{ "%o", 2, true, -300, "177324" },
	{ "[%6d]", 4, true, 42, "[    42]" },
	{ "[%-6d]", 4, true, 42, "[42    ]" },
	{ "[%06d]", 4, true, -42, "[-00042]" },
	{ "[%+d]", 4, true, 42, "[+42]" },
	{ "[% d]", 4, true, 42, "[ 42]" },
	{ "[%#x]", 4, true, 255, "[0xff]" },
	{ "[%#o]", 4, true, 255, "[0377]" },
	{ "[%#X]", 4, true, 0, "[0]" },
	{ "[%-#10x]", 4, true, 255, "[0xff      ]" },
	{ "[%8.5d]", 4, true, 42, "[   00042]" },
	{ "[%-8.5d]", 4, true, 42, "[00042   ]" },
	{ "[%.0d]", 4, true, 0, "[0]" },
	{ "[%?x]", 4, false, 0xbeef, "[            beef]" },
	{ "[%0?x]", 4, false, 0xbeef, "[000000000000beef]" },
	{ "[%-?x]", 4, false, 0xbeef, "[beef            ]" },
	{ "%hd", 8, true, -50000, "-50000" },
	{ "%lld", 2, true, -5, "-5" },
	{ "%p", 8, false, 0xdeadbeef, "deadbeef" },
	{ "%a", 8, false, 0x10, "0x10" },
	{ "%c", 4, true, 65 + 256, "A" },
	{ "[%4c]", 1, true, 'x', "[   x]" },
	{ "[%-4c]", 2, true, 'y', "[y   ]" },
	{ "%C", 1, true, '\n', "\\n" },
	{ "%C", 4, true, 'a', "a" },
	{ "%C", 1, true, 7, "\\a" },
	{ "%C", 1, true, 1, "\\001" },
	{ "%C", 1, true, '"', "\\\"" },
	{ "%wc", 4, true, 0x20ac, "\xe2\x82\xac" },
	{ "[%Y]", 8, false, 1000000000000000000,
	  "[2001 Sep  9 01:46:40]" },
	{ "[%30Y]", 8, true, 0,
	  "[          1970 Jan  1 00:00:00]" },
	{ "%T", 8, true, 1000000000000000000,
	  "Sun, 09 Sep 2001 01:46:40 UTC" },
};

static const struct of_int refused[] = {
	{ "%c", 8, true, 65, "D_PRINTF_ARG_TYPE" },
	{ "%f", 4, true, 1, "D_PRINTF_ARG_TYPE" },
	{ "%s", 4, true, 1, "D_PRINTF_ARG_TYPE" },
	{ "%Y", 4, true, 1, "D_PRINTF_ARG_TYPE" },
	{ "%k", 8, true, 1, "D_PRINTF_ARG_TYPE" },
	{ "%ws", 4, true, 1, "D_PRINTF_ARG_TYPE" },
	{ "%hhd", 1, true, 5, "D_SYNTAX" },
	{ "%Z", 1, true, 5, "D_SYNTAX" },
	{ "%3$d", 4, true, 5, "D_SYNTAX" },
	{ "%3", 4, true, 5, "D_SYNTAX" },
	{ "%", 4, true, 5, "D_SYNTAX" },
	{ "", 4, true, 5, "D_PRINTF_FMT_EMPTY" },
	{ "none", 4, true, 5, "D_PRINTF_ARG_EXTRA" },
	{ "%d%d", 4, true, 5, "D_PRINTF_ARG_PROTO" },
	{ "%*d", 4, true, 5, "D_PRINTF_ARG_PROTO" },
	{ "%d %*d", 4, true, 5, "D_PRINTF_DYN_PROTO" },
	{ "%@d", 4, true, 5, "D_PRINTF_AGG_CONV" },
};

static void
test_int(struct call *c, const struct of_int *tab, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		call_begin(c);
		arg_int(c, tab[i].size, tab[i].sign, tab[i].v);
		CHECK_STR(result(c, tab[i].format), tab[i].want);
	}
}

static void
test_str(struct call *c)
{
	static const struct { const char *format, *arg, *want; } tab[] = {
		{ "%s", "window", "window" },
		{ "[%.3s]", "window", "[win]" },
		{ "[%8.3s]", "window", "[     win]" },
		{ "[%-8.3s]", "window", "[win     ]" },
		{ "[%.10s]", "window", "[window]" },
		{ "[%.0s]", "window", "[window]" },
		{ "[%2s]", "window", "[window]" },
		{ "%s%%%%", "a%b", "a%b%%" },
		{ "%S", "a\tb\"c\\\x01\xc3", "a\\tb\\\"c\\\\\\001\\303" },
		{ "[%12S]", "a\n", "[         a\\n]" },
		{ "%d", "five", "D_PRINTF_ARG_TYPE" },
		{ "%*d", "five", "D_PRINTF_DYN_TYPE" },
	};

	for (size_t i = 0; i < sizeof(tab) / sizeof(tab[0]); i++) {
		call_begin(c);
		arg_str(c, tab[i].arg);
		CHECK_STR(result(c, tab[i].format), tab[i].want);
	}
}

static void
test_more(struct call *c)
{
	static const uint32_t wide[] = { 'h', 0xe9, 0x1f600, 0, 'x' };
	const struct dtype *ch = type_int(c->types, 1, true);

	call_begin(c);
	arg_int(c, 4, true, 9);
	arg_int(c, 4, true, 55);
	CHECK_STR(result(c, "[%*d]"), "[       55]");
	CHECK_STR(result(c, "[%-*d]"), "[55       ]");
	CHECK_STR(result(c, "[%0*d]"), "[000000055]");
	CHECK_STR(result(c, "[%.*d]"), "[000000055]");

	call_begin(c);
	arg_int(c, 4, true, -6);
	arg_int(c, 4, true, 1);
	arg_str(c, "ab");
	CHECK_STR(result(c, "[%*.*s]"), "[a     ]");

	/* no NUL at the end of an array */
	call_begin(c);
	arg_bytes(c, type_array(c->types, ch, 4), "abcd", 4);
	CHECK_STR(result(c, "<%s>"), "<abcd>");

	call_begin(c);
	arg_bytes(c, type_array(c->types, type_int(c->types, 4, true), 5),
	    wide, sizeof(wide));
	CHECK_STR(result(c, "<%ws>"), "<h\xc3\xa9\xf0\x9f\x98\x80>");
	CHECK_STR(result(c, "<%ls>"), "<h\xc3\xa9\xf0\x9f\x98\x80>");

	call_begin(c);
	arg_bytes(c, type_ptr(c->types, ch), "\x10\0\0\0\0\0\0\0", 8);
	CHECK_STR(result(c, "[%16p]"), "[              10]");
	CHECK_STR(result(c, "%s"), "D_PRINTF_ARG_TYPE");
	CHECK_STR(result(c, "%x"), "D_PRINTF_ARG_TYPE");

	call_begin(c);
	CHECK_STR(result(c, "100%%\n"), "100%\n");
	CHECK_STR(result(c, "%%d"), "%d");
	CHECK_STR(result(c, "no conversion"), "no conversion");
	CHECK_STR(result(c, "%d"), "D_PRINTF_ARG_PROTO");
}

/* A NULL string where it may be one prints as nothing. */
static void
test_null(struct call *c)
{
	call_begin(c);
	arg_bytes(c, type_string(c->types), "\0junk", 6);
	c->d[0].nullable_str = true;
	CHECK_STR(result(c, "<%s>"), "<>");
	call_begin(c);
	arg_bytes(c, type_string(c->types), "\1text", 6);
	c->d[0].nullable_str = true;
	CHECK_STR(result(c, "<%s>"), "<text>");
}

static void
test_printa(struct call *c)
{
	struct diag dg = { .source = "test" };
	const struct dtype *key[2] = { type_string(c->types),
	    type_int(c->types, 4, true) };
	const struct fmt *f;

	f = fmt_parse(c->arena, "%@d %s", 1, "printa", &dg);
	CHECK(f != NULL && f->narg == 1 && f->nagg == 1);
	CHECK_INT(fmt_check(f, "printa", 1, key, 2, true, &dg), 0);
	f = fmt_parse(c->arena, "%s %-5@x %d %d", 1, "printa", &dg);
	CHECK(f != NULL && f->conv[1].agg && f->conv[1].width == 5);
	CHECK_INT(fmt_check(f, "printa", 1, key, 2, true, &dg), -1);
	CHECK_INT(dg.msg[0].tag, D_PRINTF_ARG_PROTO);
	f = fmt_parse(c->arena, "%@s", 1, "printa", &dg);
	CHECK_INT(fmt_check(f, "printa", 1, key, 2, true, &dg), -1);
	CHECK_INT(dg.msg[1].tag, D_PRINTF_ARG_TYPE);
	diag_free(&dg);
}

int
main(void)
{
	static struct call c;

	setenv("TZ", "UTC", 1);
	c.types = type_new(256);
	c.arena = arena_new(0);
	opt_init(&c.t.opt);
	CHECK(c.types != NULL && c.arena != NULL);
	test_int(&c, printed, sizeof(printed) / sizeof(printed[0]));
	test_int(&c, refused, sizeof(refused) / sizeof(refused[0]));
	test_str(&c);
	test_more(&c);
	test_null(&c);
	test_printa(&c);
	opt_free(&c.t.opt);
	arena_free(c.arena);
	type_free(c.types);
	return unit_end();
}
