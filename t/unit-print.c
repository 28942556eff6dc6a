/*
 * unit-print.c - records as text: heading, columns, quiet mode, flow, dumps,
 * print(), freopen and setopt; records that do not fit their clause.
 */
#include <unistd.h>

#include "libdt/msg.h"
#include "trace/arena.h"
#include "trace/ast.h"
#include "trace/diag.h"
#include "trace/fmt.h"
#include "trace/opt.h"
#include "trace/print.h"
#include "trace/probe.h"
#include "trace/prog.h"
#include "trace/trace.h"
#include "trace/type.h"
#include "unit.h"

enum { NCLAUSE = 4, RECSIZE = 256, DATA = sizeof(struct rechead) };

struct fix {
	struct trace t;
	struct prog prog;
	struct reclayout layout[NCLAUSE];
	struct action action[NCLAUSE][4];
	struct datum datum[NCLAUSE][4];
	struct probe probe[4], *probep[4];
	struct typeset *types;
	struct arena *arena;
	char *text;
	size_t size;
};

static void
fix_begin(struct fix *f)
{
	static const char *const name[4][3] = {
		{ "dtrace", "", "BEGIN" }, { "syscall", "read", "entry" },
		{ "syscall", "read", "return" }, { "pid7", "f", "entry" },
	};

	memset(f, 0, sizeof(*f));
	f->types = type_new(256);
	f->arena = arena_new(0);
	opt_init(&f->t.opt);
	for (int i = 0; i < 4; i++) {
		f->probe[i] = (struct probe){ .id = 10 + (uint32_t)i,
		    .prov = name[i][0], .mod = "", .func = name[i][1],
		    .name = name[i][2], .idx = (uint32_t)i };
		f->probep[i] = &f->probe[i];
	}
	for (int i = 0; i < NCLAUSE; i++)
		f->layout[i].size = RECSIZE;
	f->prog = (struct prog){ .layout = f->layout, .nlayout = NCLAUSE,
	    .probe = f->probep, .nprobe = 4 };
	f->t.prog = &f->prog;
	f->t.kern.ncpu = 2;
	f->t.out = open_memstream(&f->text, &f->size);
	CHECK(f->t.out != NULL && print_open(&f->t, NULL) == 0);
}

static void
fix_end(struct fix *f)
{
	print_close(&f->t);
	fclose(f->t.out);
	free(f->text);
	opt_free(&f->t.opt);
	type_free(f->types);
	arena_free(f->arena);
}

/* What has been printed since the last call. */
static const char *
said(struct fix *f)
{
	static char copy[8192];

	CHECK_INT(print_flush(&f->t, NULL), 0);
	snprintf(copy, sizeof(copy), "%.*s", (int)f->size, f->text);
	CHECK(fseeko(f->t.out, 0, SEEK_SET) == 0);
	return copy;
}

/* The clause's next action, with one datum at DATA + 8 * n. */
static struct action *
add(struct fix *f, int clause, enum act act, const struct dtype *type,
    uint32_t size)
{
	struct reclayout *l = &f->layout[clause];
	size_t n = l->naction++;
	struct action *a = &f->action[clause][n];

	l->action = f->action[clause];
	f->datum[clause][n] = (struct datum){ .type = type, .size = size,
	    .off = DATA + 8 * (uint32_t)n, .what = ACT_TRACE };
	*a = (struct action){ .act = act, .line = 1,
	    .datum = &f->datum[clause][n], .ndatum = type != NULL };
	return a;
}

static int
record(struct fix *f, uint32_t clause, uint32_t probe, uint32_t cpu,
    const void *data, size_t n)
{
	_Alignas(8) uint8_t rec[RECSIZE] = { 0 };
	struct rechead h = { .clause = clause, .probe = probe, .cpu = cpu };

	memcpy(rec, &h, sizeof(h));
	if (n != 0)
		memcpy(rec + DATA, data, n);
	return print_record(&f->t, rec, sizeof(rec), NULL);
}

