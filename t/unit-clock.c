#include "libdt/clock.h"
#include "unit.h"

int
main(void)
{
	char buf[CLOCK_UTC_SIZE], source[64];
	struct clock_pair p;
	int64_t suspended;
	struct msg m;
	uint64_t t;

	clock_utc(0, buf);
	CHECK_STR(buf, "1970-01-01T00:00:00.000000000Z");
	clock_utc(-1, buf);
	CHECK_STR(buf, "1969-12-31T23:59:59.999999999Z");
	clock_utc(INT64_C(1795962000123456789), buf);
	CHECK_STR(buf, "2026-11-29T14:20:00.123456789Z");
	t = clock_now();
	CHECK_INT(clock_pair_read(&p, &m), 0);
	CHECK(p.at_ns >= t && p.at_ns <= clock_now());
	CHECK(p.within_ns < NS_PER_S && p.wall_ns > 0);
	CHECK_INT(clock_suspended(&suspended, &m), 0);
	CHECK(suspended >= 0);
	CHECK(clock_resolution() > 0);
	clock_source(source, sizeof(source));
	CHECK(source[0] != '\0' && strchr(source, '\n') == NULL);
	t = clock_now() + 2000000;
	CHECK_INT(clock_sleep_until(t), 0);
	CHECK(clock_now() >= t);
	return unit_end();
}
