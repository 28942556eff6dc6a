#include <ctype.h>

#include "libdt/finding.h"
#include "unit.h"

static int
kebab(const char *s)
{
	if (!islower((unsigned char)*s))
		return 0;
	for (; *s != '\0'; s++)
		if (!islower((unsigned char)*s) && *s != '-')
			return 0;
	return s[-1] != '-';
}

int
main(void)
{
	const struct finding_def *d;
	size_t i;

	for (i = 0; i < FINDING_COUNT; i++) {
		d = &finding_table[i];
		CHECK(kebab(d->id) || strcmp(d->id, "json-utf8") == 0);
		CHECK_INT(finding_by_id(d->id), i);	/* no id twice */
		CHECK(strlen(d->what) > 0 && strlen(d->what) < 100);
		CHECK(d->what[strlen(d->what) - 1] != '.');
		CHECK(d->why[strlen(d->why) - 1] == '.');
		CHECK(d->class < FINDING_CLASSES && d->level < MSG_LEVELS);
	}
	CHECK_INT(finding_by_id("no-such-finding"), FINDING_COUNT);
	return unit_end();
}
