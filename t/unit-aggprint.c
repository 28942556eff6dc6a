/*
 * unit-aggprint.c - aggregations: buckets, merging of CPUs, averages and
 * deviations, order, drawings and printa().
 */
#include "trace/agg.h"
#include "trace/aggbucket.h"
#include "trace/aggrow.h"
#include "trace/arena.h"
#include "trace/diag.h"
#include "trace/fmt.h"
#include "trace/opt.h"
#include "trace/prog.h"
#include "trace/trace.h"
#include "trace/type.h"
#include "unit.h"

enum { MAXVAL = 4096 };

static void
test_quant_buckets(void)
{
	static const struct { int64_t v; uint32_t i; int64_t label; } tab[] = {
		{ 0, 63, 0 }, { 1, 64, 1 }, { 2, 65, 2 }, { 3, 65, 2 },
		{ 4, 66, 4 }, { -1, 62, -1 }, { -2, 61, -2 }, { -3, 61, -2 },
		{ INT64_MAX, 126, INT64_C(1) << 62 },
		{ INT64_MIN, 0, -(INT64_C(1) << 62) },
		{ -(INT64_C(1) << 62), 0, -(INT64_C(1) << 62) },
	};

	for (size_t i = 0; i < sizeof(tab) / sizeof(tab[0]); i++) {
		CHECK_INT(quant_index(tab[i].v), tab[i].i);
		CHECK_INT(quant_label(tab[i].i), tab[i].label);
	}
}

static void
test_lquant_buckets(void)
{
	static const int64_t arg[] = { -4, 11, 5 };

	CHECK_INT(lquant_nbucket(arg), 5);
	CHECK_INT(lquant_index(arg, -5), 0);
	CHECK_INT(lquant_index(arg, -4), 1);
	CHECK_INT(lquant_index(arg, 0), 1);
	CHECK_INT(lquant_index(arg, 1), 2);
	CHECK_INT(lquant_index(arg, 10), 3);
	CHECK_INT(lquant_index(arg, 11), 4);
}

/* Each value lies between its bucket's label and the next one's. */
static void
check_llq(const int64_t *arg, int64_t from, int64_t to)
{
	struct llq q;
	int64_t v, at;
	int beyond;
	uint32_t i, bad = 0;

	CHECK_INT(llq_init(&q, arg), 0);
	for (v = from; v <= to; v++) {
		i = llq_index(&q, v);
		at = llq_label(&q, i, &beyond);
		if (i > 2 * q.beyond || (v > 0 && at > v) ||
		    (v < 0 && at < v))
			bad++;
		else if (i > q.beyond && !beyond &&
		    llq_label(&q, i + 1, &beyond) <= v)
			bad++;
		else if (i < q.beyond && i > 0 &&
		    llq_label(&q, i - 1, &beyond) >= v)
			bad++;
	}
	CHECK_INT(bad, 0);
}

static void
test_llq_buckets(void)
{
	static const int64_t arg[][4] = {
		{ 10, 0, 3, 20 }, { 4, 0, 1, 2 }, { 4, 0, 1, 4 },
		{ 4, 0, 1, 8 }, { 4, 2, 4, 32 }, { 3, 3, 5, 27 },
		{ 2, 0, 0, 1 }, { 10, 2, 3, 20 },
	};
	static const int64_t wrong[][4] = {
		{ 1, 0, 1, 1 }, { 10, 0, 18, 10 }, { 2, 3, 2, 2 },
		{ 2, -1, 2, 2 }, { 2, 0, 2, 0 }, { 2, 0, 100, 2 },
	};
	struct llq q;

	for (size_t i = 0; i < sizeof(arg) / sizeof(arg[0]); i++)
		check_llq(arg[i], -30000, 30000);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK_INT(llq_init(&q, wrong[i]), -1);
	CHECK_INT(llq_init(&q, arg[0]), 0);
	CHECK_INT(llq_index(&q, INT64_MIN), 0);
	CHECK_INT(llq_index(&q, INT64_MAX), 2 * q.beyond);
}

