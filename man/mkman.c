/*
 * mkman: copies a manual page from standard input to standard output and puts
 * in a table for each line `@NAME@`: findings (finding.def), types, prefix,
 * kinds, spool (schema.def), or an object of member.def.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/finding.h"
#include "libdt/lines.h"
#include "libdt/out.h"
#include "libdt/schema.h"

static int
table(struct out *o, char *line, size_t n, struct msg *m)
{
	line[n - 1] = '\0';
	if (strcmp(line + 1, "findings") == 0)
		return finding_mdoc(o) == 0 ? out_flush(o, m) : -1;
	return schema_print_mdoc(o, line + 1, m);
}

static int
copy(struct out *o, struct msg *m)
{
	enum lines_got got;
	struct lines l;
	char *line;
	size_t n;
	int rc = 0;

	if (lines_open(&l, 0, "standard input", 65536, m) == -1)
		return -1;
	while (rc == 0 && (got = lines_next(&l, &line, &n, m)) != LINES_END) {
		if (got != LINES_GOOD)
			rc = msg_at(m, l.name, l.line);
		else if (n > 2 && line[0] == '@' && line[n - 1] == '@')
			rc = table(o, line, n, m);
		else
			rc = out_printf(o, "%s\n", line);
	}
	lines_close(&l);
	return rc;
}

int
main(void)
{
	struct out o;
	struct msg m;

	msg_clear(&m);
	out_stdout(&o);
	if (copy(&o, &m) == 0 && out_close(&o, &m) == 0)
		return 0;
	msg_print(stderr, "mkman", &m);
	return 1;
}
