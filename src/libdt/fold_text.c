/* Text with stacks, folded: which tracer wrote it, then line by line. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/fold_impl.h"
#include "libdt/fold_line.h"
#include "libdt/lines.h"

#define LINE_MAX_BYTES	(1u << 20)

char *
text_trim(char *s, size_t *n)
{
	while (*n > 0 && isspace((unsigned char)s[*n - 1]))
		--*n;
	s[*n] = '\0';
	while (isspace((unsigned char)*s)) {
		s++;
		--*n;
	}
	return s;
}

bool
text_number(const char *s, size_t n, uint64_t *v)
{
	char *end;

	if (n == 0 || n > 20 || !isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*v = strtoull(s, &end, 10);
	return errno == 0 && end == s + n;
}

bool
text_count(const char *s, size_t n, uint64_t *v, size_t *before)
{
	size_t i = n;

	while (i > 0 && !isspace((unsigned char)s[i - 1]))
		i--;
	if (!text_number(s + i, n - i, v))
		return false;
	while (i > 0 && isspace((unsigned char)s[i - 1]))
		i--;
	*before = i;
	return true;
}

/* The sum of all counts stays one of 64 bits. */
static bool
has_room(const struct text *t, uint64_t count)
{
	return count <= UINT64_MAX - fold_total(t->f);
}

enum took
text_close(struct text *t, uint64_t count, uint64_t line)
{
	if (!has_room(t, count)) {
		block_clear(&t->block);
		t->lost = line;
		return TOOK;
	}
	return block_flush(&t->block, t->f, count) == -1 ? TOOK_FAILED : TOOK;
}

static enum took
folded_line(struct text *t, char *raw, size_t n)
{
	char *s = text_trim(raw, &n);
	uint64_t count;
	size_t before;

	if (n == 0)
		return TOOK;
	if (!text_count(s, n, &count, &before) || before == 0)
		return TOOK_NOT;
	if (!has_room(t, count)) {
		t->lost = t->line;
		return TOOK;
	}
	return fold_add(t->f, NULL, s, before, count) == -1 ? TOOK_FAILED :
	    TOOK;
}

static enum took
folded_end(struct text *t)
{
	(void)t;
	return TOOK;
}

static const struct format {
	const char *name;
	enum took (*line)(struct text *, char *, size_t);
	enum took (*end)(struct text *);
} formats[] = {
	[FOLD_AUTO] = { "auto", NULL, NULL },
	[FOLD_DTRACE] = { "dtrace", dtrace_line, dtrace_end },
	[FOLD_PERF] = { "perf", perf_line, perf_end },
	[FOLD_BPFTRACE] = { "bpftrace", bpftrace_line, bpftrace_end },
	[FOLD_FOLDED] = { "folded", folded_line, folded_end },
};

int
fold_format_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(formats[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* Which tracer wrote it, by its first line that is not empty. */
static enum fold_format
guess(const char *s, size_t n)
{
	const char *pid, *tid;
	uint64_t v;
	size_t i;

	if (strncmp(s, "Attaching ", 10) == 0 || *s == '@')
		return FOLD_BPFTRACE;
	if (!isspace((unsigned char)*s) && !dtrace_header(s, n) &&
	    perf_header(s, &i, &pid, &tid) && strchr(s, ';') == NULL)
		return FOLD_PERF;
	if (*s == '#')
		return FOLD_PERF;
	if (!isspace((unsigned char)*s) && text_count(s, n, &v, &i) &&
	    i > 0 && !dtrace_header(s, n))
		return FOLD_FOLDED;
	return FOLD_DTRACE;
}

/* Options that only records can follow. */
static int
check_options(const struct fold_opt *o, enum fold_format format,
    const char *name, struct msg *m)
{
	bool by = o->by != FOLD_BY_NONE &&
	    (format != FOLD_PERF || o->by == FOLD_BY_SPAN);

	if (!fold_chooses(o) && !by && o->family == FAMILY_CPU)
		return 0;
	return msg_set_at(m, "usage", name, 0, "%s is not for %s text, only "
	    "for records", by ? "--by" : o->family != FAMILY_CPU ? "-f" :
	    "a choice by -p, -t, --span, --from or --to",
	    formats[format].name);
}

static enum took
take_line(struct text *t, enum fold_format *format, char *s, size_t n)
{
	if (strlen(s) != n)
		return TOOK_NOT;
	if (*format == FOLD_AUTO && strspn(s, " \t\r") < n)
		*format = guess(s, n);
	return *format == FOLD_AUTO ? TOOK : formats[*format].line(t, s, n);
}

static void
tell(const char *id, const char *name, uint64_t line, const char *why,
    const struct msg_sink *sink, uint64_t *malformed)
{
	++*malformed;
	msg_emit(sink, MSG_ERROR, id, name, line, "%s", why);
}

static void
tell_lost(struct text *t, const char *name, const struct msg_sink *sink,
    uint64_t *malformed)
{
	if (t->lost != 0)
		tell("stack-syntax", name, t->lost, "with it the sum of all "
		    "counts exceeds 64 bits", sink, malformed);
	t->lost = 0;
}

static int
take_lines(struct text *t, enum fold_format format, struct lines *l,
    const char *name, const struct msg_sink *sink, uint64_t *malformed,
    struct msg *m)
{
	const struct fold_opt *o = fold_options(t->f);
	enum fold_format checked = FOLD_AUTO;
	enum took took;
	enum lines_got got;
	char *s;
	size_t n;

	while ((got = lines_next(l, &s, &n, m)) != LINES_END) {
		if (o->progress != NULL && l->line % 8192 == 0)
			o->progress(o->progress_arg, l->offset);
		if (got == LINES_FAILED)
			return -1;
		t->line = l->line;
		t->why = "no frame, key or count of a stack";
		took = TOOK_NOT;
		if (got == LINES_LONG)
			t->why = "line too long";
		else
			took = take_line(t, &format, s, n);
		if (checked != format &&
		    check_options(o, checked = format, name, m) == -1)
			return -1;
		if (took == TOOK_FAILED)
			return msg_set_nomem(m);
		tell_lost(t, name, sink, malformed);
		if (took == TOOK_NOT)
			tell("stack-syntax", name, l->line, t->why, sink,
			    malformed);
	}
	if (format == FOLD_AUTO)	/* nothing but blanks */
		return msg_set_at(m, "empty", name, 0, "the input is empty");
	if ((took = formats[format].end(t)) == TOOK_FAILED)
		return msg_set_nomem(m);
	tell_lost(t, name, sink, malformed);
	if (took == TOOK_NOT)
		tell("stack-torn", name, l->line, "the input ends before the "
		    "count of the last stack", sink, malformed);
	return 0;
}

int
fold_text(struct fold *f, enum fold_format format, int fd, const char *name,
    const struct msg_sink *sink, uint64_t *malformed, struct msg *m)
{
	struct text t = { .f = f };
	struct lines l;
	int rv;

	if (lines_open(&l, fd, name, LINE_MAX_BYTES, m) == -1)
		return -1;
	rv = take_lines(&t, format, &l, name, sink, malformed, m);
	if (rv == 0 && l.line == 0)
		rv = msg_set_at(m, "empty", name, 0, "the input is empty");
	block_free(&t.block);
	lines_close(&l);
	return rv;
}