/* Values of one CPU as the generated code leaves them. */
struct cpu { uint64_t v[MAXVAL]; };

static void
update(const struct aggdesc *ad, uint64_t *v, int64_t x, int64_t by)
{
	unsigned __int128 sq;
	struct llq q;

	v[0]++;
	switch (ad->fn) {
	case AGG_COUNT:
		break;
	case AGG_SUM: case AGG_AVG:
		v[1] += (uint64_t)x;
		break;
	case AGG_MIN:
		if (v[0] == 1 || x < (int64_t)v[1])
			v[1] = (uint64_t)x;
		break;
	case AGG_MAX:
		if (v[0] == 1 || x > (int64_t)v[1])
			v[1] = (uint64_t)x;
		break;
	case AGG_STDDEV:
		v[1] += (uint64_t)x;
		sq = (unsigned __int128)v[3] << 64 | v[2];
		sq += (unsigned __int128)((__int128)x * x);
		v[2] = (uint64_t)sq;
		v[3] = (uint64_t)(sq >> 64);
		break;
	case AGG_QUANTIZE:
		v[1 + quant_index(x)] += (uint64_t)by;
		break;
	case AGG_LQUANTIZE:
		v[1 + lquant_index(ad->arg, x)] += (uint64_t)by;
		break;
	case AGG_LLQUANTIZE:
		CHECK_INT(llq_init(&q, ad->arg), 0);
		v[1 + llq_index(&q, x)] += (uint64_t)by;
		break;
	}
}

static uint32_t
nval_of(const struct aggdesc *ad)
{
	struct llq q;

	switch (ad->fn) {
	case AGG_COUNT: return 1;
	case AGG_STDDEV: return 4;
	case AGG_QUANTIZE: return 1 + QUANT_NBUCKET;
	case AGG_LQUANTIZE: return 1 + lquant_nbucket(ad->arg);
	case AGG_LLQUANTIZE:
		llq_init(&q, ad->arg);
		return 2 * q.beyond + 2;
	default: return 2;
	}
}

/* A trace with some aggregations and one key layout: string[16], int. */
struct fix {
	struct trace t;
	struct prog prog;
	struct mapdesc map;
	struct aggdesc agg[3], *aggp[3];
	struct datum key[2];
	struct typeset *types;
	struct arena *arena;
	char text[8192];
};

static void
fix_begin(struct fix *f, enum aggfn fn, const int64_t *arg, size_t nkey)
{
	memset(f, 0, sizeof(*f));
	f->types = type_new(256);
	f->arena = arena_new(0);
	opt_init(&f->t.opt);
	f->map.fd = -1;
	f->key[0] = (struct datum){ .size = 16, .what = ACT_TRACE,
	    .type = type_string(f->types) };
	f->key[1] = (struct datum){ .off = 16, .size = 4, .what = ACT_TRACE,
	    .type = type_int(f->types, 4, true) };
	for (int i = 0; i < 3; i++) {
		struct aggdesc *ad = &f->agg[i];

		ad->name = "a";
		ad->id = (uint32_t)i + 1;
		ad->fn = fn;
		ad->sign = true;
		if (arg != NULL)
			memcpy(ad->arg, arg, 4 * sizeof(*arg));
		ad->key = f->key;
		ad->nkey = nkey;
		ad->keysize = nkey == 0 ? 0 : 24;
		ad->nval = nval_of(ad);
		f->aggp[i] = ad;
	}
	f->prog = (struct prog){ .map = &f->map, .nmap = 1, .agg = f->aggp,
	    .nagg = 3 };
	f->t.prog = &f->prog;
	f->t.kern.ncpu = 2;
	CHECK_INT(agg_open(&f->t, NULL), 0);
}

static void
fix_end(struct fix *f)
{
	agg_close(&f->t);
	opt_free(&f->t.opt);
	type_free(f->types);
	arena_free(f->arena);
}

