/* The table of findings: looked up, explained, as mdoc(7). */
#include <string.h>

#include "libdt/finding.h"

#define WIDTH	72

const struct finding_def finding_table[FINDING_COUNT] = {
#define X(sym, id, level, class, what, why) \
	{ id, MSG_##level, FINDING_CLASS_##class, what, why },
#include "libdt/finding.def"
#undef X
};

static const struct {
	const char *name, *title;
} classes[FINDING_CLASSES] = {
#define X(sym, name, title)	{ name, title },
#include "libdt/findclass.def"
#undef X
};

enum finding
finding_by_id(const char *id)
{
	size_t i;

	for (i = 0; i < FINDING_COUNT; i++)
		if (strcmp(finding_table[i].id, id) == 0)
			break;
	return (enum finding)i;
}

const char *
finding_class_name(enum finding_class c)
{
	return classes[c].name;
}

const char *
finding_class_title(enum finding_class c)
{
	return classes[c].title;
}

static int
wrap(struct out *o, const char *s)
{
	size_t col = 0, n;

	for (; *s != '\0'; s += n + (s[n] == ' ')) {
		n = strcspn(s, " ");
		if (col > 0 && col + 1 + n > WIDTH) {
			out_putc(o, '\n');
			col = 0;
		}
		if (col > 0)
			out_putc(o, ' ');
		out_write(o, s, n);
		col += n + (col > 0);
	}
	return out_putc(o, '\n');
}

int
finding_explain(struct out *o, enum finding f)
{
	const struct finding_def *d = &finding_table[f];

	out_printf(o, "%s (%s, %s)\n", d->id, msg_level_name(d->level),
	    classes[d->class].name);
	wrap(o, d->what);
	return wrap(o, d->why);
}

static int
mdoc_class(struct out *o, enum finding_class c)
{
	const struct finding_def *d;
	size_t i;

	out_printf(o, ".Ss %s\n.Bl -tag -width Ds\n", classes[c].title);
	for (i = 0; i < FINDING_COUNT; i++) {
		d = &finding_table[i];
		if (d->class == c)
			out_printf(o, ".It Cm %s Pq %s\n%s\n", d->id,
			    msg_level_name(d->level), d->what);
	}
	return out_puts(o, ".El\n");
}

int
finding_mdoc(struct out *o)
{
	size_t c;

	for (c = 0; c < FINDING_CLASSES; c++)
		if (mdoc_class(o, (enum finding_class)c) < 0)
			return -1;
	return 0;
}