static void
test_columns(void)
{
	static const int64_t v[] = { -7, 250 };
	struct fix f;

	fix_begin(&f);
	add(&f, 0, ACT_TRACE, type_int(f.types, 4, true), 4);
	add(&f, 0, ACT_TRACE, type_int(f.types, 8, false), 8);
	add(&f, 1, ACT_TRACE, type_string(f.types), 8);
	add(&f, 2, ACT_TRACE, type_int(f.types, 1, true), 1);
	CHECK_INT(record(&f, 0, 0, 1, v, sizeof(v)), 0);
	CHECK_STR(said(&f),
	    "CPU     ID                    FUNCTION:NAME\n"
	    "  1     10                           :BEGIN "
	    "         -7                  250\n");
	CHECK_INT(record(&f, 1, 1, 0, "wool", 5), 0);
	CHECK_STR(said(&f), "  0     11                       read:entry "
	    "  wool                             \n");
	CHECK_INT(record(&f, 2, 0, 0, v, 1), 0);
	CHECK_STR(said(&f), "  0     10                           :BEGIN "
	    "  -7\n");
	CHECK_INT(record(&f, 3, 0, 0, NULL, 0), 0);
	CHECK_STR(said(&f), "  0     10                           :BEGIN \n");
	CHECK_INT(opt_set(&f.t.opt, "quiet", NULL, NULL), 0);
	CHECK_INT(record(&f, 0, 0, 1, v, sizeof(v)), 0);
	CHECK_INT(record(&f, 1, 1, 0, "wool", 5), 0);
	CHECK_INT(record(&f, 3, 0, 0, NULL, 0), 0);
	CHECK_STR(said(&f), "-7250wool");
	fix_end(&f);
}

static void
test_printf(void)
{
	static const int32_t v[] = { 5, 0, 6, 0, 1 };
	struct diag dg = { .source = "test" };
	struct action *a;
	struct fix f;

	fix_begin(&f);
	a = add(&f, 0, ACT_PRINTF, type_int(f.types, 4, true), 4);
	a->fmt = fmt_parse(f.arena, "<%d>", 1, "printf", &dg);
	a = add(&f, 0, ACT_PRINTF, type_int(f.types, 4, true), 4);
	a->fmt = fmt_parse(f.arena, "[%03d]", 1, "printf", &dg);
	a->ran_off = DATA + 16;		/* under a condition */
	CHECK_INT(opt_set(&f.t.opt, "quiet", NULL, NULL), 0);
	CHECK_INT(record(&f, 0, 0, 0, v, sizeof(v)), 0);
	CHECK_INT(record(&f, 0, 0, 0, v, 8), 0);
	CHECK_STR(said(&f), "<5>[006]<5>");
	fix_end(&f);
}

static void
test_flow(void)
{
	struct fix f;

	fix_begin(&f);
	CHECK_INT(opt_set(&f.t.opt, "flowindent", NULL, NULL), 0);
	record(&f, 0, 1, 0, NULL, 0);	/* read:entry, two clauses */
	record(&f, 1, 1, 0, NULL, 0);
	record(&f, 0, 3, 0, NULL, 0);	/* f:entry */
	record(&f, 0, 0, 1, NULL, 0);	/* another CPU */
	record(&f, 2, 2, 0, NULL, 0);	/* read:return, two clauses */
	record(&f, 3, 2, 0, NULL, 0);
	record(&f, 2, 2, 0, NULL, 0);	/* and once more, one of them */
	CHECK_STR(said(&f),
	    "CPU FUNCTION                                 \n"
	    "  0 => read                                   \n"
	    "  0   | read:entry                            \n"
	    "  0   -> f                                    \n"
	    "  1 | :BEGIN                                  \n"
	    "  0     | read:return                         \n"
	    "  0   <= read                                 \n"
	    "  0 <= read                                   \n");
	fix_end(&f);
}

static void
test_dumps(void)
{
	static const uint8_t bytes[] = "0123456789abcdef\n\377";
	static const struct dmember in[] = {
		{ .name = "x", .bit_off = 0 }, { .name = "y", .bit_off = 32 },
	};
	struct dmember mem[2];
	struct dtype st = { .kind = DK_STRUCT, .name = "point", .size = 8,
	    .align = 4, .mem = mem, .nmem = 2 };
	static const int32_t point[] = { -5, 0 };
	struct action *a;
	struct fix f;

	fix_begin(&f);
	memcpy(mem, in, sizeof(mem));
	mem[0].type = mem[1].type = type_int(f.types, 4, true);
	CHECK_INT(opt_set(&f.t.opt, "quiet", NULL, NULL), 0);
	add(&f, 0, ACT_TRACEMEM, type_array(f.types,
	    type_int(f.types, 1, false), 18), 18);
	CHECK_INT(record(&f, 0, 0, 0, bytes, 18), 0);
	CHECK_STR(said(&f), "\n             0  1  2  3  4  5  6  7  8  9  a"
	    "  b  c  d  e  f  0123456789abcdef\n"
	    "         0: 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66"
	    "  0123456789abcdef\n"
	    "        10: 0a ff                                          "
	    "  ..\n");
	a = add(&f, 1, ACT_PRINT, &st, 8);
	CHECK_INT(record(&f, 1, 0, 0, point, 8), 0);
	CHECK_STR(said(&f), "                                            "
	    "(struct point) {\n"
	    "                                             .x = (int)-5,\n"
	    "                                            }\n");
	a->datum[0].size = 4;		/* the second member was cut off */
	CHECK_INT(record(&f, 1, 0, 0, point, 8), 0);
	CHECK_STR(said(&f), "                                            "
	    "(struct point) {\n"
	    "                                             .x = (int)-5,\n"
	    "                                             ...\n"
	    "                                            }\n");
	fix_end(&f);
}