/* One value on a CPU of its own. */
static void
add(struct fix *f, int agg, const char *k0, int32_t k1, int64_t x, int64_t by)
{
	uint64_t v[MAXVAL] = { 0 };
	uint8_t key[24] = { 0 };

	strncpy((char *)key, k0, 15);
	memcpy(key + 16, &k1, 4);
	update(&f->agg[agg], v, x, by);
	CHECK_INT(agg_add(&f->t, &f->agg[agg], key, v, NULL), 0);
}

static const char *
printed(struct fix *f, const char *format, size_t nagg)
{
	struct diag dg = { .source = "test" };
	struct action a = { .act = ACT_PRINTA, .agg = f->aggp, .nagg = nagg };
	FILE *fp;

	if (format != NULL) {
		a.fmt = fmt_parse(f->arena, format, 1, "printa", &dg);
		CHECK(a.fmt != NULL);
	}
	memset(f->text, 0, sizeof(f->text));
	fp = fmemopen(f->text, sizeof(f->text), "w");
	CHECK_INT(agg_printa(&f->t, fp, &a, NULL, NULL), 0);
	fclose(fp);
	diag_free(&dg);
	return f->text;
}

static const char *
rest(struct fix *f)
{
	FILE *fp;

	memset(f->text, 0, sizeof(f->text));
	fp = fmemopen(f->text, sizeof(f->text), "w");
	CHECK_INT(agg_print_rest(&f->t, fp, NULL), 0);
	fclose(fp);
	return f->text;
}

static void
test_numbers(void)
{
	static const int64_t in[][4] = {
		{ 4, 12, 36, 0 }, { -10, 3, -4, 0 }, { 100, 200, 600, 0 },
		{ 1000000, -1000000, 1, 1 },
	};
	static const struct {
		enum aggfn fn;
		size_t set, n;
		const char *want;
	} tab[] = {
		{ AGG_COUNT, 0, 3, "3" }, { AGG_SUM, 0, 3, "52" },
		{ AGG_AVG, 0, 3, "17" }, { AGG_MIN, 0, 3, "4" },
		{ AGG_MAX, 0, 3, "36" }, { AGG_STDDEV, 0, 3, "14" },
		{ AGG_SUM, 1, 3, "-11" }, { AGG_AVG, 1, 3, "-3" },
		{ AGG_MIN, 1, 3, "-10" }, { AGG_MAX, 1, 3, "3" },
		{ AGG_STDDEV, 1, 3, "5" }, { AGG_STDDEV, 2, 3, "216" },
		{ AGG_STDDEV, 2, 1, "0" }, { AGG_STDDEV, 3, 2, "1000000" },
	};
	char want[64];
	struct fix f;

	for (size_t i = 0; i < sizeof(tab) / sizeof(tab[0]); i++) {
		fix_begin(&f, tab[i].fn, NULL, 0);
		for (size_t j = 0; j < tab[i].n; j++)
			add(&f, 0, "", 0, in[tab[i].set][j], 1);
		snprintf(want, sizeof(want), "\n %16s\n", tab[i].want);
		CHECK_STR(printed(&f, NULL, 1), want);
		snprintf(want, sizeof(want), "<%s>", tab[i].want);
		CHECK_STR(printed(&f, "<%@d>", 1), want);
		fix_end(&f);
	}
}

/* Squares of 2^62 need 128 bits. */
static void
test_stddev_wide(void)
{
	struct fix f;
	int64_t big = INT64_C(1) << 62;

	fix_begin(&f, AGG_STDDEV, NULL, 0);
	add(&f, 0, "", 0, big, 1);
	add(&f, 0, "", 0, -big, 1);
	CHECK_STR(printed(&f, "%@d", 1), "4611686018427387904");
	fix_end(&f);
}

