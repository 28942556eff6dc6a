/* diag.c - compile-time errors of D programs. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/diag.h"

static const char *const tagname[] = {
#define X(tag, text) #tag,
#include "trace/errtag.def"
#undef X
};

enum { DIAG_MAX = 20 };

static char *
format(const char *fmt, va_list ap)
{
	char *text;

	return vasprintf(&text, fmt, ap) < 0 ? NULL : text;
}

int
diag_error(struct diag *d, enum errtag tag, int line, const char *fmt, ...)
{
	size_t max = d->max != 0 ? d->max : DIAG_MAX;
	struct diagmsg *m;
	va_list ap;

	d->total++;
	if (d->n >= max)
		return -1;
	m = realloc(d->msg, (d->n + 1) * sizeof(*m));
	if (m == NULL)
		return -1;
	d->msg = m;
	m += d->n++;
	m->tag = tag;
	m->line = line;
	m->hint = NULL;
	m->source = d->source;
	m->file = d->file;
	va_start(ap, fmt);
	m->text = format(fmt, ap);
	va_end(ap);
	return -1;
}

void
diag_hint(struct diag *d, const char *fmt, ...)
{
	struct diagmsg *m;
	va_list ap;

	if (d->n == 0)
		return;
	m = &d->msg[d->n - 1];
	free(m->hint);
	va_start(ap, fmt);
	m->hint = format(fmt, ap);
	va_end(ap);
}

const char *
diag_tagname(enum errtag tag)
{
	return (unsigned)tag < D_NTAGS ? tagname[tag] : "D_UNKNOWN";
}

void
diag_free(struct diag *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->msg[i].text);
		free(d->msg[i].hint);
	}
	free(d->msg);
	d->msg = NULL;
	d->n = d->total = 0;
}