static void
test_consumer(void)
{
	char path[] = "/tmp/unit-print.XXXXXX", line[64] = "";
	int fd = mkstemp(path);
	struct diag dg = { .source = "test" };
	struct action *a;
	struct fix f;
	FILE *fp;

	CHECK(fd != -1);
	close(fd);
	fix_begin(&f);
	a = add(&f, 0, ACT_SETOPT, type_string(f.types), 8);
	CHECK(!opt_flag(&f.t.opt, O_QUIET));
	CHECK_INT(record(&f, 0, 0, 0, "quiet", 6), 0);
	CHECK(opt_flag(&f.t.opt, O_QUIET));
	CHECK_INT(record(&f, 0, 0, 0, "nosuch", 7), -1);
	a = add(&f, 1, ACT_FREOPEN, type_string(f.types), 64);
	a->fmt = fmt_parse(f.arena, "%s", 1, "freopen", &dg);
	add(&f, 2, ACT_TRACE, type_string(f.types), 8);
	said(&f);
	CHECK_INT(record(&f, 1, 0, 0, path, sizeof(path)), 0);
	CHECK_INT(record(&f, 2, 0, 0, "away", 5), 0);
	CHECK_INT(record(&f, 1, 0, 0, "", 1), 0);
	CHECK_INT(record(&f, 2, 0, 0, "back", 5), 0);
	CHECK_STR(said(&f), "back");
	CHECK_INT(record(&f, 1, 0, 0, "/no/such/dir", 13), -1);
	fp = fopen(path, "r");
	CHECK(fp != NULL && fgets(line, sizeof(line), fp) != NULL);
	CHECK_STR(line, "away");
	if (fp != NULL)
		fclose(fp);
	unlink(path);
	fix_end(&f);
}

static void
test_bad(void)
{
	_Alignas(8) uint8_t rec[RECSIZE] = { 0 };
	struct rechead h = { .clause = NCLAUSE };
	struct msg m;
	struct fix f;

	fix_begin(&f);
	add(&f, 0, ACT_TRACE, type_int(f.types, 8, true), 8);
	CHECK_INT(print_record(&f.t, rec, 7, &m), -1);
	CHECK_STR(m.text, "a record of 7 bytes is too short");
	CHECK_INT(print_record(&f.t, rec, RECSIZE - 1, &m), -1);
	memcpy(rec, &h, sizeof(h));
	CHECK_INT(print_record(&f.t, rec, RECSIZE, &m), -1);
	h = (struct rechead){ .probe = 4 };
	memcpy(rec, &h, sizeof(h));
	CHECK_INT(print_record(&f.t, rec, RECSIZE, &m), -1);
	h = (struct rechead){ .probe = 0, .cpu = 99 };
	memcpy(rec, &h, sizeof(h));
	f.datum[0][0].off = RECSIZE - 4;
	CHECK_INT(print_record(&f.t, rec, RECSIZE, &m), -1);
	f.datum[0][0].off = RECSIZE - 8;
	CHECK_INT(print_record(&f.t, rec, RECSIZE, &m), 0);
	fix_end(&f);
}

/* END's newline, and a stream that takes nothing. */
static void
test_end(void)
{
	struct msg m;
	struct fix f;
	FILE *full, *out;

	fix_begin(&f);
	CHECK_INT(print_end(&f.t, NULL), 0);
	CHECK_STR(f.text, "\n");
	full = fopen("/dev/full", "w");
	if (full != NULL) {
		out = f.t.out;
		f.t.out = full;
		CHECK_INT(record(&f, 3, 0, 0, NULL, 0), 0);
		CHECK_INT(print_flush(&f.t, &m), -1);
		f.t.out = out;
		fclose(full);
	}
	fix_end(&f);
}

int
main(void)
{
	test_columns();
	test_printf();
	test_flow();
	test_dumps();
	test_consumer();
	test_bad();
	test_end();
	return unit_end();
}