static void
test_order(void)
{
	struct fix f;

	fix_begin(&f, AGG_SUM, NULL, 2);
	add(&f, 0, "m", 3, 1, 1);
	add(&f, 0, "c", 9, 3, 1);
	add(&f, 0, "z", 1, 2, 1);
	add(&f, 0, "c", 2, 2, 1);
	CHECK_STR(printed(&f, "%s%d=%@d ", 1), "m3=1 c2=2 z1=2 c9=3 ");
	CHECK_INT(opt_set(&f.t.opt, "aggsortrev", NULL, NULL), 0);
	CHECK_STR(printed(&f, "%s%d=%@d ", 1), "c9=3 z1=2 c2=2 m3=1 ");
	CHECK_INT(opt_set(&f.t.opt, "aggsortkey", NULL, NULL), 0);
	CHECK_STR(printed(&f, "%s%d=%@d ", 1), "z1=2 m3=1 c9=3 c2=2 ");
	opt_free(&f.t.opt);
	opt_init(&f.t.opt);
	CHECK_INT(opt_set(&f.t.opt, "aggsortkey", NULL, NULL), 0);
	CHECK_INT(opt_set(&f.t.opt, "aggsortkeypos", "1", NULL), 0);
	CHECK_STR(printed(&f, "%s%d=%@d ", 1), "z1=2 c2=2 m3=1 c9=3 ");
	CHECK_INT(opt_set(&f.t.opt, "aggsortkeypos", "7", NULL), 0);
	CHECK_STR(printed(&f, "%s%d=%@d ", 1), "c2=2 c9=3 m3=1 z1=2 ");
	fix_end(&f);
}

static void
test_default(void)
{
	struct fix f;

	fix_begin(&f, AGG_SUM, NULL, 2);
	add(&f, 0, "pear", -6, 5, 1);
	add(&f, 1, "fig", 7, -2, 1);
	CHECK_STR(printed(&f, NULL, 1),
	    "\n  pear                                             "
	    "        -6                5\n");
	/* printed ones are left out at the end */
	CHECK_STR(rest(&f),
	    "  fig                                              "
	    "         7               -2\n");
	CHECK_STR(printed(&f, NULL, 2),
	    "\n  fig                                              "
	    "         7                0               -2\n"
	    "  pear                                             "
	    "        -6                5                0\n");
	fix_end(&f);
	fix_begin(&f, AGG_SUM, NULL, 2);
	CHECK_STR(printed(&f, NULL, 1), "\n");
	CHECK_STR(printed(&f, "%@d", 1), "");
	fix_end(&f);
}

static void
test_joined(void)
{
	struct fix f;

	fix_begin(&f, AGG_SUM, NULL, 1);
	add(&f, 0, "a", 0, 1, 1);
	add(&f, 1, "a", 0, 50, 1);
	add(&f, 0, "b", 0, 2, 1);
	add(&f, 1, "b", 0, 7, 1);
	add(&f, 0, "c", 0, 1, 1);
	CHECK_STR(printed(&f, "%s %@d %@d\n", 2), "c 1 0\na 1 50\nb 2 7\n");
	CHECK_INT(opt_set(&f.t.opt, "aggsortpos", "1", NULL), 0);
	CHECK_STR(printed(&f, "%s %@d %@d\n", 2), "c 1 0\nb 2 7\na 1 50\n");
	CHECK_STR(printed(&f, "%@d %@d %@x %s\n", 2),
	    "1 0 0 c\n2 7 7 b\n1 50 32 a\n");
	fix_end(&f);
}

