#include "libdt/cli.h"
#include "libdt/clock.h"
#include "unit.h"

static void
test_worst(void)
{
	CHECK_INT(cli_worst(DT_OK, DT_OK), DT_OK);
	CHECK_INT(cli_worst(DT_OK, DT_SKIP), DT_SKIP);
	CHECK_INT(cli_worst(DT_NO, DT_SKIP), DT_NO);
	CHECK_INT(cli_worst(DT_NO, DT_CANNOT), DT_CANNOT);
	CHECK_INT(cli_worst(DT_CANNOT, DT_OK), DT_CANNOT);
}

static void
test_numbers(void)
{
	uint64_t v = 7;
	struct msg m;

	CHECK_INT(cli_u64("42", 1, 100, &v, &m), 0);
	CHECK_INT(v, 42);
	CHECK_INT(cli_u64("0", 1, 100, &v, &m), -1);
	CHECK_STR(m.text, "\"0\" is not from 1 to 100");
	CHECK_INT(cli_u64("-1", 0, UINT64_MAX, &v, &m), -1);
	CHECK_INT(cli_u64(" 1", 0, UINT64_MAX, &v, &m), -1);
	CHECK_INT(cli_u64("1x", 0, UINT64_MAX, &v, &m), -1);
	CHECK_INT(cli_u64("", 0, UINT64_MAX, &v, &m), -1);
	CHECK_INT(cli_u64("18446744073709551616", 0, UINT64_MAX, &v, &m), -1);
	CHECK_INT(v, 42);
	CHECK_INT(cli_size("512", &v, &m), 0);
	CHECK_INT(v, 512);
	CHECK_INT(cli_size("512M", &v, &m), 0);
	CHECK_INT(v, 512 << 20);
	CHECK_INT(cli_size("17179869184G", &v, &m), -1);
	CHECK_INT(cli_size("1T", &v, &m), -1);
	CHECK_INT(cli_duration("2", &v, &m), 0);
	CHECK_INT(v, 2 * NS_PER_S);
	CHECK_INT(cli_duration("1500ms", &v, &m), 0);
	CHECK_INT(v, 1500000000);
	CHECK_INT(cli_duration("3m", &v, &m), 0);
	CHECK_INT(v, 180 * NS_PER_S);
	CHECK_INT(cli_duration("1.5", &v, &m), -1);
	CHECK_STR(m.id, "usage");
}

static void
test_usage(void)
{
	static const struct cli c = { .prog = "dt-x",
		.synopsis = "-a FILE\n-b" };
	char *s = NULL;
	size_t n;
	FILE *fp = open_memstream(&s, &n);

	CHECK_INT(cli_usage_error(&c, fp, "no %s", "file"), DT_CANNOT);
	CHECK_INT(fclose(fp), 0);
	CHECK_STR(s, "dt-x: no file\nusage: dt-x -a FILE\n"
	    "       dt-x -b\n");
	free(s);
}

int
main(void)
{
	test_worst();
	test_numbers();
	test_usage();
	return unit_end();
}