static void
test_change(void)
{
	struct fix f;

	fix_begin(&f, AGG_SUM, NULL, 1);
	for (int i = 1; i < 6; i++) {
		char k[2] = { (char)('0' + i), 0 };

		add(&f, 0, k, 0, i * 10, 1);
		add(&f, 1, k, 0, -i * 10, 1);
	}
	CHECK_INT(agg_trunc(&f.t, &f.agg[0], 3, NULL), 0);
	CHECK_STR(printed(&f, "%s=%@d ", 1), "3=30 4=40 5=50 ");
	CHECK_INT(agg_trunc(&f.t, &f.agg[0], -1, NULL), 0);
	CHECK_STR(printed(&f, "%s=%@d ", 1), "3=30 ");
	add(&f, 0, "3", 0, 12, 1);
	CHECK_INT(agg_normalize(&f.t, &f.agg[0], 10, NULL), 0);
	CHECK_STR(printed(&f, "%s=%@d ", 1), "3=4 ");
	CHECK_INT(agg_normalize(&f.t, &f.agg[0], 1, NULL), 0);
	CHECK_STR(printed(&f, "%s=%@d ", 1), "3=42 ");
	CHECK_INT(agg_clear(&f.t, &f.agg[0], NULL), 0);
	CHECK_STR(printed(&f, "%s=%@d ", 1), "3=0 ");
	add(&f, 0, "3", 0, 9, 1);
	CHECK_STR(printed(&f, "%s=%@d ", 1), "3=9 ");
	CHECK_INT(agg_trunc(&f.t, &f.agg[0], 0, NULL), 0);
	CHECK_STR(printed(&f, "%s=%@d ", 1), "");
	/* unsigned in the default print, signed with a format */
	f.agg[1].nkey = 0;
	CHECK_INT(agg_trunc(&f.t, &f.agg[1], -1, NULL), 0);
	CHECK_INT(agg_normalize(&f.t, &f.agg[1], 10, NULL), 0);
	CHECK_STR(rest(&f), " 1844674407370955156\n");
	fix_end(&f);
}

static const char *const head =
    "\n\n           value  ------------- Distribution ------------- count"
    "    \n";

static void
check_drawing(enum aggfn fn, const int64_t *arg, const int64_t (*in)[2],
    size_t n, const char *rows)
{
	char want[4096];
	struct fix f;

	fix_begin(&f, fn, arg, 0);
	for (size_t i = 0; i < n; i++)
		add(&f, 0, "", 0, in[i][0], in[i][1]);
	snprintf(want, sizeof(want), "%s%s\n", head, rows);
	CHECK_STR(printed(&f, NULL, 1), want);
	fix_end(&f);
}

#define N(a)	(sizeof(a) / sizeof((a)[0]))
#define BLANK40	"                                        "
#define BLANK20	"                    "
#define FULL40	"@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"

static void
test_quantize(void)
{
	static const int64_t lq[] = { 0, 50, 10, 0 };
	static const int64_t pos[][2] = { { 1, 1 }, { 2, 1 }, { 3, 1 } };
	static const int64_t neg[][2] = { { 1, -123 } };
	static const int64_t both[][2] = { { 1, 1 }, { 2, -3 } };
	static const int64_t none[][2] = { { 1, 1 }, { 1, -1 } };
	static const int64_t ends[][2] = { { -5, 1 }, { 50, 1 } };

	check_drawing(AGG_QUANTIZE, NULL, pos, N(pos),
	    "               0 |" BLANK40 " 0        \n"
	    "               1 |@@@@@@@@@@@@@                            1"
	    "        \n"
	    "               2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@              2"
	    "        \n"
	    "               4 |" BLANK40 " 0        \n");
	check_drawing(AGG_QUANTIZE, NULL, neg, N(neg),
	    "               0 " BLANK40 "| 0        \n"
	    "               1 " FULL40 "| -123     \n"
	    "               2 " BLANK40 "| 0        \n");
	check_drawing(AGG_QUANTIZE, NULL, both, N(both),
	    "               0 " BLANK20 "|" BLANK20 " 0        \n"
	    "               1 " BLANK20 "|@@@@@                1        \n"
	    "               2      @@@@@@@@@@@@@@@|" BLANK20 " -3       \n"
	    "               4 " BLANK20 "|" BLANK20 " 0        \n");
	check_drawing(AGG_QUANTIZE, NULL, none, N(none),
	    "              -1 |" BLANK40 " 0        \n"
	    "               0 |" BLANK40 " 0        \n"
	    "               1 |" BLANK40 " 0        \n");
	check_drawing(AGG_LQUANTIZE, lq, ends, N(ends),
	    "             < 0 |@@@@@@@@@@@@@@@@@@@@                     1"
	    "        \n"
	    "               0 |" BLANK40 " 0        \n"
	    "              10 |" BLANK40 " 0        \n"
	    "              20 |" BLANK40 " 0        \n"
	    "              30 |" BLANK40 " 0        \n"
	    "              40 |" BLANK40 " 0        \n"
	    "           >= 50 |@@@@@@@@@@@@@@@@@@@@                     1"
	    "        \n");
}

static void
test_llquantize(void)
{
	static const int64_t llq[] = { 10, 2, 3, 20 };
	static const int64_t ll1[] = { 4, 0, 0, 4 };
	static const int64_t mid[][2] = { { 120, 1 }, { 135, 3 } };
	static const int64_t low[][2] = { { 7, 1 } };
	static const int64_t nlow[][2] = { { -120, 1 } };
	static const int64_t over[][2] = { { -4, 1 }, { 4, 1 } };

	check_drawing(AGG_LLQUANTIZE, llq, mid, N(mid),
	    "           < 100 |" BLANK40 " 0        \n"
	    "             100 |" FULL40 " 4        \n"
	    "             150 |" BLANK40 " 0        \n");
	check_drawing(AGG_LLQUANTIZE, llq, low, N(low),
	    "            -100 |" BLANK40 " 0        \n"
	    "     abs() < 100 |" FULL40 " 1        \n"
	    "             100 |" BLANK40 " 0        \n");
	check_drawing(AGG_LLQUANTIZE, llq, nlow, N(nlow),
	    "            -150 |" BLANK40 " 0        \n"
	    "            -100 |" FULL40 " 1        \n"
	    "     abs() < 100 |" BLANK40 " 0        \n");
	check_drawing(AGG_LLQUANTIZE, ll1, over, N(over),
	    "           <= -4 |@@@@@@@@@@@@@@@@@@@@                     1"
	    "        \n"
	    "              -3 |" BLANK40 " 0        \n"
	    "              -2 |" BLANK40 " 0        \n"
	    "              -1 |" BLANK40 " 0        \n"
	    "               0 |" BLANK40 " 0        \n"
	    "               1 |" BLANK40 " 0        \n"
	    "               2 |" BLANK40 " 0        \n"
	    "               3 |" BLANK40 " 0        \n"
	    "            >= 4 |@@@@@@@@@@@@@@@@@@@@                     1"
	    "        \n");
}

static void
test_drawing_order(void)
{
	struct fix f;

	fix_begin(&f, AGG_QUANTIZE, NULL, 1);
	add(&f, 0, "much", 0, 64, 1);
	add(&f, 0, "less", 0, 1, 3);
	add(&f, 0, "zero2", 0, 0, 2);
	add(&f, 0, "zero1", 0, 0, 1);
	add(&f, 0, "neg", 0, -8, 1);
	printed(&f, "%s%@d", 1);
	CHECK(strstr(f.text, "neg\n") < strstr(f.text, "zero1\n"));
	CHECK(strstr(f.text, "zero1\n") < strstr(f.text, "zero2\n"));
	CHECK(strstr(f.text, "zero2\n") < strstr(f.text, "less\n"));
	CHECK(strstr(f.text, "less\n") < strstr(f.text, "much\n"));
	fix_end(&f);
}

/* Many keys, so that the table grows. */
static void
test_many(void)
{
	struct fix f;
	int i, n = 0;
	char k[16];

	fix_begin(&f, AGG_COUNT, NULL, 2);
	for (i = 0; i < 20000; i++) {
		snprintf(k, sizeof(k), "k%d", i % 5000);
		add(&f, 0, k, i % 5, 0, 1);
	}
	CHECK_INT(agg_trunc(&f.t, &f.agg[0], 100, NULL), 0);
	printed(&f, "%@d\n", 1);
	for (const char *p = f.text; *p != '\0'; p++)
		n += *p == '\n';
	CHECK_INT(n, 100);
	CHECK(strncmp(f.text, "4\n4\n", 4) == 0);
	fix_end(&f);
}

int
main(void)
{
	test_quant_buckets();
	test_lquant_buckets();
	test_llq_buckets();
	test_numbers();
	test_stddev_wide();
	test_order();
	test_default();
	test_joined();
	test_change();
	test_quantize();
	test_llquantize();
	test_drawing_order();
	test_many();
	return unit_end();
}
